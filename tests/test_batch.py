"""Batches: one row an instance, failures marked, nothing twice, nothing lost, whatever stops it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from neurocross import batch
from neurocross.batch import Options, Summary, solve_batch
from neurocross.errors import InputError
from neurocross.generate import random_problem
from neurocross.io import ReadOptions, format_problem, write_problem
from neurocross.parallel import Done, LostError, Team, team
from neurocross.solver import solve

QUICK = Options(ReadOptions(), {"method": "hybrid", "iterations": 200, "seed": 1})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six instances, one of them impossible, one of them no instance."""
    rng, folder = np.random.default_rng(5), tmp_path / "in"
    folder.mkdir()
    for k in range(4):
        write_problem(random_problem("mtsp", rng, cities=8, vehicles=2), folder / f"{k}.json")
    heavy = random_problem("cvrp", rng, cities=3, vehicles=1)
    write_problem(heavy.with_(demand=np.array([0.0, 40, 40, 40])), folder / "heavy.json")
    (folder / "poem.json").write_text("roses are red\n")
    return folder


def rows(path: Path) -> dict[str, dict[str, Any]]:
    """By instance, without what the clock says; each only once."""
    found = [json.loads(line) for line in path.read_text().splitlines()]
    by_name = {row["instance"]: {key: row[key] for key in row if key != "seconds"} for row in found}
    assert len(by_name) == len(found)
    return by_name


def lines_of(folder: Path, order: list[int], path: Path) -> Path:
    problems = [format_problem(p, "json") for p in map(_problem, order)]
    path.write_text("".join(json.dumps(json.loads(text)) + "\n" for text in problems))
    return path


def _problem(seed: int):
    return random_problem("mtsp", np.random.default_rng(seed), cities=8, vehicles=2, name=f"number {seed}")


def test_every_instance_has_one_row_and_failures_are_marked(
    folder: Path, tmp_path: Path, workers: Team
) -> None:
    summary = solve_batch(folder, tmp_path / "out", QUICK, workers)
    found = rows(tmp_path / "out")
    assert summary == Summary(ok=4, infeasible=1, failed=1)
    assert sorted(found) == ["0.json", "1.json", "2.json", "3.json", "heavy.json", "poem.json"]
    assert [found[name]["status"] for name in sorted(found)] == ["ok"] * 4 + ["infeasible", "failed"]
    assert found["heavy.json"]["violations"] and found["poem.json"]["note"].startswith(str(folder))


def test_a_row_is_what_solve_answers(folder: Path, tmp_path: Path, workers: Team) -> None:
    from neurocross.io import read_problem

    solve_batch(folder, tmp_path / "out", QUICK, workers)
    answer = solve(read_problem(folder / "2.json"), iterations=200, seed=1).to_dict()
    row = rows(tmp_path / "out")["2.json"]
    assert {key: row[key] for key in answer if key != "seconds"} == {
        key: answer[key] for key in answer if key != "seconds"
    }


def test_answers_do_not_depend_on_the_backend(folder: Path, tmp_path: Path, workers: Team) -> None:
    pytest.importorskip("ray", reason="backend ray needs ray: pip install 'neurocross[ray]'")
    solve_batch(folder, tmp_path / "local", QUICK, workers)
    with team("ray", processes=2) as cluster:
        solve_batch(folder, tmp_path / "ray", QUICK, cluster)
    assert rows(tmp_path / "local") == rows(tmp_path / "ray")


def test_what_is_there_is_not_solved_again(folder: Path, tmp_path: Path, workers: Team) -> None:
    out = tmp_path / "out"
    first = solve_batch(folder, out, QUICK, workers)
    lines = out.read_text().splitlines(keepends=True)
    out.write_text("".join(lines[:2]) + lines[2][:-20])  # killed while it wrote the third
    told: list[tuple[int, int, str]] = []
    assert solve_batch(folder, out, QUICK, workers, lambda *news: told.append(news)) == first
    assert sorted(out.read_text()) != [] and out.read_text().startswith("".join(lines[:2]))
    assert [done for done, _, _ in told] == [2, 3, 4, 5, 6] and {total for _, total, _ in told} == {6}
    whole = rows(out)
    before = out.read_bytes()
    assert solve_batch(folder, out, QUICK, workers) == first
    assert out.read_bytes() == before and len(whole) == 6


def test_an_instance_that_changed_is_solved_again(folder: Path, tmp_path: Path, workers: Team) -> None:
    out = tmp_path / "out"
    solve_batch(folder, out, QUICK, workers)
    (folder / "poem.json").write_bytes((folder / "1.json").read_bytes())
    assert solve_batch(folder, out, QUICK, workers).ok == 5
    last = json.loads(out.read_text().splitlines()[-1])
    assert last["instance"] == "poem.json" and last["status"] == "ok"


