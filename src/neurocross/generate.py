"""Random instances as the papers make them: points in the unit square."""

from __future__ import annotations

import numpy as np

from neurocross.errors import InputError
from neurocross.problem import Problem

PROBLEMS = ("tsp", "mtsp", "mdvrp", "fmdvrp", "cvrp")

CVRP_CAPACITY = ((20, 30.0), (50, 40.0))
"""Kool et al.: capacity 30 up to 20 cities, 40 up to 50, 50 above."""


def random_problem(
    kind: str,
    rng: np.random.Generator,
    *,
    cities: int,
    depots: int = 1,
    vehicles: int | None = None,
    name: str = "",
) -> Problem:
    """An instance with coordinates U(0,1)²; CVRP with demands U{1..9}, an unlimited fleet if no number."""
    if kind not in PROBLEMS:
        raise InputError(f"problem '{kind}' is unknown: use one of {', '.join(PROBLEMS)}")
    if cities < 0:
        raise InputError(f"cities must be at least 0, not {cities}")
    several = kind in ("mdvrp", "fmdvrp")
    if depots < 1 or (depots > 1 and not several):
        raise InputError(f"depots must be {'at least 1' if several else f'1 for {kind}'}, not {depots}")
    if kind == "tsp" and vehicles not in (None, 1):
        raise InputError(f"tsp has one vehicle, not {vehicles}")
    coords = rng.random((depots + cities, 2))
    if kind == "tsp":
        return Problem.tsp(coords, name=name)
    if kind == "cvrp":
        demand = np.concatenate(([0.0], rng.integers(1, 10, cities)))
        capacity = next((q for n, q in CVRP_CAPACITY if cities <= n), 50.0)
        return Problem.cvrp(coords, demand=demand, capacity=capacity, vehicles=vehicles, name=name)
    if vehicles is None:
        raise InputError(f"{kind} needs a number of vehicles")
    if kind == "mtsp":
        return Problem.mtsp(coords, vehicles=vehicles, name=name)
    make = Problem.mdvrp if kind == "mdvrp" else Problem.fmdvrp
    return make(coords, n_depots=depots, vehicles=vehicles, name=name)
