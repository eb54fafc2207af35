"""From what a file says and what the caller adds to a problem; options that contradict are refused here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from neurocross.errors import InputError
from neurocross.io.options import ReadOptions
from neurocross.objective import Objective
from neurocross.problem import EndRule, FloatArray, Problem, Vehicle, fleet_of

ONE_DEPOT = ("tsp", "mtsp", "cvrp")
WITHOUT_CAPACITY = ("tsp", "mtsp")


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """What a file says. Nodes are depots first, as in `Problem`."""

    source: str
    """What errors call the file."""
    n_depots: int
    coords: FloatArray | None = None
    matrix: FloatArray | None = None
    metric: str = "euclidean"
    rounding: str = "none"
    demand: FloatArray | None = None
    """None where the file knows no demands at all."""
    service: FloatArray | None = None
    ids: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    name: str = ""
    geographic: bool | None = None

    kind: str | None = None
    """The problem the file names; None if it only holds nodes."""
    objective: Objective | None = None
    vehicles: tuple[Vehicle, ...] | None = None
    """Where the file lists them; the next three describe equal ones."""
    fleet_hint: int | None = None
    """A number of vehicles the file mentions, for problems that need one."""
    capacity: float = math.inf
    max_length: float = math.inf
    fleet_is_bounded: bool = True

    @property
    def n_nodes(self) -> int:
        """Depots and cities."""
        return len(self.ids)


def problem_of(sheet: Sheet, options: ReadOptions) -> Problem:
    """The problem; whatever is wrong with it is reported with the file's name."""
    try:
        return _problem(sheet, options)
    except InputError as error:
        raise InputError(f"{sheet.source}: {error}") from None


def depots_first(is_depot: Sequence[bool]) -> list[int]:
    """The order of the nodes that puts depots before cities and changes nothing else."""
    return sorted(range(len(is_depot)), key=lambda node: not is_depot[node])


def _problem(sheet: Sheet, options: ReadOptions) -> Problem:
    kind = options.problem or _kind_by_file(sheet, options)
    as_written = kind == sheet.kind or kind == "general"
    _refuse_contradictions(kind, sheet, options)
    vehicles = _with_limits(_fleet(kind, sheet, options), kind, options)
    if options.end is not None:
        vehicles = _each(vehicles, end=_end_rule(options.end, sheet))
    elif sheet.vehicles is None or not as_written:
        vehicles = _each(vehicles, end="any" if kind == "fmdvrp" else "own")
    objective = options.objective or (sheet.objective if as_written else None)
    problem = Problem(
        n_depots=sheet.n_depots,
        vehicles=vehicles,
        coords=sheet.coords,
        matrix=sheet.matrix,
        metric=options.metric or sheet.metric,
        rounding=options.rounding or sheet.rounding,
        demand=sheet.demand,
        service=sheet.service,
        objective=Objective(objective) if objective else _objective(kind),
        kind=kind,
        ids=sheet.ids,
        names=sheet.names,
        name=sheet.name,
        fleet_is_bounded=_is_bounded(kind, sheet, options),
        geographic=sheet.geographic,
    )
    return problem if options.end is None or _ends_as_named(problem) else problem.with_(kind="general")


def _kind_by_file(sheet: Sheet, options: ReadOptions) -> str:
    """The problem where the caller names none: the longest route counts as soon as there are several."""
    if sheet.kind == "tsp" and (options.vehicles or 1) > 1:
        return "mtsp"
    if sheet.kind is not None:
        return sheet.kind
    if sheet.vehicles is not None:
        return "general"
    if sheet.n_depots == 1:
        return "mtsp"
    return "fmdvrp" if options.end in (None, "any") else "mdvrp"


def _a(kind: str) -> str:
    return f"{'a' if kind[0] in 'tc' else 'an'} {kind}"


def _objective(kind: str) -> Objective:
    return Objective.MINSUM if kind in ("tsp", "cvrp") else Objective.MINMAX


def _refuse_contradictions(kind: str, sheet: Sheet, options: ReadOptions) -> None:
    if kind in ONE_DEPOT and sheet.n_depots > 1:
        raise InputError(
            f"{_a(kind)} has one depot, here are {sheet.n_depots}: give --problem mdvrp or fmdvrp"
        )
    number = options.vehicles or (1 if sheet.vehicles is None else len(sheet.vehicles))
    if kind == "tsp" and number > 1:
        raise InputError(f"a tsp has one vehicle, not {number}: give --problem mtsp")
    if kind in WITHOUT_CAPACITY and options.capacity is not None:
        raise InputError(
            f"{_a(kind)} has no capacity: give --problem cvrp, mdvrp or fmdvrp, or no --capacity"
        )
    if kind == "cvrp" and sheet.demand is None and sheet.n_nodes > sheet.n_depots:
        raise InputError("a cvrp needs demands, the file has none")
    if options.problem == "mdvrp" and options.end == "any":
        raise InputError("in an mdvrp routes end at their own depot: give --problem fmdvrp, or no --end")
    if options.problem == "fmdvrp" and options.end not in (None, "any"):
        raise InputError("in an fmdvrp routes end at any depot: give --problem mdvrp, or no --end")
    if options.metric is not None:
        _refuse_metric(options.metric, sheet)


