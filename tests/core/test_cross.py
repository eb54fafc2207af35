"""The exchange kernels against twins that build every tour and measure it from scratch."""

from __future__ import annotations

import numpy as np
import pytest
import twins
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import Pair, pairs

from neurocross import _core
from neurocross.problem import Problem
from neurocross.solution import checked_length

OBJECTIVES = ("minmax", "minsum")
objectives = st.sampled_from(OBJECTIVES)


def arguments(pair: Pair, objective: str) -> tuple:
    return pair.problem.core, OBJECTIVES.index(objective), 0, pair.t1, 1, pair.t2


def measured(pair: Pair, objective: str, x: _core.Exchange) -> float:
    return twins.value(pair.problem, objective, *twins.swapped(pair.t1, pair.t2, x.a1, x.b1, x.a2, x.b2))


@given(pairs(max_cities=6))
def test_the_cost_of_every_exchange_is_the_length_of_the_tours_it_makes(pair: Pair) -> None:
    for cut in twins.exchanges(len(pair.t1), len(pair.t2)):
        costs = _core.cross_cost(pair.problem.core, 0, pair.t1, 1, pair.t2, *cut)
        after = twins.swapped(pair.t1, pair.t2, *cut)
        assert costs == pytest.approx(
            [checked_length(pair.problem, k, t) for k, t in enumerate(after)], abs=1e-9
        )


@given(pairs(max_cities=6), objectives)
def test_brute_force_finds_the_best_exchange_there_is(pair: Pair, objective: str) -> None:
    best = _core.cross_brute(*arguments(pair, objective))
    gain = max(twins.labels(pair.problem, objective, pair.t1, pair.t2).values())
    now = twins.value(pair.problem, objective, pair.t1, pair.t2)
    assert best.value == pytest.approx(now - gain, abs=1e-9)
    assert measured(pair, objective, best) == pytest.approx(best.value, abs=1e-9)


@settings(max_examples=3000)
@given(pairs(max_cities=14), objectives)
def test_the_separable_search_finds_the_same_value_as_brute_force(pair: Pair, objective: str) -> None:
    exact = _core.cross_exact(*arguments(pair, objective))
    assert exact.value == pytest.approx(_core.cross_brute(*arguments(pair, objective)).value, abs=1e-9)
    assert measured(pair, objective, exact) == pytest.approx(exact.value, abs=1e-9)
    after = twins.swapped(pair.t1, pair.t2, exact.a1, exact.b1, exact.a2, exact.b2)
    assert twins.keeps_limits(pair.problem, (pair.t1, pair.t2), after)


@given(pairs(max_cities=6), objectives)
def test_labels_are_the_gain_of_the_best_exchange_from_every_start(pair: Pair, objective: str) -> None:
    labels = _core.cross_labels(*arguments(pair, objective))
    assert labels.shape == (len(pair.t1) + 1, len(pair.t2) + 1)
    expected = twins.labels(pair.problem, objective, pair.t1, pair.t2)
    assert {start: labels[start] for start in expected} == pytest.approx(expected, abs=1e-9)


@given(pairs(max_cities=10), objectives, st.integers(0, 2**32 - 1))
def test_the_reduced_search_gains_the_largest_label_of_its_starts(
    pair: Pair, objective: str, seed: int
) -> None:
    labels = _core.cross_labels(*arguments(pair, objective))
    rng = np.random.default_rng(seed)
    starts = [(int(rng.integers(s)), int(rng.integers(t))) for s, t in [labels.shape] * 3]
    best = _core.cross_from(*arguments(pair, objective), starts)
    now = twins.value(pair.problem, objective, pair.t1, pair.t2)
    assert now - best.value == pytest.approx(max(labels[start] for start in starts), abs=1e-9)


@given(pairs(max_cities=30), objectives)
def test_avx2_and_portable_kernels_give_the_same_bits(pair: Pair, objective: str) -> None:
    if not _core.use_avx2(True):
        pytest.skip("this machine has no AVX2")
    fast, fast_labels = (
        _core.cross_exact(*arguments(pair, objective)),
        _core.cross_labels(*arguments(pair, objective)),
    )
    _core.use_avx2(False)
    plain, plain_labels = (
        _core.cross_exact(*arguments(pair, objective)),
        _core.cross_labels(*arguments(pair, objective)),
    )
    _core.use_avx2(True)
    assert [getattr(fast, k) for k in ("a1", "b1", "a2", "b2", "value")] == [
        getattr(plain, k) for k in ("a1", "b1", "a2", "b2", "value")
    ]
    assert np.array_equal(fast_labels, plain_labels)


def test_a_tour_that_gives_all_its_cities_away_costs_nothing() -> None:
    # Vehicle 1 fetches one city next to vehicle 0's only city: 0 takes it over on its way.
    problem = Problem.mtsp([[0, 0], [3, 0], [3, 1]], vehicles=2)
    t1, t2 = np.array([1], np.int32), np.array([2], np.int32)
    best = _core.cross_exact(problem.core, 1, 0, t1, 1, t2)
    assert best.value == pytest.approx(3 + 1 + 10**0.5)
    assert sorted(_core.cross_cost(problem.core, 0, t1, 1, t2, best.a1, best.b1, best.a2, best.b2))[0] == 0.0


def test_an_expired_deadline_returns_a_valid_exchange() -> None:
    rng = np.random.default_rng(1)
    problem = Problem.mtsp(rng.random((401, 2)), vehicles=2)
    t1, t2 = np.arange(1, 201, dtype=np.int32), np.arange(201, 401, dtype=np.int32)
    for find in (_core.cross_exact, _core.cross_brute):
        best = find(problem.core, 0, 0, t1, 1, t2, 0.0)
        assert max(
            _core.cross_cost(problem.core, 0, t1, 1, t2, best.a1, best.b1, best.a2, best.b2)
        ) == pytest.approx(best.value)


def test_tours_longer_than_a_window_are_searched_window_by_window() -> None:
    # Two parallel lines of 1,500 cities whose last hundred have changed sides: within one window of each.
    n, moved = 1500, 100
    x = np.arange(n, dtype=float)
    line1, line2 = np.stack([x, np.zeros(n)], 1), np.stack([x, np.full(n, 1000.0)], 1)
    problem = Problem.mdvrp(np.vstack([[[-1, 0], [-1, 1000]], line1, line2]), n_depots=2, vehicles=2)
    first, second = np.arange(2, n + 2, dtype=np.int32), np.arange(n + 2, 2 * n + 2, dtype=np.int32)
    t1, t2 = (
        np.concatenate((first[:-moved], second[-moved:])),
        np.concatenate((second[:-moved], first[-moved:])),
    )
    best = _core.cross_exact(problem.core, 1, 0, t1, 1, t2)
    assert (best.a1, best.b1, best.a2, best.b2) == (n - moved, n, n - moved, n)
    assert best.value == pytest.approx(checked_length(problem, 0, first) + checked_length(problem, 1, second))
