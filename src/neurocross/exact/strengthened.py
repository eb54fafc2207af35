"""An integer program that proves sooner than the appendix's, and knows every rule of a problem.

Against appendix A: one order variable a city instead of one a vehicle and city, with lifted constraints;
which vehicle visits which city as variables of their own; equal vehicles in a fixed order; the known bounds
on the objective; subtour cuts found at the root before branching begins.
"""

from __future__ import annotations

import math

import highspy

from neurocross.exact import Tours
from neurocross.exact.cuts import violated_cuts
from neurocross.exact.program import Arc, Program, new_highs, set_time_limit
from neurocross.exact.symmetry import equal_neighbours
from neurocross.problem import Problem, with_slack
from neurocross.solution import Solution

CUT_ROUNDS = 20
"""Times the relaxation is solved again with the cuts it violated."""


def strengthened(problem: Problem, plan: Tours, lower_bound: float, ends_at: float) -> Program:
    """The program with every cut the root relaxation asks for. `plan` is feasible: its value is a bound."""
    C, K, n = problem.cities, range(problem.n_vehicles), problem.n_nodes
    s = [vehicle.start for vehicle in problem.vehicles]
    h, arc, back, demand = new_highs(), problem.core.arc, problem.core.back, problem.demand
    assert demand is not None
    end = n  # one node stands for the way to the cheapest allowed end
    inner = [(i, j) for i in C for j in C if i != j]
    d = {(i, j, k): arc(i, j) for k in K for i, j in inner}
    d |= {(s[k], j, k): arc(s[k], j) for k in K for j in C}
    d |= {(i, end, k): back(k, i) for k in K for i in C}

    Q = h.addVariable(lb=lower_bound, ub=Solution(problem, plan).cost)
    x = {key: h.addBinary() for key in d}
    y = {(i, k): h.addBinary() for i in C for k in K}
    """Whether vehicle k visits city i."""
    u = {i: h.addVariable(lb=0, ub=len(C) - 1) for i in C}
    length = {k: h.qsum(d[a] * x[a] for a in d if a[2] == k) for k in K}

    if problem.objective == "minmax":
        for k in K:
            h.addConstr(length[k] <= Q)
    else:
        h.addConstr(h.qsum(length.values()) <= Q)
    for i in C:
        h.addConstr(h.qsum(y[i, k] for k in K) == 1)
        for k in K:
            h.addConstr(h.qsum(x[j, i, k] for j in (s[k], *C) if j != i) == y[i, k])
            h.addConstr(h.qsum(x[i, j, k] for j in (*C, end) if j != i) == y[i, k])
    for k in K:
        leaves = h.qsum(x[s[k], j, k] for j in C)
        h.addConstr(leaves <= 1)
        h.addConstr(leaves - h.qsum(x[i, end, k] for i in C) == 0)
        vehicle = problem.vehicles[k]
        if math.isfinite(vehicle.capacity):
            h.addConstr(h.qsum(float(demand[i]) * y[i, k] for i in C) <= with_slack(vehicle.capacity))
        if math.isfinite(vehicle.max_length):
            h.addConstr(length[k] <= with_slack(vehicle.max_length))
    for i, j in inner:  # order along a route, lifted by the opposite arc (Desrochers and Laporte, 1991)
        there, here = h.qsum(x[i, j, k] for k in K), h.qsum(x[j, i, k] for k in K)
        h.addConstr(u[i] - u[j] + len(C) * there + (len(C) - 2) * here <= len(C) - 1)
    for k, after in equal_neighbours(problem):  # of two equal vehicles the first has the first city
        for place, city in enumerate(C):
            h.addConstr(y[city, after] - h.qsum(y[c, k] for c in C[:place]) <= 0)

    program = Program(problem, h, x, Q, {(k, -1): end for k in K})
    _cut_subtours(program, y, ends_at)
    return program


def _cut_subtours(program: Program, y: dict[tuple[int, int], highspy.highs_var], ends_at: float) -> None:
    """Solve the relaxation, add the subtour cuts it violates, again until it violates none."""
    h, x = program.highs, program.x
    binaries = [*x.values(), *y.values()]
    for variable in binaries:
        h.setContinuous(variable)
    for _ in range(CUT_ROUNDS):
        set_time_limit(h, ends_at)
        h.minimize(program.Q)
        if h.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            break
        values = h.getSolution().col_value
        flow: dict[Arc, float] = {arc: values[variable.index] for arc, variable in x.items()}
        visits = {key: values[variable.index] for key, variable in y.items()}
        cuts = violated_cuts(program.problem, flow, visits)
        if not cuts:
            break
        for cut in cuts:
            inside = set(cut.cities)
            entering = h.qsum(
                variable for (i, j, k), variable in x.items()
                if k == cut.vehicle and j in inside and i not in inside
            )  # fmt: skip
            h.addConstr(entering - y[cut.target, cut.vehicle] >= 0)
    for variable in binaries:
        h.setInteger(variable)
