"""The engine's Python face: the shortest longest route (or the shortest total) for the seconds given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from neurocross import _core
from neurocross.errors import InputError
from neurocross.objective import Objective
from neurocross.problem import Problem
from neurocross.solution import IntArray, Solution

STOPPED = ("running", "time", "iterations", "no_improvement", "target", "bound", "interrupted")
"""Why a search ended, by the core's number."""


TracePoint = tuple[float, int, float]
"""Seconds since the start, iteration, value of the objective."""


@dataclass(frozen=True)
class HybridOutcome:
    """What a search ended with."""

    tours: tuple[tuple[int, ...], ...]
    """By vehicle; feasible if any plan found is, else the plan least beyond its limits."""
    iterations: int
    """Steps done (exchanges, ruins and recreates), over all threads."""
    trace: tuple[TracePoint, ...]
    """Every new best value in order; with several threads, of the one that won."""
    stopped: str
    """`time`, `iterations`, `no_improvement`, `target`, `bound` or `interrupted`."""


OnBest = Callable[[TracePoint, tuple[tuple[int, ...], ...]], None]

Exchange = Callable[[int, Sequence[int], int, Sequence[int]], _core.Exchange]
"""An exchange of the tours of two vehicles (v1, t1, v2, t2); it must depend on these alone."""


def hybrid(
    problem: Problem,
    *,
    seed: int = 0,
    time_limit: float | None = None,
    iterations: int | None = None,
    no_improvement: int | None = None,
    target: float | None = None,
    lower_bound: float | None = None,
    start: Solution | Iterable[Sequence[int] | IntArray] | None = None,
    on_best: OnBest | None = None,
    threads: int = 1,
    exchange: Exchange | None = None,
) -> HybridOutcome:
    """Search until the first limit: ruin and recreate under annealing, tour search, exact exchange.

    `time_limit` in seconds, `iterations` and `no_improvement` in steps of one thread,
    `target` and `lower_bound` in the unit of the objective. `start` may leave cities out; it is never
    made worse. `on_best` hears of new bests, at most every twentieth of a second and at the end.
    `threads` search independently from seeds of their own and the best answers. Same seed, iterations
    and threads, same tours. `exchange` takes the place of the exact exchange where the best plan is
    polished.
    """
    limits = _core.Limits()
    if time_limit is not None:
        limits.seconds = _at_least("time_limit", time_limit, 0)
    if iterations is not None:
        limits.iterations = int(_at_least("iterations", iterations, 0))
    if no_improvement is not None:
        limits.no_improvement = int(_at_least("no_improvement", no_improvement, 1))
    if target is not None:
        limits.target = target
    if lower_bound is not None:
        limits.bound = lower_bound
    _at_least("threads", threads, 1)
    tours = None if start is None else _start(problem, start)
    hear = None
    if on_best is not None:

        def hear(found: Sequence[Sequence[int]], seconds: float, iteration: int, value: float) -> None:
            on_best((seconds, iteration, value), _frozen(found))

    objective = list(Objective).index(problem.objective)
    outcome = _core.search(
        problem.core, objective, seed % 2**64, problem.tolerance, tours, limits, hear, threads, exchange
    )
    return HybridOutcome(
        _frozen(outcome.tours), outcome.iterations, tuple(outcome.trace), STOPPED[outcome.stop]
    )


def _at_least(what: str, value: float, least: float) -> float:
    if not value >= least:
        raise InputError(f"{what} must be at least {least}, not {value}")
    return value


def _start(problem: Problem, start: Solution | Iterable[Sequence[int] | IntArray]) -> list[list[int]]:
    plan = start if isinstance(start, Solution) else Solution(problem, start)
    visits = [city for tour in plan.tours for city in tour]
    for city, count in zip(*np.unique(np.array(visits, int), return_counts=True), strict=True):
        if city < problem.n_depots:
            raise InputError(f"the start visits depot '{problem.ids[city]}' as a city")
        if count > 1:
            raise InputError(f"the start visits city '{problem.ids[city]}' {count} times")
    return [list(tour) for tour in plan.tours]


def _frozen(tours: Iterable[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    return tuple(map(tuple, tours))
