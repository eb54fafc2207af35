"""OR-Tools' routing solver: guided local search; for minmax a global span cost."""

from __future__ import annotations

import math
import time
from typing import Any

from neurocross import InputError, Problem
from neurocross.bench.adapter import Report, Tours, integers
from neurocross.bench.opponents.network import network_of

SPAN_COST = 100
"""Weight of the longest route against the total: the value of OR-Tools' own example of a vehicle routing."""

FIRST_SOLUTION = "GLOBAL_CHEAPEST_ARC"
"""The best of six strategies in a trial on four kinds of instances, 5 s each."""


def solve(problem: Problem, seed: int, seconds: float, report: Report) -> Tours:
    """Guided local search until the time is over. OR-Tools takes no seed: every seed is the same run."""
    from ortools.constraint_solver import pywrapcp, routing_enums_pb2

    began = time.perf_counter()
    network = network_of(problem)
    starts = [vehicle.start for vehicle in problem.vehicles]
    manager = pywrapcp.RoutingIndexManager(
        len(network.matrix), problem.n_vehicles, starts, list(network.ends)
    )
    routing = pywrapcp.RoutingModel(manager)
    transit = routing.RegisterTransitMatrix(network.matrix.tolist())
    routing.SetArcCostEvaluatorOfAllVehicles(transit)
    longest = [
        int(min(vehicle.max_length * network.scale, 2**50)) if math.isfinite(vehicle.max_length) else 2**50
        for vehicle in problem.vehicles
    ]
    routing.AddDimensionWithVehicleCapacity(transit, 0, longest, True, "length")
    if problem.objective == "minmax":
        routing.GetDimensionOrDie("length").SetGlobalSpanCostCoefficient(SPAN_COST)
    if any(math.isfinite(vehicle.capacity) for vehicle in problem.vehicles):
        demand, capacity = integers(problem)
        padded = [*demand, *([0] * (len(network.matrix) - problem.n_nodes))]
        load = routing.RegisterUnaryTransitVector(padded)
        routing.AddDimensionWithVehicleCapacity(load, 0, capacity, True, "load")

    unused = set(range(problem.n_depots)) - set(starts)
    for depot in unused:
        routing.AddDisjunction([manager.NodeToIndex(depot)], 0)

    def tours(value: Any) -> Tours:
        found = []
        for k in range(problem.n_vehicles):
            tour, index = [], routing.Start(k)
            while not routing.IsEnd(index := value(routing.NextVar(index))):
                if (node := manager.IndexToNode(index)) >= problem.n_depots:
                    tour.append(node)
            found.append(tour)
        return found

    best = math.inf

    def at_solution() -> None:
        nonlocal best
        cost = routing.CostVar().Value()
        if cost < best:
            best = cost
            report(tours(lambda variable: variable.Value()))

    routing.AddAtSolutionCallback(at_solution)
    parameters = pywrapcp.DefaultRoutingSearchParameters()
    parameters.first_solution_strategy = getattr(routing_enums_pb2.FirstSolutionStrategy, FIRST_SOLUTION)
    parameters.local_search_metaheuristic = routing_enums_pb2.LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
    left = max(0.001, seconds - (time.perf_counter() - began))
    parameters.time_limit.FromMilliseconds(max(1, int(1000 * left)))
    found = routing.SolveWithParameters(parameters)
    if found is None:
        raise InputError("OR-Tools found no plan within the limits")
    return tours(found.Value)
