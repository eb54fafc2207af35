"""SelectTours, RandomExchange and IntraOperation."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import problems

from neurocross.errors import MissingDependencyError
from neurocross.generate import random_problem
from neurocross.operators.construct import initial_solution
from neurocross.operators.intra import INTRA_OPERATORS
from neurocross.operators.perturb import random_exchange
from neurocross.operators.select import max_min, random_pair, sweep
from neurocross.problem import Problem

RNG = np.random.default_rng(0)
FOUR = Problem.mtsp(np.random.default_rng(0).random((9, 2)), vehicles=4)


def test_max_min_is_the_longest_and_the_shortest() -> None:
    assert list(max_min(FOUR, [3.0, 5.0, 1.0, 4.0], RNG)) == [(1, 2)]


def test_random_is_one_pair_of_two_different_tours_and_reaches_every_pair() -> None:
    seen = {tuple(sorted(next(iter(random_pair(FOUR, [1.0] * 4, RNG))))) for _ in range(300)}
    assert seen == {(i, j) for i in range(4) for j in range(i + 1, 4)}


def test_sweep_begins_with_the_longest_and_every_other_shortest_first() -> None:
    pairs = [(1, 2), (1, 0), (1, 3), (3, 2), (3, 0), (0, 2)]
    assert list(sweep(FOUR, [3.0, 5.0, 1.0, 4.0], RNG)) == pairs


@given(st.lists(st.floats(0.1, 9.0), min_size=2, max_size=8), st.sampled_from(["minmax", "minsum"]))
def test_sweep_offers_every_two_tours_once_the_longer_one_first(lengths: list[float], objective: str) -> None:
    problem = Problem.mtsp(np.ones((9, 2)), vehicles=len(lengths)).with_(objective=objective)
    pairs = list(sweep(problem, lengths, RNG))
    assert sorted(tuple(sorted(pair)) for pair in pairs) == list(combinations(range(len(lengths)), 2))
    assert all(lengths[i] >= lengths[j] for i, j in pairs)


def test_sweep_pairs_every_two_tours_when_the_sum_counts() -> None:
    assert len(list(sweep(FOUR.with_(objective="minsum"), [3.0, 5.0, 1.0, 4.0], RNG))) == 6


def test_sweep_offers_one_of_several_unused_vehicles_that_are_alike() -> None:
    assert list(sweep(FOUR, [0.0, 5.0, 0.0, 4.0], RNG)) == [(1, 0), (1, 3), (3, 0)]


@pytest.mark.parametrize("select", [max_min, random_pair, sweep])
def test_a_lone_tour_is_paired_with_itself(select) -> None:
    assert list(select(Problem.tsp([[0, 0], [1, 1]]), [2.8], RNG)) == [(0, 0)]


@given(problems(max_cities=10), st.integers(0, 2**32 - 1))
def test_a_perturbation_keeps_all_cities_and_the_limits_of_the_tours_it_changes(
    problem: Problem, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    tours = initial_solution(problem, rng)
    plan = random_exchange(problem, tours, rng)
    if plan is None:
        return
    assert sorted(np.concatenate(plan).tolist()) == sorted(np.concatenate(tours).tolist())
    if len(tours) > 1:
        changed = [k for k, cities in enumerate(plan) if cities is not tours[k]]
        assert all(problem.core.keeps_limits(k, plan[k]) for k in changed)


def test_a_perturbation_is_drawn_from_the_seed_and_changes_the_plan() -> None:
    tours = initial_solution(FOUR, np.random.default_rng(1))
    plans = [random_exchange(FOUR, tours, np.random.default_rng(2)) for _ in range(2)]
    assert str(plans[0]) == str(plans[1]) != str(tours)


def test_a_perturbation_reaches_more_than_two_tours() -> None:
    tours = [np.array([2 * k + 1, 2 * k + 2], np.int32) for k in range(4)]
    plans = [random_exchange(FOUR, tours, RNG) or tours for _ in range(20)]
    changed = [sum(plan[k] is not tours[k] for k in range(4)) for plan in plans]
    assert max(changed) > 2


def test_limits_that_forbid_every_exchange_are_said_by_none() -> None:
    problem = Problem.cvrp(np.eye(3, 2), demand=[0, 3, 2], capacity=3, vehicles=2)
    wide, narrow = problem.vehicles[0], replace(problem.vehicles[1], capacity=2)
    full = problem.with_(vehicles=(wide, narrow))
    assert random_exchange(full, [np.array([1], np.int32), np.array([2], np.int32)], RNG) is None


def test_nothing_to_perturb_is_said_by_none() -> None:
    assert random_exchange(Problem.mtsp([[0, 0]], vehicles=2), [np.empty(0, np.int32)] * 2, RNG) is None


@pytest.mark.parametrize("name", ["elkai", "ortools"])
def test_a_missing_adapter_says_what_to_install(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (name, f"{name}.constraint_solver"):  # the part may be loaded already
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(
        MissingDependencyError, match=f"--intra {name} needs the package {name}.*pip install {name}"
    ):
        INTRA_OPERATORS[name](FOUR, 0, np.array([1, 2, 3], np.int32), 1.0)


@pytest.mark.parametrize("name", INTRA_OPERATORS)
def test_no_intra_operator_lengthens_a_route_or_loses_a_city(name: str) -> None:
    if name in ("elkai", "ortools"):
        pytest.importorskip(name, reason=f"{name} is not installed")
    problem = random_problem("fmdvrp", np.random.default_rng(2), cities=20, depots=3, vehicles=1)
    cities = np.array(list(problem.cities), np.int32)
    after = INTRA_OPERATORS[name](problem, 0, cities, 5.0)
    assert sorted(after.tolist()) == sorted(cities.tolist())
    assert problem.core.length(0, after) < problem.core.length(0, cities)
