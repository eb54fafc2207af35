"""Lower bounds: what no plan can beat, so that every answer comes with a proven gap."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

import numpy as np

from neurocross import _core
from neurocross.objective import Objective
from neurocross.problem import EARTH_RADIUS, FloatArray, Problem, with_slack

_ARC_BUDGET = 1e8
"""Arcs that the search for shortest round trips may look at: less than a second."""

_NEIGHBOURS = 20
"""Of each city, whose distances spanning trees know exactly: 10 would lower the bound by up to 0.7 %."""


@dataclass(frozen=True)
class Bound:
    """A proven lower bound of a problem's objective, in the unit of the distances."""

    value: float
    """The better of the two below, or what `exact` proved."""
    kind: str
    """Which it is: `farthest`, `tour` or `exact`."""
    farthest: float
    """The longest of the cities' shortest round trips."""
    tour: float
    """From the total length of all routes: for minsum all of it, for minmax one route's share."""


def lower_bound(problem: Problem, *, time_limit: float = 1.0, target: float | None = None) -> Bound:
    """The best bound of the objective found in `time_limit` seconds, sooner if it proves `target` optimal.

    `target`: the value of a plan at hand. With a `time_limit` of 0 the bound takes round trips alone.
    """
    whole = _lengths_are_whole(problem)
    enough = math.inf
    if target is not None:  # whole lengths: whatever is above the next smaller whole number is rounded up
        enough = target - (0.5 if whole else problem.tolerance / 2)
    trips = _round_trips(problem)
    farthest, tour = float(trips.max(initial=0.0)), _bound_by_load(problem, trips)
    if max(farthest, tour) < enough and time_limit > 0:
        tour = max(tour, _bound_by_trees(problem, time_limit, enough))
    if whole:
        farthest, tour = float(math.ceil(farthest)), float(math.ceil(tour))
    return Bound(max(farthest, tour), "tour" if tour > farthest else "farthest", farthest, tour)


def farthest_city_bound(problem: Problem) -> float:
    """The longest of the cities' shortest round trips: bounds the longest route, so the total as well.

    Quick at any size: where shortest paths would take long, lower bounds on them stand in.
    """
    return lower_bound(problem, time_limit=0.0).farthest


def _round_trips(problem: Problem) -> FloatArray:
    """By city, its shortest round trip: no route that visits the city is shorter.

    The route up to the city is a path from its vehicle's start over cities, their service included, so no
    shorter than the shortest such path; likewise the rest, from the city to an allowed end. Hence the route
    is no shorter than both shortest paths together, taken for the vehicle where they are least.
    """
    return np.array(_core.round_trips(problem.core, _detour_gain(problem), _ARC_BUDGET))


def _bound_by_load(problem: Problem, trips: FloatArray) -> float:
    """The total length (minmax: its share of one route) when every demand pays for its round trip.

    A route is no shorter than any of its cities' round trips, so than their mean weighted by demand, and that
    is at least the sum of demand times round trip over the vehicle's capacity. Added up over the routes, this
    bounds the total by the same sum over all cities and the largest capacity.
    """
    demand = cast(FloatArray, problem.demand)[problem.n_depots :]
    largest = with_slack(max(v.capacity for v in problem.vehicles))
    total = float(demand @ trips) / largest if largest else 0.0
    most_routes = max(1, min(problem.n_vehicles, problem.n_cities))
    return total / most_routes if problem.objective is Objective.MINMAX else total


def _bound_by_trees(problem: Problem, time_limit: float, target: float) -> float:
    """The total length (minmax: its share of one route), each city's two arcs relaxed to spanning trees.

    A plan of r routes is a spanning tree of the cities and one depot (all merged) with r ways out, and r ways
    in, each city with two arcs: the cheapest tree and ways in, whatever the cities' arcs, cost no more.
    Multipliers that make arcs dear at cities with too many of them and cheap at the others leave every plan's
    cost as it is and raise that bound, until `time_limit` seconds are over or it reaches `target`.
    """
    objective = list(Objective).index(problem.objective)
    bound, _ = _core.total_length_bound(
        problem.core, objective, _NEIGHBOURS, _places(problem), target, time_limit
    )
    return bound


def gap(value: float, bound: float) -> float:
    """The part of a plan's value that a better plan might save: 0 if the bound proves there is none."""
    return max(0.0, (value - bound) / value) if value else 0.0


def is_optimal(value: float, bound: float, tolerance: float) -> bool:
    """Whether the bound proves that no plan is better than one of this value, rounding noise aside."""
    return value <= bound + tolerance


def _lengths_are_whole(problem: Problem) -> bool:
    """Whether every route's length is a whole number: a bound may then be rounded up."""
    if not _whole(cast(FloatArray, problem.service)):
        return False
    rounded = problem.rounding != "none" or problem.metric in ("att", "geo")
    return rounded or (problem.matrix is not None and _whole(problem.matrix))


def _whole(values: FloatArray) -> bool:
    return bool((values == np.floor(values)).all())


def _detour_gain(problem: Problem) -> float:
    """The most by which a path can be shorter than the direct arc between its ends."""
    if problem.metric in ("matrix", "geo") or problem.rounding == "nearest":
        return math.inf
    # Rounding up keeps the triangle inequality but for noise around whole numbers; without a doubt a path is
    # no shorter than the unrounded distance, and the direct arc at most 1 longer.
    return 1.0 if problem.metric == "att" or problem.rounding == "ceil" else 0.0


def _places(problem: Problem) -> FloatArray:
    """The cities on a line, never further apart than their distance before rounding; empty if unknown."""
    if problem.metric in ("matrix", "geo"):
        return np.empty(0)
    first = cast(FloatArray, problem.coords)[problem.n_depots :, 0]
    match problem.metric:
        case "haversine":
            return first * (EARTH_RADIUS * math.pi / 180)
        case "att":
            return first / math.sqrt(10)
        case _:
            return np.ascontiguousarray(first)
