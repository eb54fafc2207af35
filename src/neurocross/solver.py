"""One call from a problem to a plan: proves a bound, wires the defaults, runs the method."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from numbers import Integral, Real
from pathlib import Path
from typing import TypeVar

import numpy as np

from neurocross import _core, bounds
from neurocross.decompose import decompose
from neurocross.errors import InputError, TooLargeError, shown
from neurocross.hybrid import Exchange, hybrid
from neurocross.operators.construct import each_city_once, initial_solution
from neurocross.operators.cross import Cities, ExchangeOperator
from neurocross.operators.cross_exchange import cross_exchange, cross_exchange_brute
from neurocross.operators.intra import INTRA_OPERATORS
from neurocross.operators.perturb import random_exchange
from neurocross.operators.select import SELECTORS
from neurocross.parallel import Team, team
from neurocross.problem import Problem
from neurocross.result import Progress, Result
from neurocross.search import Limits, Outcome, Parts, TracePoint, search
from neurocross.solution import Solution

T = TypeVar("T")
Toured = Sequence[Cities] | Sequence[Sequence[int]]
Told = Callable[[TracePoint, Toured], None]

EXCHANGES = {"ce": cross_exchange, "ce-brute": cross_exchange_brute}

_LIMITS = ("time", "iterations", "no_improvement", "target")
_LEARNED = ("k", "weights")
_ALGORITHM_1 = (*_LIMITS, "perturbations", "select", "intra", "accept", "samples")
OPTIONS = {
    "hybrid": (*_LIMITS, "threads", "learned"),
    "ce": _ALGORITHM_1,
    "ce-brute": _ALGORITHM_1,
    "nce": (*_ALGORITHM_1, *_LEARNED),
    "decompose": ("time", "iterations", "target", "workers"),
    "exact": ("time", "target"),
}
"""Every method and the options of `solve` it knows besides `seed`, `start` and `on_best`.

With `learned` the engine also knows those of the learned operator."""

METHODS = tuple(OPTIONS)
ENGINES = ("hybrid", "decompose")
"""Methods that use all the time they are given, and `DEFAULT_SECONDS` if none."""

_WHOLE = ("seed", "iterations", "no_improvement", "threads", "perturbations", "samples", "k")
_NUMBERS = ("time", "target")
ACCEPTANCES = {word: word for word in ("walk", "better")}

DEFAULT_SECONDS = 10.0
"""How long the engine runs when no limit is given."""

DEFAULT_PERTURBATIONS = 5
"""The paper's p, used by Algorithm 1 when no limit is given."""

BOUND_SHARE = 0.05
"""Part of a time limit spent on the bound before the search, so that it can stop at a proven optimum."""

BOUND_SECONDS = 1.0
"""At most so long."""

WARM_START_SHARE = 0.1
"""Part of a time limit in which `exact` looks for the plan it starts from."""

REPAIR_ITERATIONS = 20_000
"""Of the engine, to make a first plan visit every city and keep every limit: a fraction of a second."""


