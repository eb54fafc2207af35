"""CE: the best CROSS exchange of two tours, by the exact separable search or by brute force."""

from __future__ import annotations

from neurocross import _core
from neurocross.operators.cross import Cities, objective_code
from neurocross.problem import Problem


def cross_exchange(
    problem: Problem, v1: int, t1: Cities, v2: int, t2: Cities, seconds: float
) -> _core.Exchange:
    """The best exchange, found in between n² and n³ because start and end cuts separate."""
    return _core.cross_exact(problem.core, objective_code(problem), v1, t1, v2, t2, seconds)


def cross_exchange_brute(
    problem: Problem, v1: int, t1: Cities, v2: int, t2: Cities, seconds: float
) -> _core.Exchange:
    """The same by trying all O(n⁴) exchanges, as the paper's CE does."""
    return _core.cross_brute(problem.core, objective_code(problem), v1, t1, v2, t2, seconds)
