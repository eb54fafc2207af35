"""A builder in PyVRP's words: add depots, clients and vehicle types, then solve.

New here: `end_depot="any"`, a list of depots or `"open"`; float distances; the objective `minmax`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from neurocross.errors import InputError
from neurocross.problem import EndRule, FloatArray, Problem, Vehicle, checked_number
from neurocross.result import Result
from neurocross.solver import solve
from neurocross.stop import StoppingCriterion


@dataclass(frozen=True, eq=False)
class Depot:
    """Where vehicles start and end."""

    x: float
    y: float
    name: str = ""


@dataclass(frozen=True, eq=False)
class Client:
    """A city to visit."""

    x: float
    y: float
    delivery: float = 0.0
    service_duration: float = 0.0
    name: str = ""


@dataclass(frozen=True, eq=False)
class VehicleType:
    """`num_available` equal vehicles."""

    num_available: int
    capacity: float
    start_depot: Depot
    end_depot: Depot | Sequence[Depot] | str
    max_distance: float
    name: str


class Model:
    """Collects a problem piece by piece."""

    def __init__(self) -> None:
        self._depots: list[Depot] = []
        self._clients: list[Client] = []
        self._types: list[VehicleType] = []
        self._edges: dict[tuple[int, int], float] = {}

    def add_depot(self, x: float, y: float, *, name: str = "") -> Depot:
        """Add a depot."""
        self._depots.append(Depot(x, y, name))
        return self._depots[-1]

    def add_client(
        self, x: float, y: float, delivery: float = 0.0, service_duration: float = 0.0, *, name: str = ""
    ) -> Client:
        """Add a city with its demand and the time spent there."""
        self._clients.append(Client(x, y, delivery, service_duration, name))
        return self._clients[-1]

    def add_vehicle_type(
        self,
        num_available: int = 1,
        capacity: float = math.inf,
        start_depot: Depot | None = None,
        end_depot: Depot | Sequence[Depot] | str | None = None,
        max_distance: float = math.inf,
        *,
        name: str = "",
    ) -> VehicleType:
        """Add equal vehicles; they start at the first depot and return to their own unless told otherwise."""
        if not self._depots:
            raise InputError("add a depot before the vehicle types that start there")
        kind = VehicleType(
            checked_number(num_available),
            capacity,
            start_depot or self._depots[0],
            "own" if end_depot is None else end_depot,
            max_distance,
            name,
        )
        self._types.append(kind)
        return kind

    def add_edge(self, frm: Depot | Client, to: Depot | Client, distance: float) -> None:
        """Give a distance; once one is given, every ordered pair of places needs one."""
        self._edges[id(frm), id(to)] = distance

    def problem(self, objective: str = "minmax", metric: str = "euclidean") -> Problem:
        """The problem collected so far."""
        places: list[Depot | Client] = [*self._depots, *self._clients]
        number = {id(place): k for k, place in enumerate(places)}

        def depot(place: Depot) -> int:
            if number.get(id(place), len(self._depots)) >= len(self._depots):
                raise InputError(f"depot '{place.name}' was not added to this model")
            return number[id(place)]

        def end(rule: Depot | Sequence[Depot] | str) -> EndRule:
            if isinstance(rule, str):
                return rule  # type: ignore[return-value]  # checked by Problem
            return depot(rule) if isinstance(rule, Depot) else [depot(place) for place in rule]

        vehicles = tuple(
            Vehicle(depot(t.start_depot), end(t.end_depot), t.capacity, t.max_distance, t.name)
            for t in self._types
            for _ in range(t.num_available)
        )
        idle = [0.0] * len(self._depots)
        return Problem(
            n_depots=len(self._depots),
            vehicles=vehicles,
            coords=np.array([[p.x, p.y] for p in places], np.float64).reshape(-1, 2),
            matrix=self._matrix(places) if self._edges else None,
            metric=metric,
            demand=np.array(idle + [c.delivery for c in self._clients]),
            service=np.array(idle + [c.service_duration for c in self._clients]),
            objective=objective,  # type: ignore[arg-type]  # checked by Problem
            names=tuple(p.name for p in places),
        )

    def solve(
        self, stop: StoppingCriterion, seed: int = 0, objective: str = "minmax", **options: Any
    ) -> Result:
        """Solve the model; `options` are those of `neurocross.solve`."""
        return solve(self.problem(objective), seed=seed, **stop.limits(), **options)

    def _matrix(self, places: Sequence[Depot | Client]) -> FloatArray:
        def distance(frm: Depot | Client, to: Depot | Client) -> float:
            if frm is to:
                return self._edges.get((id(frm), id(to)), 0.0)
            if (id(frm), id(to)) not in self._edges:
                raise InputError(
                    f"no edge from {frm} to {to}: add_edge is needed for every pair once it is used"
                )
            return self._edges[id(frm), id(to)]

        return np.array([[distance(u, v) for v in places] for u in places], np.float64)
