from __future__ import annotations

import numpy as np
import pytest

from neurocross import Problem, _core
from neurocross.errors import InputError, TooLargeError
from neurocross.operators.construct import initial_solution
from neurocross.operators.neuro_cross import NeuroCross


def an_instance(seed: int = 0, n: int = 14) -> tuple[Problem, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    problem = Problem.fmdvrp(rng.random((n + 2, 2)), n_depots=2, vehicles=2)
    return problem, *initial_solution(problem, rng)


class Oracle:
    """Predicts the true decrements and counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, problem, pairs, seconds):
        self.asked += len(pairs)
        objective = 0 if problem.objective == "minmax" else 1
        return [_core.cross_labels(problem.core, objective, *pair) for pair in pairs]


@pytest.mark.parametrize("objective", ["minmax", "minsum"])
@pytest.mark.parametrize("seed", range(5))
def test_with_perfect_predictions_one_candidate_finds_the_best_exchange(seed, objective):
    problem, t1, t2 = an_instance(seed)
    problem = problem.with_(objective=objective)
    found = NeuroCross(Oracle(), k=1)(problem, 0, t1, 1, t2, 1.0)
    best = _core.cross_exact(problem.core, 0 if objective == "minmax" else 1, 0, t1, 1, t2)
    assert found.value == pytest.approx(best.value, abs=1e-9)


def test_with_all_candidates_the_predictions_do_not_matter():
    problem, t1, t2 = an_instance()
    rng = np.random.default_rng(1)

    def guess(problem, pairs, seconds):
        return [rng.random((len(t1) + 1, len(t2) + 1)) for _, t1, _, t2 in pairs]

    found = NeuroCross(guess, k=10**6)(problem, 0, t1, 1, t2, 1.0)
    assert found.value == pytest.approx(_core.cross_exact(problem.core, 0, 0, t1, 1, t2).value, abs=1e-9)


def test_candidates_are_the_k_largest_predictions_best_first():
    problem, t1, t2 = an_instance()
    table = np.random.default_rng(2).permutation((len(t1) + 1) * (len(t2) + 1)).reshape(len(t1) + 1, -1)
    chosen = NeuroCross(lambda *_: [table], k=4).candidates(problem, 0, t1, 1, t2, 1.0)
    assert [table[pair] for pair in chosen] == [table.size - 1 - rank for rank in range(4)]


def test_a_prediction_is_asked_for_once_until_a_tour_changes():
    problem, t1, t2 = an_instance()
    oracle = Oracle()
    operator = NeuroCross(oracle)
    for _ in range(3):
        operator(problem, 0, t1, 1, t2, 1.0)
    assert oracle.asked == 1
    operator(problem, 0, t1[::-1].copy(), 1, t2, 1.0)
    assert oracle.asked == 2


@pytest.mark.parametrize("k", [0, -3])
def test_fewer_than_one_candidate_is_refused(k):
    with pytest.raises(InputError, match="k must be at least 1"):
        NeuroCross(Oracle(), k=k)


def test_a_pair_that_has_grown_too_long_is_passed_over_but_a_search_does_not_begin_with_one():
    problem, t1, t2 = an_instance()

    class Shortsighted(Oracle):
        def __call__(self, problem, pairs, seconds):
            if len(pairs[0][1]) > len(t1):
                raise TooLargeError("too long")
            return super().__call__(problem, pairs, seconds)

    operator = NeuroCross(Shortsighted())
    longer = np.append(t1, t2[-1:]), t2[:-1]
    with pytest.raises(TooLargeError):
        operator(problem, 0, longer[0], 1, longer[1], 1.0)
    operator(problem, 0, t1, 1, t2, 1.0)
    assert not operator(problem, 0, longer[0], 1, longer[1], 1.0).moves


def test_without_time_for_a_prediction_there_is_no_exchange():
    problem, t1, t2 = an_instance()
    operator = NeuroCross(lambda *_: [])
    assert not operator(problem, 0, t1, 1, t2, 0.0).moves
