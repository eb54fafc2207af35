"""GetInitialSolution and the completion of given plans."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import problems

from neurocross.generate import random_problem
from neurocross.operators.construct import each_city_once, initial_solution
from neurocross.problem import Problem
from neurocross.solution import Solution


@given(problems(max_cities=12), st.integers(0, 2**32 - 1))
def test_every_city_is_visited_exactly_once(problem: Problem, seed: int) -> None:
    tours = initial_solution(problem, np.random.default_rng(seed))
    assert len(tours) == problem.n_vehicles
    assert sorted(np.concatenate(tours).tolist()) == list(problem.cities)


def test_two_far_groups_become_the_tours_of_the_vehicles_that_start_there() -> None:
    rng = np.random.default_rng(3)
    west, east = rng.random((10, 2)), rng.random((10, 2)) + np.array([100, 0])
    problem = Problem.mdvrp(np.vstack([[[0, 0], [100, 0]], west, east]), n_depots=2, vehicles=2)
    tours = initial_solution(problem, rng)
    assert sorted(tours[0].tolist()) == list(range(2, 12))
    assert sorted(tours[1].tolist()) == list(range(12, 22))


def test_a_matrix_without_coordinates_is_clustered_by_its_distances() -> None:
    rng = np.random.default_rng(3)
    points = np.vstack([[[0, 0]], rng.random((10, 2)), rng.random((10, 2)) + np.array([100, 0])])
    matrix = np.linalg.norm(points[:, None] - points[None], axis=2)
    tours = initial_solution(Problem.mtsp(matrix=matrix, vehicles=2), rng)
    assert {frozenset(t.tolist()) for t in tours} == {frozenset(range(1, 11)), frozenset(range(11, 21))}


@pytest.mark.parametrize("seed", range(20))
def test_capacities_are_kept_in_random_cvrp(seed: int) -> None:
    problem = random_problem("cvrp", np.random.default_rng(seed), cities=60)
    assert Solution(problem, initial_solution(problem, np.random.default_rng(seed))).feasible


def test_a_tight_fleet_is_packed_without_regard_to_the_map() -> None:
    # 6+4 and 5+5 fill two vehicles of 10 exactly; nearest-first packing would strand somebody.
    coords = [[0, 0], [1, 0], [1, 1], [9, 0], [9, 1]]
    problem = Problem.cvrp(coords, demand=[0, 6, 5, 5, 4], capacity=10, vehicles=2)
    for seed in range(10):
        assert Solution(problem, initial_solution(problem, np.random.default_rng(seed))).feasible


def test_an_impossible_fleet_still_gets_a_complete_plan() -> None:
    problem = Problem.cvrp([[0, 0], [1, 0], [2, 0]], demand=[0, 8, 8], capacity=10, vehicles=1)
    solution = Solution(problem, initial_solution(problem, np.random.default_rng(0)))
    assert solution.check() == ["vehicle 1 carries 16, its capacity is 10"]


def test_an_unlimited_fleet_starts_with_little_more_than_the_vehicles_it_needs() -> None:
    problem = random_problem("cvrp", np.random.default_rng(1), cities=100)
    used = sum(len(t) > 0 for t in initial_solution(problem, np.random.default_rng(1)))
    needed = problem.demand.sum() / problem.vehicles[0].capacity
    assert needed <= used <= 1.3 * needed


def test_the_same_seed_gives_the_same_tours() -> None:
    problem = random_problem("fmdvrp", np.random.default_rng(0), cities=40, depots=3, vehicles=4)
    first, second = (initial_solution(problem, np.random.default_rng(5)) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


@given(problems(vehicles=2, max_cities=6), st.data())
def test_a_given_plan_keeps_the_order_of_its_cities_and_loses_their_second_visits(
    problem: Problem, data: st.DataObject
) -> None:
    cities = st.lists(st.integers(0, problem.n_nodes - 1), max_size=6)
    given_tours = [data.draw(cities), data.draw(cities)]
    first, second = (tour.tolist() for tour in each_city_once(problem, given_tours))
    assert first == [c for c in dict.fromkeys(given_tours[0]) if c >= problem.n_depots]
    assert first + second == [
        c for c in dict.fromkeys(given_tours[0] + given_tours[1]) if c >= problem.n_depots
    ]
