"""Slow, obvious twins of the fast code: they build the tours and measure them from scratch."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from neurocross.problem import Problem, with_slack
from neurocross.solution import Solution, checked_length


def swapped(
    t1: Sequence[int], t2: Sequence[int], a1: int, b1: int, a2: int, b2: int
) -> tuple[list[int], list[int]]:
    """Equation 2, on lists."""
    t1, t2 = list(t1), list(t2)
    return t1[:a1] + t2[a2:b2] + t1[b1:], t2[:a2] + t1[a1:b1] + t2[b2:]


def value(problem: Problem, objective: str, t1: Sequence[int], t2: Sequence[int]) -> float:
    """The longer of two tours, or their sum."""
    lengths = checked_length(problem, 0, t1), checked_length(problem, 1, t2)
    return max(lengths) if objective == "minmax" else sum(lengths)


def keeps_limits(problem: Problem, before: Sequence[Sequence[int]], after: Sequence[Sequence[int]]) -> bool:
    """Load and length of both tours; one that was over a limit before may stay there, but not get worse."""
    for k, (old, new) in enumerate(zip(before, after, strict=True)):
        vehicle = problem.vehicles[k]
        load = [sum(problem.demand[c] for c in tour) for tour in (old, new)]
        length = [checked_length(problem, k, tour) for tour in (old, new)]
        if load[1] > max(with_slack(vehicle.capacity), load[0]) + 1e-12:
            return False
        if length[1] > max(with_slack(vehicle.max_length), length[0]) + 1e-12:
            return False
    return True


def exchanges(n1: int, n2: int) -> Iterator[tuple[int, int, int, int]]:
    """Every (a1, b1, a2, b2)."""
    for a1 in range(n1 + 1):
        for b1 in range(a1, n1 + 1):
            for a2 in range(n2 + 1):
                for b2 in range(a2, n2 + 1):
                    yield a1, b1, a2, b2


def labels(
    problem: Problem, objective: str, t1: Sequence[int], t2: Sequence[int]
) -> dict[tuple[int, int], float]:
    """y*(a1, a2) of every start pair."""
    now = value(problem, objective, t1, t2)
    best = {(a1, a2): 0.0 for a1 in range(len(t1) + 1) for a2 in range(len(t2) + 1)}
    for a1, b1, a2, b2 in exchanges(len(t1), len(t2)):
        after = swapped(t1, t2, a1, b1, a2, b2)
        if keeps_limits(problem, (t1, t2), after):
            best[a1, a2] = max(best[a1, a2], now - value(problem, objective, *after))
    return best


def best_by_force(problem: Problem) -> tuple[float, float] | None:
    """The smallest key of any feasible plan; None if there is none."""
    keys = []
    for order in itertools.permutations(problem.cities):
        for cuts in itertools.combinations_with_replacement(range(len(order) + 1), problem.n_vehicles - 1):
            ends = (0, *cuts, len(order))
            plan = Solution(problem, [order[a:b] for a, b in itertools.pairwise(ends)])
            if plan.feasible:
                keys.append(plan.key)
    return min(keys, default=None)
