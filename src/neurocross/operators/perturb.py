"""RandomExchange: leave a local optimum by swapping random segments of two random tours.

The paper only names it. A single random exchange of two tours would be undone by the exact search,
which finds the way back as the best exchange there is; so several are made one after the other, and
each segment may be turned round, which no CROSS exchange undoes. A lone tour swaps two of its own
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
"""Drawn in a row. With few descents a descent must end elsewhere: any number from four to ten does as well,
one or two often lead back."""

ATTEMPTS = 20
"""Pairs of tours before a perturbation gives up because limits on load or length forbid each exchange."""


def random_exchange(
    problem: Problem, tours: Sequence[Cities], rng: np.random.Generator
) -> tuple[int, int, Cities, Cities] | None:
    """Two random tours and what they become; None if the limits forbid every attempt."""
    used = [k for k, cities in enumerate(tours) if len(cities)]
    if not used:
        return None
    if len(tours) == 1:
        turned = _double_bridge(tours[0], rng)
        return 0, 0, turned, turned
    for _ in range(ATTEMPTS):
        first = used[rng.integers(len(used))]
        second = int(rng.integers(len(tours) - 1))
        second += second >= first
        t1, t2 = tours[first], tours[second]
        for _ in range(EXCHANGES):
            s1, s2 = _swap(t1, t2, rng)
            if problem.core.keeps_limits(first, s1) and problem.core.keeps_limits(second, s2):
                t1, t2 = s1, s2
        if not (np.array_equal(t1, tours[first]) and np.array_equal(t2, tours[second])):
            return first, second, t1, t2
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
