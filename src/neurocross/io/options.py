"""What a caller may add to, or change of, what a file says."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace

from neurocross.errors import InputError
from neurocross.objective import parse_objective
from neurocross.problem import KINDS, METRICS, ROUNDINGS, Problem, Vehicle

PROBLEMS = KINDS[:-1]
"""The problems that have a name; any other is `general` and says all of itself."""


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """Choices that go with a file; None means what the file says, or what its problem implies."""

    problem: str | None = None
    """tsp, mtsp, mdvrp, fmdvrp or cvrp."""
    vehicles: int | None = None
    """Their number; vehicle k starts at depot k mod the number of depots."""
    objective: str | None = None
    """minmax or minsum, with the aliases of `parse_objective`."""
    rounding: str | None = None
    """none, nearest or ceil: how each distance is rounded."""
    capacity: float | None = None
    """Of every vehicle, in the unit of the demands."""
    max_length: float | None = None
    """Of every route, in the unit of the distances."""
    end: str | None = None
    """Of every route: own, any, open, a depot's id, or several ids with commas."""
    metric: str | None = None
    """How coordinates are measured, instead of as the file says."""

    def __post_init__(self) -> None:
        _one_of("problem", self.problem, PROBLEMS)
        _one_of("round", self.rounding, ROUNDINGS)
        _one_of("metric", self.metric, METRICS[1:])
        if self.objective is not None:
            object.__setattr__(self, "objective", str(parse_objective(self.objective)))
        if self.vehicles is not None and (type(self.vehicles) is not int or self.vehicles < 1):
            raise InputError(f"--vehicles must be a whole number of at least 1, not {self.vehicles}")
        for name in ("capacity", "max_length"):
            limit = getattr(self, name)
            if limit is not None and not 0 <= limit < math.inf:
                raise InputError(f"{_flag(name)} must be a finite number of at least 0, not {limit}")
        if self.end is not None and not self.end.strip():
            raise InputError("--end must be own, any, open, a depot's id or several with commas")

    def __str__(self) -> str:
        """The options as the command takes them."""
        given = ((f.name, getattr(self, f.name)) for f in fields(self))
        return " ".join(f"{_flag(name)} {_word(value)}" for name, value in given if value is not None)


def options_of(problem: Problem) -> ReadOptions:
    """The options with which a file that holds this problem's nodes and vehicles is this problem again."""
    return ReadOptions(
        problem=None if problem.kind == "general" else problem.kind,
        objective=problem.objective,
        rounding=problem.rounding,
    )


def options_with_fleet(problem: Problem, ids: tuple[str, ...]) -> ReadOptions:
    """The options with which a file that holds only the nodes, named `ids`, is this problem again."""

    def common(field: str) -> object:
        values = {getattr(vehicle, field) for vehicle in problem.vehicles}
        return values.pop() if len(values) == 1 else None

    def limit(field: str) -> float | None:
        value = common(field)
        return value if isinstance(value, int | float) and math.isfinite(value) else None

    return replace(
        options_of(problem),
        vehicles=problem.n_vehicles if problem.fleet_is_bounded else None,
        capacity=limit("capacity"),
        max_length=limit("max_length"),
        end=_end_of(problem.vehicles, ids),
    )


def _end_of(vehicles: tuple[Vehicle, ...], ids: tuple[str, ...]) -> str | None:
    rules = {vehicle.end for vehicle in vehicles}
    if len(rules) > 1:
        return None
    match rules.pop():
        case str(rule):
            return rule
        case int(depot):
            return ids[depot]
        case depots:
            return ",".join(ids[depot] for depot in depots)


def _one_of(name: str, value: str | None, words: tuple[str, ...]) -> None:
    if value is not None and value not in words:
        raise InputError(f"--{name} '{value}' is unknown: use one of {', '.join(words)}")


def _flag(name: str) -> str:
    return "--round" if name == "rounding" else "--" + name.replace("_", "-")


def _word(value: object) -> str:
    return f"{value:.17g}" if isinstance(value, float) else str(value)
