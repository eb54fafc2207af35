"""Our own JSON: complete problems and plans. Unknown keys are refused, so that no rule is ever lost."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, cast

import numpy as np

from neurocross.io.document import Value, format_document, parse_document
from neurocross.io.options import ReadOptions
from neurocross.io.sheet import Sheet, amounts_of, problem_of
from neurocross.io.stops import nodes_by_id, solution_of
from neurocross.io.text import plain, shown
from neurocross.objective import Objective
from neurocross.problem import KINDS, METRICS, MOST_VEHICLES, ROUNDINGS, EndRule, FloatArray, Problem, Vehicle
from neurocross.solution import Solution

VERSION = 1
PROBLEM_KEYS = (
    "neurocross",
    "problem",
    "name",
    "objective",
    "metric",
    "rounding",
    "unlimited_fleet",
    "vehicles",
    "depots",
    "cities",
    "matrix",
)
VEHICLE_KEYS = ("count", "start", "end", "capacity", "max_length", "name")
DEPOT_KEYS = ("id", "name", "x", "y", "lat", "lon")
CITY_KEYS = (*DEPOT_KEYS, "demand", "service")
PLAN_KEYS = (
    "neurocross",
    "problem",
    "objective",
    "method",
    "seed",
    "rounding",
    "feasible",
    "violations",
    "makespan",
    "total",
    "lower_bound",
    "gap",
    "optimal",
    "seconds",
    "iterations",
    "routes",
)
"""What the command answers with `--json`: such an answer is a plan that can be read again."""
ROUTE_KEYS = ("vehicle", "start", "end", "stops", "length", "load")

PLANE, GLOBE = ("x", "y"), ("lat", "lon")


def parse(text: str, source: str, options: ReadOptions) -> Problem:
    """The problem in a text of our JSON."""
    return problem_of(_sheet(parse_document(text, source)), options)


def _sheet(document: Value) -> Sheet:
    top = document.fields(PROBLEM_KEYS, required=("neurocross", "depots", "cities"))
    _check_version(top["neurocross"])
    places = [*top["depots"].items(), *top["cities"].items()]
    n_depots = len(top["depots"].data)
    nodes = [place.fields(DEPOT_KEYS if k < n_depots else CITY_KEYS) for k, place in enumerate(places)]
    ids = tuple(node["id"].label() if "id" in node else str(k) for k, node in enumerate(nodes))
    axes = GLOBE if any(axis in node for node in nodes for axis in GLOBE) else PLANE
    is_located = "matrix" not in top or any(axis in node for node in nodes for axis in axes)
    return Sheet(
        source=document.source,
        n_depots=n_depots,
        coords=_coords(places, nodes, axes) if is_located else None,
        matrix=top["matrix"].square(len(nodes)) if "matrix" in top else None,
        metric=_metric(top, axes),
        rounding=top["rounding"].choice(ROUNDINGS) if "rounding" in top else "none",
        demand=_amounts(nodes, "demand"),
        service=_amounts(nodes, "service"),
        ids=ids,
        names=tuple(node["name"].text() if "name" in node else "" for node in nodes),
        name=top["name"].text() if "name" in top else "",
        geographic=is_located and axes is GLOBE,
        kind=top["problem"].choice(KINDS) if "problem" in top else None,
        objective=Objective(top["objective"].choice([*Objective])) if "objective" in top else None,
        vehicles=_vehicles(top["vehicles"], ids[:n_depots]) if "vehicles" in top else None,
        fleet_is_bounded=not ("unlimited_fleet" in top and top["unlimited_fleet"].truth()),
    )


def _check_version(version: Value) -> None:
    if version.whole(least=1) != VERSION:
        raise version.fail(f"is version {version.data}, this program reads version {VERSION}")


def _metric(top: dict[str, Value], axes: tuple[str, str]) -> str:
    if "matrix" in top:
        if "metric" in top and top["metric"].data != "matrix":
            raise top["metric"].fail("contradicts the matrix: leave one of the two out")
        return "matrix"
    if "metric" in top:
        return top["metric"].choice(METRICS[1:])
    return "haversine" if axes is GLOBE else "euclidean"


def _coords(places: Sequence[Value], nodes: Sequence[dict[str, Value]], axes: tuple[str, str]) -> FloatArray:
    for place, node in zip(places, nodes, strict=True):
        if any((axis in node) != (axis in axes) for axis in (*PLANE, *GLOBE)):
            raise place.fail(f"needs {axes[0]} and {axes[1]}, and nothing else to say where it is")
    return np.array([[node[axis].number() for axis in axes] for node in nodes], float).reshape(-1, 2)


def _amounts(nodes: Sequence[dict[str, Value]], key: str) -> FloatArray | None:
    if not any(key in node for node in nodes):
        return None
    return np.array([node[key].number(least=0) if key in node else 0.0 for node in nodes], float)


def _vehicles(value: Value, depots: tuple[str, ...]) -> tuple[Vehicle, ...]:
    vehicles: list[Vehicle] = []
    for item in value.items():
        members = item.fields(VEHICLE_KEYS, required=("start",) if len(depots) > 1 else ())
        limits = {key: members[key].number(least=0) for key in ("capacity", "max_length") if key in members}
        vehicle = Vehicle(
            start=_depot(members["start"], depots) if "start" in members else 0,
            end=_end(members["end"], depots) if "end" in members else "own",
            name=members["name"].text() if "name" in members else "",
            **limits,
        )
        count = members["count"].whole(least=0, most=MOST_VEHICLES) if "count" in members else 1
        vehicles += [vehicle] * count
    return tuple(vehicles)


def _depot(value: Value, depots: tuple[str, ...]) -> int:
    name = value.label()
    if name not in depots:
        raise value.fail(f"is '{shown(name)}', which is no depot's id")
    return depots.index(name)


def _end(value: Value, depots: tuple[str, ...]) -> EndRule:
    if isinstance(value.data, list):
        return [_depot(item, depots) for item in value.items()]
    if value.data not in ("own", "any", "open"):
        raise value.fail('must be own, any, open or a list of depots\' ids such as ["north"]')
    return cast(EndRule, value.data)


# -- writing ------------------------------------------------------------------------------------


def format_problem(problem: Problem) -> str:
    """A complete problem in our JSON."""
    return format_document(dict(_document(problem)))


def _document(problem: Problem) -> Iterator[tuple[str, Any]]:
    yield "neurocross", VERSION
    yield "problem", problem.kind
    if problem.name:
        yield "name", problem.name
    yield "objective", str(problem.objective)
    yield "metric", problem.metric
    yield "rounding", problem.rounding
    if not problem.fleet_is_bounded:
        yield "unlimited_fleet", True
    fleet = [(vehicle, len(list(equal))) for vehicle, equal in groupby(problem.vehicles)]
    yield "vehicles", [_vehicle(vehicle, count, problem) for vehicle, count in fleet]
    amounts = amounts_of(problem)
    yield "depots", [_node(node, problem, amounts) for node in range(problem.n_depots)]
    yield "cities", [_node(node, problem, amounts) for node in problem.cities]
    if problem.matrix is not None:
        yield "matrix", [[plain(distance) for distance in row] for row in problem.matrix.tolist()]


def _node(node: int, problem: Problem, amounts: dict[str, list[float]]) -> dict[str, Any]:
    document: dict[str, Any] = {"id": problem.ids[node]}
    if problem.names[node]:
        document["name"] = problem.names[node]
    if problem.coords is not None:
        axes = GLOBE if problem.geographic else PLANE
        document |= dict(zip(axes, map(plain, problem.coords[node].tolist()), strict=True))
    return document | {
        key: plain(values[node]) for key, values in amounts.items() if node >= problem.n_depots
    }


def _vehicle(vehicle: Vehicle, count: int, problem: Problem) -> dict[str, Any]:
    document: dict[str, Any] = {"count": count} if count > 1 else {}
    document["start"] = problem.ids[vehicle.start]
    if isinstance(vehicle.end, str):
        document["end"] = vehicle.end
    else:
        ends = (vehicle.end,) if isinstance(vehicle.end, int) else vehicle.end
        document["end"] = [problem.ids[end] for end in ends]
    for key in ("capacity", "max_length"):
        if math.isfinite(limit := getattr(vehicle, key)):
            document[key] = plain(limit)
    if vehicle.name:
        document["name"] = vehicle.name
    return document


# -- plans --------------------------------------------------------------------------------------


def format_solution(solution: Solution) -> str:
    """A plan in our JSON, with what it costs."""
    problem = solution.problem
    return format_document(
        {
            "neurocross": VERSION,
            "problem": problem.kind,
            "objective": str(problem.objective),
            "rounding": problem.rounding,
            "feasible": solution.feasible,
            "violations": list(solution.violations),
            "makespan": plain(solution.makespan),
            "total": plain(solution.total),
            "routes": solution.route_dicts(),
        }
    )


def parse_solution(text: str, source: str, problem: Problem) -> Solution:
    """The plan in a text of our JSON, or in what the command answers with `--json`.

    Only the vehicles and their stops are taken: lengths are measured anew.
    """
    top = parse_document(text, source).fields(PLAN_KEYS, required=("routes",))
    if "neurocross" in top:
        _check_version(top["neurocross"])
    routes = [route.fields(ROUTE_KEYS) for route in top["routes"].items()]
    return solution_from(routes, top["routes"], problem)


def solution_from(routes: Sequence[dict[str, Value]], where: Value, problem: Problem) -> Solution:
    """The plan that lists of stops by vehicle make; `where` they stand is named if they are incomplete."""
    nodes = nodes_by_id(problem)
    tours: dict[int, list[int]] = {}
    for route in routes:
        if not {"vehicle", "stops"} <= route.keys():
            raise where.fail("must name the vehicle and the stops of each route")
        vehicle = route["vehicle"].whole(least=1)
        if vehicle > problem.n_vehicles:
            raise route["vehicle"].fail(f"is {vehicle}, the problem has {problem.n_vehicles} vehicles")
        if vehicle - 1 in tours:
            raise route["vehicle"].fail(f"is {vehicle}, which already has a route")
        tours[vehicle - 1] = [_stop(stop, nodes) for stop in route["stops"].items()]
    return solution_of(problem, tours)


def _stop(value: Value, nodes: dict[str, int]) -> int:
    name = value.label()
    if name not in nodes:
        raise value.fail(f"is '{shown(name)}', which is no node of the problem")
    return nodes[name]
