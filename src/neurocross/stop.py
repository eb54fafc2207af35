"""Stopping criteria under the names PyVRP gives them, for `Model.solve` and `solve(**stop.limits())`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from neurocross.errors import InputError


class StoppingCriterion(Protocol):
    """Says which limits of `solve` it stands for."""

    def limits(self) -> dict[str, Any]:
        """Keyword arguments of `solve`."""
        ...


@dataclass(frozen=True)
class MaxRuntime:
    """Stop after so many seconds."""

    max_runtime: float

    def limits(self) -> dict[str, Any]:
        """Keyword arguments of `solve`."""
        return {"time": self.max_runtime}


@dataclass(frozen=True)
class MaxIterations:
    """Stop after so many iterations; the same seed then gives the same answer."""

    max_iterations: int

    def limits(self) -> dict[str, Any]:
        """Keyword arguments of `solve`."""
        return {"iterations": self.max_iterations}


@dataclass(frozen=True)
class NoImprovement:
    """Stop after so many iterations without a new best."""

    max_iterations: int

    def limits(self) -> dict[str, Any]:
        """Keyword arguments of `solve`."""
        return {"no_improvement": self.max_iterations}


@dataclass(frozen=True)
class MultipleCriteria:
    """Stop when the first of several criteria says so."""

    criteria: Sequence[StoppingCriterion]

    def limits(self) -> dict[str, Any]:
        """Keyword arguments of `solve`."""
        merged: dict[str, Any] = {}
        for criterion in self.criteria:
            for name, value in criterion.limits().items():
                merged[name] = min(value, merged.get(name, value))
        if not merged:
            raise InputError("MultipleCriteria needs at least one criterion")
        return merged
