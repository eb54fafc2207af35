"""IntraOperation: shorten one route without moving cities between vehicles."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from neurocross import _core
from neurocross.errors import MissingDependencyError
from neurocross.operators.cross import Cities
from neurocross.problem import Problem

IntraOperator = Callable[[Problem, int, Cities, float], Cities]
"""(problem, vehicle, cities, seconds) -> the same cities in an order that is no longer."""


def two_opt(problem: Problem, vehicle: int, cities: Cities, seconds: float) -> Cities:
    """Reverse segments while that helps; the paper's `2-opt`."""
    return _core.two_opt(problem.core, vehicle, cities, problem.tolerance, seconds)


def two_opt_and_or_opt(problem: Problem, vehicle: int, cities: Cities, seconds: float) -> Cities:
    """2-opt and or-opt (segments of up to three cities moved) until neither helps."""
    return _core.two_opt_and_or_opt(problem.core, vehicle, cities, problem.tolerance, seconds)


def elkai(problem: Problem, vehicle: int, cities: Cities, seconds: float) -> Cities:
    """LKH through elkai, as in the paper; non-commercial licence, installed by the user."""
    try:
        import elkai as solver
    except ImportError:
        raise MissingDependencyError(
            "--intra elkai needs the package elkai (academic, non-commercial use): pip install elkai"
        ) from None
    return _by_tsp(problem, vehicle, cities, lambda costs: solver.DistanceMatrix(costs).solve_tsp()[:-1])


def ortools(problem: Problem, vehicle: int, cities: Cities, seconds: float) -> Cities:
    """OR-Tools' routing solver on the one route."""
    try:
        from ortools.constraint_solver import pywrapcp
    except ImportError:
        raise MissingDependencyError(
            "--intra ortools needs the package ortools: pip install ortools"
        ) from None

    def tour(costs: list[list[int]]) -> list[int]:
        manager = pywrapcp.RoutingIndexManager(len(costs), 1, 0)
        routing = pywrapcp.RoutingModel(manager)
        transit = routing.RegisterTransitMatrix(costs)
        routing.SetArcCostEvaluatorOfAllVehicles(transit)
        found = routing.Solve()
        index, order = routing.Start(0), []
        while found and not routing.IsEnd(index):
            order.append(manager.IndexToNode(index))
            index = found.Value(routing.NextVar(index))
        return order

    return _by_tsp(problem, vehicle, cities, tour)


INTRA_OPERATORS: dict[str, IntraOperator] = {
    "2opt+oropt": two_opt_and_or_opt,
    "2opt": two_opt,
    "elkai": elkai,
    "ortools": ortools,
}


def _by_tsp(
    problem: Problem, vehicle: int, cities: Cities, solve: Callable[[list[list[int]]], list[int]]
) -> Cities:
    """Order the cities by a solver of closed integer tours: the arcs into node 0 are the ways back."""
    if len(cities) < 2:
        return cities
    core, start = problem.core, problem.vehicles[vehicle].start
    nodes = [start, *cities.tolist()]
    costs = np.array(
        [[core.arc(u, v) if v != start else core.back(vehicle, u) for v in nodes] for u in nodes]
    )
    np.fill_diagonal(costs, 0.0)
    # Both solvers take integers; six digits are more than their search resolves.
    scale = 10.0 ** (6 - math.floor(math.log10(max(float(costs.max()), 1e-300))))
    order = solve(np.rint(costs * scale).astype(int).tolist())
    if sorted(order) != list(range(len(nodes))):
        return cities
    turned = cities[np.array(order[1:], int) - 1]
    return turned if core.length(vehicle, turned) < core.length(vehicle, cities) else cities