def solve(
    problem: Problem,
    *,
    method: str = "hybrid",
    seed: int = 0,
    time: float | None = None,
    iterations: int | None = None,
    no_improvement: int | None = None,
    target: float | None = None,
    start: Solution | None = None,
    on_best: Callable[[Progress], None] | None = None,
    threads: int | None = None,
    perturbations: int | None = None,
    select: str | None = None,
    intra: str | None = None,
    accept: str | None = None,
    samples: int | None = None,
    learned: bool | None = None,
    k: int | None = None,
    weights: str | Path | None = None,
    workers: Team | None = None,
) -> Result:
    """Solve a problem; whichever limit comes first ends the search.

    `method` is `hybrid`, the engine, or Algorithm 1 with an exchange operator: `ce`, `ce-brute`, `nce`
    (learned); `exact` proves the optimum of small problems. `time` is in seconds. Without any limit the
    engine runs for `DEFAULT_SECONDS`, Algorithm 1 for `DEFAULT_PERTURBATIONS`, `exact` until the proof.
    `start` is a plan to begin with, completed if it must be. `threads` is the engine's.

    For Algorithm 1 alone: `perturbations` (p of the paper), `select` (SelectTours), `intra`
    (IntraOperation) and `accept`: `walk` perturbs the current tours (as the paper; default without `time`),
    `better` the best (default with it). `samples` is the number of starts, of which the best plan counts;
    they share `time`, the other limits hold for each. For `nce`, and for the engine with `learned`, which
    polishes its best plan with the learned operator in place of the exact exchange: `k`, the start pairs
    searched, and `weights`, shipped ones by name or a file.

    `decompose` solves tens of thousands of cities in parts, side by side on the `workers` (processes of this
    machine if not given); `iterations` are those of the engine over all parts.
    """
    began = clock.perf_counter()
    if not isinstance(problem, Problem):
        raise InputError(f"solve needs a Problem, not {shown(problem)}")
    _refuse_foreign(
        method, time=time, iterations=iterations, no_improvement=no_improvement, target=target,
        threads=threads, perturbations=perturbations, select=select, intra=intra, accept=accept,
        samples=samples, learned=learned, k=k, weights=weights, workers=workers,
    )  # fmt: skip
    _at_least_0("seed", _typed("seed", seed))
    if target is not None and math.isnan(target):
        raise InputError("target must be a number, not nan")
    if on_best is not None and not callable(on_best):
        raise InputError(f"on_best must be a function, not {shown(on_best)}")
    if start is not None:
        if not isinstance(start, Solution):
            raise InputError(f"start must be a Solution, not {shown(start)}")
        start = Solution(problem, start.tours)  # it may be a plan of another problem: does it fit?
    if method == "exact":
        return _exact(problem, seed, time, target, start, on_best)
    if (time, iterations, no_improvement, target, perturbations) == (None,) * 5:
        time, perturbations = (DEFAULT_SECONDS, None) if method in ENGINES else (None, DEFAULT_PERTURBATIONS)
    seconds = math.inf if time is None else _at_least_0("time", time)
    bound = bounds.lower_bound(problem, time_limit=min(BOUND_SECONDS, BOUND_SHARE * seconds))
    # How far the ascent of the bound comes depends on the clock; without a time limit the answer must not.
    proven = bound.farthest if time is None else bound.value
    limits = Limits(
        seconds=max(0.0, seconds - (clock.perf_counter() - began)),
        iterations=math.inf if iterations is None else _at_least_0("iterations", iterations),
        perturbations=math.inf if perturbations is None else _at_least_0("perturbations", perturbations),
        no_improvement=math.inf if no_improvement is None else _at_least_0("no-improvement", no_improvement),
        target=max(-math.inf if target is None else target, proven + problem.tolerance),
    )
    told = _told(problem, bound.value, on_best)
    if method == "hybrid":
        exchange = _engine_exchange(problem, k, weights) if learned else None
        outcome = _engine(problem, limits, seed, start, threads, told, exchange)
    elif method == "decompose":
        with nullcontext(workers) if workers else team() as shared:
            outcome = decompose(problem, limits, shared, seed=seed, start=_complete(start), told=told)
    else:
        parts = Parts(
            initial_solution=_start(start, limits.seconds),
            select_tours=_choice("select", select or "sweep", SELECTORS),
            exchange=_learned(problem, k, weights) if method == "nce" else EXCHANGES[method],
            intra=_choice("intra", intra or "2opt+oropt", INTRA_OPERATORS),
            random_exchange=random_exchange,
            accept=_choice("accept", accept or ("walk" if time is None else "better"), ACCEPTANCES),
        )
        outcome = _best_of(1 if samples is None else samples, problem, parts, limits, seed, told)
    return Result(
        solution=Solution(problem, outcome.tours),
        method=method,
        seed=seed,
        bound=bound,
        seconds=clock.perf_counter() - began,
        iterations=outcome.iterations,
        trace=outcome.trace,
        interrupted=outcome.interrupted,
    )


