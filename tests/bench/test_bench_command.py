"""The command `neurocross bench`, end to end: the smallest suite with asserted bounds."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from neurocross.bench.records import read_runs
from neurocross.bench.tables import summary_of
from neurocross.cli import main


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["neurocross", "bench", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        output = capsys.readouterr()
        return ended.value.code or 0, output.out, output.err

    return call


def test_the_smallest_suite_keeps_its_bounds(run, tmp_path: Path) -> None:
    pytest.importorskip("ortools", reason="the smoke suite proves optima: pip install 'neurocross[bench]'")
    code, _, err = run("run", "smoke", "-o", tmp_path)
    assert code == 0 and "9/9" in err
    rows = {row.solver: row for row in summary_of(read_runs(tmp_path))}
    assert all(row.runs == 3 and row.marked == 0 for row in rows.values())
    assert rows["exact"].gap == 0
    assert rows["ce"].gap < 0.005 and rows["hybrid@0.1"].gap < 1e-6
    code, out, _ = run("report", tmp_path)
    assert code == 0 and all(Path(line).is_file() for line in out.split())


def test_ranks_of_predictions_are_a_suite_too(run, tmp_path: Path) -> None:
    assert run("run", "topk", "--instances", 20, "-q", "-o", tmp_path)[0] == 0
    runs = [run for run in read_runs(tmp_path) if run.value is not None]
    hits = {
        solver: sum(run.value <= 10 for run in runs if run.solver == solver) for solver in ("nce", "random")
    }
    assert hits["nce"] > hits["random"]


def test_list_names_suites_and_solvers(run) -> None:
    code, out, _ = run("list")
    assert code == 0
    for word in ("fmdvrp-small", "board-long", "ce-restarts", "pyvrp"):
        assert word in out


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["run", "nope", "-o", "out"], "suite 'nope' is unknown"),
        (["run", "mtsplib", "-o", "out"], "give their directory with --data"),
        (
            ["run", "smoke", "-o", "out", "--seeds", "one"],
            "seeds must be whole numbers",
        ),
        (["run", "smoke", "-o", "out", "--solvers", "magic"], "solver 'magic' is unknown"),
        (["run", "topk", "-o", "out", "--solvers", "ce"], "predicts nothing"),
        (["report", "out"], "there are no runs to report"),
    ],
    ids=str,
)
def test_bad_input_is_one_line_and_exit_2(run, arguments, named, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1 and named in err
    assert list(tmp_path.iterdir()) == []
