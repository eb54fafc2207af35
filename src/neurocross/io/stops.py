"""The stops of a plan as reports tell them, and plans from what reports tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from neurocross.problem import FloatArray, Problem
from neurocross.solution import Route, Solution


@dataclass(frozen=True, slots=True)
class Stop:
    """One stop of a used vehicle, its start and its end included."""

    vehicle: int
    sequence: int
    """0 is the start."""
    node: int
    arrival: float
    """Length of the route on arrival here; service at this node is still to come."""


def stops_of(solution: Solution, route: Route) -> Iterator[Stop]:
    """The stops of a route; an unused vehicle has none, an open route no end."""
    if not route.cities:
        return
    problem = solution.problem
    service = cast(FloatArray, problem.service)
    yield Stop(route.vehicle, 0, route.start, 0.0)
    at, length = route.start, 0.0
    for sequence, city in enumerate(route.cities, start=1):
        length += problem.core.arc(at, city)
        yield Stop(route.vehicle, sequence, city, length - float(service[city]))
        at = city
    if route.end is not None:
        yield Stop(route.vehicle, len(route.cities) + 1, route.end, route.length)


def nodes_by_id(problem: Problem) -> dict[str, int]:
    """Node numbers by what files call the nodes."""
    return {name: node for node, name in enumerate(problem.ids)}


def solution_of(problem: Problem, tours: Mapping[int, Sequence[int]]) -> Solution:
    """The plan with these tours by vehicle; the other vehicles stay unused."""
    return Solution(problem, [tours.get(vehicle, ()) for vehicle in range(problem.n_vehicles)])