def test_lines_may_be_moved_and_added_between_runs(tmp_path: Path, workers: Team) -> None:
    out = tmp_path / "out"
    solve_batch(lines_of(tmp_path, [1, 2, 2], tmp_path / "in.jsonl"), out, QUICK, workers)
    before = out.read_text()
    assert solve_batch(lines_of(tmp_path, [3, 2, 1, 2], tmp_path / "in.jsonl"), out, QUICK, workers).ok == 4
    assert out.read_text().startswith(before)
    names = [json.loads(line)["name"] for line in out.read_text().splitlines()]
    assert sorted(names) == ["number 1", "number 2", "number 2", "number 3"]


def test_an_instance_lost_with_its_workers_is_tried_again_by_the_next_run(
    folder: Path, tmp_path: Path, workers: Team
) -> None:
    out = tmp_path / "out"

    class Unlucky:
        def map(self, function: Any, tasks: Any) -> Any:
            for done in workers.map(function, tasks):
                lost = LostError("the process ended with code -9") if done.task.instance == "1.json" else None
                yield Done(done.number, done.task, done.value, lost or done.error)

    summary = solve_batch(folder, out, QUICK, Unlucky())
    assert summary.failed == 2 and rows(out)["1.json"]["note"] == "lost: the process ended with code -9"
    assert solve_batch(folder, out, QUICK, workers).failed == 1
    assert rows(out)["1.json"]["status"] == "ok"


def test_a_bug_is_a_marked_row(folder: Path, tmp_path: Path, workers: Team) -> None:
    options = Options(ReadOptions(), {"iterations": 10, "no_such_option": 1})
    assert solve_batch(folder, tmp_path / "out", options, workers) == Summary(failed=6)
    assert rows(tmp_path / "out")["0.json"]["note"].startswith("a bug: TypeError: ")


def test_other_options_and_other_files_are_refused(folder: Path, tmp_path: Path, workers: Team) -> None:
    out = tmp_path / "out"
    solve_batch(folder, out, QUICK, workers)
    before = out.read_bytes()
    with pytest.raises(InputError, match=r"other options \(.*iterations 200, seed 1, not iterations 9\)"):
        solve_batch(folder, out, Options(ReadOptions(), {"iterations": 9}), workers)
    assert out.read_bytes() == before
    for wrong, message in (
        (tmp_path / "nowhere", "nowhere: cannot be read: No such file"),
        (tmp_path / "empty", "empty: holds no instances"),
    ):
        (tmp_path / "empty").mkdir(exist_ok=True)
        with pytest.raises(InputError, match=message):
            solve_batch(wrong, tmp_path / "new", QUICK, workers)
    with pytest.raises(InputError, match="is among the instances"):
        solve_batch(folder, folder / "out", QUICK, workers)
    (tmp_path / "letter").write_text("dear reader\n")
    with pytest.raises(InputError, match="letter:1: is no row of solve-batch: write to another file"):
        solve_batch(folder, tmp_path / "letter", QUICK, workers)
    assert not (tmp_path / "new").exists()


def test_a_full_disk_keeps_the_rows_before(folder: Path, tmp_path: Path, workers: Team) -> None:
    with pytest.raises(InputError, match="/dev/full: cannot be written: No space left on device"):
        solve_batch(folder, Path("/dev/full"), QUICK, workers)
    out = tmp_path / "out"
    script = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2500, 2500))\n"
        "from neurocross.cli import main; main()"
    )
    command = [
        sys.executable,
        "-c",
        script,
        "solve-batch",
        str(folder),
        "-o",
        str(out),
        "--iterations",
        "200",
    ]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 2
    assert ended.stderr.splitlines()[-1].endswith(
        "cannot be written: File too large; the lines before are kept"
    )
    kept = rows(out)  # whole lines only
    assert 0 < len(kept) < 6
    again = subprocess.run([*command[:1], "-m", "neurocross", *command[3:]], capture_output=True, text=True)
    assert again.returncode == 3 and len(rows(out)) == 6
    assert {name: rows(out)[name] for name in kept} == kept


def test_kill_9_in_the_middle_then_again_gives_every_row_once(tmp_path: Path) -> None:
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    for k in range(8):
        write_problem(_problem(k), folder / f"{k}.json")
    command = [
        sys.executable,
        "-m",
        "neurocross",
        "solve-batch",
        str(folder),
        "-o",
        str(out),
        "--time",
        "0.2",
    ]
    process = subprocess.Popen([*command, "-q"], start_new_session=True, stdout=subprocess.DEVNULL)
    while not (out.exists() and out.read_text().count("\n") >= 2):
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    kept = out.read_text()
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.stdout == f"8 solved, 0 infeasible, 0 failed in {out}\n" and ended.returncode == 0
    assert len(rows(out)) == 8 and out.read_text().startswith(kept[: kept.rfind("\n") + 1])


def test_the_input_is_not_held_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: Team
) -> None:
    path = lines_of(tmp_path, list(range(30)), tmp_path / "in.jsonl")
    taken, ahead = [], []
    instances = batch._instances
    monkeypatch.setattr(
        batch, "_instances", lambda source: (taken.append(one) or one for one in instances(source))
    )
    solve_batch(
        path, tmp_path / "out", QUICK, workers, lambda done, total, last: ahead.append(len(taken) - done)
    )
    assert len(taken) == 30 and max(ahead) <= workers.size
