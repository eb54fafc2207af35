"""What a fairer plan costs: the trade-off between the longest route and the total length.

The two ends are the problem solved for the longest route and for the total. Between them the longest route is
capped and the total minimised under the cap, each step starting from the plan before it. The caps lie closer
where plans are fair: there most of the total is saved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from neurocross.errors import InputError
from neurocross.objective import Objective
from neurocross.problem import Problem
from neurocross.solution import Solution
from neurocross.solver import solve

DEFAULT_POINTS = 7
DEFAULT_SECONDS = 20.0


def pareto(
    problem: Problem,
    *,
    points: int = DEFAULT_POINTS,
    time: float = DEFAULT_SECONDS,
    seed: int = 0,
    on_plan: Callable[[Solution], None] | None = None,
) -> list[Solution]:
    """Plans of which none is better in both lengths, shortest longest route first.

    At most `points` plans; `time` seconds are shared evenly among the searches. Only feasible plans are kept.
    """
    if points < 2:
        raise InputError(f"points must be at least 2, not {points}")
    if not time >= 0:
        raise InputError(f"time must be at least 0, not {time}")

    def searched(objective: Objective, cap: float | None, start: Solution | None) -> Solution:
        result = solve(_capped(problem, objective, cap), seed=seed, time=time / points, start=start)
        plan = Solution(problem, result.solution.tours)
        if on_plan is not None:
            on_plan(plan)
        return plan

    fair = searched(Objective.MINMAX, None, None)
    cheap = searched(Objective.MINSUM, None, fair)
    plans, plan = [fair, cheap], fair
    for step in range(points - 2):
        # The first cap is the fairest plan's own makespan: the same longest route for the least total.
        cap = fair.makespan + (step / (points - 2)) ** 2 * max(0.0, cheap.makespan - fair.makespan)
        plan = searched(Objective.MINSUM, cap, plan)
        plans.append(plan)
    return not_dominated([plan for plan in plans if plan.feasible])


def not_dominated(plans: list[Solution]) -> list[Solution]:
    """Those that no other plan beats in both lengths, shortest longest route first."""
    front: list[Solution] = []
    for plan in sorted(plans, key=lambda p: (p.makespan, p.total)):
        if not front or plan.total < front[-1].total - plan.problem.tolerance:
            front.append(plan)
    return front


def _capped(problem: Problem, objective: Objective, cap: float | None) -> Problem:
    if cap is None:
        return problem.with_(objective=objective)
    # A hair above the plan that set the cap: its own length must not be cut off by rounding.
    vehicles = tuple(
        replace(v, max_length=min(v.max_length, cap + problem.tolerance)) for v in problem.vehicles
    )
    return problem.with_(objective=objective, vehicles=vehicles)
