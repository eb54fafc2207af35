"""Equal vehicles: of the plans that differ by their names alone one is enough."""

from __future__ import annotations

import itertools
import math

from neurocross.exact import Tours
from neurocross.problem import Problem


def equal_neighbours(problem: Problem) -> list[tuple[int, int]]:
    """Pairs of equal vehicles, each with the next of its kind."""
    return [pair for group in _groups(problem) for pair in itertools.pairwise(group)]


def in_fixed_order(problem: Problem, plan: Tours) -> Tours:
    """The same plan with equal vehicles named by the first city (the lowest number) each visits."""
    tours = list(plan)
    for group in _groups(problem):
        ordered = sorted((plan[k] for k in group), key=lambda tour: min(tour, default=math.inf))
        for k, tour in zip(group, ordered, strict=True):
            tours[k] = tour
    return tuple(tours)


def _groups(problem: Problem) -> list[list[int]]:
    groups: dict[object, list[int]] = {}
    for k, vehicle in enumerate(problem.vehicles):
        like = vehicle.start, problem.ends_of(k), vehicle.capacity, vehicle.max_length
        groups.setdefault(like, []).append(k)
    return list(groups.values())