def _exact(
    problem: Problem,
    seed: int,
    time: float | None,
    target: float | None,
    start: Solution | None,
    on_best: Callable[[Progress], None] | None,
) -> Result:
    """A plan by CROSS exchange, then the proof that it is best, or a better one; at most `time` seconds."""
    from neurocross.exact import prove

    began = clock.perf_counter()
    first = solve(
        problem, method="ce", seed=seed, time=None if time is None else WARM_START_SHARE * time,
        perturbations=DEFAULT_PERTURBATIONS, target=target, start=start, on_best=on_best,
    )  # fmt: skip
    first = replace(first, method="exact")
    if first.interrupted or first.optimal or not first.feasible or first.cost <= (target or -math.inf):
        return first
    left = math.inf if time is None else max(0.0, time - (clock.perf_counter() - began))
    try:
        proof = prove(problem, first.solution.tours, lower_bound=first.lower_bound, seconds=left, seed=seed)
    except KeyboardInterrupt:
        return replace(first, seconds=clock.perf_counter() - began, interrupted=True)
    # The proof is of the objective alone: shorten the routes that do not decide it.
    found = Solution(problem, proof.tours)
    plan = solve(problem, method="ce", seed=seed, start=found, perturbations=0).solution
    seconds, trace, bound = clock.perf_counter() - began, first.trace, first.bound
    if plan.cost < first.cost - problem.tolerance:
        trace = (*trace, (seconds, first.iterations, plan.cost))
    proven = plan.cost if proof.optimal else min(proof.lower_bound, plan.cost)
    if proven > bound.value:
        bound = replace(bound, value=proven, kind="exact")
    if on_best:
        on_best(Progress(seconds, first.iterations, plan, bound.value))
    return replace(first, solution=plan, bound=bound, seconds=seconds, trace=trace)


def _learned(
    problem: Problem, k: int | None, weights: str | Path | None, instead: str = "use --method ce"
) -> ExchangeOperator:
    """Algorithm 2 with shipped or given weights; `instead` is what to do where it cannot be used."""
    from neurocross.operators.neuro_cross import DEFAULT_K, NeuroCross
    from neurocross.predictor.features import check_problem
    from neurocross.predictor.model import DEFAULT, load_predictor

    check_problem(problem, instead)
    predictor = load_predictor(DEFAULT if weights is None else weights)
    return NeuroCross(predictor, DEFAULT_K if k is None else k)


def _engine_exchange(problem: Problem, k: int | None, weights: str | Path | None) -> Exchange:
    """Algorithm 2 as the engine calls it; pairs too long for it are searched exactly."""
    operator = _learned(problem, k, weights, "leave --learned out")

    def exchange(v1: int, t1: Sequence[int], v2: int, t2: Sequence[int]) -> _core.Exchange:
        pair = problem, v1, np.array(t1, np.int32), v2, np.array(t2, np.int32), math.inf
        try:
            return operator(*pair)
        except TooLargeError:
            return cross_exchange(*pair)

    return exchange


def _best_of(
    samples: int, problem: Problem, parts: Parts, limits: Limits, seed: int, told: Told | None
) -> Outcome:
    """The best of so many searches from different random starts, s.n of the paper; they share the time."""
    if samples < 1:
        raise InputError(f"samples must be at least 1, not {samples}")
    if samples == 1:
        return search(problem, parts, limits, np.random.default_rng(seed), told)
    began, found, trace = clock.perf_counter(), list[Outcome](), list[TracePoint]()
    for sample in range(samples):
        before, done = clock.perf_counter() - began, sum(outcome.iterations for outcome in found)

        def news(point: TracePoint, tours: Toured, before: float = before, done: int = done) -> None:
            if not trace or point[2] < trace[-1][2]:
                trace.append((before + point[0], done + point[1], point[2]))
                if told:
                    told(trace[-1], tours)

        share = replace(limits, seconds=max(0.0, limits.seconds - before) / (samples - sample))
        found.append(search(problem, parts, share, np.random.default_rng([seed, sample]), news))
        if found[-1].interrupted or (trace and trace[-1][2] <= limits.target):
            break
    plans = [Solution(problem, outcome.tours) for outcome in found]
    best = min(plans, key=lambda plan: (not plan.feasible, plan.key))
    iterations = sum(outcome.iterations for outcome in found)
    return Outcome(found[plans.index(best)].tours, iterations, tuple(trace), found[-1].interrupted)


