"""Running: what goes wrong becomes a marked row, what was run is kept, nothing is run twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from neurocross import InputError, Problem, random_problem, solve
from neurocross.bench import runner
from neurocross.bench.judge import judge
from neurocross.bench.records import RUNS, Log, Run, read_runs
from neurocross.bench.runner import Plan, run
from neurocross.bench.solvers import parse_spec, solver_of
from neurocross.bench.suites import Case, RandomCase, Suite, suite_named
from neurocross.parallel import team

TINY = Suite("smoke", "tiny", (Case(RandomCase("mtsp", 6, 1, 2)),), ("ce",), time=5, instances=2)


def runs_of(plan: Plan, directory: Path) -> list[Run]:
    with team(processes=1) as workers:
        run(plan, directory, workers, lambda done, total, ended: None)
    return read_runs(directory)


def test_a_run_is_one_json_line_with_what_the_judge_found(tmp_path: Path) -> None:
    runs_of(Plan(TINY), tmp_path)
    lines = [json.loads(line) for line in (tmp_path / RUNS).read_text().splitlines()]
    assert len(lines) == 2
    named = {
        "suite",
        "instance",
        "solver",
        "seed",
        "time_limit",
        "seconds",
        "value",
        "feasible",
        "best_known",
    }
    assert named <= set(lines[0])
    problem = TINY.cases[0].source.problem(0)
    assert lines[0]["value"] == solve(problem, method="ce", seed=1).cost and lines[0]["feasible"]


def test_what_was_run_is_not_run_again(tmp_path: Path) -> None:
    first = runs_of(Plan(TINY), tmp_path)
    before = (tmp_path / RUNS).read_bytes()
    assert runs_of(Plan(TINY), tmp_path) == first
    assert (tmp_path / RUNS).read_bytes() == before
    assert len(runs_of(Plan(TINY, seeds=(1, 2)), tmp_path)) == 4


def test_a_half_written_last_line_is_dropped_and_its_run_made_again(tmp_path: Path) -> None:
    first = runs_of(Plan(TINY), tmp_path)
    path = tmp_path / RUNS
    path.write_bytes(path.read_bytes()[:-30])
    assert read_runs(tmp_path) == first[:1]
    again = runs_of(Plan(TINY), tmp_path)
    assert [r.key for r in again] == [r.key for r in first] and again[1].value == first[1].value


def test_kill_9_loses_the_run_under_way_and_no_other(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "neurocross", "bench", "run", "smoke", "--solvers", "ce hybrid@2", "-q"]
    process = subprocess.Popen([*command, "-o", str(tmp_path)], start_new_session=True)
    path = tmp_path / RUNS
    deadline = time.monotonic() + 60
    while not (path.exists() and path.read_text().count("\n") >= 1) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    kept = read_runs(tmp_path)
    assert kept
    plan = Plan(suite_named("smoke"), solvers=("ce", "hybrid@2"), instances=1)
    after = runs_of(plan, tmp_path)
    assert after[: len(kept)] == kept and len(after) >= 2


@pytest.mark.parametrize(
    ("script", "status", "note"),
    [
        ("exit 3", "failed", "LKH-3 ended with code 3"),
        ("kill -9 $PPID", "crashed", "ended with code -9"),
        ("sleep 60", "timed out", "no answer in"),
        ("printf 'TOUR_SECTION\\n1\\n2\\n2\\n-1\\n' > tour", "infeasible", "is visited 2 times"),
        ("printf 'TOUR_SECTION\\n2\\n3\\n-1\\n' > tour", "failed", "without the depot"),
        ("exit 0", "failed", "wrote no tour"),
    ],
)
def test_a_solver_that_misbehaves_becomes_a_marked_row_and_the_others_go_on(
    tmp_path: Path,
    fake_lkh: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    script: str,
    status: str,
    note: str,
) -> None:
    monkeypatch.setattr(runner, "GRACE", 2.0)
    plan = Plan(TINY, solvers=("lkh@0.2", "ce"), instances=1, lkh=str(fake_lkh(script)))
    bad, good = runs_of(plan, tmp_path / "out")
    assert (bad.status, bad.feasible) == (status, False) and note in bad.note
    assert good.status == "ok" and good.feasible


def test_a_missing_solver_says_how_to_get_it_and_is_tried_again_later(
    tmp_path: Path, fake_lkh: Callable[[str], Path]
) -> None:
    (missing,) = runs_of(Plan(TINY, solvers=("lkh@1",), instances=1), tmp_path / "out")
    assert missing.status == "missing" and "--lkh PATH" in missing.note
    tour = "printf 'TOUR_SECTION\\n1\\n2\\n3\\n4\\n8\\n5\\n6\\n7\\n-1\\n' > tour"
    plan = Plan(TINY, solvers=("lkh@1",), instances=1, lkh=str(fake_lkh(tour)))
    (found,) = runs_of(plan, tmp_path / "out")
    assert found.status == "ok"
    assert found.value == judge(TINY.cases[0].source.problem(0), [[1, 2, 3], [4, 5, 6]]).value


def test_bad_plans_are_refused_before_the_work() -> None:
    for changes, message in (
        ({"instances": 0}, "instances must be at least 1"),
        ({"time": 0.0}, "time must be above 0"),
        ({"seeds": (-1,)}, "seeds must be at least 0"),
        ({"cases": ("(9,9)",)}, "has no case"),
        ({"solvers": ("magic",)}, "solver 'magic' is unknown"),
        ({"data": Path("nowhere")}, "nowhere: there is no such directory"),
    ):
        with pytest.raises(InputError, match=message.replace("(", r"\(")):
            Plan(TINY, **changes)
    with pytest.raises(InputError, match="give their directory with --data"):
        Plan(suite_named("mtsplib"))


def test_a_damaged_line_in_the_middle_is_named(tmp_path: Path) -> None:
    runs_of(Plan(TINY), tmp_path)
    path = tmp_path / RUNS
    path.write_text("nonsense\n" + path.read_text())
    with pytest.raises(InputError, match=r"runs.jsonl:1: expected a run as JSON"):
        read_runs(tmp_path)


def test_a_log_keeps_lines_whole(tmp_path: Path) -> None:
    (tmp_path / RUNS).write_text('{"half')
    log = Log(tmp_path)
    log.close()
    assert (tmp_path / RUNS).read_text() == ""


class TestJudge:
    problem = Problem.mtsp([[0, 0], [0, 3], [4, 0]], vehicles=2)

    def test_it_computes_the_value_itself(self) -> None:
        assert judge(self.problem, [[1], [2]]).value == 8
        assert judge(self.problem, [[1, 2], []]).value == 12

    @pytest.mark.parametrize("tours", [[[1]], [[1, 2], [2]], [[1], [2], []], [[1, 9]], [["a"]], None])
    def test_a_plan_that_is_none_is_not_feasible(self, tours: object) -> None:
        verdict = judge(self.problem, tours)
        assert not verdict.feasible and verdict.note


@pytest.mark.parametrize("method", ["ce", "ce-brute", "nce"])
def test_algorithm_1_in_the_benchmark_is_algorithm_1_of_solve(method: str) -> None:
    problem = random_problem("fmdvrp", np.random.default_rng(2), cities=20, depots=3, vehicles=3)
    tours = solver_of(parse_spec(method), None)(problem, 3, 60.0, lambda found: None)
    assert tours == solve(problem, method=method, seed=3).solution.tours


@pytest.mark.parametrize("spec", ["hybrid", "ce-restarts", "ce:samples=3", "ortools", "pyvrp"])
@pytest.mark.parametrize("kind", ["mtsp", "mdvrp", "fmdvrp", "cvrp"])
def test_every_solver_answers_every_kind_with_a_feasible_plan_it_reported(spec: str, kind: str) -> None:
    package = pytest.importorskip if spec in ("ortools", "pyvrp") else lambda *_, **__: None
    package(spec, reason=f"{spec} is not installed: pip install 'neurocross[bench]'")
    depots = 2 if kind in ("mdvrp", "fmdvrp") else 1
    vehicles = None if kind == "cvrp" else 3
    rng = np.random.default_rng(5)
    problem = random_problem(kind, rng, cities=12, depots=depots, vehicles=vehicles)
    reported: list[object] = []
    tours = solver_of(parse_spec(spec), None)(problem, 1, 0.5, reported.append)
    verdict = judge(problem, tours)
    assert verdict.feasible and reported
    best = solve(problem, method="hybrid", iterations=3000).cost
    assert best * (1 - 1e-6) <= verdict.value <= 1.15 * best


def test_the_plan_of_a_record_is_kept(tmp_path: Path) -> None:
    """Two cities on a line; a best-known value that is too high, and one that is not."""
    (tmp_path / "wang2015").mkdir()
    (tmp_path / "wang2015" / "MS1d.txt").write_text("a 2 1 0\n1 0 0 1\n2 3 0 0\n3 4 0 0\n")
    wang = suite_named("wang2015")
    for value, is_kept in ((8.5, True), (8.0, False)):
        (tmp_path / "best_known.csv").write_text(
            f"set,instance,vehicles,best_known\nwang2015,md1,1,{value}\n"
        )
        plan = Plan(wang, solvers=("ce",), seeds=(1,), time=1, data=tmp_path, cases=("md1",))
        (ended,) = runs_of(plan, tmp_path / f"out{value}")
        assert ended.value == 8.0 and ended.best_known == value
        assert (ended.tours is not None) is is_kept
