"""What a plan is worth, and the check every plan marked feasible must pass."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from worlds import plans

from neurocross.errors import InputError
from neurocross.problem import Problem, Vehicle
from neurocross.solution import Solution, checked_length, distance

# depots n (0, 0) and s (10, 0); cities a (3, 4), b (6, 8), c (10, 5)
COORDS = [[0, 0], [10, 0], [3, 4], [6, 8], [10, 5]]
A, B, C = 2, 3, 4


def problem_with(*vehicles: Vehicle, **options: object) -> Problem:
    return Problem(coords=COORDS, n_depots=2, vehicles=vehicles, ids=list("nsabc"), **options)


def test_a_route_is_its_way_its_service_and_the_way_back():
    problem = problem_with(Vehicle(0), service=[0, 0, 1, 2, 0], demand=[0, 0, 4, 5, 6])
    (route,) = Solution(problem, [[A, B]]).routes
    assert route.length == 5 + 1 + 5 + 2 + 10
    assert (route.start, route.end, route.cities, route.load) == (0, 0, (A, B), 9)


@pytest.mark.parametrize(
    ("end", "back", "used"),
    [
        ("own", 10, 0),
        ("any", math.sqrt(80), 1),
        ("open", 0, None),
        (1, math.sqrt(80), 1),
        ([0, 1], math.sqrt(80), 1),
    ],
)
def test_a_route_ends_at_the_nearest_end_it_is_allowed(end, back, used):
    (route,) = Solution(problem_with(Vehicle(0, end)), [[A, B]]).routes
    assert route.length == pytest.approx(10 + back)
    assert route.end == used


@pytest.mark.parametrize("end", ["own", "any", "open", 1])
def test_an_unused_vehicle_costs_nothing_and_stays_at_its_start(end):
    (route,) = Solution(problem_with(Vehicle(0, end)), []).routes
    assert (route.length, route.load, route.cities, route.end) == (0, 0, (), 0)


def test_the_objective_decides_what_a_plan_costs_and_the_other_value_breaks_ties():
    plan = Solution(problem_with(Vehicle(0), Vehicle(1)), [[A], [C]])
    assert plan.lengths == (10, 10)
    assert (plan.makespan, plan.total, plan.cost, plan.key) == (10, 20, 10, (10, 20))
    total = Solution(problem_with(Vehicle(0), Vehicle(1), objective="minsum"), [[A], [C]])
    assert (total.cost, total.key) == (20, (20, 10))


def test_vehicles_without_a_route_are_unused():
    plan = Solution(problem_with(Vehicle(0), Vehicle(1), Vehicle(1)), [[A], [B, C]])
    assert plan.tours == ((A,), (B, C), ())


def test_tours_may_come_as_arrays():
    plan = Solution(problem_with(Vehicle(0)), [np.array([A, B, C], np.int32)])
    assert plan.tours == ((A, B, C),)
    assert all(type(city) is int for city in plan.tours[0])


def test_routes_are_told_by_ids_and_vehicles_from_one():
    problem = problem_with(Vehicle(0, "open"), Vehicle(1))
    assert Solution(problem, [[A]]).route_dicts() == [
        {"vehicle": 1, "start": "n", "end": None, "stops": ["a"], "length": 5.0, "load": 0.0},
        {"vehicle": 2, "start": "s", "end": "s", "stops": [], "length": 0.0, "load": 0.0},
    ]
    unlimited = Solution(problem.with_(fleet_is_bounded=False), [[A]])
    assert [route["vehicle"] for route in unlimited.route_dicts()] == [1]


# -- the check ------------------------------------------------------------------------------------


def test_a_feasible_plan_has_no_violation():
    plan = Solution(problem_with(Vehicle(0, capacity=2, max_length=30), demand=[0, 0, 1, 1, 0]), [[A, B, C]])
    assert plan.check() == []
    assert plan.feasible


def test_every_violation_is_named():
    vehicles = (Vehicle(0, capacity=8, max_length=12), Vehicle(1, name="Anna", capacity=1))
    problem = problem_with(*vehicles, demand=[0, 0, 4, 5, 6])
    plan = Solution(problem, [[A, B, A], [1]])
    assert plan.check() == [
        "depot 's' is visited as a city",
        "city 'a' is visited 2 times",
        "city 'c' is not visited",
        "vehicle 1 carries 13, its capacity is 8",
        "vehicle 1 drives 20, its longest route is 12",
    ]
    assert not plan.feasible
    assert plan.violations == tuple(plan.check())


@pytest.mark.parametrize(
    ("vehicle", "message"),
    [
        (Vehicle(0, "open", max_length=9.99), "vehicle 1 drives 10, its longest route is 9.99"),
        (Vehicle(0, "any", max_length=18.9), "vehicle 1 drives 18.9443, its longest route is 18.9"),
        (Vehicle(0, max_length=19), "vehicle 1 drives 20, its longest route is 19"),
        (Vehicle(0, capacity=0), "vehicle 1 carries 1, its capacity is 0"),
    ],
)
def test_a_limit_is_held_for_every_end_rule(vehicle, message):
    plan = Solution(
        Problem(coords=COORDS[:4], n_depots=2, vehicles=(vehicle,), demand=[0, 0, 1, 0]), [[A, B]]
    )
    assert plan.check() == [message]


def test_a_limit_met_on_paper_is_met_in_floats():
    demand = [0, 0, 0.1, 0.2, 0.3]
    assert Solution(problem_with(Vehicle(0, capacity=0.6), demand=demand), [[A, B, C]]).feasible
    assert not Solution(problem_with(Vehicle(0, capacity=0.599), demand=demand), [[A, B, C]]).feasible


@pytest.mark.parametrize(
    ("tours", "message"),
    [
        ([[A], [B], [C]], "the plan has 3 routes, the problem 2 vehicles"),
        ([[A, 5]], "the plan visits node 5; there are 5 nodes"),
        ([[-1]], "the plan visits node -1; there are 5 nodes"),
        ([[2.5]], "the plan visits 2.5: use the numbers of nodes"),
        (["ab"], "the plan visits 'a': use the numbers of nodes"),
    ],
)
def test_what_cannot_be_a_plan_is_refused(tours, message):
    with pytest.raises(InputError) as error:
        Solution(problem_with(Vehicle(0), Vehicle(1)), tours)
    assert str(error.value) == message


# -- the kernels and the check agree --------------------------------------------------------------


@given(plans())
def test_the_core_measures_what_the_independent_check_measures(plan):
    problem = plan.problem
    for route in plan.routes:
        checked = checked_length(problem, route.vehicle, route.cities)
        assert route.length == pytest.approx(checked, rel=1e-9, abs=1e-9)


@given(plans())
def test_the_end_of_a_route_is_an_allowed_one_and_none_is_nearer(plan):
    problem = plan.problem
    for route in plan.routes:
        ends = problem.ends_of(route.vehicle)
        if not route.cities:
            assert route.end == route.start
        elif route.end is None:
            assert ends == ()
        else:
            nearest = min(distance(problem, route.cities[-1], end) for end in ends)
            assert route.end in ends
            assert distance(problem, route.cities[-1], route.end) == pytest.approx(
                nearest, rel=1e-9, abs=1e-9
            )


@given(plans())
def test_a_plan_is_feasible_exactly_if_every_city_is_visited_once_within_the_limits(plan):
    problem = plan.problem
    visited = sorted(city for tour in plan.tours for city in tour)
    within = all(
        route.load <= vehicle.capacity + 1e-6 and route.length <= vehicle.max_length + 1e-6
        for route, vehicle in zip(plan.routes, problem.vehicles, strict=True)
    )
    assert plan.feasible == (visited == list(problem.cities) and within)


@given(plans())
def test_a_pickled_plan_is_worth_the_same(plan):
    twin = pickle.loads(pickle.dumps(plan))
    assert twin.problem == plan.problem
    assert (twin.tours, twin.key, twin.violations) == (plan.tours, plan.key, plan.violations)


@pytest.mark.parametrize("tours", [None, 5, [1, 2]], ids=str)
def test_a_plan_of_another_type_is_refused(tours: object) -> None:
    with pytest.raises(InputError, match="a plan is the cities of each vehicle in order, not "):
        Solution(Problem.mtsp(np.zeros((3, 2)), vehicles=2), tours)
    with pytest.raises(InputError, match="a plan is one of a Problem, not of None"):
        Solution(None, tours)
