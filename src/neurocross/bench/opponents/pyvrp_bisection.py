"""PyVRP: as it is for the total; for the longest route by bisection on the limit of every route."""

from __future__ import annotations

import math
import time
import warnings
from typing import Any

from neurocross import Problem
from neurocross.bench.adapter import Report, Tours, integers
from neurocross.bench.opponents.network import LONGEST, Network, network_of

SHARE = 0.25
"""Part of the time left that one limit may take before it counts as too tight."""

NARROW = 1e-3
"""Once the limits known good and bad are this close, relative, the bad one is doubted and tried again."""

LARGEST_PENALTY = 10.0 * LONGEST
"""What a unit of load or length too much may cost: PyVRP's own limit is less than one of our scaled arcs."""

BEYOND = 2**40
"""No limit."""


def solve(problem: Problem, seed: int, seconds: float, report: Report) -> Tours:
    """Until the time is over; every feasible plan of a limit that was met is reported."""
    ends_at = time.perf_counter() + seconds
    network = network_of(problem)
    if problem.objective == "minsum":
        return _plain(problem, network, seed, ends_at, report)
    return _bisect(problem, network, seed, ends_at, report)


def _plain(problem: Problem, network: Network, seed: int, ends_at: float, report: Report) -> Tours:
    from pyvrp.stop import MaxRuntime

    left = max(0.0, ends_at - time.perf_counter())
    result = _run(_data(problem, network, BEYOND), MaxRuntime(left), seed)
    tours = _tours(problem, network, result.best)
    report(tours)
    return tours


def _bisect(problem: Problem, network: Network, seed: int, ends_at: float, report: Report) -> Tours:
    from pyvrp.stop import FirstFeasible, MaxRuntime, MultipleCriteria

    def left() -> float:
        return ends_at - time.perf_counter()

    free = _run(_data(problem, network, BEYOND), MaxRuntime(0.05 * left()), seed)
    best, low = free.best, _farthest(problem, network)
    high = max((route.distance() for route in best.routes()), default=0)
    report(_tours(problem, network, best))
    floor, tries = low, 0
    while left() > 0.01 and high > low + 1:
        limit = (low + high) // 2
        data = _data(problem, network, limit)
        stop = MultipleCriteria([MaxRuntime(SHARE * left()), FirstFeasible()])
        tries += 1
        result = _run(data, stop, seed + tries)
        if result.is_feasible():
            best = result.best
            high = max(route.distance() for route in best.routes())
            report(_tours(problem, network, best))
        else:
            low = limit
        if high - low <= NARROW * high:  # or even below: a plan may beat a limit that was given up
            low = max(floor, int((1 - 5 * NARROW) * min(low, high)))
    return _tours(problem, network, best)


def _run(data: Any, stop: Any, seed: int) -> Any:
    import pyvrp
    from pyvrp.exceptions import PenaltyBoundWarning

    penalty = pyvrp.PenaltyParams(max_penalty=LARGEST_PENALTY)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PenaltyBoundWarning)  # a limit too tight is what bisection looks for
        return pyvrp.solve(data, stop, seed=seed, params=pyvrp.SolveParams(penalty=penalty))


def _farthest(problem: Problem, network: Network) -> int:
    """No limit below the farthest city's round trip can be met."""
    m, vehicles = network.matrix, problem.vehicles
    trips = [
        min(m[v.start, city] + m[city, network.ends[k]] for k, v in enumerate(vehicles))
        for city in problem.cities
    ]
    return int(max(trips, default=0))


def _fleet(problem: Problem, network: Network) -> dict[tuple[int, int, int, int], list[int]]:
    """Our vehicles by start, end, capacity and longest route: PyVRP's vehicle types."""
    _, capacity = integers(problem)
    types: dict[tuple[int, int, int, int], list[int]] = {}
    for k, vehicle in enumerate(problem.vehicles):
        far = BEYOND if math.isinf(vehicle.max_length) else int(vehicle.max_length * network.scale)
        types.setdefault((vehicle.start, network.ends[k], capacity[k], far), []).append(k)
    return types


def _data(problem: Problem, network: Network, limit: int) -> Any:
    """PyVRP's depots are ours, then the end nodes; `limit` bounds every route."""
    import pyvrp

    demand, _ = integers(problem)
    matrix: Any = network.matrix  # PyVRP's stub is narrower than PyVRP
    depots = [*range(problem.n_depots), *range(problem.n_nodes, len(network.matrix))]
    number = {node: d for d, node in enumerate(depots)}
    limited = any(math.isfinite(vehicle.capacity) for vehicle in problem.vehicles)
    return pyvrp.ProblemData(
        locations=[pyvrp.Location(0, 0) for _ in network.matrix],
        clients=[pyvrp.Client(c, delivery=[demand[c]] if limited else []) for c in problem.cities],
        depots=[pyvrp.Depot(node) for node in depots],
        vehicle_types=[
            pyvrp.VehicleType(
                len(vehicles), capacity=[most] if limited else [], start_depot=number[start],
                end_depot=number[end], max_distance=min(far, limit),
            )
            for (start, end, most, far), vehicles in _fleet(problem, network).items()
        ],
        distance_matrices=[matrix],
        duration_matrices=[0 * matrix],
    )  # fmt: skip


def _tours(problem: Problem, network: Network, solution: Any) -> Tours:
    """PyVRP's routes, each given to the next of our vehicles of its type."""
    tours: list[list[int]] = [[] for _ in problem.vehicles]
    free = [iter(vehicles) for vehicles in _fleet(problem, network).values()]
    for route in solution.routes():
        vehicle = next(free[route.vehicle_type()])
        tours[vehicle] = [problem.n_depots + a.idx for a in route.schedule() if a.is_client()]
    return tours
