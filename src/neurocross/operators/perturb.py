"""RandomExchange: leave a local optimum by swapping random segments of random tours.

The paper only names it. A single random exchange of two tours would be undone by the exact search,
which finds the way back as the best exchange there is; so several are made one after the other, each
between two tours of its own. A segment may be turned round. A lone tour swaps two of its own
segments, the double bridge.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from neurocross.operators.cross import Cities
from neurocross.problem import Problem

LONGEST_SEGMENT = 10
"""Cities in a swapped segment at most: enough to leave the basin, few enough to keep the plan's shape."""

EXCHANGES = 6
"""In a row. With few descents a descent must end elsewhere; one or two often lead back."""

ATTEMPTS = 20
"""Times as many draws, before a perturbation gives up because limits on load or length forbid them."""


def random_exchange(
    problem: Problem, tours: Sequence[Cities], rng: np.random.Generator
) -> list[Cities] | None:
    """The plan after random exchanges; None if the limits forbid every attempt."""
    if len(tours) == 1:
        return [_double_bridge(tours[0], rng)] if len(tours[0]) else None
    for _ in range(ATTEMPTS):
        plan = list(tours)
        for _ in range(EXCHANGES):
            used = [k for k, cities in enumerate(plan) if len(cities)]
            if not used:
                return None
            first = used[rng.integers(len(used))]
            second = int(rng.integers(len(plan) - 1))
            second += second >= first
            t1, t2 = _swap(plan[first], plan[second], rng)
            if problem.core.keeps_limits(first, t1) and problem.core.keeps_limits(second, t2):
                plan[first], plan[second] = t1, t2
        if not all(map(np.array_equal, plan, tours)):
            return plan
    return None


def _swap(t1: Cities, t2: Cities, rng: np.random.Generator) -> tuple[Cities, Cities]:
    (a1, b1), (a2, b2) = _segment(len(t1), rng), _segment(len(t2), rng)
    s1, s2 = (s[::-1] if rng.random() < 0.5 else s for s in (t1[a1:b1], t2[a2:b2]))
    return np.concatenate((t1[:a1], s2, t1[b1:])), np.concatenate((t2[:a2], s1, t2[b2:]))


def _segment(n: int, rng: np.random.Generator) -> tuple[int, int]:
    start = int(rng.integers(n + 1))
    return start, min(n, start + int(rng.integers(LONGEST_SEGMENT + 1)))


def _double_bridge(cities: Cities, rng: np.random.Generator) -> Cities:
    a, b, c = sorted(int(k) for k in rng.integers(len(cities) + 1, size=3))
    return np.concatenate((cities[:a], cities[b:c], cities[a:b], cities[c:]))
