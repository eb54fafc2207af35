"""What a search tells on its way and answers at its end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from neurocross import bounds
from neurocross.search import TracePoint
from neurocross.solution import Solution


@dataclass(frozen=True)
class Progress:
    """A new best, as `on_best` is told of it."""

    seconds: float
    iteration: int
    solution: Solution
    lower_bound: float

    @property
    def value(self) -> float:
        """The objective."""
        return self.solution.cost

    @property
    def gap(self) -> float:
        """(value - lower bound) / value."""
        return bounds.gap(self.value, self.lower_bound)


@dataclass(frozen=True)
class Result:
    """A plan, what is proven about it, and how it was found."""

    solution: Solution
    method: str
    seed: int
    bound: bounds.Bound
    seconds: float
    iterations: int
    trace: tuple[TracePoint, ...]
    """(seconds, iteration, value) of every new best."""
    interrupted: bool = False

    @property
    def cost(self) -> float:
        """Value of the objective."""
        return self.solution.cost

    @property
    def makespan(self) -> float:
        """Length of the longest route."""
        return self.solution.makespan

    @property
    def total(self) -> float:
        """Length of all routes together."""
        return self.solution.total

    @property
    def lower_bound(self) -> float:
        """No plan has a smaller value of the objective."""
        return self.bound.value

    @property
    def gap(self) -> float:
        """(cost - lower bound) / cost; the plan is at most so far from the best there is."""
        return bounds.gap(self.cost, self.lower_bound)

    @property
    def optimal(self) -> bool:
        """Whether the bound proves the plan optimal."""
        return self.feasible and bounds.is_optimal(
            self.cost, self.lower_bound, self.solution.problem.tolerance
        )

    @property
    def violations(self) -> tuple[str, ...]:
        """What is wrong with the plan, and why no plan can be right where that is known."""
        return (*self.solution.problem.infeasibilities(), *self.solution.violations)

    @property
    def feasible(self) -> bool:
        """Whether the plan passed the independent check."""
        return not self.violations

    def to_dict(self) -> dict[str, Any]:
        """The answer as the command's --json prints it."""
        problem = self.solution.problem
        return {
            "problem": problem.kind,
            "objective": str(problem.objective),
            "method": self.method,
            "seed": self.seed,
            "rounding": problem.rounding,
            "feasible": self.feasible,
            "violations": list(self.violations),
            "makespan": self.makespan,
            "total": self.total,
            "lower_bound": self.lower_bound,
            "gap": self.gap,
            "optimal": self.optimal,
            "seconds": self.seconds,
            "iterations": self.iterations,
            "routes": self.solution.route_dicts(),
        }
