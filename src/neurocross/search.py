"""ALGORITHM 1 of the paper: exchange, improve, perturb.

`search` is handed its parts as callables and imports none of them; `solve` wires the defaults.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from neurocross._core import Exchange
from neurocross.errors import InputError
from neurocross.problem import Problem

Cities = npt.NDArray[np.int32]
TracePoint = tuple[float, int, float]
"""Seconds since the start, iteration, value of the objective."""


@dataclass(frozen=True)
class Limits:
    """When a search ends: at whichever comes first."""

    seconds: float = math.inf
    iterations: float = math.inf
    """Exchanges tried."""
    perturbations: float = math.inf
    """p of the paper: p perturbations are p + 1 descents."""
    no_improvement: float = math.inf
    """Iterations since the last new best."""
    target: float = -math.inf
    """A value of the objective that is good enough."""

    def __post_init__(self) -> None:
        for name in ("seconds", "iterations", "perturbations", "no_improvement"):
            if not getattr(self, name) >= 0:
                raise InputError(f"{name} must be at least 0, not {getattr(self, name)}")


@dataclass(frozen=True)
class Parts:
    """What Algorithm 1 is made of."""

    initial_solution: Callable[[Problem, np.random.Generator], Sequence[Cities]]
    select_tours: Callable[[Problem, Sequence[float], np.random.Generator], Iterable[tuple[int, int]]]
    exchange: Callable[[Problem, int, Cities, int, Cities, float], Exchange]
    intra: Callable[[Problem, int, Cities, float], Cities]
    random_exchange: Callable[[Problem, Sequence[Cities], np.random.Generator], Sequence[Cities] | None]
    accept: str = "walk"
    """Perturb the current tours (`walk`, as the paper) or the best ones (`better`)."""


@dataclass(frozen=True)
class Outcome:
    """What a search found."""

    tours: tuple[Cities, ...]
    iterations: int
    trace: tuple[TracePoint, ...]
    """One point for every new best."""
    interrupted: bool = False
    """Whether Ctrl-C ended it."""


def search(
    problem: Problem,
    parts: Parts,
    limits: Limits,
    rng: np.random.Generator,
    on_best: Callable[[TracePoint, Sequence[Cities]], None] | None = None,
) -> Outcome:
    """Algorithm 1. Limits and Ctrl-C end it at any moment with the best tours so far."""
    started = time.perf_counter()
    tours = Tours(problem, parts.initial_solution(problem, rng))  # GetInitialSolution
    best = BestSoFar(problem, limits, started, tours, on_best)
    perturbations = 0  # C_per
    try:
        while True:
            improvement = True
            while improvement and not best.is_enough():
                improvement = False
                for i, j in parts.select_tours(problem, tours.lengths, rng):  # SelectTours
                    if tours.settled(i, j):
                        continue
                    best.iterations += 1
                    t1, t2 = tours.exchanged(i, j, parts.exchange, best.seconds_left)  # inter operation
                    t1, t2 = (
                        tours.improved(k, t, parts.intra, best.seconds_left()) for k, t in ((i, t1), (j, t2))
                    )
                    improvement = tours.accept(i, t1, j, t2)
                    if improvement or best.is_enough():
                        break
                best.offer(tours)
            if perturbations >= limits.perturbations or best.is_enough():
                break
            perturbations += 1
            if parts.accept == "better":
                tours = best.tours.copy()
            kick = parts.random_exchange(problem, tours.cities, rng)  # escape from local minima
            if kick is None:
                break
            tours.perturb(kick)
    except KeyboardInterrupt:
        best.interrupted = True
    return best.outcome()


class Tours:
    """The current tour of every vehicle, its length, and which pairs have nothing left to gain."""

    def __init__(self, problem: Problem, cities: Iterable[Cities]) -> None:
        self._problem = problem
        self.cities = list(cities)
        self.lengths = [problem.core.length(k, t) for k, t in enumerate(self.cities)]
        # Arrays are never changed, so a tour is its array: keys are identities, values keep them alive.
        self._improved: dict[int, Cities] = {}
        self._settled: dict[tuple[int, int], tuple[Cities, Cities]] = {}

    def copy(self) -> Tours:
        """The same tours, to go on from; what is known of them is shared."""
        twin = object.__new__(Tours)
        twin.__dict__.update(self.__dict__, cities=self.cities.copy(), lengths=self.lengths.copy())
        return twin

    @property
    def key(self) -> tuple[float, float]:
        """Orders plans: the objective, then the tie-break."""
        return self._problem.objective.key(max(self.lengths), math.fsum(self.lengths))

    def settled(self, i: int, j: int) -> bool:
        """Whether this pair was tried and neither tour has changed since."""
        return (id(self.cities[i]), id(self.cities[j])) in self._settled

    def exchanged(
        self, i: int, j: int, exchange: Callable[..., Exchange], seconds_left: Callable[[], float]
    ) -> tuple[Cities, Cities]:
        """Both tours after the operator's exchange; the same arrays if it found none."""
        t1, t2 = self.cities[i], self.cities[j]
        if i == j:  # a lone tour has nobody to exchange with
            return t1, t2
        for turned in self._directions(j):
            x = exchange(self._problem, i, t1, j, turned, seconds_left())
            if x.moves:
                return (
                    np.concatenate((t1[: x.a1], turned[x.a2 : x.b2], t1[x.b1 :])),
                    np.concatenate((turned[: x.a2], t1[x.a1 : x.b1], turned[x.b2 :])),
                )
        return t1, t2

    def _directions(self, k: int) -> Iterator[Cities]:
        """A tour as it is and, where that is no longer, the other way round, which has other exchanges."""
        yield self.cities[k]
        turned = np.ascontiguousarray(self.cities[k][::-1])
        if (
            len(turned) > 1
            and self._problem.core.length(k, turned) <= self.lengths[k] + self._problem.tolerance
        ):
            yield turned

    def improved(self, k: int, cities: Cities, intra: Callable[..., Cities], seconds: float) -> Cities:
        """A tour after IntraOperation; a tour that was improved before is left alone."""
        if len(cities) < 2 or id(cities) in self._improved:
            return cities
        better = intra(self._problem, k, cities, seconds)
        self._improved[id(better)] = better
        return better

    def accept(self, i: int, t1: Cities, j: int, t2: Cities) -> bool:
        """Take both tours over if the pair got better by more than rounding noise; remember it if not."""
        length, objective, tolerance = (
            self._problem.core.length,
            self._problem.objective,
            self._problem.tolerance,
        )
        l1, l2 = length(i, t1), length(j, t2)
        now = objective.key(max(self.lengths[i], self.lengths[j]), self.lengths[i] + self.lengths[j])
        then = objective.key(max(l1, l2), l1 + l2)
        if then[0] < now[0] - tolerance or (then[0] <= now[0] and then[1] < now[1] - tolerance):
            self.cities[i], self.lengths[i] = t1, l1
            self.cities[j], self.lengths[j] = t2, l2
            return True
        pair = self.cities[i], self.cities[j]
        self._settled[id(pair[0]), id(pair[1])] = pair
        return False

    def perturb(self, plan: Sequence[Cities]) -> None:
        """Take a plan over whatever it costs; what is known of the tours it keeps stays known."""
        for k, cities in enumerate(plan):
            if cities is not self.cities[k]:
                self.cities[k], self.lengths[k] = cities, self._problem.core.length(k, cities)
        if len(self._settled) + len(self._improved) > FORGET_ABOVE:
            self._settled.clear()
            self._improved.clear()


