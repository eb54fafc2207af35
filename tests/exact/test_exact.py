"""Exact solvers: they agree with trying every plan, prove what they say, and hold the others to it."""

from __future__ import annotations

import csv
import importlib.util
import math
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import problems

from neurocross import MissingDependencyError, Problem, Solution, random_problem, solve
from neurocross.errors import InputError
from neurocross.exact import PROOF_TOLERANCE, prove, prove_here
from neurocross.exact.cuts import min_cut
from neurocross.exact.symmetry import equal_neighbours, in_fixed_order
from neurocross.problem import Vehicle, with_slack
from neurocross.solution import checked_length
from neurocross.solver import METHODS

needs_ortools = pytest.mark.skipif(
    importlib.util.find_spec("ortools") is None, reason="OR-Tools is not installed: pip install ortools"
)
needs_highs = pytest.mark.skipif(
    importlib.util.find_spec("highspy") is None, reason="HiGHS is not installed: pip install highspy"
)
OPTIMA = list(csv.DictReader(Path(__file__).with_name("optima.csv").read_text().splitlines()))


def best_by_trying_all(problem: Problem) -> float:
    """The slow twin: every assignment of cities to vehicles, every order; infinite if none is feasible."""
    best: dict[tuple[int, frozenset[int]], float] = {}

    def route(k: int, cities: frozenset[int]) -> float:
        if (k, cities) not in best:
            length = min(checked_length(problem, k, order) for order in permutations(cities))
            load = sum(problem.demand[c] for c in cities)
            vehicle = problem.vehicles[k]
            fits = length <= with_slack(vehicle.max_length) and load <= with_slack(vehicle.capacity)
            best[k, cities] = length if fits else math.inf
        return best[k, cities]

    fold = max if problem.objective == "minmax" else sum
    vehicles = range(problem.n_vehicles)
    return min(
        fold(
            route(k, frozenset(c for c, v in zip(problem.cities, owner, strict=True) if v == k))
            for k in vehicles
        )
        for owner in product(vehicles, repeat=problem.n_cities)
    )


def some_plan(problem: Problem) -> tuple[tuple[int, ...], ...]:
    return solve(problem, method="ce", perturbations=0).solution.tours


@needs_ortools
@given(problems(max_cities=5), problems(max_cities=5, objective="minsum"))
@settings(max_examples=15)
def test_circuits_find_what_trying_every_plan_finds(minmax: Problem, minsum: Problem) -> None:
    for problem in (minmax, minsum):
        plan = some_plan(problem)
        if not Solution(problem, plan).feasible:
            continue
        proof = prove_here(problem, plan, 0.0, math.inf, 0, "circuits")
        best = best_by_trying_all(problem)
        assert proof.optimal
        assert Solution(problem, proof.tours).cost == pytest.approx(best, rel=PROOF_TOLERANCE, abs=1e-9)
        assert proof.lower_bound == pytest.approx(best, rel=PROOF_TOLERANCE, abs=1e-6)


