"""Reports: tables beside the paper's figures, a page without network, a board that leaves nothing out."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from neurocross import InputError
from neurocross.bench.board import write_board, write_records
from neurocross.bench.charts import line_chart
from neurocross.bench.judge import judge
from neurocross.bench.records import Log, Run
from neurocross.bench.report import write_report
from neurocross.bench.suites import SUITES, FileCase, best_known, suite_named
from neurocross.bench.tables import gap_over_time, played_by_all, references, rows_of, summary_of


def made(**changes: object) -> Run:
    usual = {
        "suite": "fmdvrp-small", "case": "(7,2,2)", "instance": "fmdvrp-7-2-2-0000", "solver": "ce",
        "seed": 1, "time_limit": 60.0, "seconds": 0.5, "value": 1.0, "feasible": True, "best_known": None,
        "status": "ok", "trace": ((0.1, 2.0), (0.2, 1.0)),
    }  # fmt: skip
    return Run(**{**usual, **changes})


def kept(directory: Path, *runs: Run) -> Path:
    log = Log(directory)
    for run in runs:
        log.write(run)
    log.close()
    return directory


def test_gaps_are_to_the_best_value_found_where_none_is_known() -> None:
    runs = [made(value=1.1), made(solver="exact", value=1.0), made(solver="nce", value=None, feasible=False)]
    by_solver = {row.solver: row for row in summary_of(runs)}
    assert by_solver["ce"].gap == pytest.approx(0.1)
    assert (by_solver["exact"].gap, by_solver["nce"].gap, by_solver["nce"].marked) == (0, None, 1)


def test_gaps_are_to_the_best_known_value_where_there_is_one_and_may_be_below_it() -> None:
    runs = [made(best_known=2.0, value=1.9), made(best_known=2.0, value=2.2, seed=2)]
    assert references(runs) == {("(7,2,2)", "fmdvrp-7-2-2-0000"): 2.0}
    (row,) = summary_of(runs)
    assert (
        row.gap == pytest.approx((-0.05 + 0.1) / 2) and row.reached == 1 and row.worst == pytest.approx(0.1)
    )


def test_an_infeasible_plan_is_no_reference() -> None:
    runs = [made(value=0.5, feasible=False, solver="pyvrp"), made(value=1.0)]
    assert references(runs) == {("(7,2,2)", "fmdvrp-7-2-2-0000"): 1.0}


def test_the_papers_figure_stands_beside_the_solver_it_is_of_and_the_rest_is_quoted() -> None:
    rows = rows_of(suite_named("fmdvrp-small"), [made()])
    ours = next(row for row in rows if row.solver == "ce")
    assert ours.paper is not None and ours.paper.cost == 1.546
    assert [row.solver for row in rows if row.quoted] == ["CPLEX", "OR-tools", "NCE"]


def test_solvers_that_played_less_are_compared_on_what_all_played(tmp_path: Path) -> None:
    absent = made(solver="lkh@1", value=None, feasible=False, status="missing")
    few = [made(value=1.1), made(solver="pyvrp@1"), absent]
    runs = [*few, made(instance="b", value=3.0)]
    assert played_by_all(runs) == few  # who has no plan at all is not waited for
    text = write_report(kept(tmp_path, *runs))[0].read_text()
    all_runs, played = text.index("| ce | 2 |"), text.index("| ce | 1 |")
    assert all_runs < text.index("The instances every solver played:") < played
    assert "every solver played" not in write_report(kept(tmp_path / "same", *few))[0].read_text()


def test_a_curve_of_gaps_begins_when_every_run_has_a_plan_and_never_rises() -> None:
    runs = [made(), made(instance="b", trace=((0.3, 1.5), (0.4, 1.2)), value=1.2)]
    curve = gap_over_time(runs)["ce"]
    assert curve[0][0] == pytest.approx(0.3)
    values = [gap for _, gap in curve]
    assert values == sorted(values, reverse=True) and values[-1] == pytest.approx(0)


def test_the_report_has_the_tables_and_names_what_went_wrong(tmp_path: Path) -> None:
    kept(tmp_path, made(), made(solver="lkh@1", value=None, feasible=False, status="missing", note="get it"))
    markdown, page = write_report(tmp_path)
    text = markdown.read_text()
    assert "| (7,2,2) | ce | 1 | 1.0000 | 0.00 | 0.00 | 0.5 | 1.5460 | 0.19 | 0.04 |" in text
    assert "- lkh@1: missing, get it (1 runs)" in text
    assert "get it" in page.read_text()


def test_the_page_is_well_formed_and_asks_for_nothing_from_outside(tmp_path: Path) -> None:
    kept(tmp_path, made(), made(case="(10,2,2)", instance="c", solver="a<b&c"))
    page = write_report(tmp_path)[1].read_text()
    assert "<svg" in page and "a&lt;b&amp;c" in page and "prefers-color-scheme: dark" in page
    assert not re.search(r"(src|href)\s*=|url\(|@import|https?://", page)
    Balanced().feed(page)


class Balanced(HTMLParser):
    """Fails if a tag is closed that is not open."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attributes: object) -> None:
        if tag not in ("meta", "p", "li"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: object) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("p", "li"):
            assert self.open.pop() == tag


