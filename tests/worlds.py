"""Random problems of every metric, label, limit and end rule: what files must hold and lengths agree on."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

from neurocross.objective import Objective
from neurocross.problem import METRICS, ROUNDINGS, Problem, Vehicle
from neurocross.solution import Solution

LABELS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=6)
IDS = LABELS.map(str.strip).filter(bool)
AMOUNTS = st.sampled_from([0.0, 1.0, 2.5, 1 / 3])


@st.composite
def worlds(draw: st.DrawFn, metrics: tuple[str, ...] = METRICS, max_cities: int = 6) -> Problem:
    """A problem of one to three depots whose every field may be anything it may be."""
    n_depots, n_cities = draw(st.integers(1, 3)), draw(st.integers(0, max_cities))
    n, metric = n_depots + n_cities, draw(st.sampled_from(metrics))
    located = metric != "matrix" or draw(st.booleans())
    return Problem(
        n_depots=n_depots,
        vehicles=tuple(draw(vehicles(n_depots)) for _ in range(draw(st.integers(1, 4)))),
        coords=np.array(draw(_points(n, metric))).reshape(n, 2) if located else None,
        matrix=np.array(draw(_rows(n))).reshape(n, n) if metric == "matrix" else None,
        metric=metric,
        rounding=draw(st.sampled_from(ROUNDINGS)),
        demand=np.array([0.0] * n_depots + [draw(AMOUNTS) for _ in range(n_cities)]),
        service=np.array([0.0] * n_depots + [draw(AMOUNTS) for _ in range(n_cities)]),
        objective=draw(st.sampled_from([*Objective])),
        ids=tuple(draw(st.lists(IDS, min_size=n, max_size=n, unique=True))),
        names=tuple(draw(st.lists(LABELS, min_size=n, max_size=n))),
        name=draw(LABELS),
        fleet_is_bounded=draw(st.booleans()),
        geographic=draw(st.booleans()) if located else False,
    )


@st.composite
def vehicles(draw: st.DrawFn, n_depots: int) -> Vehicle:
    depots = st.integers(0, n_depots - 1)
    lists = st.lists(depots, min_size=1, max_size=n_depots).map(tuple)
    return Vehicle(
        start=draw(depots),
        end=draw(st.one_of(st.sampled_from(["own", "any", "open"]), depots, lists)),
        capacity=draw(st.sampled_from([math.inf, 0.0, 7.25])),
        max_length=draw(st.sampled_from([math.inf, 0.0, 1e6])),
        name=draw(LABELS),
    )


@st.composite
def plans(draw: st.DrawFn, **options: object) -> Solution:
    """A plan of such a problem: cities dealt to vehicles, some left out, some vehicles unused."""
    problem = draw(worlds(**options))
    tours: list[list[int]] = [[] for _ in problem.vehicles]
    for city in draw(st.permutations(list(problem.cities))):
        if (vehicle := draw(st.integers(-1, problem.n_vehicles - 1))) >= 0:
            tours[vehicle].append(city)
    return Solution(problem, tours)


def _points(n: int, metric: str) -> st.SearchStrategy[list[tuple[float, float]]]:
    if metric in ("haversine", "geo"):
        pair = st.tuples(st.floats(-90, 90), st.floats(-180, 180))
    else:
        axis = st.one_of(st.integers(-3, 3).map(float), st.floats(-1e6, 1e6))
        pair = st.tuples(axis, axis)
    return st.lists(pair, min_size=n, max_size=n)


def _rows(n: int) -> st.SearchStrategy[list[float]]:
    entry = st.one_of(st.integers(0, 3).map(float), st.floats(0, 1e6))
    return st.lists(entry, min_size=n * n, max_size=n * n)
