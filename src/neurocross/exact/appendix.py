"""Appendix A of the paper, line by line: the integer programs of mTSP, MDVRP and FMDVRP.

The numbers are the paper's equations. Where the appendix is mistaken, the line says so and why; everywhere
`k in T` stands for `k in K`. Two things are left out of all three programs without changing them: arcs that
a constraint fixes at 0, and arcs between depots, which the appendix allows but which only lengthen a route.
Common symbols: V nodes, S depots, C = V \\ S cities, K vehicles, d lengths (service of the entered city
included), x_ijk whether vehicle k drives from i to j, u_ik the place of city i on the route of vehicle k.
"""

from __future__ import annotations

from neurocross.errors import InputError
from neurocross.exact.program import Program, new_highs
from neurocross.problem import Problem


def appendix(problem: Problem) -> Program:
    """The appendix's program of a problem; refuses what the appendix does not speak of."""
    ends = {problem.vehicles[k].end for k in range(problem.n_vehicles)}
    limited = any(min(v.capacity, v.max_length) < float("inf") for v in problem.vehicles)
    if problem.objective != "minmax" or limited or not ends <= {"own", "any"} or len(ends) > 1:
        raise InputError(
            "the appendix's programs are of mtsp, mdvrp and fmdvrp, minmax without limits: "
            "use the formulation strengthened or circuits"
        )
    if ends == {"any"} and problem.n_depots > 1:
        return fmdvrp(problem)
    return mtsp(problem) if problem.n_depots == 1 else mdvrp(problem)


def mtsp(problem: Problem) -> Program:
    """Equations 13 to 21."""
    V, S, C, K = range(problem.n_nodes), [0], problem.cities, range(problem.n_vehicles)
    h, n, arc, back = new_highs(), problem.n_nodes, problem.core.arc, problem.core.back
    d = {(i, j): back(0, i) if j in S else arc(i, j) for i in V for j in V if i != j}

    Q = h.addVariable()  # (13) the objective
    x = {(i, j, k): h.addBinary() for k in K for i in V for j in V if i != j}  # (20)
    u = {(i, k): h.addIntegral(lb=0, ub=n - 1) for i in C for k in K}  # (19), (21)
    for k in K:
        h.addConstr(h.qsum(d[i, j] * x[i, j, k] for i, j in d) <= Q)  # (14)
        # (15) as printed is "= 1" and forces every vehicle out; a vehicle may stay at home.
        h.addConstr(h.qsum(x[0, j, k] for j in C) <= 1)
    for j in C:
        h.addConstr(h.qsum(x[i, j, k] for k in K for i in V if i != j) == 1)  # (16)
    # (17) as printed does not say for which k: for each, else vehicles could change on the way.
    for k in K:
        for j in C:
            h.addConstr(
                h.qsum(x[i, j, k] for i in V if i != j) - h.qsum(x[j, i, k] for i in V if i != j) == 0
            )
    # (18) as printed leaves i open: a city, for at the depot every route begins and ends.
    for i, j, k in x:
        if i in C and j in C:
            h.addConstr(u[i, k] - u[j, k] + n * x[i, j, k] <= n - 1)
    return Program(problem, h, x, Q, {(k, 0): 0 for k in K})


