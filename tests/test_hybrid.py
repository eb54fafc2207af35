from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import problems
from twins import best_by_force

from neurocross import _core
from neurocross.errors import InputError
from neurocross.hybrid import hybrid
from neurocross.problem import Problem, Vehicle
from neurocross.solution import Solution

OBJECTIVES = st.sampled_from(["minmax", "minsum"])


def solved(problem: Problem, **options: object) -> Solution:
    return Solution(problem, hybrid(problem, **options).tours)


@given(problems(max_cities=12), OBJECTIVES, st.integers(0, 2**64 - 1), st.integers(0, 300))
@settings(max_examples=1000)
def test_every_city_is_visited_once_and_the_value_told_is_the_value(
    problem: Problem, objective: str, seed: int, iterations: int
) -> None:
    problem = problem.with_(objective=objective)
    outcome = hybrid(problem, seed=seed, iterations=iterations)
    plan = Solution(problem, outcome.tours)
    assert sorted(city for tour in plan.tours for city in tour) == list(problem.cities)
    assert plan.cost == pytest.approx(outcome.trace[-1][2], abs=1e-9)
    assert outcome.iterations <= iterations


@given(problems(max_cities=5), OBJECTIVES, st.integers(0, 100))
@settings(max_examples=150, derandomize=True)  # the engine proves nothing: one case in a thousand fails
def test_small_problems_are_solved_to_the_optimum(problem: Problem, objective: str, seed: int) -> None:
    problem = problem.with_(objective=objective)
    optimum = best_by_force(problem)
    plans = [solved(problem, seed=seed + k, iterations=2000) for k in range(3)]
    costs = [plan.cost for plan in plans if plan.feasible]
    assert bool(costs) == (optimum is not None)
    if optimum is not None:
        assert min(costs) == pytest.approx(optimum[0], abs=1e-9)


@given(problems(max_cities=12), OBJECTIVES, st.integers(0, 100), st.integers(1, 3))
@settings(max_examples=200)
def test_same_seed_and_iterations_give_the_same_tours(
    problem: Problem, objective: str, seed: int, threads: int
) -> None:
    problem = problem.with_(objective=objective)
    first, second = (hybrid(problem, seed=seed, iterations=100, threads=threads) for _ in range(2))
    assert first.tours == second.tours
    assert [point[2] for point in first.trace] == [point[2] for point in second.trace]


@given(problems(max_cities=12), OBJECTIVES, st.integers(0, 100))
@settings(max_examples=200)
def test_a_start_is_never_made_worse(problem: Problem, objective: str, seed: int) -> None:
    problem = problem.with_(objective=objective)
    start = solved(problem, seed=seed, iterations=20)
    plan = solved(problem, seed=seed + 1, iterations=50, start=start)
    if start.feasible:
        assert plan.feasible
        assert plan.cost <= start.cost + 1e-9


def random_cities(n: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).random((n, 2))


def test_a_start_may_leave_cities_out() -> None:
    problem = Problem.mtsp(random_cities(30), vehicles=3)
    assert solved(problem, time_limit=0, start=[[3, 4], [5]]).feasible


def test_a_start_that_visits_a_city_twice_is_refused() -> None:
    problem = Problem.mtsp(random_cities(5), vehicles=2)
    with pytest.raises(InputError, match="visits city '3' 2 times"):
        hybrid(problem, time_limit=0, start=[[3], [3]])


def test_twenty_stops_at_distance_one_are_shared_evenly_at_once() -> None:
    matrix = 1.0 - np.eye(21)
    plan = solved(Problem.mtsp(matrix=matrix, vehicles=5), time_limit=0)
    assert plan.makespan == 5


def test_time_limit_0_gives_the_construction() -> None:
    outcome = hybrid(Problem.mtsp(random_cities(50), vehicles=4), time_limit=0)
    assert (outcome.iterations, outcome.stopped) == (0, "time")


