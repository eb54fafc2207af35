"""Large problems in parts that are solved side by side, on as many cores or machines as there are.

The first plan comes from a balanced partition of the plane: cities and vehicles are halved together, again
and again, until a part has some thousands of cities. How far to cut is first estimated; short solutions of
the parts then tell how far their vehicles really have to go, and the cuts are moved. Rounds of improvement
follow, each part solved by the engine from where it stands: in turn with cuts moved once more, and in groups
of neighbouring routes, the longest route choosing its neighbours first, so that borders lie elsewhere.

Nothing here looks at all pairs of cities, and no process holds more than the plan and its own part.
"""

from __future__ import annotations

import math
import time as clock
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np
import numpy.typing as npt

from neurocross.errors import InputError
from neurocross.hybrid import HybridOutcome, TracePoint, hybrid
from neurocross.objective import Objective
from neurocross.parallel import LostError, Team
from neurocross.problem import FloatArray, Problem, Vehicle
from neurocross.search import Limits, Outcome
from neurocross.solution import Solution

Nodes = npt.NDArray[np.int32]
Told = Callable[[TracePoint, Sequence[Nodes]], None]

PART = 12_500
"""Cities of a part at most: fewer make parts too narrow to balance, more leave cores without work."""

LEAST_VEHICLES = 4
"""Of a part, wherever the fleet has so many: one alone has nobody to exchange with."""

LARGE = 30_000
"""Cities from which on the command uses this method by itself."""

PILOT = 0.05
"""Share of the time or the iterations for the solutions that only tell where to cut."""

FIRST = 0.60
"""Share of what is then left for the first solution with those cuts; the rounds have the rest."""

ROUNDS = 4

MARGIN = 0.98
"""Of a round's time is given to its parts: the rest is for sending them and putting them together."""

DIRECTIONS = 6
"""Of lines tried between depots."""

UNEVEN = 0.2
"""How far from the half of the vehicles such a line may be."""

SAMPLE = 2_000
"""Cities looked at to choose it."""

STEP = 0.7
"""Length of a long tour through random places, over the root of their number times their area."""


@dataclass(frozen=True)
class Part:
    """Some vehicles and some cities of the whole: a problem of its own."""

    vehicles: tuple[int, ...]
    cities: Nodes
    """In rising order."""
    tours: tuple[Nodes, ...] | None = None
    """Where it stands, by its vehicles; some cities may be on no tour. None if nothing is there yet."""


@dataclass(frozen=True)
class Loads:
    """What a fair share is: cities have a weight, vehicles the strength to take it."""

    weight: FloatArray
    """By node."""
    strength: FloatArray
    """By vehicle."""


@dataclass(frozen=True)
class Task:
    """A part as it is sent to a worker."""

    problem: Problem
    tours: tuple[tuple[int, ...], ...] | None
    seed: int
    seconds: float | None
    iterations: int | None
    target: float | None


def is_large(problem: Problem) -> bool:
    """Whether a plan is found sooner in parts than as a whole."""
    in_parts = problem.matrix is None and problem.n_vehicles >= 2 * LEAST_VEHICLES
    return in_parts and problem.n_cities >= LARGE


def decompose(
    problem: Problem,
    limits: Limits,
    workers: Team,
    *,
    seed: int = 0,
    start: Solution | None = None,
    told: Told | None = None,
) -> Outcome:
    """The best plan within the limits (`seconds`, `iterations` over all parts, `target`).

    Same seed and iterations, same tours, whoever the workers are. Ctrl-C gives the best so far.
    """
    if problem.matrix is not None:
        raise InputError("method decompose needs coordinates, this problem has a matrix: use method hybrid")
    search = _Search(problem, limits, workers, np.random.default_rng(seed), told)
    if start is None:
        search.solve(search.partition(_estimated_way(problem)), PILOT)
        search.solve(search.partition(search.way()), FIRST)
    else:
        search.tours = [np.array(tour, np.int32) for tour in start.tours]
        search.note()
    for number in range(ROUNDS):
        if number % 2:
            parts = search.groups()
        else:
            parts = [search.standing(part) for part in search.partition(search.way())]
        search.solve(parts, 1 / (ROUNDS - number))
    return Outcome(tuple(search.best), search.iterations, tuple(search.trace), search.interrupted)