def _refuse_metric(metric: str, sheet: Sheet) -> None:
    if sheet.matrix is not None:
        raise InputError(f"the file gives a matrix of distances, --metric {metric} cannot be used")
    on_earth = metric in ("haversine", "geo")
    is_on_earth = sheet.metric in ("haversine", "geo") if sheet.geographic is None else sheet.geographic
    if on_earth and not is_on_earth:
        raise InputError(f"--metric {metric} needs latitude and longitude, the file has plane coordinates")
    if is_on_earth and not on_earth:
        raise InputError(f"--metric {metric} needs plane coordinates, the file has latitude and longitude")


def _fleet(kind: str, sheet: Sheet, options: ReadOptions) -> tuple[Vehicle, ...]:
    if sheet.vehicles is not None:
        return sheet.vehicles if options.vehicles is None else _replaced(sheet.vehicles, options.vehicles)
    number = options.vehicles
    if kind == "tsp":
        number = 1
    elif kind == "cvrp" and number is None:
        number = max(1, sheet.n_nodes - sheet.n_depots)  # never too few: the fleet is unlimited
    number = number or sheet.fleet_hint
    if number is None:
        raise InputError(f"the file does not say how many vehicles this {kind} has: give --vehicles")
    return fleet_of(
        number, starts=range(sheet.n_depots), capacity=sheet.capacity, max_length=sheet.max_length
    )


def _is_bounded(kind: str, sheet: Sheet, options: ReadOptions) -> bool:
    if sheet.vehicles is not None:
        return sheet.fleet_is_bounded or options.vehicles is not None
    return kind != "cvrp" or options.vehicles is not None


def _replaced(listed: tuple[Vehicle, ...], number: int) -> tuple[Vehicle, ...]:
    """Another number of the same vehicles, in turn at the depots where the listed ones start."""
    rules = [(v.end, v.capacity, v.max_length) for v in listed]
    if len(set(rules)) > 1:
        raise InputError(
            "the file lists its own vehicles and they differ: change them there, or give no --vehicles"
        )
    end, capacity, max_length = rules[0]
    starts = sorted({v.start for v in listed})
    return fleet_of(number, starts=starts, end=end, capacity=capacity, max_length=max_length)


def _with_limits(vehicles: tuple[Vehicle, ...], kind: str, options: ReadOptions) -> tuple[Vehicle, ...]:
    if options.capacity is not None:
        vehicles = _each(vehicles, capacity=options.capacity)
    if options.max_length is not None:
        vehicles = _each(vehicles, max_length=options.max_length)
    if options.problem in WITHOUT_CAPACITY:
        vehicles = _each(vehicles, capacity=math.inf)
    if kind == "cvrp" and any(math.isinf(v.capacity) for v in vehicles):
        raise InputError("a cvrp needs a capacity: give --capacity")
    return vehicles


def _each(vehicles: tuple[Vehicle, ...], **changes: object) -> tuple[Vehicle, ...]:
    return tuple(replace(vehicle, **changes) for vehicle in vehicles)  # type: ignore[arg-type]


def _end_rule(words: str, sheet: Sheet) -> EndRule:
    if words in ("own", "any", "open"):
        return words  # type: ignore[return-value]
    depots = {name: node for node, name in enumerate(sheet.ids[: sheet.n_depots])}
    named = [words] if words in depots else [word.strip() for word in words.split(",")]
    for word in named:
        if word not in depots:
            raise InputError(
                f"--end '{word}' is no depot: use own, any, open or depots of {', '.join(list(depots)[:10])}"
            )
    return [depots[word] for word in named]


def _ends_as_named(problem: Problem) -> bool:
    """Whether every route ends as the problem of this name has it."""
    everywhere = tuple(range(problem.n_depots))
    return all(
        problem.ends_of(k) == (everywhere if problem.kind == "fmdvrp" else (vehicle.start,))
        for k, vehicle in enumerate(problem.vehicles)
    )


def amounts_of(problem: Problem) -> dict[str, list[float]]:
    """Demands and service times by node where a file must say them; a cvrp has demands even if all are 0."""
    demand, service = cast(FloatArray, problem.demand), cast(FloatArray, problem.service)
    amounts = {"demand": demand.tolist()} if demand.any() or problem.kind == "cvrp" else {}
    return amounts | ({"service": service.tolist()} if service.any() else {})


def in_order(values: Sequence[float] | FloatArray | None, order: Sequence[int]) -> FloatArray | None:
    """Values by node, put in another order of the nodes."""
    return None if values is None else np.asarray(values, float)[list(order)]
