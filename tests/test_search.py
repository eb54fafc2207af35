"""Algorithm 1 as a loop: its limits, its memory, what it returns."""

from __future__ import annotations

import numpy as np
import pytest

from neurocross.errors import InputError
from neurocross.generate import random_problem
from neurocross.operators.construct import initial_solution
from neurocross.operators.cross_exchange import cross_exchange
from neurocross.operators.intra import two_opt_and_or_opt
from neurocross.operators.perturb import random_exchange
from neurocross.operators.select import sweep
from neurocross.problem import Problem
from neurocross.search import Limits, Outcome, Parts, search
from neurocross.solution import Solution

PROBLEM = random_problem("mtsp", np.random.default_rng(0), cities=30, vehicles=3)


def parts(**changes) -> Parts:
    return Parts(**{
        "initial_solution": initial_solution, "select_tours": sweep, "exchange": cross_exchange,
        "intra": two_opt_and_or_opt, "random_exchange": random_exchange, **changes,
    })  # fmt: skip


def run(limits: Limits, seed: int = 1, on_best=None, **changes) -> Outcome:
    return search(PROBLEM, parts(**changes), limits, np.random.default_rng(seed), on_best)


def makespan(outcome: Outcome) -> float:
    return Solution(PROBLEM, outcome.tours).makespan


def test_p_perturbations_are_p_plus_one_descents() -> None:
    kicks = []

    def counting(*arguments):
        kicks.append(1)
        return random_exchange(*arguments)

    run(Limits(perturbations=4), random_exchange=counting)
    assert len(kicks) == 4


def test_no_perturbation_ends_in_a_local_optimum_of_every_pair_in_both_directions() -> None:
    tours = run(Limits(perturbations=0)).tours
    lengths = [PROBLEM.core.length(k, t) for k, t in enumerate(tours)]
    for i, j in sweep(PROBLEM, lengths, np.random.default_rng(0)):
        for second in (tours[j], tours[j][::-1].copy()):
            value = cross_exchange(PROBLEM, i, tours[i], j, second, 9.0).value
            assert value >= max(lengths[i], lengths[j]) - 1e-9


def test_a_tour_is_turned_round_only_where_that_is_no_longer() -> None:
    offered: list[bytes] = []

    def spy(problem, v1, t1, v2, t2, seconds):
        offered.append(t2.tobytes())
        return cross_exchange(problem, v1, t1, v2, t2, seconds)

    matrix = np.array([[0, 1, 9, 9], [9, 0, 1, 9], [1, 9, 0, 9], [1, 9, 9, 0]], float)
    one_way = Problem.mtsp(matrix=matrix, vehicles=2)
    tours = [np.array([3], np.int32), np.array([1, 2], np.int32)]
    search(
        one_way,
        parts(exchange=spy, initial_solution=lambda *_: tours),
        Limits(perturbations=0),
        np.random.default_rng(0),
    )
    assert tours[1][::-1].tobytes() not in offered


def test_more_perturbations_from_the_same_seed_are_never_worse() -> None:
    values = [makespan(run(Limits(perturbations=p))) for p in (0, 1, 5, 50)]
    assert values == sorted(values, reverse=True)


def test_the_trace_falls_to_the_value_returned() -> None:
    outcome = run(Limits(perturbations=20))
    values = [value for _, _, value in outcome.trace]
    assert values == sorted(values, reverse=True)
    assert values[-1] == pytest.approx(makespan(outcome))


def test_on_best_is_told_of_every_point_of_the_trace() -> None:
    told = []
    outcome = run(
        Limits(perturbations=20), on_best=lambda point, tours: told.append((point, [t.copy() for t in tours]))
    )
    assert [point for point, _ in told] == list(outcome.trace)
    assert makespan(outcome) == pytest.approx(Solution(PROBLEM, told[-1][1]).makespan)


def test_iterations_are_counted_and_kept() -> None:
    assert run(Limits(iterations=17)).iterations == 17


def test_no_improvement_ends_the_search() -> None:
    outcome = run(Limits(no_improvement=30))
    assert outcome.iterations - outcome.trace[-1][1] <= 30 + 3


def test_a_target_that_is_met_ends_the_search() -> None:
    first = makespan(run(Limits(perturbations=0)))
    outcome = run(Limits(perturbations=10_000, target=first))
    assert outcome.iterations < 100 and makespan(outcome) <= first


def test_no_time_at_all_returns_the_initial_tours() -> None:
    expected = initial_solution(PROBLEM, np.random.default_rng(1))
    assert all(np.array_equal(a, b) for a, b in zip(run(Limits(seconds=0.0)).tours, expected, strict=True))


def test_ctrl_c_returns_the_best_so_far() -> None:
    calls = []

    def interrupted(*arguments):
        calls.append(1)
        if len(calls) == 40:
            raise KeyboardInterrupt
        return cross_exchange(*arguments)

    outcome = run(Limits(), exchange=interrupted)
    assert outcome.interrupted
    assert Solution(PROBLEM, outcome.tours).feasible


def test_a_pair_is_not_tried_again_before_one_of_its_tours_changes() -> None:
    tried: set[tuple[bytes, bytes]] = set()

    def once(problem, v1, t1, v2, t2, seconds):
        pair = (bytes([v1]) + t1.tobytes(), bytes([v2]) + t2.tobytes())
        assert pair not in tried
        tried.add(pair)
        return cross_exchange(problem, v1, t1, v2, t2, seconds)

    run(Limits(perturbations=0), exchange=once)
    assert len(tried) >= 5


def test_better_perturbs_the_best_tours_and_walk_the_current_ones() -> None:
    best: list[float] = []
    perturbed: list[float] = []

    def spy(problem, tours, rng):
        perturbed.append(Solution(problem, tours).makespan)
        best.append(min([*best[-1:], perturbed[-1]]))
        return random_exchange(problem, tours, rng)

    run(Limits(perturbations=60), random_exchange=spy, accept="better")
    assert perturbed == pytest.approx(best)
    best.clear(), perturbed.clear()
    run(Limits(perturbations=60), random_exchange=spy, accept="walk")
    assert perturbed != pytest.approx(best)


@pytest.mark.parametrize("name", ["seconds", "iterations", "perturbations", "no_improvement"])
def test_a_negative_limit_is_refused_by_name(name: str) -> None:
    with pytest.raises(InputError, match=name):
        Limits(**{name: -1})
