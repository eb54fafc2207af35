"""What an answer is, and the independent check every answer marked feasible must pass."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from operator import index
from typing import Any, SupportsIndex, cast

import numpy as np
import numpy.typing as npt

from neurocross.errors import InputError, shown
from neurocross.problem import EARTH_RADIUS, FloatArray, Problem, with_slack

IntArray = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Route:
    """One vehicle's route, measured."""

    vehicle: int
    start: int
    """Depot it starts from."""
    end: int | None
    """Depot it really ends at; None if the route is open; the start if it is unused."""
    cities: tuple[int, ...]
    length: float
    """Distance and service; 0 if unused."""
    load: float


@dataclass(frozen=True, eq=False)
class Solution:
    """Cities in visiting order for every vehicle of a problem.

    Needs neither be complete nor feasible: `check` says what is wrong with it.
    """

    problem: Problem
    tours: tuple[tuple[int, ...], ...]
    """By vehicle: the node numbers of the cities it visits."""

    def __init__(self, problem: Problem, tours: Iterable[Sequence[int] | IntArray]) -> None:
        if not isinstance(problem, Problem):
            raise InputError(f"a plan is one of a Problem, not of {shown(problem)}")
        try:
            plan = tuple(tuple(map(_node, tour)) for tour in tours)
        except TypeError:
            raise InputError(f"a plan is the cities of each vehicle in order, not {shown(tours)}") from None
        if len(plan) > problem.n_vehicles:
            raise InputError(f"the plan has {len(plan)} routes, the problem {problem.n_vehicles} vehicles")
        for tour in plan:
            for city in tour:
                if not 0 <= city < problem.n_nodes:
                    raise InputError(f"the plan visits node {city}; there are {problem.n_nodes} nodes")
        plan += ((),) * (problem.n_vehicles - len(plan))
        object.__setattr__(self, "problem", problem)
        object.__setattr__(self, "tours", plan)

    @cached_property
    def routes(self) -> tuple[Route, ...]:
        """Every vehicle's route with its length, load and end depot."""
        return tuple(self._route(k, tour) for k, tour in enumerate(self.tours))

    def _route(self, k: int, tour: tuple[int, ...]) -> Route:
        start, core = self.problem.vehicles[k].start, self.problem.core
        last = core.end_depot(k, tour[-1]) if tour else start
        cities = np.array(tour, np.int32)
        return Route(k, start, None if last < 0 else last, tour, core.length(k, cities), core.load(cities))

    @property
    def lengths(self) -> tuple[float, ...]:
        """Length of each route."""
        return tuple(route.length for route in self.routes)

    @property
    def makespan(self) -> float:
        """Length of the longest route."""
        return max(self.lengths)

    @property
    def total(self) -> float:
        """Length of all routes together."""
        return math.fsum(self.lengths)

    @property
    def cost(self) -> float:
        """The value of the problem's objective."""
        return self.key[0]

    @property
    def key(self) -> tuple[float, float]:
        """Orders plans of one problem: the objective, then the tie-break."""
        return self.problem.objective.key(self.makespan, self.total)

    @property
    def feasible(self) -> bool:
        """Whether `check` finds nothing wrong."""
        return not self.violations

    @cached_property
    def violations(self) -> tuple[str, ...]:
        """What `check` says, kept."""
        return tuple(self.check())

    def route_dicts(self) -> list[dict[str, Any]]:
        """Every route for JSON, nodes by their ids; unused vehicles of an unlimited fleet left out."""
        ids, bounded = self.problem.ids, self.problem.fleet_is_bounded
        return [
            {
                "vehicle": route.vehicle + 1,
                "start": ids[route.start],
                "end": None if route.end is None else ids[route.end],
                "stops": [ids[c] for c in route.cities],
                "length": route.length,
                "load": route.load,
            }
            for route in self.routes
            if route.cities or bounded
        ]

    def check(self) -> list[str]:
        """Every violation in a sentence; empty if the plan is feasible.

        Independent of the kernels: distances are computed here from coordinates or matrix.
        """
        problem, found = self.problem, []
        demand = cast(FloatArray, problem.demand)
        visits = [0] * problem.n_nodes
        for tour in self.tours:
            for city in tour:
                visits[city] += 1
        for node, count in enumerate(visits):
            label = problem.ids[node]
            if node < problem.n_depots and count:
                found.append(f"depot '{label}' is visited as a city")
            elif node >= problem.n_depots and count == 0:
                found.append(f"city '{label}' is not visited")
            elif node >= problem.n_depots and count > 1:
                found.append(f"city '{label}' is visited {count} times")
        for k, tour in enumerate(self.tours):
            vehicle, name = problem.vehicles[k], problem.vehicle_name(k)
            load = math.fsum(demand[c] for c in tour)
            if load > with_slack(vehicle.capacity):
                found.append(f"{name} carries {load:g}, its capacity is {vehicle.capacity:g}")
            length = checked_length(problem, k, tour)
            if length > with_slack(vehicle.max_length):
                found.append(f"{name} drives {length:.6g}, its longest route is {vehicle.max_length:g}")
        return found


