"""VROOM's JSON: problems of jobs and vehicles, and its answers. Unsupported keys are refused by name."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from neurocross.errors import InputError
from neurocross.io.document import Value, format_document, parse_document
from neurocross.io.options import ReadOptions
from neurocross.io.sheet import Sheet, problem_of
from neurocross.io.stops import solution_of, stops_of
from neurocross.io.text import plain, shown
from neurocross.problem import FloatArray, Problem, Vehicle
from neurocross.solution import Route, Solution

PROFILE = "car"
"""VROOM's default."""

TOP_KEYS = ("jobs", "vehicles", "matrices")
JOB_KEYS = ("id", "description", "location", "location_index", "service", "delivery", "pickup")
VEHICLE_KEYS = (
    "id",
    "description",
    "profile",
    "start",
    "start_index",
    "end",
    "end_index",
    "capacity",
    "max_travel_time",
    "max_distance",
)
NEUTRAL: dict[str, Any] = {
    "shipments": [],
    "skills": [],
    "priority": 0,
    "setup": 0,
    "time_windows": [],
    "breaks": [],
    "steps": [],
    "speed_factor": 1,
}
"""Keys of VROOM that are not supported, with the value that asks for nothing."""


def parse(text: str, source: str, options: ReadOptions) -> Problem:
    """The problem in a text of VROOM's JSON.

    Distances are the given matrix, or metres over the globe. The places where vehicles start and end become
    depots; a vehicle without an end stops at its last job.
    """
    return problem_of(_sheet(parse_document(text, source)), options)


@dataclass(frozen=True)
class _Place:
    """Where a job is done or a vehicle starts or ends."""

    index: int | None
    """Row of the matrix; None without one."""
    point: tuple[float, float] | None
    """Latitude, longitude."""

    @property
    def key(self) -> object:
        """Equal for places that are the same."""
        return self.point if self.index is None else self.index


@dataclass(frozen=True)
class _Object:
    """A job or a vehicle: its members, and where it stands in the document."""

    where: Value
    members: dict[str, Value]

    def get(self, key: str) -> Value | None:
        """A member, None if it is not given."""
        return self.members.get(key)


def _sheet(document: Value) -> Sheet:
    top = _fields(document, TOP_KEYS)
    for key in ("jobs", "vehicles"):
        if key not in top:
            raise document.fail(f"lacks the key '{key}'")
    jobs = [_Object(job, _fields(job, JOB_KEYS)) for job in top["jobs"].items()]
    vehicles = [_Object(vehicle, _fields(vehicle, VEHICLE_KEYS)) for vehicle in top["vehicles"].items()]
    unit, matrix = _matrix(top, vehicles)
    size = None if matrix is None else len(matrix)
    starts, ends = [_start(vehicle, size) for vehicle in vehicles], [_place(v, "end", size) for v in vehicles]
    depots = _distinct(starts, ends)
    nodes = [*depots, *(_city(job, size) for job in jobs)]
    rows = [place.index for place in nodes if place.index is not None]
    points = [place.point for place in nodes if place.point is not None]
    service = [0.0] * len(depots) + [_service(job, unit) for job in jobs]
    number = {place.key: node for node, place in enumerate(depots)}
    fleet = [
        Vehicle(
            start=number[start.key],
            end="open" if end is None else "own" if end.key == start.key else number[end.key],
            capacity=_amount(vehicle.get("capacity"), otherwise=math.inf),
            max_length=_max_length(vehicle, unit, any(service)),
            name=f"{name} {_description(vehicle)}".rstrip(),
        )
        for vehicle, start, end, name in zip(vehicles, starts, ends, _ids(vehicles), strict=True)
    ]
    return Sheet(
        source=document.source,
        n_depots=len(depots),
        coords=np.array(points, float) if len(points) == len(nodes) else None,
        matrix=None if matrix is None else matrix[np.ix_(rows, rows)],
        metric="haversine" if matrix is None else "matrix",
        geographic=len(points) == len(nodes),
        demand=_demand(jobs, len(depots)),
        service=np.array(service, float),
        ids=(*(f"depot {k + 1}" for k in range(len(depots))), *_ids(jobs)),
        names=(*[""] * len(depots), *map(_description, jobs)),
        vehicles=tuple(fleet),
    )