def test_top_k_counts_ranks(tmp_path: Path) -> None:
    runs = [
        made(suite="topk", case="two tours", instance=str(i), solver="nce", value=rank, trace=())
        for i, rank in enumerate((1, 3, 10, 11))
    ]
    text = write_report(kept(tmp_path, *runs))[0].read_text()
    assert "| nce | 4 | 25.0 | 50.0 | 50.0 | 75.0 | 100.0 |" in text
    assert "| paper | 1000 | 42.9 | 71.3 | 78.6 | 90.9 | 97.4 |" in text


def test_a_directory_without_runs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there are no runs to report"):
        write_report(tmp_path)


def test_the_board_shows_every_row_and_says_what_was_not_run(tmp_path: Path) -> None:
    run = made(
        suite="board-quick", case="eil51-3", instance="eil51-3", solver="hybrid", time_limit=2.0,
        value=160.0, best_known=159.5715, commit="abc",
    )  # fmt: skip
    kept(tmp_path / "board-quick", run)
    write_board(tmp_path, tmp_path / "board.md")
    text = (tmp_path / "board.md").read_text()
    assert "| mtsplib: eil51-3 | 2 s | 1 | 160 | 160 | 159.571 | 0.269 |  | abc |" in text
    for name in ("board-quick", "board-full", "board-long"):
        for target in SUITES[name].targets:
            assert f"| {target.row} |" in text
    assert text.count("not run") > 100


def test_a_row_against_an_opponent_is_measured_on_the_same_instances(tmp_path: Path) -> None:
    shared = {"suite": "board-quick", "case": "(50,6,5)"}
    runs = (
        made(**shared, instance="a", solver="hybrid@0.2", time_limit=0.2, value=0.99),
        made(**shared, instance="a", solver="pyvrp@5", time_limit=5.0, value=1.0),
        made(**shared, instance="b", solver="hybrid@0.2", time_limit=0.2, value=5.0),
    )
    kept(tmp_path / "board-quick", *runs)
    write_board(tmp_path, tmp_path / "board.md")
    assert "| fmdvrp (50,6,5) | 0.2 s | 1 of 1 | -1.000 | -1.000 |" in (tmp_path / "board.md").read_text()


def test_the_best_plan_below_best_known_is_kept(tmp_path: Path) -> None:
    case = {"suite": "board-full", "case": "md1 at 60 s", "best_known": 2.0, "time_limit": 60.0}
    runs = (
        made(**case, seed=1, value=1.8, tours=((1, 2),)),
        made(**case, seed=2, value=1.7, tours=((2, 1),)),
        made(**case, seed=3, value=1.6, tours=((1,),), feasible=False),
        made(**{**case, "case": "md3 at 60 s"}, value=2.0 * (1 - 1e-6), tours=((1,),)),
    )
    kept(tmp_path / "board-full", *runs)
    (path,) = write_records(tmp_path, tmp_path / "records")
    assert path.name == "wang2015-md1.json"
    record = json.loads(path.read_text())
    assert (record["value"], record["best_known"], record["seed"]) == (1.7, 2.0, 2)
    assert record["routes"] == [[2, 1]]
    assert write_records(tmp_path, tmp_path / "records") == []
    kept(tmp_path / "board-full", made(**case, seed=4, value=1.5, tours=((2,), (1,))))
    assert write_records(tmp_path, tmp_path / "records") == [path]
    assert json.loads(path.read_text())["routes"] == [[2], [1]]


def test_records_are_what_they_say(data: Path) -> None:
    sources = {
        (case.source.set, case.source.name): case.source
        for suite in SUITES.values() for case in suite.cases if isinstance(case.source, FileCase)
    }  # fmt: skip
    paths = sorted((Path(__file__).parents[2] / "bench" / "records").glob("*.json"))
    assert paths
    known = best_known(data)
    for path in paths:
        record = json.loads(path.read_text())
        source = sources[record["set"], record["case"]]
        verdict = judge(source.read(data), record["routes"])
        assert verdict.feasible and verdict.value == pytest.approx(record["value"], rel=1e-12), path.name
        assert record["value"] < known[source.set, source.name], path.name


def test_a_chart_of_one_point_or_equal_values_is_drawn() -> None:
    for line in ([(1.0, 0.0)], [(1.0, 2.0), (2.0, 2.0)], [(0.001, 1.0), (1000.0, 1e-9)]):
        for log in (False, True):
            svg = line_chart({"a": line}, x_label="x", y_label="y", log_x=log, log_y=log)
            assert svg.startswith("<svg") and "nan" not in svg
    assert line_chart({}, x_label="x", y_label="y") == ""


def test_lines_of_the_log_are_plain_json() -> None:
    assert json.loads(made().line())["trace"] == [[0.1, 2.0], [0.2, 1.0]]