@dataclass
class _Search:
    problem: Problem
    limits: Limits
    workers: Team
    rng: np.random.Generator
    told: Told | None
    began: float = field(default_factory=clock.perf_counter)
    plane: Region | None = None
    """How it is divided: cuts move, but which vehicles are neighbours stays, so that tours can stay too."""
    tours: list[Nodes] = field(default_factory=list)
    """By vehicle, where the search stands."""
    best: list[Nodes] = field(default_factory=list)
    best_key: tuple[bool, float, float] = (True, math.inf, math.inf)
    trace: list[TracePoint] = field(default_factory=list)
    iterations: int = 0
    interrupted: bool = False

    # -- parts ----------------------------------------------------------------------------------

    def partition(self, way: FloatArray) -> list[Part]:
        """The plane in parts whose vehicles have about as much of the way each."""
        problem = self.problem
        cities = np.arange(problem.n_depots, problem.n_nodes, dtype=np.int32)
        loads = Loads(way, np.ones(problem.n_vehicles))
        demand, capacity = cast(FloatArray, problem.demand), np.array([v.capacity for v in problem.vehicles])
        if demand.any() and np.isfinite(capacity).all() and capacity.all():
            loads = Loads(demand, capacity)
        if self.plane is None:
            self.plane = regions(problem, cities, np.arange(problem.n_vehicles, dtype=np.int32), loads)
        return list(parts_of(problem, self.plane, cities, loads))

    def standing(self, part: Part) -> Part:
        """A part with what its vehicles' tours now have of its cities."""
        inside = np.zeros(self.problem.n_nodes, bool)
        inside[part.cities] = True
        tours = tuple(self.tours[k][inside[self.tours[k]]] for k in part.vehicles)
        return Part(part.vehicles, part.cities, tours)

    def groups(self) -> list[Part]:
        """Every route with its neighbours; the longest of those still alone chooses first."""
        plane, lengths = cast(FloatArray, self.problem.plane), self.lengths()
        centres = np.array(
            [
                plane[tour].mean(axis=0) if len(tour) else plane[vehicle.start]
                for tour, vehicle in zip(self.tours, self.problem.vehicles, strict=True)
            ]
        )
        sizes = np.array([len(tour) for tour in self.tours])
        alone, groups = np.argsort(-lengths, kind="stable"), []
        while len(alone):
            apart = ((centres[alone] - centres[alone[0]]) ** 2).sum(axis=1)
            near = np.argsort(apart, kind="stable")
            number = max(LEAST_VEHICLES, int(np.searchsorted(np.cumsum(sizes[alone[near]]), PART, "right")))
            group = np.sort(alone[near[:number]])
            alone = np.delete(alone, near[:number])
            tours = tuple(self.tours[k] for k in group)
            groups.append(Part(tuple(group.tolist()), np.sort(np.concatenate(tours)), tours))
        return groups

    def way(self) -> FloatArray:
        """By node, its share of its route's length."""
        way = np.zeros(self.problem.n_nodes)
        for tour, length in zip(self.tours, self.lengths(), strict=True):
            way[tour] = length / max(1, len(tour))
        return way

    def lengths(self) -> FloatArray:
        core = self.problem.core
        return np.array([core.length(k, tour) for k, tour in enumerate(self.tours)])

    # -- a round --------------------------------------------------------------------------------

    def solve(self, parts: list[Part], share: float) -> None:
        """Solve the parts with this share of what is left of the limits, and put the plan together."""
        left = self.limits.seconds - (clock.perf_counter() - self.began)
        if self.tours and (self.interrupted or left <= 0 or self.best_key[1] <= self.limits.target):
            return
        tours = list(self.tours or [np.empty(0, np.int32)] * self.problem.n_vehicles)
        for part in parts:
            for k, vehicle in enumerate(part.vehicles):
                tours[vehicle] = np.empty(0, np.int32) if part.tours is None else part.tours[k]
        parts = [part for part in parts if not self._is_good_enough(part)]
        steps = share * max(0, self.limits.iterations - self.iterations)
        tasks = list(self._tasks(parts, share * left, steps))
        unsolved = set(range(len(parts)))
        for done in self.workers.map(_solve, tasks, finish=True):
            try:
                found = done.result()
            except LostError:  # its workers died over it: it stays as it is
                continue
            self._take(parts[done.number], found, tours)
            unsolved.remove(done.number)
        self.interrupted |= bool(unsolved)
        for number in unsolved:  # cities that are on no tour yet must at least be visited
            part = parts[number]
            if part.tours is None or sum(map(len, part.tours)) < len(part.cities):
                self._take(
                    part, hybrid(tasks[number].problem, start=tasks[number].tours, iterations=0), tours
                )
        self.tours = tours
        self.note()

    def _is_good_enough(self, part: Part) -> bool:
        """Whether no route of it is longer than the whole plan has to be: others need the time more."""
        if part.tours is None or sum(map(len, part.tours)) < len(part.cities) or not self._by_longest:
            return False
        core = self.problem.core
        return all(
            core.length(k, tour) <= self.limits.target and core.keeps_limits(k, tour)
            for k, tour in zip(part.vehicles, part.tours, strict=True)
        )

    @property
    def _by_longest(self) -> bool:
        """Whether a part's longest route may be as long as the target; a sum says nothing about a part."""
        return self.problem.objective is Objective.MINMAX and self.limits.target > -math.inf

    def _tasks(self, parts: list[Part], seconds: float, steps: float) -> Iterator[Task]:
        sizes = [len(part.cities) for part in parts]
        # Each worker takes the next part when it is free: the one that is busy longest must not be late.
        busy = [0] * max(1, min(self.workers.size, len(parts))) if seconds < math.inf else [sum(sizes)]
        if seconds < math.inf:
            for size in sizes:
                busy[busy.index(min(busy))] += size
        for part, size in zip(parts, sizes, strict=True):
            yield _task(
                self.problem,
                part,
                seed=int(self.rng.integers(2**63)),
                seconds=MARGIN * seconds * size / max(1, *busy) if seconds < math.inf else None,
                iterations=int(steps * size / max(1, sum(sizes))) if steps < math.inf else None,
                target=self.limits.target if self._by_longest else None,
            )

    def _take(self, part: Part, found: HybridOutcome, tours: list[Nodes]) -> None:
        nodes = _nodes(self.problem, part)
        for vehicle, tour in zip(part.vehicles, found.tours, strict=True):
            tours[vehicle] = nodes[np.array(tour, np.int64)]
        self.iterations += found.iterations
        self.interrupted |= found.stopped == "interrupted"

    def note(self) -> None:
        """Keep the plan if it is the best so far."""
        core, lengths = self.problem.core, self.lengths()
        beyond = not all(core.keeps_limits(k, tour) for k, tour in enumerate(self.tours))
        key = (beyond, *self.problem.objective.key(float(lengths.max()), float(lengths.sum())))
        if key >= self.best_key:
            return
        visible = key[:2] < self.best_key[:2]
        self.best, self.best_key = list(self.tours), key
        if visible:
            self.trace.append((clock.perf_counter() - self.began, self.iterations, key[1]))
            if self.told:
                self.told(self.trace[-1], self.best)


