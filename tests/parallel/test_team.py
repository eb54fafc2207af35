"""Both backends share one contract: everything comes back, once, whatever dies on the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import deeds
import pytest

from neurocross.errors import InputError
from neurocross.parallel import LostError, OverdueError, Team, team


@pytest.fixture(scope="module", params=["local", "ray"])
def workers(request: pytest.FixtureRequest) -> Iterator[Team]:
    """Two workers that can import the tests' deeds."""
    if request.param == "ray":
        pytest.importorskip("ray", reason="backend ray needs ray: pip install 'neurocross[ray]'")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(deeds.__file__).parent))
        with team(request.param, processes=2) as team_:
            yield team_


def test_every_task_ends_once_with_its_number_and_value(workers: Team) -> None:
    done = list(workers.map(deeds.double, range(20)))
    assert sorted((one.number, one.task, one.result()) for one in done) == [(k, k, 2 * k) for k in range(20)]


def test_no_tasks_are_no_answers(workers: Team) -> None:
    assert list(workers.map(deeds.double, [])) == []


def test_tasks_are_taken_as_there_is_room(workers: Team) -> None:
    taken = []
    tasks = (taken.append(k) or k for k in range(1000))
    answers = workers.map(deeds.double, tasks)
    next(answers)
    assert len(taken) <= 8
    answers.close()


def test_what_a_task_raises_is_its_answer_and_the_others_go_on(workers: Team) -> None:
    (refused,) = workers.map(deeds.refuse, ["tea"])
    with pytest.raises(InputError, match=r"^tea is refused$"):
        refused.result()
    (broken,) = workers.map(deeds.break_down, ["nobody"])
    with pytest.raises(RuntimeError, match="LookupError: nobody") as raised:
        broken.result()
    assert "in break_down" in raised.value.__notes__[0]
    assert [one.result() for one in workers.map(deeds.double, [4])] == [8]


def test_a_task_whose_worker_was_killed_is_done_again(workers: Team, tmp_path: Path) -> None:
    tasks = [tmp_path / f"{k}.{k % 3}" for k in range(4)]
    assert [one.result() for one in workers.map(deeds.die, tasks)] == ["alive"] * 4
    assert [len(path.read_text()) for path in tasks] == [1, 2, 3, 1]


def test_a_task_that_kills_every_worker_is_given_up(workers: Team, tmp_path: Path) -> None:
    (lost,) = workers.map(deeds.die, [tmp_path / "marks.9"])
    with pytest.raises(LostError, match="3 times over"):
        lost.result()
    assert (tmp_path / "marks.9").read_text() == "xxx"


def test_without_retries_a_death_is_the_answer(workers: Team, tmp_path: Path) -> None:
    (lost,) = workers.map(deeds.die, [tmp_path / "marks.9"], retries=0)
    assert isinstance(lost.error, LostError) and (tmp_path / "marks.9").read_text() == "x"


def test_a_task_that_overstays_is_ended_and_the_others_go_on(workers: Team, tmp_path: Path) -> None:
    ends = workers.map(deeds.linger, [tmp_path / "a"], patience=lambda task: 0.5)
    assert [type(one.error) for one in ends] == [OverdueError]
    assert [one.result() for one in workers.map(deeds.double, [4])] == [8]


def test_ctrl_c_lets_those_under_way_end_with_what_they_have(workers: Team, tmp_path: Path) -> None:
    marks = [tmp_path / "a", tmp_path / "b"]

    def interrupt() -> None:
        while not all(mark.exists() for mark in marks):
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    stop = threading.Thread(target=interrupt)
    stop.start()
    ends = [one.value for one in workers.map(deeds.linger, marks, finish=True)]
    stop.join()
    assert ends == ["interrupted"] * 2


def test_closing_the_iterator_ends_what_is_under_way(workers: Team, tmp_path: Path) -> None:
    tasks = [tmp_path / "slow", tmp_path / "one.quick", tmp_path / "two.quick"]
    answers = workers.map(deeds.linger, tasks)
    assert next(answers).result() == next(answers).result() == "over"
    while not ((tmp_path / "slow").exists() and (tmp_path / "slow").read_text()):
        time.sleep(0.02)
    answers.close()
    process = int((tmp_path / "slow").read_text())
    deadline = time.monotonic() + 30
    while runs(process) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not runs(process)


def runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{process}/stat").read_text().rpartition(")")[2]


def test_kinds_have_processes_of_their_own_and_prints_are_no_answers(tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(deeds.__file__).parent))
        with team(processes=1) as workers:
            places = [
                one.result() for one in workers.map(deeds.place, [0, 1, 0, 1], kind=lambda task: str(task))
            ]
    assert places[0] == places[2] != places[1] == places[3]
    assert all(threads == "1" for _, threads in places)


def test_a_worker_whose_parent_was_killed_ends_with_it() -> None:
    command = [sys.executable, "-m", "neurocross.parallel.worker"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdin.close()
    assert process.wait(timeout=30) == 0
    process.stdout.close()


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"backend": "cloud"}, "backend 'cloud' is unknown: use one of local, ray"),
        ({"processes": 0}, "processes must be at least 1, not 0"),
        ({"ray_address": "auto"}, "ray-address goes with backend ray alone"),
    ],
)
def test_choices_that_cannot_be_are_refused(choice: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message), team(**choice):
        pass
