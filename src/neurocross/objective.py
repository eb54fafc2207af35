"""The two objectives and their names."""

from __future__ import annotations

from enum import StrEnum

from neurocross.errors import InputError


class Objective(StrEnum):
    """What a plan is judged by."""

    MINMAX = "minmax"
    """The longest route; the total length breaks ties."""
    MINSUM = "minsum"
    """The total length."""

    def key(self, makespan: float, total: float) -> tuple[float, float]:
        """Order plans: the smaller key is the better plan."""
        return (makespan, total) if self is Objective.MINMAX else (total, makespan)


_ALIASES = {"makespan": Objective.MINMAX, "min-max": Objective.MINMAX, "min-sum": Objective.MINSUM}


def parse_objective(word: str) -> Objective:
    """The objective a user's word means (`minmax`, `makespan`, `min-max`, `minsum`, `min-sum`)."""
    try:
        return _ALIASES.get(word) or Objective(word)
    except ValueError:
        raise InputError(f"objective '{word}' is unknown: use minmax (alias makespan) or minsum") from None
