"""What the benchmark asks of a solver: plans while it works, the last one in time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from neurocross import Problem

Tours = Sequence[Sequence[int]]
"""By vehicle: node numbers of the cities."""

Report = Callable[[Tours], None]
"""Called with every new best plan; the caller keeps the clock."""

Solve = Callable[[Problem, int, float, Report], Tours]
"""(problem, seed, seconds, report) -> plan."""

DIGITS = 1_000_000
"""Demands that are no whole numbers keep this many parts."""


def integers(problem: Problem) -> tuple[list[int], list[int]]:
    """Demands by node and capacities by vehicle as whole numbers; no capacity becomes the total demand."""
    assert problem.demand is not None
    limits = [vehicle.capacity for vehicle in problem.vehicles if math.isfinite(vehicle.capacity)]
    numbers = [*problem.demand.tolist(), *limits]
    scale = 1 if all(float(number).is_integer() for number in numbers) else DIGITS
    demand = [math.ceil(d * scale - 1e-9) for d in problem.demand.tolist()]
    total = sum(demand)
    return demand, [
        math.floor(v.capacity * scale + 1e-9) if math.isfinite(v.capacity) else total
        for v in problem.vehicles
    ]
