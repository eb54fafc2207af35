"""CP-SAT: one circuit a vehicle, through the cities it visits and back, in whole numbers."""

from __future__ import annotations

import itertools
import math
import time
from typing import Any

from ortools.sat.python import cp_model

from neurocross.exact import Proof, Tours
from neurocross.exact.symmetry import equal_neighbours, in_fixed_order
from neurocross.problem import Problem, with_slack
from neurocross.solution import Solution

LONGEST_ARC = 2**31
"""Lengths are scaled so that no arc is longer: so many digits that rounding them costs less than a proof's
tolerance."""


def prove_by_circuits(problem: Problem, plan: Tours, lower_bound: float, ends_at: float, seed: int) -> Proof:
    """Minimise the objective from a feasible plan.

    Every length is rounded down, so what is proven of the whole numbers bounds the true objective too.
    """
    model, C, K = cp_model.CpModel(), problem.cities, range(problem.n_vehicles)
    plan = in_fixed_order(problem, plan)
    scale = _scale(problem)

    # By vehicle; node 0 of a circuit is the depot, 1 … are the cities.
    arcs: list[dict[tuple[int, int], Any]] = []
    lengths = []
    visits: dict[tuple[int, int], Any] = {}
    for k, vehicle in enumerate(problem.vehicles):
        cost = _arc_lengths(problem, k)
        x = {arc: model.new_bool_var("") for arc in cost}
        stays = model.new_bool_var("")
        skips = {c: model.new_bool_var("") for c in C}
        loops = [(0, 0, stays), *((i, i, skips[c]) for i, c in enumerate(C, start=1))]
        model.add_circuit([*((i, j, variable) for (i, j), variable in x.items()), *loops])
        for c in C:
            visits[c, k] = ~skips[c]
            model.add_implication(stays, skips[c])
        length = sum(_whole(cost[arc], scale) * variable for arc, variable in x.items())
        if math.isfinite(vehicle.max_length):
            model.add(length <= _whole(with_slack(vehicle.max_length), scale))
        if math.isfinite(vehicle.capacity):
            _limit_load(problem, model, k, visits)
        arcs.append(x)
        lengths.append(length)
    for c in C:
        model.add_exactly_one(visits[c, k] for k in K)
    for k, after in equal_neighbours(problem):  # of two equal vehicles the first has the first city
        for place, c in enumerate(C):
            model.add_bool_or([~visits[c, after], *(visits[b, k] for b in C[:place])])

    best = model.new_int_var(_whole(lower_bound, scale), _whole(Solution(problem, plan).cost, scale) + 1, "")
    for length in lengths if problem.objective == "minmax" else [sum(lengths)]:
        model.add(length <= best)
    model.minimize(best)
    for k, x in enumerate(arcs):
        stops = [0, *(c - problem.n_depots + 1 for c in plan[k]), 0]
        taken = set(itertools.pairwise(stops))
        for arc, variable in x.items():
            model.add_hint(variable, arc in taken)

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = seed % 2**31
    if math.isfinite(ends_at):
        solver.parameters.max_time_in_seconds = max(0.0, ends_at - time.time())
    status = solver.solve(model)
    candidates = [plan]
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        candidates.append(tuple(_tour(problem, {a for a in x if solver.boolean_value(x[a])}) for x in arcs))
    found = min(candidates, key=lambda tours: Solution(problem, tours).key)
    return Proof(found, solver.best_objective_bound / scale, status == cp_model.OPTIMAL)


def _scale(problem: Problem) -> float:
    """Whole numbers to a unit of length."""
    longest = max(max(_arc_lengths(problem, k).values(), default=0.0) for k in range(problem.n_vehicles))
    return LONGEST_ARC / longest if longest > 0 else 1.0


def _whole(length: float, scale: float) -> int:
    return math.floor(length * scale)


def _arc_lengths(problem: Problem, k: int) -> dict[tuple[int, int], float]:
    """Lengths of a vehicle's arcs, cities counted from 1, its start and end both 0."""
    core, start, C = problem.core, problem.vehicles[k].start, problem.cities
    lengths = {(0, j): core.arc(start, c) for j, c in enumerate(C, start=1)}
    lengths |= {(i, 0): core.back(k, c) for i, c in enumerate(C, start=1)}
    return lengths | {
        (i, j): core.arc(b, c) for i, b in enumerate(C, start=1) for j, c in enumerate(C, start=1) if i != j
    }


def _limit_load(problem: Problem, model: Any, k: int, visits: dict[tuple[int, int], Any]) -> None:
    """Demands rounded down, the capacity with its slack up: nothing feasible is lost; `Solution` judges."""
    assert problem.demand is not None
    digits = 10**6
    load = sum(math.floor(problem.demand[c] * digits) * visits[c, k] for c in problem.cities)
    model.add(load <= math.ceil(with_slack(problem.vehicles[k].capacity) * digits))


def _tour(problem: Problem, taken: set[tuple[int, int]]) -> tuple[int, ...]:
    after, node, tour = dict(taken), 0, []
    while node := after.get(node, 0):
        tour.append(node + problem.n_depots - 1)
    return tuple(tour)
