"""Who plays: our methods by name, and the opponents.

A solver is written `name`, `name@seconds` (its own time limit) or `name:option=value,…`, the options being
those of `neurocross.solve`.
"""

from __future__ import annotations

import itertools
import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from neurocross import InputError, MissingDependencyError, Problem, Solution, solve
from neurocross.bench.adapter import Report, Solve, Tours
from neurocross.bounds import farthest_city_bound
from neurocross.operators.construct import initial_solution
from neurocross.operators.intra import INTRA_OPERATORS
from neurocross.operators.perturb import random_exchange
from neurocross.operators.select import SELECTORS
from neurocross.search import Limits, Parts, search
from neurocross.solver import EXCHANGES

PERTURBATIONS = 5
"""p of the paper: Algorithm 1 ends by itself after so many; the time limit is only a cap."""

RESTART_AFTER = 200
"""Iterations without a new best after which `ce-restarts` begins anew."""

ENDS_BY_ITSELF = ("ce", "ce-brute", "nce", "exact", "exact-appendix", "exact-strengthened")

OPTIONS: dict[str, Callable[[str], Any]] = {
    "perturbations": int, "k": int, "samples": int, "threads": int, "select": str, "intra": str,
    "accept": str, "weights": str,
}  # fmt: skip


@dataclass(frozen=True)
class Spec:
    """A solver as it was asked for."""

    text: str
    """Identifies it in files and tables."""
    name: str
    options: tuple[tuple[str, Any], ...] = ()
    seconds: float | None = None
    """Its own time limit."""

    @property
    def ends_by_itself(self) -> bool:
        """Whether the time limit is only a cap."""
        return self.name in ENDS_BY_ITSELF


def parse_spec(text: str) -> Spec:
    """Read `name:option=value,…@seconds`; refuses what it does not know."""
    rest, at, limit = text.partition("@")
    name, colon, words = rest.partition(":")
    if name not in SOLVERS:
        raise InputError(f"solver '{name}' is unknown: use one of {', '.join(SOLVERS)}")
    options = []
    for word in words.split(",") if colon else []:
        key, equals, value = word.partition("=")
        if not equals or key not in OPTIONS:
            raise InputError(f"solver '{text}': expected option=value with one of {', '.join(OPTIONS)}")
        try:
            options.append((key, OPTIONS[key](value)))
        except ValueError:
            raise InputError(f"solver '{text}': {key} must be a whole number, not '{value}'") from None
    try:
        seconds = float(limit) if at else None
    except ValueError:
        seconds = math.nan
    if seconds is not None and not 0 < seconds < math.inf:
        raise InputError(f"solver '{text}': the seconds after @ must be a number above 0, not '{limit}'")
    return Spec(text, name, tuple(options), seconds)


def solver_of(spec: Spec, lkh: str | None) -> Solve:
    """What runs it; raises MissingDependencyError if that is not installed."""
    make = SOLVERS[spec.name]
    return make(dict(spec.options), lkh)


# -- ours ---------------------------------------------------------------------------------------


def _hybrid(options: dict[str, Any], lkh: str | None) -> Solve:
    def run(problem: Problem, seed: int, seconds: float, report: Report) -> Tours:
        return solve(
            problem, method="hybrid", seed=seed, time=seconds,
            on_best=lambda progress: report(progress.solution.tours), **options,
        ).solution.tours  # fmt: skip

    return run


def _algorithm_1(options: dict[str, Any], lkh: str | None, *, method: str) -> Solve:
    """What `solve` does, less the lower bound it proves: the seconds are those of the search alone."""
    samples = options.pop("samples", 1)
    perturbations = options.pop("perturbations", PERTURBATIONS)
    select, intra = options.pop("select", "sweep"), options.pop("intra", "2opt+oropt")
    accept = options.pop("accept", "walk")
    if method == "nce":
        from neurocross.operators.neuro_cross import DEFAULT_K, NeuroCross
        from neurocross.predictor.model import DEFAULT, load_predictor

        predictor, k = load_predictor(options.pop("weights", DEFAULT)), options.pop("k", DEFAULT_K)
    _no_options(method, options)

    def run(problem: Problem, seed: int, seconds: float, report: Report) -> Tours:
        ends_at = time.perf_counter() + seconds
        best = _Best(report)
        parts = Parts(
            initial_solution=initial_solution,
            select_tours=SELECTORS[select],
            exchange=NeuroCross(predictor, k) if method == "nce" else EXCHANGES[method],
            intra=INTRA_OPERATORS[intra],
            random_exchange=random_exchange,
            accept=accept,
        )
        enough = farthest_city_bound(problem) + problem.tolerance
        for sample in range(samples):
            limits = Limits(
                seconds=max(0.0, ends_at - time.perf_counter()), perturbations=perturbations, target=enough
            )
            rng = np.random.default_rng([seed, sample] if samples > 1 else seed)
            search(problem, parts, limits, rng, lambda point, tours: best.offer(Solution(problem, tours)))
        return best.tours

    return run