def mdvrp(problem: Problem) -> Program:
    """Equations 22 to 32."""
    S, C = range(problem.n_depots), problem.cities
    K, s = range(problem.n_vehicles), [vehicle.start for vehicle in problem.vehicles]
    h, n, arc, back = new_highs(), problem.n_nodes, problem.core.arc, problem.core.back

    # As printed, (31) and (32) bound a vehicle at its own depot only and leave it free at all others;
    # here no vehicle has arcs at another's depot.
    at = [[s[k], *C] for k in K]
    d = {(i, j, k): back(k, i) if j in S else arc(i, j) for k in K for i in at[k] for j in at[k] if i != j}

    Q = h.addVariable()  # (22) the objective
    x = {key: h.addBinary() for key in d}  # (29)
    u = {(i, k): h.addIntegral(lb=0, ub=n - 1) for i in C for k in K}  # (28), (30)
    for k in K:
        h.addConstr(h.qsum(d[i, j, k] * x[i, j, k] for i, j, m in d if m == k) <= Q)  # (23)
    for i in C:
        h.addConstr(h.qsum(x[i, j, k] for k in K for j in at[k] if j != i) == 1)  # (24)
        h.addConstr(h.qsum(x[j, i, k] for k in K for j in at[k] if j != i) == 1)  # (25)
    for k in K:
        for j in C:  # (26)
            h.addConstr(
                h.qsum(x[i, j, k] for i in at[k] if i != j) - h.qsum(x[j, i, k] for i in at[k] if i != j) == 0
            )
    for i, j, k in x:
        if i in C and j in C:
            h.addConstr(u[i, k] - u[j, k] + n * x[i, j, k] <= n - 1)  # (27)
    for k in K:
        h.addConstr(h.qsum(x[s[k], j, k] for j in C) <= 1)  # (31)
        h.addConstr(h.qsum(x[i, s[k], k] for i in C) <= 1)  # (32)
    return Program(problem, h, x, Q, {(k, s[k]): s[k] for k in K})


def fmdvrp(problem: Problem) -> Program:
    """Equations 33 to 48. Depot i has a start node i in S1 and a return node n + i in S2."""
    S1, C, n = range(problem.n_depots), problem.cities, problem.n_nodes
    S2 = range(n, n + problem.n_depots)
    K, s = range(problem.n_vehicles), [vehicle.start for vehicle in problem.vehicles]
    h, arc = new_highs(), problem.core.arc
    # (46) no vehicle leaves a return depot, (43) nor any start depot but its own; (47) as printed says the
    # same of every start depot, which contradicts (42): it must say that no vehicle *enters* one, x_jik.
    # None of these arcs is made.
    arcs = [(i, j) for i in C for j in (*C, *S2) if i != j]
    d = {
        (i, j, k): arc(i, j - n) if j in S2 else arc(i, j)
        for k in K
        for i, j in (*arcs, *((s[k], j) for j in C))
    }

    Q = h.addVariable()  # (33) the objective
    x = {key: h.addBinary() for key in d}  # (40)
    u = {(i, k): h.addIntegral(lb=0, ub=n - 1) for i in C for k in K}  # (39), (41)
    for k in K:
        h.addConstr(h.qsum(d[i, j, k] * x[i, j, k] for i, j, m in d if m == k) <= Q)  # (34)
    for i in C:
        h.addConstr(h.qsum(x[i, j, k] for k in K for j in (*C, *S2) if j != i) == 1)  # (35)
        h.addConstr(h.qsum(x[j, i, k] for k in K for j in (s[k], *C) if j != i) == 1)  # (36)
    for k in K:
        for j in C:  # (37)
            h.addConstr(
                h.qsum(x[i, j, k] for i in (s[k], *C) if i != j)
                - h.qsum(x[j, i, k] for i in (*C, *S2) if i != j)
                == 0
            )
    for i, j, k in x:
        if i in C and j in C:
            h.addConstr(u[i, k] - u[j, k] + n * x[i, j, k] <= n - 1)  # (38)
    for k in K:
        # (42) as printed is "= 1" and forces every vehicle out; a vehicle may stay, which is (44).
        h.addConstr(h.qsum(x[s[k], j, k] for j in C) <= 1)
        # (45) as printed bounds the vehicles K_j "of" a return depot, but every vehicle may end at any: with
        # (48) it holds for all of them, and says that a vehicle ends once.
        for j in S2:
            h.addConstr(h.qsum(x[i, j, k] for i in C) <= 1)
        h.addConstr(h.qsum(x[s[k], j, k] for j in C) == h.qsum(x[i, j, k] for i in C for j in S2))  # (48)
    return Program(problem, h, x, Q, {(k, i): n + i for k in K for i in S1})
