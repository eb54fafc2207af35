"""Several starts: the answer is the best of them, whatever the order in which they end."""

from __future__ import annotations

import numpy as np
import pytest

from neurocross import InputError, Problem, random_problem, solve
from neurocross.multistart import solve_starts
from neurocross.parallel import Done, LostError, Team

PROBLEM = random_problem("fmdvrp", np.random.default_rng(7), cities=40, depots=2, vehicles=3)


class InProcess:
    """Runs every search here, but for those that are lost, and answers in a given order."""

    def __init__(self, order: list[int], lost: tuple[int, ...] = ()) -> None:
        self.order, self.lost, self.ran = order, lost, 0

    def map(self, function, tasks, **options):
        tasks = list(tasks)
        for number in self.order:
            self.ran += 1
            if number in self.lost:
                yield Done(number, tasks[number], None, LostError("the process ended with code -9"))
                continue
            yield Done(number, tasks[number], function(tasks[number]), None)


def test_the_best_of_the_seeds_answers_and_all_iterations_count(workers: Team) -> None:
    alone = [solve(PROBLEM, seed=seed, iterations=300) for seed in (5, 6, 7, 8)]
    heard = []
    result = solve_starts(PROBLEM, 4, workers, seed=5, iterations=300, on_best=heard.append)
    best = min(alone, key=lambda one: one.solution.key)
    assert len({one.cost for one in alone}) > 1
    assert result.solution.tours == best.solution.tours and result.seed == best.seed
    assert result.iterations == sum(one.iterations for one in alone)
    assert heard[-1].value == result.cost


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
def test_the_order_in_which_they_end_does_not_matter(order: list[int]) -> None:
    expected = solve_starts(PROBLEM, 3, InProcess([0, 1, 2]), iterations=200)
    found = solve_starts(PROBLEM, 3, InProcess(order), iterations=200)
    assert (found.solution.tours, found.seed) == (expected.solution.tours, expected.seed)


@pytest.mark.parametrize(("order", "ran"), [([0, 1, 2], 1), ([2, 1, 0], 3), ([1, 0, 2], 2)])
def test_the_first_proven_optimum_by_number_answers_and_later_ones_need_not_run(
    order: list[int], ran: int
) -> None:
    far = Problem.mtsp([[0, 0], [9, 0], [0, 1], [1, 0], [1, 1]], vehicles=4)  # the far city decides
    team = InProcess(order)
    result = solve_starts(far, 3, team, seed=2, iterations=200)
    assert result.optimal and result.seed == 2 and team.ran == ran


def test_a_start_whose_workers_died_is_left_out() -> None:
    found = solve_starts(PROBLEM, 3, InProcess([0, 1, 2], lost=(0,)), seed=5, iterations=200)
    expected = solve_starts(PROBLEM, 2, InProcess([0, 1]), seed=6, iterations=200)
    assert found.solution.tours == expected.solution.tours
    with pytest.raises(LostError, match="ended with code -9"):
        solve_starts(PROBLEM, 2, InProcess([0, 1], lost=(0, 1)), iterations=200)


def test_a_number_of_starts_below_1_is_refused(workers: Team) -> None:
    with pytest.raises(InputError, match="starts must be at least 1, not 0"):
        solve_starts(PROBLEM, 0, workers)