def _engine(
    problem: Problem,
    limits: Limits,
    seed: int,
    start: Solution | None,
    threads: int | None,
    told: Told | None,
    exchange: Exchange | None,
) -> Outcome:
    """The engine under the same limits, its outcome in the same form."""

    def finite(limit: float) -> int | None:
        return min(int(limit), 2**63 - 1) if limit < math.inf else None

    found = hybrid(
        problem,
        seed=seed,
        time_limit=limits.seconds if limits.seconds < math.inf else None,
        iterations=finite(limits.iterations),
        no_improvement=finite(limits.no_improvement),
        target=limits.target,
        start=_complete(start),
        threads=1 if threads is None else threads,
        on_best=told,
        exchange=exchange,
    )
    tours = tuple(np.array(tour, np.int32) for tour in found.tours)
    return Outcome(tours, found.iterations, found.trace, found.stopped == "interrupted")


def _complete(start: Solution | None) -> Solution | None:
    """A given plan as the engine takes it: no city twice."""
    return None if start is None else Solution(start.problem, each_city_once(start.problem, start.tours))


def _refuse_foreign(method: str, **options: object) -> None:
    known = _choice("method", method, OPTIONS)
    if options["learned"]:
        known = (*known, *_LEARNED)
    for name, value in options.items():
        if value is not None and name not in known:
            raise InputError(f"{name} is not an option of method {method}")
        if value is not None:
            _typed(name, value)


def _typed(name: str, value: T) -> T:
    kind, word = (Integral, "whole number") if name in _WHOLE else (Real, "number")
    if name in (*_WHOLE, *_NUMBERS) and not isinstance(value, kind):
        raise InputError(f"{name} must be a {word}, not {shown(value)}")
    return value


def _choice(what: str, word: str, choices: Mapping[str, T]) -> T:
    if not isinstance(word, str) or word not in choices:
        raise InputError(f"{what} '{word}' is unknown: use one of {', '.join(choices)}")
    return choices[word]


def _at_least_0(what: str, number: float) -> float:
    if not number >= 0:
        raise InputError(f"{what} must be at least 0, not {number}")
    return number


def _told(problem: Problem, lower_bound: float, on_best: Callable[[Progress], None] | None) -> Told | None:
    if on_best is None:
        return None
    return lambda point, tours: on_best(Progress(point[0], point[1], Solution(problem, tours), lower_bound))


def _start(
    start: Solution | None, seconds: float
) -> Callable[[Problem, np.random.Generator], Sequence[Cities]]:
    """GetInitialSolution, or the given plan; the engine repairs what misses a city or breaks a limit."""

    def tours(problem: Problem, rng: np.random.Generator) -> Sequence[Cities]:
        plan = initial_solution(problem, rng) if start is None else each_city_once(problem, start.tours)
        complete = sum(map(len, plan)) == problem.n_cities
        if complete and all(problem.core.keeps_limits(k, tour) for k, tour in enumerate(plan)):
            return plan
        repaired = hybrid(
            problem,
            seed=int(rng.integers(2**63)),
            start=Solution(problem, plan),
            target=math.inf,  # whatever keeps the limits is good enough
            iterations=REPAIR_ITERATIONS,
            time_limit=None if seconds == math.inf else seconds,
        )
        return [np.array(tour, np.int32) for tour in repaired.tours]

    return tours
