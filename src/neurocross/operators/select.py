"""SelectTours: which two tours are exchanged next.

A selector yields the pairs to try before the tours count as a local optimum. The search starts it
anew after every improvement. A lone tour is paired with itself: only its own order can improve.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import numpy as np

from neurocross.problem import Problem

Pairs = Iterator[tuple[int, int]]
Selector = Callable[[Problem, Sequence[float], np.random.Generator], Pairs]


def max_min(problem: Problem, lengths: Sequence[float], rng: np.random.Generator) -> Pairs:
    """The paper's choice: the longest and the shortest tour."""
    yield int(np.argmax(lengths)), int(np.argmin(lengths))


def random_pair(problem: Problem, lengths: Sequence[float], rng: np.random.Generator) -> Pairs:
    """The paper's ablation: two tours at random."""
    first, second = rng.choice(len(lengths), 2, replace=False) if len(lengths) > 1 else (0, 0)
    yield int(first), int(second)


def sweep(problem: Problem, lengths: Sequence[float], rng: np.random.Generator) -> Pairs:
    """Every pair, longest tours first; for minmax each with the shortest first.

    Two tours that are not the longest cannot lower a longest route, but once they are shorter they have
    room for its cities: pairs with the longest come up again as soon as anything improved. Of several
    unused vehicles that are alike only one is offered.
    """
    order = sorted(_offered(problem, lengths), key=lambda k: -lengths[k])
    if len(order) == 1:
        yield order[0], order[0]
    elif problem.objective == "minmax":
        for place, longer in enumerate(order):
            yield from ((longer, other) for other in reversed(order[place + 1 :]))
    else:
        yield from combinations(order, 2)


SELECTORS: dict[str, Selector] = {"sweep": sweep, "max-min": max_min, "random": random_pair}


def _offered(problem: Problem, lengths: Sequence[float]) -> list[int]:
    offered, idle_kinds = [], set()
    for k, length in enumerate(lengths):
        if length == 0.0:
            vehicle = problem.vehicles[k]
            kind = (vehicle.start, vehicle.end, vehicle.capacity, vehicle.max_length)
            if kind in idle_kinds:
                continue
            idle_kinds.add(kind)
        offered.append(k)
    return offered