def _fields(value: Value, supported: Sequence[str]) -> dict[str, Value]:
    """The members of an object; one that is not supported is refused, unless it asks for nothing."""
    members = value.members()
    for key, member in members.items():
        if key not in supported and not (key in NEUTRAL and member.data == NEUTRAL[key]):
            raise value.fail(
                f"has the key '{shown(key)}', which is not supported; use {', '.join(supported)}"
            )
    return members


def _ids(objects: Sequence[_Object]) -> list[str]:
    """Ids, which VROOM wants to be whole numbers and different."""
    found: dict[int, None] = {}
    for entry in objects:
        if (number := entry.get("id")) is None:
            raise entry.where.fail("lacks the key 'id'")
        if number.whole(least=0) in found:
            raise number.fail(f"is {number.data}, which is given twice")
        found[number.data] = None
    return list(map(str, found))


def _description(entry: _Object) -> str:
    description = entry.get("description")
    return "" if description is None else description.text()


def _matrix(top: dict[str, Value], vehicles: Sequence[_Object]) -> tuple[str, FloatArray | None]:
    """`durations` or `distances` and the matrix; `metres` without one."""
    profiles = [
        PROFILE if (given := vehicle.get("profile")) is None else given.text() for vehicle in vehicles
    ]
    if len(set(profiles)) > 1:
        raise top["vehicles"].fail("have different profiles, only one for all is supported")
    if "matrices" not in top:
        return "metres", None
    profile = profiles[0] if profiles else PROFILE
    tables = top["matrices"].fields([profile], required=[profile])[profile]
    members = tables.fields(["durations", "distances"])
    if len(members) != 1:
        raise tables.fail("must give durations or distances, and not both: what is given is what counts")
    ((unit, table),) = members.items()
    return unit, table.square()


def _place(entry: _Object, key: str, size: int | None) -> _Place | None:
    """Where `key` and `key`_index say, in a matrix of `size` rows; None if neither is given."""
    at, location = entry.get(f"{key}_index"), entry.get(key)
    point = None if location is None else _point(location)
    if size is None and at is not None:
        raise at.fail("needs matrices, there are none")
    if size is not None and at is None and location is not None:
        raise location.fail(f"needs a {key}_index beside it, as there are matrices")
    if at is not None and at.whole(least=0) >= cast(int, size):
        raise at.fail(f"is {at.data}, the matrix has {size} rows")
    return None if at is None and point is None else _Place(None if at is None else at.data, point)


def _point(value: Value) -> tuple[float, float]:
    pair = value.items()
    if len(pair) != 2:
        raise value.fail("must be [longitude, latitude]")
    return pair[1].number(-90, 90), pair[0].number(-360, 360)


def _start(vehicle: _Object, size: int | None) -> _Place:
    place = _place(vehicle, "start", size)
    if place is None:
        raise vehicle.where.fail(
            "has no start: a route that begins at its first job is not supported, give one"
        )
    return place


def _city(job: _Object, size: int | None) -> _Place:
    place = _place(job, "location", size)
    if place is None:
        raise job.where.fail(f"lacks the key '{'location' if size is None else 'location_index'}'")
    return place


def _distinct(starts: Sequence[_Place], ends: Sequence[_Place | None]) -> list[_Place]:
    """The depots: rows of a matrix in their order, points in the order in which they are first used."""
    places: dict[object, _Place] = {}
    for pair in zip(starts, ends, strict=True):
        for place in pair:
            if place is not None:
                places.setdefault(place.key, place)
    return sorted(places.values(), key=lambda place: -1 if place.index is None else place.index)


def _service(job: _Object, unit: str) -> float:
    if (service := job.get("service")) is None:
        return 0.0
    seconds = service.number(least=0)
    if seconds and unit != "durations":
        raise service.fail(
            "is in seconds, but routes are measured in metres here: "
            "give matrices with durations, or no service"
        )
    return seconds


def _max_length(vehicle: _Object, unit: str, has_service: bool) -> float:
    limit = math.inf
    for key, units in (("max_travel_time", ("durations",)), ("max_distance", ("distances", "metres"))):
        if (given := vehicle.get(key)) is not None:
            limit = given.number(least=0)
            if unit not in units:
                raise given.fail(f"cannot be held, as routes are measured in {unit} here")
            if has_service:
                raise given.fail("leaves out service, our limits count it: give jobs no service, or no limit")
    return limit


def _amount(value: Value | None, otherwise: float) -> float:
    if value is None:
        return otherwise
    amounts = value.items()
    if len(amounts) != 1:
        raise value.fail(f"has {len(amounts)} dimensions, one is supported")
    return amounts[0].number(least=0)


