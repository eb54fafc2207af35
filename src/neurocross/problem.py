"""What is to be solved: nodes, vehicles, an objective. All validation lives here.

Nodes are numbered depots first: 0 .. n_depots-1 are depots, the rest are cities.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from neurocross import _core
from neurocross.errors import InputError, shown
from neurocross.objective import Objective, parse_objective

Integer = int | np.integer
FloatArray = npt.NDArray[np.float64]
EndRule = Literal["own", "any", "open"] | int | Sequence[int]

METRICS = ("matrix", "euclidean", "manhattan", "haversine", "att", "geo")
ROUNDINGS = ("none", "nearest", "ceil")
KINDS = ("tsp", "mtsp", "mdvrp", "fmdvrp", "cvrp", "general")

EARTH_RADIUS = 6_371_008.8
"""Metres; the mean radius, as in the core."""

LARGEST = 1e100
"""Coordinates, distances and amounts up to this make finite lengths, however many are added or squared."""

MOST_VEHICLES = 100_000
"""A fleet that is larger is a mistake, and would fill the memory before anybody could say so."""


def with_slack(limit: float) -> float:
    """A capacity or length limit as sums of floats are held to it: what meets it on paper meets it here."""
    return limit * (1 + 1e-9)


@dataclass(frozen=True)
class Vehicle:
    """One vehicle: where it starts, where it may end, what it may carry and how far it may go."""

    start: int = 0
    """Depot (node number) it starts from."""
    end: EndRule = "own"
    """`own` depot, one depot's number, a list of depots, `any` depot, or `open` (ends at its last city)."""
    capacity: float = math.inf
    """Largest load, in the unit of the demands."""
    max_length: float = math.inf
    """Longest allowed route, service included, in the unit of the distances."""
    name: str = ""
    """What reports call it; `vehicle k` where empty."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """An immutable routing problem, valid once it exists.

    Give `coords` with a `metric`, or a `matrix` (`coords` then only serve the pictures).
    """

    n_depots: int
    vehicles: tuple[Vehicle, ...]
    coords: FloatArray | None = None
    """(nodes, 2): x, y; for `haversine` and `geo` latitude, longitude."""
    matrix: FloatArray | None = None
    """(nodes, nodes): distance from row to column, not necessarily symmetric."""
    metric: str = "euclidean"
    rounding: str = "none"
    """How each distance is rounded: `none`, `nearest` (floor(d + 0.5)) or `ceil`."""
    demand: FloatArray | None = None
    """By node, depots 0."""
    service: FloatArray | None = None
    """Time spent at each node, added to the arc that enters it; depots 0."""
    objective: Objective = Objective.MINMAX
    kind: str = "general"
    ids: tuple[str, ...] = ()
    """What files call the nodes; `0`, `1`, … where not given."""
    names: tuple[str, ...] = ()
    """What people call the nodes; empty strings where not given."""
    name: str = ""
    fleet_is_bounded: bool = True
    """False where vehicles stand for an unlimited fleet (CVRP without a number)."""
    geographic: bool | None = None
    """Whether coords are latitude, longitude; told by the metric where not given, false without coords."""

    def __post_init__(self) -> None:
        def put(name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        if self.coords is None and self.matrix is None:
            raise InputError("a problem needs coords or a matrix")
        if self.matrix is not None:
            put("metric", "matrix")
            put("matrix", _matrix(self.matrix))
        elif self.metric not in METRICS[1:]:
            raise InputError(
                f"metric '{self.metric}' is unknown: use one of {', '.join(METRICS[1:])}, or a matrix"
            )
        if self.coords is not None:
            put("coords", _coords(self.coords, self.metric))
        if self.rounding not in ROUNDINGS:
            raise InputError(f"rounding '{self.rounding}' is unknown: use one of {', '.join(ROUNDINGS)}")
        if self.kind not in KINDS:
            raise InputError(f"problem '{self.kind}' is unknown: use one of {', '.join(KINDS)}")
        put("objective", parse_objective(self.objective))
        on_earth = self.metric in ("haversine", "geo") if self.geographic is None else self.geographic
        put("geographic", self.coords is not None and on_earth)

        n = len(cast(FloatArray, self.coords if self.matrix is None else self.matrix))
        if self.coords is not None and len(self.coords) != n:
            raise InputError(f"coords has {len(self.coords)} rows, the matrix {n}")
        put("n_depots", _whole("n_depots", self.n_depots))
        if not 1 <= self.n_depots <= n:
            raise InputError(
                "a problem needs at least one depot"
                if self.n_depots < 1
                else f"{self.n_depots} depots do not fit {n} nodes"
            )
        for name in ("demand", "service"):
            put(name, _per_node(name, getattr(self, name), n, self.n_depots))
        put("ids", _labels("ids", self.ids, n) or tuple(map(str, range(n))))
        put("names", _labels("names", self.names, n) or ("",) * n)
        put("name", _label("name of the problem", self.name))
        if len(set(self.ids)) != n:
            twice = next(i for i in self.ids if self.ids.count(i) > 1)
            raise InputError(f"node id '{twice}' is given twice")
        if isinstance(self.vehicles, Vehicle) or not isinstance(self.vehicles, Iterable):
            raise InputError(f"vehicles must be a sequence of Vehicle, not {shown(self.vehicles)}")
        put("vehicles", tuple(_vehicle(k, v, self) for k, v in enumerate(self.vehicles)))
        if not self.vehicles:
            raise InputError("a problem needs at least one vehicle")

    # -- the five problems of the paper ---------------------------------------------------------

    @classmethod
    def tsp(cls, coords: npt.ArrayLike | None = None, **options: Any) -> Problem:
        """One vehicle, one depot (node 0): the shortest tour."""
        options = {"objective": Objective.MINSUM, **options}
        return cls(coords=_given(coords), n_depots=1, vehicles=(Vehicle(),), kind="tsp", **options)

    @classmethod
    def mtsp(
        cls,
        coords: npt.ArrayLike | None = None,
        *,
        vehicles: int,
        max_length: float = math.inf,
        **options: Any,
    ) -> Problem:
        """`vehicles` tours from one depot (node 0): the shortest longest tour."""
        fleet = fleet_of(vehicles, starts=[0], max_length=max_length)
        return cls(coords=_given(coords), n_depots=1, vehicles=fleet, kind="mtsp", **options)

    @classmethod
    def mdvrp(
        cls,
        coords: npt.ArrayLike | None = None,
        *,
        n_depots: int,
        vehicles: int | Sequence[int],
        capacity: float = math.inf,
        max_length: float = math.inf,
        **options: Any,
    ) -> Problem:
        """Several depots, each vehicle back to its own.

        `vehicles`: their number (vehicle k starts at depot k mod n_depots), or the number at each depot.
        """
        depots = range(_whole("n_depots", n_depots))
        fleet = fleet_of(vehicles, starts=depots, capacity=capacity, max_length=max_length)
        return cls(coords=_given(coords), n_depots=n_depots, vehicles=fleet, kind="mdvrp", **options)

    @classmethod
    def fmdvrp(
        cls,
        coords: npt.ArrayLike | None = None,
        *,
        n_depots: int,
        vehicles: int | Sequence[int],
        capacity: float = math.inf,
        max_length: float = math.inf,
        **options: Any,
    ) -> Problem:
        """Several depots, each vehicle free to end at any of them; `vehicles` as in `mdvrp`."""
        depots = range(_whole("n_depots", n_depots))
        fleet = fleet_of(vehicles, starts=depots, end="any", capacity=capacity, max_length=max_length)
        return cls(coords=_given(coords), n_depots=n_depots, vehicles=fleet, kind="fmdvrp", **options)

    @classmethod
    def cvrp(
        cls,
        coords: npt.ArrayLike | None = None,
        *,
        demand: npt.ArrayLike,
        capacity: float,
        vehicles: int | None = None,
        max_length: float = math.inf,
        **options: Any,
    ) -> Problem:
        """Capacitated routing from one depot (node 0), total length; an unlimited fleet if no number."""
        loads = _floats("demand", demand)
        number = max(1, loads.size - 1) if vehicles is None else vehicles
        fleet = fleet_of(number, starts=[0], capacity=capacity, max_length=max_length)
        options = {"objective": Objective.MINSUM, **options}
        return cls(
            coords=_given(coords),
            n_depots=1,
            vehicles=fleet,
            demand=loads,
            kind="cvrp",
            fleet_is_bounded=vehicles is not None,
            **options,
        )

    # -- what everybody asks --------------------------------------------------------------------

    @property
    def n_nodes(self) -> int:
        """Depots and cities."""
        return len(self.ids)

    @property
    def n_cities(self) -> int:
        """Nodes to visit."""
        return self.n_nodes - self.n_depots

    @property
    def n_vehicles(self) -> int:
        """Vehicles that may be used."""
        return len(self.vehicles)

    @property
    def cities(self) -> range:
        """Node numbers of the cities."""
        return range(self.n_depots, self.n_nodes)

    def ends_of(self, vehicle: int) -> tuple[int, ...]:
        """The depots a vehicle may end at; empty if its route is open."""
        rule, start = self.vehicles[vehicle].end, self.vehicles[vehicle].start
        if isinstance(rule, str):
            return {"own": (start,), "any": tuple(range(self.n_depots)), "open": ()}[rule]
        return (rule,) if isinstance(rule, int) else tuple(rule)

    def vehicle_name(self, vehicle: int) -> str:
        """What reports call a vehicle, counting from 1 where it has no name."""
        return self.vehicles[vehicle].name or f"vehicle {vehicle + 1}"

    @cached_property
    def tolerance(self) -> float:
        """Improvements below this are rounding noise: accepting them could make a search run for ever.

        At most 1e-9 of any plan's longest route: arcs that are only long to forbid them, or a depot far
        away that nobody needs, must not blur the plans.
        """
        detour_gain = math.inf if self.matrix is not None else 0.0
        scale = max(_core.round_trips(self.core, detour_gain, _TOLERANCE_ARCS), default=0.0)
        return 1e-9 * (scale or self._shortest_arc or 1.0)

    @property
    def _shortest_arc(self) -> float:
        """The shortest that is not 0, where every city can be reached and left for nothing."""
        if self.matrix is not None:
            return float(min(self.matrix[self.matrix > 0], default=0.0))
        depots = range(self.n_depots)
        return min((d for u in depots for v in depots if (d := self.core.arc(u, v)) > 0), default=0.0)

    @cached_property
    def plane(self) -> FloatArray | None:
        """(nodes, 2) x, y for pictures and clusters, latitude, longitude projected; None without coords."""
        if self.coords is None or not self.geographic:
            return self.coords
        lat, lon = np.radians(self.coords.T)
        return EARTH_RADIUS * np.stack([lon * math.cos(float(lat.mean())), lat], axis=1)

    def infeasibilities(self) -> list[str]:
        """Reasons, if any can be proven at once, why no plan can satisfy every limit."""
        demand, capacity = cast(FloatArray, self.demand), [v.capacity for v in self.vehicles]
        reasons = [
            f"city '{self.ids[c]}' demands {demand[c]:g}, more than any vehicle carries ({max(capacity):g})"
            for c in self.cities
            if demand[c] > with_slack(max(capacity))
        ]
        if demand.sum() > with_slack(sum(capacity)):
            reasons.append(f"the cities demand {demand.sum():g} in all, the fleet carries {sum(capacity):g}")
        return reasons

    def with_(self, **changes: Any) -> Problem:
        """The same problem but for the given fields."""
        return replace(self, **changes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Problem):
            return NotImplemented
        return all(
            np.array_equal(getattr(self, f.name), getattr(other, f.name))
            if f.name in _ARRAYS
            else getattr(self, f.name) == getattr(other, f.name)
            for f in fields(self)
        )

    __hash__ = None  # type: ignore[assignment]  # arrays inside

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}  # the core is made anew

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for name in _ARRAYS:
            if state[name] is not None:
                _frozen(state[name])  # a copy forgets it

    @cached_property
    def core(self) -> _core.Instance:
        """The same problem for the C++ kernels."""
        classes = sorted({self.ends_of(k) for k in range(self.n_vehicles)})
        number = {ends: c for c, ends in enumerate(classes)}
        return _core.Instance(
            depots=self.n_depots,
            metric=METRICS.index(self.metric),
            rounding=ROUNDINGS.index(self.rounding),
            coords=None if self.matrix is not None else self.coords,
            matrix=self.matrix,
            service=cast(FloatArray, self.service),
            demand=cast(FloatArray, self.demand),
            starts=[v.start for v in self.vehicles],
            end_classes=[number[self.ends_of(k)] for k in range(self.n_vehicles)],
            ends=[list(ends) for ends in classes],
            capacity=[with_slack(v.capacity) for v in self.vehicles],
            max_length=[with_slack(v.max_length) for v in self.vehicles],
        )


_TOLERANCE_ARCS = 1e7
"""Arcs looked at for the tolerance: some hundredths of a second."""

_ARRAYS = ("coords", "matrix", "demand", "service")


def checked_number(vehicles: int) -> int:
    """A number of vehicles, refused where it is a mistake."""
    if not 1 <= vehicles <= MOST_VEHICLES:
        raise InputError(f"vehicles must be from 1 to {MOST_VEHICLES}, not {vehicles}")
    return vehicles


def fleet_of(vehicles: int | Sequence[int], *, starts: Sequence[int], **rules: Any) -> tuple[Vehicle, ...]:
    """Equal vehicles: their number (round robin over `starts`), or how many at each start."""
    if len(starts) == 0:
        raise InputError("a problem needs at least one depot")
    if isinstance(vehicles, Integer):
        return tuple(Vehicle(start=starts[k % len(starts)], **rules) for k in range(checked_number(vehicles)))
    if not (isinstance(vehicles, Iterable) and all(isinstance(m, Integer) and m >= 0 for m in vehicles)):
        raise InputError(f"vehicles must be a whole number, or one for each depot, not {vehicles}")
    if len(vehicles) != len(starts):
        raise InputError(f"vehicles lists {len(vehicles)} depots, there are {len(starts)}")
    if any(vehicles):
        checked_number(sum(vehicles))
    return tuple(Vehicle(start=s, **rules) for s, m in zip(starts, vehicles, strict=True) for _ in range(m))


def _whole(what: str, number: object) -> int:
    if not isinstance(number, Integer):
        raise InputError(f"{what} must be a whole number, not {shown(number)}")
    return int(number)


def _given(coords: npt.ArrayLike | None) -> FloatArray | None:
    return None if coords is None else _floats("coords", coords)


def _floats(what: str, values: npt.ArrayLike) -> FloatArray:
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{what} must be numbers in rows of equal length") from None


def _frozen(array: FloatArray) -> FloatArray:
    array.flags.writeable = False
    return array


def _is_finite(array: FloatArray) -> npt.NDArray[np.bool_]:
    """Whether numbers are small enough that lengths made of them, and their squares, are finite too."""
    return np.abs(array) <= LARGEST


def _coords(values: npt.ArrayLike, metric: str) -> FloatArray:
    coords = _floats("coords", values)
    if coords.ndim != 2 or coords.shape[1] != 2:
        raise InputError(f"coords must have two columns, not shape {coords.shape}")
    for node in np.flatnonzero(~_is_finite(coords).all(axis=1))[:1]:
        raise InputError(f"coords of node {node} are not finite, or too large: {coords[node].tolist()}")
    if metric == "haversine":
        for node in np.flatnonzero((np.abs(coords) > (90, 360)).any(axis=1))[:1]:
            raise InputError(f"node {node} is not latitude, longitude: {coords[node].tolist()}")
    return _frozen(coords)


def _matrix(values: npt.ArrayLike) -> FloatArray:
    matrix = _floats("matrix", values)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"matrix must be square, not {' x '.join(map(str, matrix.shape))}")
    np.fill_diagonal(matrix, 0.0)  # nobody drives from a node to itself, and many put infinity there
    for u, v in np.argwhere(~_is_finite(matrix))[:1]:
        raise InputError(
            f"node {v} cannot be reached from node {u}: distance {matrix[u, v]} "
            "(give every pair a finite distance; a large one forbids an arc)"
        )
    for u, v in np.argwhere(matrix < 0)[:1]:
        raise InputError(f"distance from node {u} to node {v} is negative: {matrix[u, v]:g}")
    return _frozen(matrix)


def _per_node(what: str, values: npt.ArrayLike | None, n: int, n_depots: int) -> FloatArray:
    array = _floats(what, np.zeros(n) if values is None else values)
    if array.shape != (n,):
        raise InputError(f"{what} needs one number a node ({n}), has shape {array.shape}")
    for node in np.flatnonzero(~(_is_finite(array) & (array >= 0)))[:1]:
        raise InputError(f"{what} of node {node} must be a number from 0 to {LARGEST:g}, not {array[node]:g}")
    for node in np.flatnonzero(array[:n_depots])[:1]:
        raise InputError(f"{what} of depot {node} must be 0, not {array[node]:g}")
    return _frozen(array)


def _labels(what: str, labels: Iterable[object], n: int) -> tuple[str, ...]:
    if not isinstance(labels, Iterable):
        raise InputError(f"{what} must be a sequence of texts, not {shown(labels)}")
    strings = tuple(map(str, labels))
    if strings and len(strings) != n:
        raise InputError(f"{what} needs one entry a node ({n}), has {len(strings)}")
    for node, label in enumerate(strings):
        _label(f"{what} of node {node}", label)
        if what == "ids" and (not label or label != label.strip()):
            raise InputError(f"id '{label}' of node {node} must not be empty, nor begin or end with a blank")
    return strings


def _label(what: str, label: str) -> str:
    """A label as reports and files can show it: on one line."""
    if not isinstance(label, str) or any(unicodedata.category(c) in ("Cc", "Cs") for c in label):
        raise InputError(f"{what} must be plain text on one line, not {label!r}")
    return label


def _vehicle(k: int, vehicle: Vehicle, problem: Problem) -> Vehicle:
    where = f"vehicle {k + 1}"
    if not isinstance(vehicle, Vehicle):
        raise InputError(f"{where} must be a Vehicle, not {shown(vehicle)}")

    def depot(node: object, verb: str) -> int:
        if not (isinstance(node, Integer) and 0 <= node < problem.n_depots):
            raise InputError(f"{where} {verb} at node {node}, which is no depot")
        return int(node)

    for name in ("capacity", "max_length"):
        limit = getattr(vehicle, name)
        if not (isinstance(limit, Integer | float | np.floating) and limit >= 0):
            raise InputError(f"{name} of {where} must be a number of at least 0, not {limit}")
    end: EndRule = vehicle.end
    if isinstance(end, str):
        if end not in ("own", "any", "open"):
            raise InputError(f"end '{end}' of {where} is unknown: own, any, open, a depot or a list")
    else:
        ends = sorted({depot(node, "ends") for node in (end if isinstance(end, Iterable) else (end,))})
        if not ends:
            raise InputError(f"{where} may end nowhere: give it a depot, or end 'open'")
        end = ends[0] if len(ends) == 1 else tuple(ends)
    return Vehicle(
        start=depot(vehicle.start, "starts"),
        end=end,
        capacity=float(vehicle.capacity),
        max_length=float(vehicle.max_length),
        name=_label(f"name of {where}", vehicle.name),
    )