FORGET_ABOVE = 20_000
"""Remembered tours and pairs at most; beyond, all are forgotten, which costs a second look only."""


@dataclass
class BestSoFar:
    """Keeps the best tours apart from the current ones, and watches the limits."""

    problem: Problem
    limits: Limits
    started: float
    tours: Tours
    on_best: Callable[[TracePoint, Sequence[Cities]], None] | None
    iterations: int = 0
    interrupted: bool = False
    trace: list[TracePoint] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._keep(self.tours)

    def offer(self, tours: Tours) -> None:
        """Keep the tours if they are better than the best so far."""
        (value, tie), (best, best_tie) = tours.key, self.key
        if value < best - self.problem.tolerance or (
            value <= best and tie < best_tie - self.problem.tolerance
        ):
            self._keep(tours)

    def _keep(self, tours: Tours) -> None:
        self.tours, self.key, self.found_at = tours.copy(), tours.key, self.iterations
        self.trace.append((time.perf_counter() - self.started, self.iterations, self.key[0]))
        if self.on_best:
            self.on_best(self.trace[-1], self.tours.cities)

    def seconds_left(self) -> float:
        """Until the time limit; the kernels keep to it."""
        return self.limits.seconds - (time.perf_counter() - self.started)

    def is_enough(self) -> bool:
        """Whether a limit is reached."""
        return (
            self.iterations >= self.limits.iterations
            or self.iterations - self.found_at >= self.limits.no_improvement
            or self.key[0] <= self.limits.target
            or self.seconds_left() <= 0
        )

    def outcome(self) -> Outcome:
        """What is returned."""
        return Outcome(tuple(self.tours.cities), self.iterations, tuple(self.trace), self.interrupted)