def test_the_trace_falls_and_ends_at_the_answer() -> None:
    problem = Problem.mtsp(random_cities(60), vehicles=4)
    outcome = hybrid(problem, iterations=3000)
    values = [point[2] for point in outcome.trace]
    assert values == sorted(values, reverse=True)
    assert values[-1] == pytest.approx(Solution(problem, outcome.tours).makespan)


def test_the_last_plan_on_best_hears_of_is_the_answer() -> None:
    heard = []
    problem = Problem.mtsp(random_cities(60), vehicles=4)
    outcome = hybrid(problem, iterations=3000, on_best=lambda point, tours: heard.append(tours))
    assert Solution(problem, heard[-1]).makespan == pytest.approx(outcome.trace[-1][2])


@pytest.mark.parametrize(
    ("limits", "stopped"),
    [
        ({"iterations": 100}, "iterations"),
        ({"no_improvement": 500}, "no_improvement"),
        ({"target": 100.0, "iterations": 100}, "target"),
        ({"lower_bound": 100.0, "iterations": 100}, "bound"),
        ({"time_limit": 0.05}, "time"),
    ],
)
def test_each_limit_ends_the_search(limits: dict[str, float], stopped: str) -> None:
    assert hybrid(Problem.mtsp(random_cities(30), vehicles=3), **limits).stopped == stopped


