"""Subtour cuts: a vehicle that visits a city must drive into every set that holds it."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from neurocross.problem import Problem

VIOLATION = 1e-3
"""A cut is worth adding if the relaxation breaks it by more than this."""


@dataclass(frozen=True)
class Cut:
    """Sum of x over the arcs of `vehicle` into `cities` is at least y of `target`, one of them."""

    vehicle: int
    cities: tuple[int, ...]
    target: int


def violated_cuts(
    problem: Problem, flow: Mapping[tuple[int, int, int], float], visits: Mapping[tuple[int, int], float]
) -> list[Cut]:
    """Cuts a relaxation breaks: for each vehicle and city the smallest flow that can reach it."""
    found: dict[Cut, None] = {}
    for k, vehicle in enumerate(problem.vehicles):
        capacity = {(i, j): value for (i, j, m), value in flow.items() if m == k and value > 1e-9}
        for city in problem.cities:
            if visits[city, k] <= VIOLATION:
                continue
            value, behind = min_cut(capacity, vehicle.start, city)
            if value < visits[city, k] - VIOLATION:
                found[Cut(k, tuple(sorted(c for c in behind if c in problem.cities)), city)] = None
    return list(found)


def min_cut(capacity: Mapping[tuple[int, int], float], source: int, sink: int) -> tuple[float, set[int]]:
    """The smallest cut between two nodes, and the nodes on the sink's side (Edmonds and Karp)."""
    residual: dict[int, dict[int, float]] = {source: {}, sink: {}}
    for (i, j), value in capacity.items():
        residual.setdefault(i, {})[j] = residual.get(i, {}).get(j, 0.0) + value
        residual.setdefault(j, {}).setdefault(i, 0.0)
    total = 0.0
    while True:
        before = {source: source}
        queue = deque([source])
        while queue and sink not in before:
            node = queue.popleft()
            for after, left in residual[node].items():
                if left > 1e-9 and after not in before:
                    before[after] = node
                    queue.append(after)
        if sink not in before:
            return total, residual.keys() - before.keys()
        path, node = [], sink
        while node != source:
            path.append((before[node], node))
            node = before[node]
        pushed = min(residual[i][j] for i, j in path)
        for i, j in path:
            residual[i][j] -= pushed
            residual[j][i] += pushed
        total += pushed
