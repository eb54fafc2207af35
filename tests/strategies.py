"""Random problems of every kind for hypothesis: each end rule, metric, limit and degenerate shape."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from neurocross.problem import Problem, Vehicle

N_DEPOTS = 3
END_RULES = ("own", "any", "open", 1, (0, 2))


@dataclass(frozen=True)
class Pair:
    """Two tours of one problem, by vehicles 0 and 1."""

    problem: Problem
    t1: np.ndarray
    t2: np.ndarray


@st.composite
def pairs(draw: st.DrawFn, max_cities: int = 9, limits: bool = True) -> Pair:
    """Two tours of together 0 to `max_cities` cities: any split, so tours of 0, 1, 2 cities come often."""
    problem = draw(problems(vehicles=2, max_cities=max_cities, limits=limits))
    cities = draw(st.permutations(list(problem.cities)))
    cut = draw(st.integers(0, len(cities)))
    return Pair(problem, np.array(cities[:cut], np.int32), np.array(cities[cut:], np.int32))


@st.composite
def problems(
    draw: st.DrawFn,
    vehicles: int | None = None,
    max_cities: int = 7,
    limits: bool = True,
    objective: str = "minmax",
) -> Problem:
    """A small problem: coordinates with ties and duplicates, or a matrix neither symmetric nor metric."""
    n = draw(st.integers(0, max_cities))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    nodes = N_DEPOTS + n
    shape = draw(st.sampled_from(["plane", "grid", "matrix", "integers"]))
    where: dict[str, object] = {
        "plane": lambda: {"coords": rng.random((nodes, 2))},
        "grid": lambda: {"coords": rng.integers(0, 3, (nodes, 2)).astype(float), "metric": "manhattan"},
        "matrix": lambda: {"matrix": rng.random((nodes, nodes))},
        "integers": lambda: {"matrix": rng.integers(0, 4, (nodes, nodes)).astype(float)},
    }[shape]()
    idle = np.zeros(N_DEPOTS)
    service = rng.random(n) * draw(st.sampled_from([0.0, 0.5]))
    fleet = tuple(
        Vehicle(
            start=draw(st.integers(0, N_DEPOTS - 1)),
            end=draw(st.sampled_from(END_RULES)),
            capacity=draw(st.sampled_from([math.inf, 4.0, 10.0, 25.0])) if limits else math.inf,
            max_length=draw(st.sampled_from([math.inf, 1.0, 4.0])) if limits else math.inf,
        )
        for _ in range(vehicles or draw(st.integers(1, 3)))
    )
    return Problem(
        n_depots=N_DEPOTS,
        vehicles=fleet,
        demand=np.concatenate((idle, rng.integers(0, 5, n))),
        service=np.concatenate((idle, service)),
        objective=objective,
        **where,
    )