def _solve(task: Task) -> HybridOutcome:
    """What a worker does."""
    return hybrid(
        task.problem,
        seed=task.seed,
        time_limit=task.seconds,
        iterations=task.iterations,
        target=task.target,
        start=task.tours,
    )


def _task(
    problem: Problem,
    part: Part,
    *,
    seed: int,
    seconds: float | None,
    iterations: int | None,
    target: float | None,
) -> Task:
    """A part as a problem of its own: its depots first, then its cities in their order."""
    depots, nodes = _depots(problem, part), _nodes(problem, part)
    number = {depot: k for k, depot in enumerate(depots)}
    fleet = tuple(
        Vehicle(
            start=number[problem.vehicles[k].start],
            end="open" if problem.vehicles[k].end == "open" else [number[d] for d in problem.ends_of(k)],
            capacity=problem.vehicles[k].capacity,
            max_length=problem.vehicles[k].max_length,
        )
        for k in part.vehicles
    )
    own = Problem(
        n_depots=len(depots),
        vehicles=fleet,
        coords=cast(FloatArray, problem.coords)[nodes],
        metric=problem.metric,
        rounding=problem.rounding,
        demand=cast(FloatArray, problem.demand)[nodes],
        service=cast(FloatArray, problem.service)[nodes],
        objective=problem.objective,
        fleet_is_bounded=problem.fleet_is_bounded,
    )
    tours = None
    if part.tours is not None:
        first = len(depots)
        tours = tuple(tuple((first + np.searchsorted(part.cities, tour)).tolist()) for tour in part.tours)
    return Task(own, tours, seed, seconds, iterations, target)


def _depots(problem: Problem, part: Part) -> list[int]:
    return sorted({d for k in part.vehicles for d in (problem.vehicles[k].start, *problem.ends_of(k))})


def _nodes(problem: Problem, part: Part) -> Nodes:
    return np.concatenate([np.array(_depots(problem, part), np.int32), part.cities])


@dataclass(frozen=True)
class Region:
    """Vehicles that work in one part of the plane, and how it is halved if it is large."""

    vehicles: tuple[int, ...]
    direction: FloatArray | None = None
    """Across which it is halved; None: around the depot, by the angle."""
    halves: tuple[Region, Region] | None = None