def _node(value: object) -> int:
    try:
        return index(cast(SupportsIndex, value))
    except TypeError:
        raise InputError(f"the plan visits {value!r}: use the numbers of nodes") from None


def checked_length(problem: Problem, vehicle: int, tour: Sequence[int] | IntArray) -> float:
    """Length of a route computed without the kernels: the judge of benchmarks and the checker use it."""
    if len(tour) == 0:
        return 0.0
    service = cast(FloatArray, problem.service)
    stops = [problem.vehicles[vehicle].start, *tour]
    way = [distance(problem, u, v) + service[v] for u, v in pairwise(stops)]
    back = min((distance(problem, stops[-1], end) for end in problem.ends_of(vehicle)), default=0.0)
    return math.fsum(way) + back


def distance(problem: Problem, u: int, v: int) -> float:
    """One distance as the metric and the rounding define it, in plain Python."""
    if problem.matrix is not None:
        return _rounded(float(problem.matrix[u, v]), problem.rounding)
    (a, b), (c, d) = cast(FloatArray, problem.coords)[[u, v]].tolist()
    match problem.metric:
        case "euclidean":
            return _rounded(math.sqrt((a - c) ** 2 + (b - d) ** 2), problem.rounding)
        case "manhattan":
            return _rounded(abs(a - c) + abs(b - d), problem.rounding)
        case "haversine":
            lat1, lon1, lat2, lon2 = map(math.radians, (a, b, c, d))
            y, x = math.sin((lat2 - lat1) / 2), math.sin((lon2 - lon1) / 2)
            h = y * y + math.cos(lat1) * math.cos(lat2) * x * x
            return _rounded(2 * EARTH_RADIUS * math.asin(min(1.0, math.sqrt(h))), problem.rounding)
        case "att":
            return float(math.ceil(math.sqrt(((a - c) ** 2 + (b - d) ** 2) / 10.0)))
        case _:
            return _geo(a, b, c, d) if u != v else 0.0


def _rounded(value: float, rounding: str) -> float:
    match rounding:
        case "nearest":
            return float(math.floor(value + 0.5))
        case "ceil":
            return float(math.ceil(value))
        case _:
            return value


def _geo(a: float, b: float, c: float, d: float) -> float:
    """TSPLIB's GEO: degrees and minutes as DDD.MM, its own pi and radius, kilometres."""
    lat1, lon1, lat2, lon2 = (3.141592 * (int(x) + 5.0 * (x - int(x)) / 3.0) / 180.0 for x in (a, b, c, d))
    q1, q2, q3 = math.cos(lon1 - lon2), math.cos(lat1 - lat2), math.cos(lat1 + lat2)
    cosine = 0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3)
    return float(math.floor(6378.388 * math.acos(max(-1.0, min(1.0, cosine))) + 1.0))