class _Best:
    """The best plan of several searches; reports each new one."""

    def __init__(self, report: Report) -> None:
        self._report, self._key = report, (math.inf, math.inf)
        self.tours: Tours = ()

    def offer(self, solution: Solution) -> None:
        if solution.key < self._key:
            self._key, self.tours = solution.key, solution.tours
            self._report(solution.tours)


def _restarts(options: dict[str, Any], lkh: str | None) -> Solve:
    """Exact CROSS exchange from one random start after another."""

    def run(problem: Problem, seed: int, seconds: float, report: Report) -> Tours:
        ends_at = time.perf_counter() + seconds
        best = _Best(report)
        for restart in itertools.count():
            left = ends_at - time.perf_counter()
            if restart and left <= 0:
                break
            result = solve(
                problem, method="ce", seed=1000 * seed + restart, time=max(0.0, left), accept="better",
                no_improvement=RESTART_AFTER, on_best=lambda news: best.offer(news.solution), **options,
            )  # fmt: skip
            if result.optimal:
                break
        return best.tours

    return run


def _exact(options: dict[str, Any], lkh: str | None, *, formulation: str | None) -> Solve:
    _need("highspy" if formulation else "ortools", "exact")

    def run(problem: Problem, seed: int, seconds: float, report: Report) -> Tours:
        from neurocross.exact import prove_here

        ends_at = time.time() + seconds
        first = solve(problem, method="ce", seed=seed, time=seconds / 10, perturbations=PERTURBATIONS)
        report(first.solution.tours)
        if first.optimal:
            return first.solution.tours
        tours, bound = first.solution.tours, first.lower_bound
        proof = prove_here(problem, tours, bound, ends_at, seed, formulation or "circuits")
        if not proof.optimal:
            raise NotProvenError(proof.tours)
        return proof.tours

    return run


class NotProvenError(Exception):
    """An exact solver ran out of time; carries its best plan."""

    def __init__(self, tours: Tours) -> None:
        super().__init__("not proven in time")
        self.tours = tours


# -- opponents ----------------------------------------------------------------------------------


def _need(package: str, extra: str) -> None:
    if find_spec(package) is None:
        raise MissingDependencyError(f"{package} is not installed: pip install 'neurocross[{extra}]'")


def _no_options(name: str, options: dict[str, Any]) -> None:
    if options:
        raise InputError(f"solver {name} has no option {next(iter(options))}")


def _ortools(options: dict[str, Any], lkh: str | None) -> Solve:
    _no_options("ortools", options)
    _need("ortools", "bench")
    from neurocross.bench.opponents.ortools_routing import solve as run

    return run


def _pyvrp(options: dict[str, Any], lkh: str | None) -> Solve:
    _no_options("pyvrp", options)
    _need("pyvrp", "bench")
    from neurocross.bench.opponents.pyvrp_bisection import solve as run

    return run


def _lkh(options: dict[str, Any], lkh: str | None) -> Solve:
    _no_options("lkh", options)
    if lkh is None:
        raise MissingDependencyError(
            "LKH-3 is the user's to install (academic, non-commercial use): give its binary with --lkh PATH"
        )
    if not os.access(lkh, os.X_OK):
        raise MissingDependencyError(f"{lkh}: there is no program LKH-3 here")
    from neurocross.bench.opponents.lkh import solve as run

    return partial(run, binary=os.path.abspath(lkh))


SOLVERS: dict[str, Callable[[dict[str, Any], str | None], Solve]] = {
    "hybrid": _hybrid,
    "nce": partial(_algorithm_1, method="nce"),
    "ce": partial(_algorithm_1, method="ce"),
    "ce-brute": partial(_algorithm_1, method="ce-brute"),
    "ce-restarts": _restarts,
    "exact": partial(_exact, formulation=None),
    "exact-strengthened": partial(_exact, formulation="strengthened"),
    "exact-appendix": partial(_exact, formulation="appendix"),
    "ortools": _ortools,
    "pyvrp": _pyvrp,
    "lkh": _lkh,
}
