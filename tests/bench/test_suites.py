"""Suites: every table of the paper is there, instances are the same on every machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from neurocross import InputError
from neurocross.bench import paper
from neurocross.bench.solvers import parse_spec
from neurocross.bench.suites import SUITES, FileCase, RandomCase, best_known, instances, suite_named

PAPERS = (
    "fmdvrp-small", "fmdvrp-large", "mdvrp-small", "mdvrp-large", "mtsp-random", "mtsplib", "cvrp",
    "ablation-k", "ablation-intra", "ablation-selection", "ablation-perturbation", "topk", "full-search",
    "examples",
)  # fmt: skip
OTHERS = ("he_hao", "wang2015", "cordeau", "cvrp-x", "anytime", "board-quick", "board-full", "board-long")


def test_every_table_of_the_paper_and_every_public_set_is_a_suite() -> None:
    assert {*PAPERS, *OTHERS} <= set(SUITES)


def test_every_solver_a_suite_names_exists() -> None:
    for suite in SUITES.values():
        if suite.measure == "plan":
            for text in (*suite.solvers, *(s for case in suite.cases for s in case.solvers)):
                assert parse_spec(text).text == text


def test_cases_of_a_row_of_a_board_belong_to_a_target_and_every_target_has_a_case() -> None:
    for name in ("board-quick", "board-full", "board-long"):
        suite = SUITES[name]
        assert {case.row for case in suite.cases} == {target.row for target in suite.targets}


def test_cases_of_a_suite_are_told_apart_by_name() -> None:
    for suite in SUITES.values():
        names = [case.name for case in suite.cases]
        assert len(set(names)) == len(names), suite.name


def test_random_instances_are_the_same_on_every_machine() -> None:
    problem = RandomCase("fmdvrp", 50, 6, 5).problem(3)
    assert problem.name == "fmdvrp-50-6-5-0003"
    assert problem.coords[0].tolist() == pytest.approx([0.4996099932, 0.0910961063], abs=1e-9)


def test_instances_of_different_sizes_and_numbers_differ() -> None:
    first = [RandomCase("mtsp", n, 1, 5).problem(i).coords[0, 0] for n in (50, 100) for i in (0, 1)]
    assert len(set(first)) == 4


def test_the_small_tables_name_the_gap_the_paper_has_ten_times_too_small() -> None:
    cell = paper.FMDVRP_SMALL[7, 2, 2]
    assert cell["CE"].cost / cell["CPLEX"].cost - 1 == pytest.approx(0.0019, abs=1e-4)


def test_an_unknown_suite_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="suite 'nope' is unknown: use one of fmdvrp-small"):
        suite_named("nope")


def test_every_public_instance_of_every_suite_is_there_and_has_a_best_known_value(data: Path) -> None:
    known = best_known(data)
    for suite in SUITES.values():
        for case in suite.cases:
            if isinstance(case.source, FileCase):
                assert (data / case.source.set / case.source.file).is_file()
                assert (case.source.set, case.source.name) in known, case.name


def test_public_instances_are_read_as_their_sets_mean_them(data: Path) -> None:
    suite = suite_named("board-full")
    by_name = {case.name: case for case in suite.cases}
    rat, md, x = (next(instances(by_name[n], 1, data)) for n in ("rat99-5", "md3", "X-n101-k25"))
    assert (rat.kind, rat.n_vehicles, rat.n_nodes, rat.rounding) == ("mtsp", 5, 99, "none")
    assert (md.kind, md.n_vehicles, md.objective) == ("mdvrp", 5, "minmax")
    assert (x.kind, x.rounding, x.objective) == ("cvrp", "nearest", "minsum")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("magic", "solver 'magic' is unknown"),
        ("ce:colour=red", "expected option=value with one of perturbations"),
        ("ce:perturbations=many", "perturbations must be a whole number, not 'many'"),
        ("ortools@never", "the seconds after @ must be a number above 0, not 'never'"),
        ("ortools@0", "above 0"),
    ],
)
def test_a_solver_that_makes_no_sense_is_refused_in_a_line(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_spec(text)
