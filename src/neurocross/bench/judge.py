"""The judge: recomputes every value from the problem alone. A solver's own figure is never looked at."""

from __future__ import annotations

import math
from dataclasses import dataclass

from neurocross import InputError, Problem, Solution
from neurocross.bench.adapter import Tours
from neurocross.solution import checked_length


@dataclass(frozen=True)
class Verdict:
    """What a plan is worth."""

    value: float | None
    """The objective; None if the plan is nonsense."""
    feasible: bool
    note: str = ""
    """The first thing wrong with it."""


def judge(problem: Problem, tours: Tours | None) -> Verdict:
    """Length by length, without the kernels."""
    if tours is None:
        return Verdict(None, False, "no plan")
    try:
        solution = Solution(problem, tours)
    except (InputError, TypeError, ValueError) as error:
        return Verdict(None, False, f"nonsense: {error}")
    violations = solution.violations
    lengths = [checked_length(problem, k, tour) for k, tour in enumerate(solution.tours)]
    value = problem.objective.key(max(lengths), math.fsum(lengths))[0]
    return Verdict(value, not violations, violations[0] if violations else "")
