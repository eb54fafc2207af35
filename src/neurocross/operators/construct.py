"""GetInitialSolution: cluster the cities into |V| groups, then visit each group greedily.

The paper only names the clustering. Here it is k-means with k-means++ seeds, each group then given
to a vehicle, nearest start depot first, so that every depot's vehicles get their share. Matrix
problems are clustered by their distances to a few landmark nodes. Under a capacity each city joins
the nearest group that has room.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from neurocross import _core
from neurocross.operators.cross import Cities
from neurocross.problem import FloatArray, Problem, with_slack

LLOYD_ROUNDS = 10
"""Rounds of k-means; more hardly change the groups and the exchange moves the borders anyway."""

LANDMARKS = 8
"""Nodes whose distances place the others where there are no coordinates."""

AT_A_TIME = 100_000
"""Distances between points and centres computed at once: they stay in the cache."""

SPARE_VEHICLES = 1.05
"""How many more vehicles than the total demand needs an unlimited fleet starts with."""


def initial_solution(problem: Problem, rng: np.random.Generator) -> list[Cities]:
    """A tour for every vehicle; it keeps the capacities wherever a simple packing does."""
    groups = _groups(problem, rng)
    return [_core.nearest_neighbour(problem.core, k, group) for k, group in enumerate(groups)]


def each_city_once(problem: Problem, tours: Sequence[Sequence[int]]) -> list[Cities]:
    """A given plan without depots among the cities and without a city's second visit."""
    seen: set[int] = set()
    plan: list[Cities] = []
    for tour in tours:
        kept = [c for c in dict.fromkeys(tour) if c >= problem.n_depots and c not in seen]
        seen.update(kept)
        plan.append(np.array(kept, np.int32))
    return plan


def _groups(problem: Problem, rng: np.random.Generator) -> list[Cities]:
    """The cities of every vehicle."""
    places, k = _places(problem), _number_of_groups(problem)
    cities = np.arange(problem.n_depots, problem.n_nodes, dtype=np.int32)
    if not len(cities):
        return [cities] * problem.n_vehicles
    centres = _k_means(places[cities], min(k, len(cities)), rng)
    vehicles = _match(centres, places, problem)
    owner = vehicles[_nearest(places[cities], centres)]
    if not _fits(problem, cities, owner):
        owner = _pack(problem, cities, places, centres, vehicles)
    return [cities[owner == v] for v in range(problem.n_vehicles)]


def _number_of_groups(problem: Problem) -> int:
    """One a vehicle; as many as the demand needs where the fleet is unlimited."""
    if problem.fleet_is_bounded:
        return problem.n_vehicles
    demand, capacity = cast(FloatArray, problem.demand), problem.vehicles[0].capacity
    needed = demand.sum() / capacity if capacity > 0 else problem.n_vehicles
    return int(np.clip(np.ceil(SPARE_VEHICLES * needed), 1, problem.n_vehicles))


def _places(problem: Problem) -> FloatArray:
    """Every node as a point, so that near points are near nodes."""
    if problem.plane is not None:
        return problem.plane
    matrix = cast(FloatArray, problem.matrix)
    landmarks = [0]
    nearest = matrix[0] + matrix[:, 0]
    while len(landmarks) < min(LANDMARKS, problem.n_nodes):
        far = int(nearest.argmax())
        landmarks.append(far)
        nearest = np.minimum(nearest, matrix[far] + matrix[:, far])
    return matrix[:, landmarks] + matrix[landmarks].T


def _k_means(points: FloatArray, k: int, rng: np.random.Generator) -> FloatArray:
    """k centres: seeds far apart at random (k-means++), then Lloyd's rounds."""
    centres = points[rng.integers(len(points), size=1)]
    squared = ((points - centres[0]) ** 2).sum(axis=1)
    for _ in range(k - 1):
        weight = squared.sum()
        chosen = rng.choice(len(points), p=squared / weight) if weight > 0 else rng.integers(len(points))
        centres = np.vstack([centres, points[chosen]])
        squared = np.minimum(squared, ((points - points[chosen]) ** 2).sum(axis=1))
    for _ in range(LLOYD_ROUNDS):
        nearest = _nearest(points, centres)
        sizes = np.bincount(nearest, minlength=k)
        sums = np.stack([np.bincount(nearest, column, k) for column in points.T], axis=1)
        centres = np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1)[:, None], centres)
    return centres


def _nearest(points: FloatArray, centres: FloatArray) -> np.ndarray:
    """The nearest centre of every point; a few points at a time, so that thousands of groups fit."""
    rows = max(1, AT_A_TIME // len(centres))
    blocks = (points[k : k + rows] for k in range(0, len(points), rows))
    return np.concatenate([_squared(block, centres).argmin(axis=1) for block in blocks])


def _squared(points: FloatArray, centres: FloatArray) -> FloatArray:
    """(points, centres): squared distances."""
    squared = np.zeros((len(points), len(centres)))
    for x, centre_x in zip(points.T, centres.T, strict=True):
        squared += (x[:, None] - centre_x) ** 2
    return squared


def _match(centres: FloatArray, places: FloatArray, problem: Problem) -> np.ndarray:
    """The vehicle of every group: the nearest start and group first, each vehicle once."""
    waiting: dict[int, list[int]] = {}
    for k in reversed(range(problem.n_vehicles)):
        waiting.setdefault(problem.vehicles[k].start, []).append(k)
    starts = sorted(waiting)
    squared = _squared(centres, places[starts])
    vehicle_of = np.full(len(centres), -1)
    for index in np.argsort(squared, axis=None, kind="stable"):
        group, start = divmod(int(index), len(starts))
        if vehicle_of[group] < 0 and waiting[starts[start]]:
            vehicle_of[group] = waiting[starts[start]].pop()
    return vehicle_of


def _room(problem: Problem) -> FloatArray:
    return np.array([with_slack(vehicle.capacity) for vehicle in problem.vehicles])


def _fits(problem: Problem, cities: Cities, owner: np.ndarray) -> bool:
    demand = cast(FloatArray, problem.demand)[cities]
    loads = np.bincount(owner, demand, problem.n_vehicles)
    return bool((loads <= _room(problem)).all())


def _pack(
    problem: Problem, cities: Cities, places: FloatArray, centres: FloatArray, vehicles: np.ndarray
) -> np.ndarray:
    """Large demands first, each to the nearest group with room, else to any vehicle with room.

    If that leaves somebody out, best-fit decreasing without regard to the map; if that does too,
    the vehicle with most room is overloaded, and the answer says so.
    """
    demand = cast(FloatArray, problem.demand)[cities]
    order = np.argsort(-demand, kind="stable")
    owner = np.empty(len(cities), int)
    for by_map in (True, False):
        room = _room(problem)
        packed = True
        for city in order:
            able = np.flatnonzero(room >= demand[city])
            packed &= len(able) > 0
            if not len(able):
                owner[city] = room.argmax()
            elif not by_map:
                owner[city] = able[room[able].argmin()]
            elif (near := room[vehicles] >= demand[city]).any():
                squared = _squared(places[cities[city], None], centres)[0]
                owner[city] = vehicles[np.where(near, squared, np.inf).argmin()]
            else:
                owner[city] = able[0]
            room[owner[city]] -= demand[city]
        if packed:
            break
    return owner
