"""Several searches of one problem from different seeds, the best of which answers."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from neurocross.bounds import is_optimal
from neurocross.errors import InputError
from neurocross.parallel import LostError, Team
from neurocross.problem import Problem
from neurocross.result import Progress, Result
from neurocross.solver import solve


def solve_starts(
    problem: Problem,
    starts: int,
    workers: Team,
    *,
    seed: int = 0,
    on_best: Callable[[Progress], None] | None = None,
    **options: Any,
) -> Result:
    """The best of `starts` searches with the seeds `seed`, `seed` + 1, …; each has the limits for itself.

    `options` are those of `solve`. The answer does not depend on the order in which the searches end: the
    first that is proven optimal by number, else the best, else the first of equals. `on_best` hears of
    searches that end with a new best. After Ctrl-C those under way end with what they have. A search whose
    workers died each time is left out, unless all did.
    """
    if starts < 1:
        raise InputError(f"starts must be at least 1, not {starts}")
    began, ended = clock.perf_counter(), dict[int, Result]()
    searches = workers.map(partial(_search, problem, options), range(seed, seed + starts), finish=True)
    lost: LostError | None = None
    for done in searches:
        try:
            ended[done.number] = done.result()
        except LostError as error:
            lost = error
            continue
        first = _best(ended)
        if on_best and first == done.number:
            best = ended[first]
            spent, steps = clock.perf_counter() - began, _iterations(ended.values())
            on_best(Progress(spent, steps, best.solution, best.lower_bound))
        if _is_proven(ended[first]) and all(number in ended for number in range(first)):
            break  # no start after it can answer
    searches.close()
    if not ended:
        raise lost or KeyboardInterrupt  # before anything was found
    best = ended[_best(ended)]
    return replace(
        best,
        bound=max((result.bound for result in ended.values()), key=lambda bound: bound.value),
        seconds=clock.perf_counter() - began,
        iterations=_iterations(ended.values()),
        interrupted=any(result.interrupted for result in ended.values()),
    )


def _search(problem: Problem, options: dict[str, Any], seed: int) -> Result:
    return solve(problem, seed=seed, **options)


def _best(ended: dict[int, Result]) -> int:
    """The number of the one that answers: whichever others end, and when, another than it only if better."""

    def rank(number: int) -> tuple[bool, bool, tuple[float, float], int]:
        result = ended[number]
        if _is_proven(result):
            return False, False, (0.0, 0.0), number
        return True, not result.feasible, result.solution.key, number

    return min(ended, key=rank)


def _is_proven(result: Result) -> bool:
    """Whether it is optimal by the bound that does not depend on the clock."""
    problem = result.solution.problem
    return result.feasible and is_optimal(result.cost, result.bound.farthest, problem.tolerance)


def _iterations(results: Iterable[Result]) -> int:
    return sum(result.iterations for result in results)
