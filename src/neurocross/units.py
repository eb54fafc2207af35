"""How lengths are written for people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from neurocross.problem import Problem


@dataclass(frozen=True)
class LengthUnit:
    """Writes a length: divided, with so many decimals, with a unit."""

    divisor: float = 1.0
    decimals: int = 0
    name: str = ""

    def __call__(self, length: float) -> str:
        """The length as text."""
        return f"{length / self.divisor:.{self.decimals}f}{self.name}"


BARE = LengthUnit()
"""Whole numbers without a unit."""


def length_unit(problem: Problem, lengths: Sequence[float]) -> LengthUnit:
    """Kilometres for positions on Earth, bare numbers else; as many decimals as four or five digits need."""
    on_earth = {"haversine": (1000.0, " km", 4), "geo": (1.0, " km", 4)}
    divisor, name, digits = on_earth.get(problem.metric, (1.0, "", 5))
    if divisor == 1.0 and all(length == round(length) for length in lengths):
        return LengthUnit(name=name)
    size = max(lengths) / divisor
    before_point = math.floor(math.log10(size)) + 1 if size > 0 else 1
    return LengthUnit(divisor, min(6, max(0, digits - before_point)), name)