def regions(problem: Problem, cities: Nodes, vehicles: Nodes, loads: Loads) -> Region:
    """Halve until parts are small.

    The vehicles of one depot are halved by the angle seen from it, so that each part has near and far cities;
    those of several by a line across the map that takes the cities least away from their depots.
    """
    if len(cities) <= PART or len(vehicles) < 2 * LEAST_VEHICLES:
        return Region(tuple(np.sort(vehicles).tolist()))
    plane = cast(FloatArray, problem.plane)
    starts = np.array([problem.vehicles[k].start for k in vehicles], np.int32)
    direction, half = None, len(vehicles) // 2
    if (starts != starts[0]).any():
        direction, half = _line_between_depots(plane, cities, starts, loads.weight, loads.strength[vehicles])
        vehicles = vehicles[np.lexsort((starts, plane[starts] @ direction))]
    near, far = _halves(problem, cities, vehicles[:half], vehicles[half:], direction, loads)
    return Region(
        tuple(vehicles.tolist()),
        direction,
        (regions(problem, near, vehicles[:half], loads), regions(problem, far, vehicles[half:], loads)),
    )


def parts_of(problem: Problem, region: Region, cities: Nodes, loads: Loads) -> Iterator[Part]:
    """The cities of each undivided region, cut so that its vehicles' share of the weight is fair."""
    if region.halves is None:
        yield Part(region.vehicles, np.sort(cities))
        return
    first, second = region.halves
    sides = np.array(first.vehicles), np.array(second.vehicles)
    near, far = _halves(problem, cities, *sides, region.direction, loads)
    yield from parts_of(problem, first, near, loads)
    yield from parts_of(problem, second, far, loads)


def _halves(
    problem: Problem,
    cities: Nodes,
    first: Nodes,
    second: Nodes,
    direction: FloatArray | None,
    loads: Loads,
) -> tuple[Nodes, Nodes]:
    plane = cast(FloatArray, problem.plane)
    if direction is None:
        x, y = (plane[cities] - plane[problem.vehicles[int(first[0])].start]).T
        along = np.arctan2(y, x)
    else:
        along = plane[cities] @ direction
    cities = cities[np.argsort(along, kind="stable")]
    able = loads.strength[first].sum(), loads.strength[second].sum()
    cut = _cut(loads.weight[cities], float(able[0] / (able[0] + able[1])))
    return cities[:cut], cities[cut:]


def _cut(weight: FloatArray, share: float) -> int:
    """How many of the cities have this share of their weight."""
    before = np.cumsum(weight)
    return int(np.searchsorted(before, share * before[-1])) if len(before) else 0


def _line_between_depots(
    plane: FloatArray, cities: Nodes, starts: Nodes, weight: FloatArray, strength: FloatArray
) -> tuple[FloatArray, int]:
    """The direction across which to halve, and how many vehicles are on the first side.

    Of lines in several directions that leave no depot's vehicles on both sides, the one whose sides, as large
    as their vehicles can take, have the least further to the nearest start than all would have without it.
    """
    some = cities[:: max(1, len(cities) // SAMPLE)]
    depots, owner = np.unique(starts, return_inverse=True)
    apart = np.hypot(*(plane[some][:, None] - plane[depots]).transpose(2, 0, 1))
    strengths = np.bincount(owner, strength)
    best = (math.inf, np.array([1.0, 0.0]), 0)
    for angle in np.arange(DIRECTIONS) * (math.pi / DIRECTIONS):
        direction = np.array([math.cos(angle), math.sin(angle)])
        order = np.lexsort((depots, plane[depots] @ direction))
        along = np.argsort(plane[some] @ direction, kind="stable")
        shares = np.cumsum(strengths[order])[:-1] / strengths.sum()
        usable = np.flatnonzero(np.abs(shares - 0.5) <= max(UNEVEN, np.abs(shares - 0.5).min()))
        for last in usable:
            cut = _cut(weight[some[along]], float(shares[last]))
            sides = ((along[:cut], order[: last + 1]), (along[cut:], order[last + 1 :]))
            way = sum(apart[np.ix_(*side)].min(axis=1).sum() for side in sides)
            if way < best[0]:
                best = way, direction, int(np.isin(owner, order[: last + 1]).sum())
    return best[1], best[2]


def _estimated_way(problem: Problem) -> FloatArray:
    """By node, about what it adds to the routes: a step, its service, and a share of the trips there."""
    plane = cast(FloatArray, problem.plane)
    places = plane[problem.n_depots :]
    n = max(1, len(places))
    step = STEP * math.sqrt(float(np.prod(np.ptp(places, axis=0))) / n) if len(places) else 0.0
    nearest = np.full(len(places), np.inf)
    for start in sorted({vehicle.start for vehicle in problem.vehicles}):
        np.minimum(nearest, ((places - plane[start]) ** 2).sum(axis=1), out=nearest)
    trips = 2 * np.sqrt(nearest) * problem.n_vehicles / n
    return np.concatenate([np.zeros(problem.n_depots), step + trips]) + cast(FloatArray, problem.service)