def _demand(jobs: Sequence[_Object], n_depots: int) -> FloatArray | None:
    """What the jobs deliver, or what they pick up; with both, the load would not be a sum."""
    deliveries, pickups = ([_amount(job.get(key), 0.0) for job in jobs] for key in ("delivery", "pickup"))
    for job, pickup in zip(jobs, pickups, strict=True):
        if pickup and any(deliveries):
            raise job.where.fail("has a pickup where there are deliveries: only one of the two is supported")
    if not any(key in job.members for job in jobs for key in ("delivery", "pickup")):
        return None
    return np.array([0.0] * n_depots + [sum(pair) for pair in zip(deliveries, pickups, strict=True)], float)


# -- writing ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Names:
    """Ids and descriptions of vehicles and cities as VROOM has them."""

    vehicles: list[dict[str, Any]]
    cities: dict[int, dict[str, Any]]
    """By node."""


def _names(problem: Problem) -> _Names:
    """Ids that are whole numbers stay, and so do those that begin vehicles' names; others count from 1."""
    cities, ids = list(problem.cities), problem.ids[problem.n_depots :]
    if all(map(_is_number, ids)):
        jobs = [_named(int(name), problem.names[city]) for city, name in zip(cities, ids, strict=True)]
    else:
        jobs = [_named(k, problem.names[city] or problem.ids[city]) for k, city in enumerate(cities, start=1)]
    names = [vehicle.name for vehicle in problem.vehicles]
    first, rest = zip(*(name.partition(" ")[::2] for name in names), strict=True)
    if all(map(_is_number, first)) and len(set(first)) == len(first):
        vehicles = [_named(int(number), name) for number, name in zip(first, rest, strict=True)]
    else:
        vehicles = [_named(k, name) for k, name in enumerate(names, start=1)]
    return _Names(vehicles, dict(zip(cities, jobs, strict=True)))


def _is_number(word: str) -> bool:
    return re.fullmatch(r"0|[1-9][0-9]{0,17}", word) is not None


def _named(number: int, description: str) -> dict[str, Any]:
    return {"id": number, "description": description} if description else {"id": number}


def ids_in(problem: Problem) -> tuple[str, ...]:
    """What we call the nodes of such a file."""
    depots = (f"depot {k + 1}" for k in range(problem.n_depots))
    return (*depots, *(str(name["id"]) for name in _names(problem).cities.values()))


def format_problem(problem: Problem) -> str:
    """A problem in VROOM's JSON, which knows longitude and latitude, or a matrix of durations."""
    if problem.matrix is None and problem.metric != "haversine":
        raise InputError(f"VROOM's files hold lon, lat or a matrix, not metric {problem.metric}: use .json")
    names = _names(problem)
    document: dict[str, Any] = {
        "vehicles": [name | _vehicle_document(problem, k) for k, name in enumerate(names.vehicles)],
        "jobs": [name | _job_document(problem, city) for city, name in names.cities.items()],
    }
    if problem.matrix is not None:
        durations = [[plain(d) for d in row] for row in problem.matrix.tolist()]
        document["matrices"] = {PROFILE: {"durations": durations}}
    return format_document(document)


def _vehicle_document(problem: Problem, k: int) -> dict[str, Any]:
    vehicle, ends = problem.vehicles[k], problem.ends_of(k)
    if len(ends) > 1:
        raise InputError(f"VROOM's files know one end a vehicle, {problem.vehicle_name(k)} has {len(ends)}")
    document = _place_document(problem, vehicle.start, "start")
    for end in ends:
        document |= _place_document(problem, end, "end")
    if math.isfinite(vehicle.capacity):
        document["capacity"] = [plain(vehicle.capacity)]
    if math.isfinite(vehicle.max_length):
        document["max_distance" if problem.matrix is None else "max_travel_time"] = plain(vehicle.max_length)
    return document


def _job_document(problem: Problem, city: int) -> dict[str, Any]:
    document = _place_document(problem, city, "location")
    service, demand = cast(FloatArray, problem.service), cast(FloatArray, problem.demand)
    if service[city]:
        document["service"] = plain(service[city])
    if demand[city]:
        document["delivery"] = [plain(demand[city])]
    return document