@needs_highs
@pytest.mark.parametrize("seed", range(6))
def test_the_strengthened_program_finds_what_trying_every_plan_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ends = ("own", "any", "open", 1, (0, 1))
    problem = Problem(
        n_depots=2,
        vehicles=tuple(
            Vehicle(start=int(rng.integers(2)), end=ends[rng.integers(5)], capacity=(math.inf, 9)[seed % 2])
            for _ in range(1 + seed % 3)
        ),
        matrix=rng.random((7, 7)),
        service=np.concatenate(([0, 0], rng.random(5) / 3)),
        demand=np.concatenate(([0, 0], rng.integers(1, 3, 5))),
        objective=("minmax", "minsum")[seed // 3],
    )
    plan = some_plan(problem)
    proof = prove(problem, plan, formulation="strengthened")
    best = best_by_trying_all(problem)
    assert proof.optimal
    assert Solution(problem, proof.tours).cost == pytest.approx(best, rel=PROOF_TOLERANCE)
    assert proof.lower_bound == pytest.approx(best, rel=PROOF_TOLERANCE)


@needs_highs
@pytest.mark.parametrize(("kind", "depots"), [("mtsp", 1), ("mdvrp", 2), ("fmdvrp", 2)])
def test_the_appendix_finds_what_trying_every_plan_finds(kind: str, depots: int) -> None:
    problem = random_problem(kind, np.random.default_rng(3), cities=5, depots=depots, vehicles=2)
    proof = prove(problem, some_plan(problem), formulation="appendix")
    assert proof.optimal
    assert Solution(problem, proof.tours).cost == pytest.approx(best_by_trying_all(problem), rel=1e-6)


@needs_highs
def test_in_the_appendix_a_vehicle_may_stay_at_home() -> None:
    # Both cities are at depot 0; as printed the program would send vehicle 1 from its far depot.
    coords = [[0, 0], [100, 0], [0, 1], [1, 0]]
    for make in (Problem.mdvrp, Problem.fmdvrp):
        problem = make(coords, n_depots=2, vehicles=2)
        proof = prove(problem, ((2,), (3,)), formulation="appendix")
        assert proof.optimal and proof.tours[1] == ()
        assert Solution(problem, proof.tours).cost == pytest.approx(2 + math.sqrt(2))


@needs_highs
def test_the_appendix_refuses_what_it_does_not_speak_of() -> None:
    problem = Problem.mtsp([[0, 0], [0, 1]], vehicles=1, max_length=5)
    with pytest.raises(InputError, match="minmax without limits"):
        prove(problem, ((1,),), formulation="appendix")


@needs_ortools
def test_the_result_carries_the_proof() -> None:
    problem = random_problem("fmdvrp", np.random.default_rng(1), cities=7, depots=2, vehicles=2)
    result = solve(problem, method="exact", seed=4)
    assert result.method == "exact" and result.feasible and result.optimal and result.gap == 0
    assert result.bound.kind == "exact" and result.lower_bound > result.bound.farthest


@needs_ortools
def test_a_time_limit_leaves_a_plan_and_a_bound_below_it() -> None:
    problem = random_problem("mtsp", np.random.default_rng(1), cities=25, vehicles=2)
    result = solve(problem, method="exact", time=1.0)
    assert result.feasible and 0 < result.lower_bound <= result.cost


def test_options_of_other_methods_are_refused_by_exact() -> None:
    with pytest.raises(InputError, match="intra is not an option of method exact"):
        solve(Problem.mtsp([[0, 0], [0, 1]], vehicles=1), method="exact", intra="2opt")


def test_a_missing_package_is_named_with_the_command_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neurocross.exact._installed", lambda package: False)
    with pytest.raises(MissingDependencyError, match=r"needs the package .*: pip install"):
        prove(Problem.mtsp([[0, 0], [0, 1]], vehicles=1), ((1,),))


@needs_ortools
@pytest.mark.parametrize("row", OPTIMA[:10:5] + OPTIMA[20:30:5], ids=str)
def test_stored_optima_are_proven_again(row: dict[str, str]) -> None:
    assert solve(stored(row), method="exact").cost == pytest.approx(float(row["optimum"]), rel=1e-6)


@pytest.mark.parametrize("method", [m for m in METHODS if m in ("ce", "nce", "hybrid")])
def test_methods_are_within_half_a_per_cent_of_proven_optima_on_average(method: str) -> None:
    limit = {"iterations": 2000} if method == "hybrid" else {}
    gaps = []
    for row, seed in product(OPTIMA, (1, 2, 3)):
        best = float(row["optimum"])
        gaps.append(solve(stored(row), method=method, seed=seed, **limit).cost / best - 1)
        assert gaps[-1] > -1e-6
    assert np.mean(gaps) < 0.005


def stored(row: dict[str, str]) -> Problem:
    cities, depots, vehicles, seed = (int(row[name]) for name in ("cities", "depots", "vehicles", "seed"))
    rng = np.random.default_rng(seed)
    return random_problem(row["kind"], rng, cities=cities, depots=depots, vehicles=vehicles)


def test_a_smallest_cut_is_found() -> None:
    capacity = {(0, 1): 1.0, (0, 2): 0.5, (1, 3): 0.25, (2, 3): 1.0, (3, 4): 2.0}
    assert min_cut(capacity, 0, 3) == (0.75, {2, 3, 4})


def test_equal_vehicles_are_named_by_their_first_city() -> None:
    problem = Problem.mdvrp(np.random.default_rng(0).random((8, 2)), n_depots=2, vehicles=[2, 1])
    assert equal_neighbours(problem) == [(0, 1)]
    assert in_fixed_order(problem, ((5, 4), (3, 7), (6, 2))) == ((3, 7), (5, 4), (6, 2))