INTERRUPTED = """
import os, signal, threading
import numpy as np
from neurocross import Problem, Solution
from neurocross.hybrid import hybrid

signal.signal(signal.SIGINT, signal.default_int_handler)
problem = Problem.mtsp(np.random.default_rng(0).random((31, 2)), vehicles=3)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
outcome = hybrid(problem, time_limit=60, threads={threads})
print(outcome.stopped, Solution(problem, outcome.tours).feasible)
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_ends_the_search_with_the_best_so_far(threads: int) -> None:
    program = INTERRUPTED.format(threads=threads)  # on its own: nothing else must hear the signal
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["interrupted", "True"]


def test_an_error_in_on_best_comes_out_of_every_number_of_threads() -> None:
    def fail(point: object, tours: object) -> None:
        raise ValueError("heard enough")

    for threads in (1, 2):
        with pytest.raises(ValueError, match="heard enough"):
            hybrid(Problem.mtsp(random_cities(30), vehicles=3), time_limit=5, on_best=fail, threads=threads)


def test_several_threads_do_the_work_of_several() -> None:
    problem = Problem.mtsp(random_cities(30), vehicles=3)
    assert hybrid(problem, iterations=100, threads=3).iterations == 300


def test_a_fleet_that_cannot_carry_everything_gets_a_complete_plan_with_little_excess() -> None:
    problem = Problem.cvrp(random_cities(11), demand=[0, *[3] * 10], capacity=10, vehicles=2)
    plan = solved(problem, iterations=2000)
    assert sorted(city for tour in plan.tours for city in tour) == list(problem.cities)
    assert sorted(route.load for route in plan.routes) in ([9, 21], [12, 18], [15, 15])


def test_the_first_plan_of_an_unlimited_fleet_keeps_its_limits_however_far_the_depot() -> None:
    problem = Problem.cvrp(random_cities(1001), demand=[0, *[1] * 1000], capacity=10, max_length=9.0)
    for place in (problem.coords, np.vstack([[3.0, 3.0], problem.coords[1:]])):
        assert solved(problem.with_(coords=place), iterations=0).feasible


def test_a_tight_fleet_is_packed() -> None:
    # Two of 6 and two of 4 in each of five vehicles of 20: no other packing fits.
    demand = [0, *[6] * 10, *[4] * 10]
    problem = Problem.cvrp(random_cities(21), demand=demand, capacity=20, vehicles=5)
    assert solved(problem, iterations=20_000).feasible


def test_coordinates_alone_are_enough_for_thousands_of_cities() -> None:
    problem = Problem.mtsp(random_cities(3000), vehicles=3)
    assert solved(problem, iterations=2000).feasible


@pytest.mark.parametrize("metric", ["manhattan", "haversine", "att", "geo"])
def test_neighbours_in_space_serve_every_metric(metric: str) -> None:
    places = random_cities(2100) * 50
    problem = Problem.mtsp(places, vehicles=3, metric=metric)
    plan, outcome = None, hybrid(problem, iterations=500)
    plan = Solution(problem, outcome.tours)
    assert plan.feasible
    assert plan.cost == pytest.approx(outcome.trace[-1][2])


def test_a_vehicle_with_nowhere_to_go_stays_at_home() -> None:
    fleet = (Vehicle(start=0), Vehicle(start=1, max_length=0.0))
    problem = Problem(coords=random_cities(12), n_depots=2, vehicles=fleet)
    plan = solved(problem, iterations=500)
    assert plan.feasible and plan.tours[1] == ()


def exact(problem: Problem, heard: list[tuple[int, int]]):
    """The exact exchange, handed over from Python."""

    def exchange(v1: int, t1: list[int], v2: int, t2: list[int]) -> _core.Exchange:
        heard.append((v1, v2))
        tours = (np.array(tour, np.int32) for tour in (t1, t2))
        objective = ["minmax", "minsum"].index(problem.objective)
        return _core.cross_exact(problem.core, objective, v1, next(tours), v2, next(tours))

    return exchange


@given(problems(max_cities=12), OBJECTIVES, st.integers(0, 100), st.integers(1, 3))
@settings(max_examples=100)
def test_an_exchange_from_outside_takes_the_place_of_the_exact_one(
    problem: Problem, objective: str, seed: int, threads: int
) -> None:
    problem = problem.with_(objective=objective)
    limits = {"seed": seed, "iterations": 100, "threads": threads}
    inside, outside = (hybrid(problem, **limits, exchange=x) for x in (None, exact(problem, [])))
    assert inside.tours == outside.tours


def test_the_longest_route_is_exchanged_with_every_other() -> None:
    heard: list[tuple[int, int]] = []
    problem = Problem.mtsp(random_cities(40), vehicles=3)
    hybrid(problem, iterations=1000, exchange=exact(problem, heard))
    assert {other for longest, other in heard if longest == heard[-1][0]} == {0, 1, 2} - {heard[-1][0]}


@pytest.mark.parametrize("threads", [1, 2])
def test_a_failing_exchange_ends_the_search_with_its_error(threads: int) -> None:
    def fail(*_: object) -> _core.Exchange:
        raise ZeroDivisionError("ours")

    with pytest.raises(ZeroDivisionError, match="ours"):
        hybrid(Problem.mtsp(random_cities(40), vehicles=3), iterations=1000, exchange=fail, threads=threads)


def test_ctrl_c_in_an_exchange_gives_the_best_so_far() -> None:
    def interrupt(*_: object) -> _core.Exchange:
        raise KeyboardInterrupt

    problem = Problem.mtsp(random_cities(40), vehicles=3)
    outcome = hybrid(problem, no_improvement=1_000_000, exchange=interrupt)
    assert outcome.stopped == "interrupted" and Solution(problem, outcome.tours).feasible


@given(st.integers(0, 10_000), st.sampled_from(["own", "any", "open", 1]), st.integers(2, 60))
@settings(max_examples=200)
def test_tour_search_saves_what_it_says(seed: int, end: str | int, n: int) -> None:
    rng = np.random.default_rng(seed)
    service = np.concatenate((np.zeros(2), rng.random(n) * rng.integers(0, 2)))
    fleet = (Vehicle(end=end),)
    problem = Problem(coords=rng.random((n + 2, 2)), n_depots=2, vehicles=fleet, service=service)
    before = list(map(int, rng.permutation(list(problem.cities))))
    after, saved = _core.tour_search(problem.core, 0, before, problem.tolerance, 50, seed)
    assert sorted(after) == sorted(before)
    lengths = [Solution(problem, [tour]).total for tour in (before, after)]
    assert saved == pytest.approx(lengths[0] - lengths[1], abs=1e-9)
    assert not math.isnan(saved)