def _place_document(problem: Problem, node: int, key: str) -> dict[str, Any]:
    place: dict[str, Any] = {} if problem.matrix is None else {f"{key}_index": node}
    return place | _location(problem, node, key)


def _location(problem: Problem, node: int, key: str = "location") -> dict[str, Any]:
    if problem.coords is None or not problem.geographic:
        return {}
    lat, lon = problem.coords[node].tolist()
    return {key: [plain(lon), plain(lat)]}


# -- answers ------------------------------------------------------------------------------------


def format_solution(solution: Solution) -> str:
    """A plan as VROOM answers, with the makespan, and for each route its length and the depot it ends at."""
    problem, names = solution.problem, _names(solution.problem)
    routes = [_route_document(solution, route, names) for route in solution.routes if route.cities]
    visited = {city for tour in solution.tours for city in tour}
    missing = [city for city in problem.cities if city not in visited]
    travel, service = sum(route["cost"] for route in routes), sum(route["service"] for route in routes)
    return format_document(
        {
            "code": 0,
            "summary": {
                "cost": travel,
                "routes": len(routes),
                "unassigned": len(missing),
                "service": service,
                _unit(problem): travel,
                "waiting_time": 0,
                "makespan": plain(solution.makespan),
                "violations": [{"cause": violation} for violation in solution.violations],
            },
            "unassigned": [
                names.cities[city] | {"type": "job"} | _location(problem, city) for city in missing
            ],
            "routes": routes,
        }
    )


def _unit(problem: Problem) -> str:
    """What a length is in VROOM's words: metres over the globe, otherwise time."""
    return "distance" if problem.metric == "haversine" else "duration"


def _route_document(solution: Solution, route: Route, names: _Names) -> dict[str, Any]:
    problem, name = solution.problem, names.vehicles[route.vehicle]
    service = math.fsum(cast(FloatArray, problem.service)[list(route.cities)].tolist())
    travel = plain(route.length - service)
    return {
        "vehicle": name["id"],
        **({"description": name["description"]} if "description" in name else {}),
        "cost": travel,
        _unit(problem): travel,
        "service": plain(service),
        "waiting_time": 0,
        "amount": [plain(route.load)],
        "length": plain(route.length),
        "ends": None if route.end is None else problem.ids[route.end],
        "steps": list(_steps(solution, route, names)),
    }


def _steps(solution: Solution, route: Route, names: _Names) -> Iterator[dict[str, Any]]:
    problem, served = solution.problem, 0.0
    service = cast(FloatArray, problem.service)
    for stop in stops_of(solution, route):
        if stop.node in names.cities:
            step = {"type": "job"} | names.cities[stop.node]
        else:
            step = {"type": "end" if stop.sequence else "start", "description": problem.ids[stop.node]}
        times = {
            "arrival": plain(stop.arrival),
            _unit(problem): plain(stop.arrival - served),
            "service": plain(service[stop.node]),
            "waiting_time": 0,
        }
        yield step | _location(problem, stop.node) | times
        served += float(service[stop.node])


def parse_solution(text: str, source: str, problem: Problem) -> Solution:
    """The plan in an answer of VROOM, or in ours in its words; lengths are measured anew."""
    top = parse_document(text, source).members()
    if "routes" not in top:
        raise InputError(f"{source}: is no answer of VROOM: it has no routes")
    names = _names(problem)
    vehicles = {name["id"]: k for k, name in enumerate(names.vehicles)}
    cities = {name["id"]: city for city, name in names.cities.items()}
    tours: dict[int, list[int]] = {}
    for where in top["routes"].items():
        route = where.members()
        if not {"vehicle", "steps"} <= route.keys():
            raise where.fail("must have a vehicle and steps")
        vehicle = _known(route["vehicle"], vehicles, "no vehicle of the problem")
        if vehicle in tours:
            raise route["vehicle"].fail(f"is {route['vehicle'].data}, which already has a route")
        tours[vehicle] = [
            _known(step.get("id", where), cities, "no job of the problem")
            for step in map(Value.members, route["steps"].items())
            if _is_job(step, where)
        ]
    return solution_of(problem, tours)


def _is_job(step: dict[str, Value], where: Value) -> bool:
    return step.get("type", where).choice(["start", "job", "end"]) == "job"


def _known(value: Value, numbers: dict[int, int], otherwise: str) -> int:
    if value.whole(least=0) not in numbers:
        raise value.fail(f"is {value.data}, which is {otherwise}")
    return numbers[value.data]
