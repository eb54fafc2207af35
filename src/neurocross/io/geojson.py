"""Plans as GeoJSON: a line for each route, a point for each node."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from neurocross.errors import InputError
from neurocross.io.document import Value, format_document, parse_document
from neurocross.io.native import solution_from
from neurocross.io.stops import stops_of
from neurocross.io.text import plain
from neurocross.problem import Problem
from neurocross.solution import Solution


def format_solution(solution: Solution) -> str:
    """A plan as a map: longitude, latitude where the problem lies on the globe, plane x, y otherwise."""
    return format_document({"type": "FeatureCollection", "features": list(_features(solution))})


def parse_solution(text: str, source: str, problem: Problem) -> Solution:
    """The plan in such a map: the properties of its routes tell vehicle and stops, whatever the geometry."""
    features = parse_document(text, source).members().get("features")
    if features is None:
        raise InputError(f"{source}: is no GeoJSON: it has no features")
    routes = [
        properties
        for feature in features.items()
        if (properties := _properties(feature)) and properties.get("kind", feature).data == "route"
    ]
    return solution_from(routes, features, problem)


def _properties(feature: Value) -> dict[str, Value]:
    properties = feature.members().get("properties")
    return properties.members() if properties is not None and properties.data is not None else {}


def _features(solution: Solution) -> Iterator[dict[str, Any]]:
    problem = solution.problem
    places = _positions(problem)
    stops = {route.vehicle: list(stops_of(solution, route)) for route in solution.routes}
    for route in solution.route_dicts():
        if way := [places[stop.node] for stop in stops[route["vehicle"] - 1]]:
            yield _feature("LineString", way, {"kind": "route", **route})
    for depot in range(problem.n_depots):
        yield _feature("Point", places[depot], {"kind": "depot", **_named(problem, depot)})
    for stop in (stop for way in stops.values() for stop in way if stop.node >= problem.n_depots):
        when = {"vehicle": stop.vehicle + 1, "sequence": stop.sequence, "arrival": plain(stop.arrival)}
        yield _feature("Point", places[stop.node], {"kind": "city", **_named(problem, stop.node), **when})


def _named(problem: Problem, node: int) -> dict[str, Any]:
    return {"id": problem.ids[node], "name": problem.names[node]}


def _feature(kind: str, coordinates: list[Any], properties: dict[str, Any]) -> dict[str, Any]:
    geometry = {"type": kind, "coordinates": coordinates}
    return {"type": "Feature", "geometry": geometry, "properties": properties}


def _positions(problem: Problem) -> list[list[float]]:
    if problem.coords is None:
        raise InputError("a map needs coordinates, this problem has only a matrix: use .json, .csv or .sol")
    points = problem.coords.tolist()
    if problem.metric == "geo":
        points = [[_decimal(x) for x in point] for point in points]
    return [[y, x] if problem.geographic else [x, y] for x, y in points]


def _decimal(degrees: float) -> float:
    """TSPLIB writes 48 degrees 30 minutes as 48.30; a map wants 48.5."""
    whole = math.trunc(degrees)
    return whole + (degrees - whole) / 0.6
