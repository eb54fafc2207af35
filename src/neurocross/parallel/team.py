"""The one loop behind both backends: what is started when, what is tried again, what is given up."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from neurocross.errors import InputError, NeurocrossError
from neurocross.parallel.local import LocalProcesses
from neurocross.parallel.task import Answer, Task

BACKENDS = ("local", "ray")
RETRIES = 2
"""How often work is tried again whose worker died; a task that kills three of them is given up."""

T = TypeVar("T")
R = TypeVar("R")


class LostError(NeurocrossError):
    """The workers died over a task each time it was tried."""


class OverdueError(NeurocrossError):
    """A task did not answer in the time it was given."""


class Backend(Protocol):
    """Where tasks run. A ticket is the loop's number of one try."""

    def room(self, exactly: bool) -> int:
        """Tasks that may be under way; `exactly`: none of them waiting for another to end."""
        ...

    def start(self, ticket: int, task: Task, kind: str) -> None:
        """Begin a task; tasks of different kinds do not share a process where that can be had."""
        ...

    def wait(self, seconds: float | None) -> list[tuple[int, Answer]]:
        """Answers of tasks under way; waits for the first, so many seconds at most."""
        ...

    def interrupt(self, ticket: int) -> None:
        """Ask a task to end soon, with what it has."""
        ...

    def kill(self, ticket: int) -> None:
        """End a task at once; its answer does not come."""
        ...

    def close(self) -> None:
        """End everything."""
        ...


@dataclass(frozen=True)
class Done(Generic[T, R]):
    """A task that came to its end."""

    number: int
    """Place among the tasks, from 0."""
    task: T
    value: R | None
    error: Exception | None

    def result(self) -> R:
        """The value; raises what the task raised, `LostError` or `OverdueError`."""
        if self.error is not None:
            raise self.error
        return self.value  # type: ignore[return-value]


@dataclass
class _Try(Generic[T]):
    number: int
    task: T
    deaths: int = 0
    deadline: float | None = None


class Team:
    """Workers that share out tasks."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._tickets = 0

    @property
    def size(self) -> int:
        """Tasks that can run at the same time now."""
        return self._backend.room(exactly=True)

    def map(
        self,
        function: Callable[[T], R],
        tasks: Iterable[T],
        *,
        retries: int = RETRIES,
        patience: Callable[[T], float] | None = None,
        kind: Callable[[T], str] = lambda task: "",
        finish: bool = False,
    ) -> Generator[Done[T, R], None, None]:
        """Every task's end, in the order they come. Tasks are taken from the iterable as there is room.

        `function` must be importable by name. A task whose worker died is tried again `retries` times.
        After `patience(task)` seconds a task is ended. Tasks of one `kind` share processes. Closing the
        iterator ends what is under way; so does Ctrl-C, unless `finish`: then no more tasks begin, those
        under way are asked to end with what they have, and a second Ctrl-C ends them.
        """
        running: dict[int, _Try[T]] = {}
        again: deque[_Try[T]] = deque()
        fresh = (_Try(number, task) for number, task in enumerate(tasks))
        exactly, hurried = patience is not None, False
        try:
            while True:
                while not hurried and len(running) < self._backend.room(exactly):
                    one = again.popleft() if again else next(fresh, None)
                    if one is None:
                        break
                    one.deadline = time.monotonic() + patience(one.task) if patience else None
                    self._tickets += 1
                    running[self._tickets] = one
                    self._backend.start(self._tickets, (function, one.task), kind(one.task))
                if not running:
                    return
                try:
                    answers = self._backend.wait(_least_left(running.values()))
                except KeyboardInterrupt:
                    if hurried or not finish:
                        raise
                    hurried = True
                    for ticket in running:
                        self._backend.interrupt(ticket)
                    continue
                # Off the list before any is handed out: the caller may close this iterator at a yield.
                for one, answer in [(running.pop(ticket), answer) for ticket, answer in answers]:
                    if answer.status == "lost" and one.deaths < retries and not hurried:
                        one.deaths += 1
                        again.append(one)
                    elif answer.status != "dropped":
                        yield _done(one, answer)
                for ticket in [t for t, one in running.items() if _left(one) <= 0]:
                    self._backend.kill(ticket)
                    one = running.pop(ticket)
                    given = patience(one.task) if patience else 0.0
                    yield Done(one.number, one.task, None, OverdueError(f"no answer in {given:g} s"))
        finally:
            for ticket in running:
                self._backend.kill(ticket)


def _done(one: _Try[T], answer: Answer) -> Done[T, Any]:
    match answer.status:
        case "value":
            return Done(one.number, one.task, answer.content, None)
        case "error":
            return Done(one.number, one.task, None, answer.content)
        case _:
            times = f", {one.deaths + 1} times over" if one.deaths else ""
            return Done(one.number, one.task, None, LostError(f"{answer.content}{times}"))


def _left(one: _Try[Any]) -> float:
    return float("inf") if one.deadline is None else one.deadline - time.monotonic()


def _least_left(running: Iterable[_Try[Any]]) -> float | None:
    least = min(map(_left, running))
    return None if least == float("inf") else max(0.0, least)


def check_choice(backend: str, processes: int | None, ray_address: str | None) -> None:
    """Refuse a backend that cannot be, before any work."""
    if backend not in BACKENDS:
        raise InputError(f"backend '{backend}' is unknown: use one of {', '.join(BACKENDS)}")
    if processes is not None and processes < 1:
        raise InputError(f"processes must be at least 1, not {processes}")
    if ray_address is not None and backend != "ray":
        raise InputError("ray-address goes with backend ray alone")


@contextmanager
def team(
    backend: str = "local", processes: int | None = None, ray_address: str | None = None
) -> Iterator[Team]:
    """Workers for the time of a `with`: `processes` at once, or as many as the machine or cluster has.

    `local`: processes of this machine. `ray`: the cluster at `ray_address`, or without it one that is
    started here and stopped at the end.
    """
    check_choice(backend, processes, ray_address)
    place: Backend
    if backend == "ray":
        from neurocross.parallel.ray_cluster import RayCluster

        place = RayCluster(ray_address, processes)
    else:
        place = LocalProcesses(processes or cores())
    try:
        yield Team(place)
    finally:
        place.close()


def cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
