from __future__ import annotations

import math
from functools import cache
from itertools import combinations, pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neurocross import _core
from neurocross.bounds import _detour_gain, _places, farthest_city_bound, gap, is_optimal, lower_bound
from neurocross.objective import Objective
from neurocross.problem import Problem, Vehicle, with_slack
from neurocross.solution import Solution, distance

UNTIL_IT_STALLS = 5.0
"""Seconds; tiny problems need milliseconds."""

# -- random problems, brute force and slow twins ---------------------------------------------------


@st.composite
def tiny_problems(draw: st.DrawFn, cities: tuple[int, int] = (0, 6), limits: bool = True) -> Problem:
    """Every metric and rounding at a scale where rounding tells, any matrix, end rules mixed by vehicle."""
    n_depots, n = draw(st.integers(1, 3)), draw(st.integers(*cities))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    nodes = n_depots + n
    where: dict[str, object] = {"rounding": draw(st.sampled_from(["none", "nearest", "ceil"]))}
    metrics = ["matrix", "whole matrix", "euclidean", "manhattan", "haversine", "att", "geo"]
    match metric := draw(st.sampled_from(metrics)):
        case "matrix":
            where["matrix"] = 3 * rng.random((nodes, nodes)) ** 2
        case "whole matrix":
            where["matrix"] = rng.integers(0, 5, (nodes, nodes)).astype(float)
        case _:
            digits = draw(st.sampled_from([1, 9]))  # one digit: duplicates and ties
            spread = {"haversine": 3e-5, "geo": 0.04, "att": 6.0}.get(metric, 2.0)
            where |= {"metric": metric, "coords": spread * rng.random((nodes, 2)).round(digits)}
    depots = st.integers(0, n_depots - 1)
    end = st.one_of(st.sampled_from(["own", "any", "open"]), depots, st.lists(depots, min_size=1))
    hours = draw(st.sampled_from([0.0, 0.5])) * rng.integers(0, 4, n)
    fleet = st.builds(
        Vehicle,
        start=depots,
        end=end,
        capacity=st.sampled_from([math.inf, 9.0, 5.0]) if limits else st.just(math.inf),
        max_length=st.sampled_from([math.inf, 6.0]) if limits else st.just(math.inf),
    )
    return Problem(
        n_depots=n_depots,
        vehicles=tuple(draw(st.lists(fleet, min_size=1, max_size=3))),
        demand=np.concatenate((np.zeros(n_depots), rng.integers(0, 5, n))),
        service=np.concatenate((np.zeros(n_depots), hours)),
        objective=draw(st.sampled_from(["minmax", "minsum"])),
        **where,  # type: ignore[arg-type]
    )


def distances(problem: Problem) -> list[list[float]]:
    nodes = range(problem.n_nodes)
    return [[distance(problem, u, v) for v in nodes] for u in nodes]


def way_back(problem: Problem, far: list[list[float]], vehicle: int, city: int) -> float:
    return min((far[city][end] for end in problem.ends_of(vehicle)), default=0.0)


def best_cost(problem: Problem) -> float:
    """Every assignment of cities to vehicles, every order; infinite if none keeps the limits."""
    far = distances(problem)

    @cache
    def shortest_route(k: int, cities: tuple[int, ...]) -> float:
        vehicle = problem.vehicles[k]
        if not cities:
            return 0.0
        out, back = far[vehicle.start], {c: way_back(problem, far, k, c) for c in cities}
        length = sum(problem.service[c] for c in cities) + min(
            out[order[0]] + sum(far[u][v] for u, v in pairwise(order)) + back[order[-1]]
            for order in permutations(cities)
        )
        load = sum(problem.demand[c] for c in cities)
        fits = load <= with_slack(vehicle.capacity) and length <= with_slack(vehicle.max_length)
        return length if fits else math.inf

    together = max if problem.objective == "minmax" else sum
    vehicles = range(problem.n_vehicles)
    return min(
        together(
            [
                shortest_route(k, tuple(c for c, by in zip(problem.cities, plan, strict=True) if by == k))
                for k in vehicles
            ]
        )
        for plan in product(vehicles, repeat=problem.n_cities)
    )


def farthest_by_floyd_warshall(problem: Problem) -> float:
    """Shortest paths between all cities, service of every city entered included; then the ends put on."""
    far, cities = distances(problem), problem.cities
    path = {(u, v): far[u][v] + problem.service[v] if u != v else 0.0 for u in cities for v in cities}
    for via, u, v in product(cities, repeat=3):
        path[u, v] = min(path[u, v], path[u, via] + path[via, v])
    trips = [0.0]
    for c in cities:
        trip = math.inf
        for k, vehicle in enumerate(problem.vehicles):
            out = min(far[vehicle.start][a] + problem.service[a] + path[a, c] for a in cities)
            back = min(path[c, z] + way_back(problem, far, k, z) for z in cities)
            trip = min(trip, out + back)
        trips.append(trip)
    return max(trips)


def tree_bound(problem: Problem, multipliers: list[float]) -> float:
    """The relaxation at given multipliers, over every choice of cities that the depot's ways out lead to."""
    far, cities, n = distances(problem), list(problem.cities), problem.n_cities
    price = dict(zip(cities, multipliers, strict=True))
    fleet = range(problem.n_vehicles)
    ways_out = {c: min(far[v.start][c] for v in problem.vehicles) + price[c] for c in cities}
    ways_in = sorted(min(way_back(problem, far, k, c) for k in fleet) + price[c] for c in cities)
    pairs = combinations(cities, 2)
    edges = sorted((min(far[u][v], far[v][u]) + price[u] + price[v], u, v) for u, v in pairs)
    constant = sum(problem.service) - 2 * sum(multipliers)

    def tree(rooted: tuple[int, ...]) -> float:
        part = {c: -1 if c in rooted else c for c in cities}
        cost = sum(ways_out[c] for c in rooted)
        for weight, u, v in edges:
            if part[u] != part[v]:
                cost += weight
                old, new = max(part[u], part[v]), min(part[u], part[v])
                part = {c: new if p == old else p for c, p in part.items()}
        return cost

    most = min(problem.n_vehicles, n)
    demand, capacity = sum(problem.demand), sorted((v.capacity for v in problem.vehicles), reverse=True)
    possible = [r for r in range(1, most + 1) if sum(map(with_slack, capacity[:r])) >= demand] or [most]
    totals = {r: constant + min(map(tree, combinations(cities, r))) + sum(ways_in[:r]) for r in possible}
    return min(total / r if problem.objective == "minmax" else total for r, total in totals.items())


def farthest(core: _core.Instance, detour_gain: float, arc_budget: float) -> float:
    return max(_core.round_trips(core, detour_gain, arc_budget), default=0.0)


def core_tree_bound(
    problem: Problem, neighbours: int = 20, seconds: float = UNTIL_IT_STALLS
) -> tuple[float, list[float]]:
    objective = list(Objective).index(problem.objective)
    return _core.total_length_bound(problem.core, objective, neighbours, _places(problem), math.inf, seconds)


# -- what holds of every problem -------------------------------------------------------------------


@given(tiny_problems())
@settings(max_examples=400)
def test_no_plan_beats_the_bound(problem: Problem) -> None:
    best, bound = best_cost(problem), lower_bound(problem, time_limit=UNTIL_IT_STALLS)
    assert bound.value <= best * (1 + 1e-9)
    assert bound.value == max(bound.farthest, bound.tour) >= 0
    assert math.isfinite(bound.value)


@given(tiny_problems(limits=False))
def test_the_farthest_city_is_as_far_as_floyd_warshall_says(problem: Problem) -> None:
    for detour_gain in (math.inf, _detour_gain(problem)):
        bound = farthest(problem.core, detour_gain, math.inf)
        assert bound == pytest.approx(farthest_by_floyd_warshall(problem), rel=1e-9)


@given(tiny_problems(limits=False), st.integers(0, 40))
def test_a_search_for_round_trips_cut_short_stays_below_them(problem: Problem, arcs: int) -> None:
    cut = farthest(problem.core, _detour_gain(problem), arcs)
    assert 0 <= cut <= farthest_by_floyd_warshall(problem) * (1 + 1e-9)


@given(tiny_problems(cities=(1, 6)))
def test_the_multipliers_prove_the_total_length_bound(problem: Problem) -> None:
    bound, multipliers = core_tree_bound(problem)
    assert bound == pytest.approx(tree_bound(problem, multipliers), rel=1e-9, abs=1e-9)


@given(tiny_problems(cities=(3, 8)), st.integers(1, 4))
@settings(max_examples=200)
def test_neighbours_alone_never_raise_the_total_length_bound(problem: Problem, neighbours: int) -> None:
    bound, multipliers = core_tree_bound(problem, neighbours=neighbours)
    assert bound <= tree_bound(problem, multipliers) + 1e-9


@given(tiny_problems(cities=(1, 6)))
def test_no_time_at_all_leaves_a_valid_bound(problem: Problem) -> None:
    bound, multipliers = core_tree_bound(problem, seconds=0.0)
    assert bound <= tree_bound(problem, multipliers) + 1e-9


# -- cases to compute by hand ----------------------------------------------------------------------


def test_twenty_stops_all_one_apart_with_five_vehicles_take_five() -> None:
    matrix = np.ones((21, 21)) - np.eye(21)
    problem = Problem.mtsp(matrix=matrix, vehicles=5)
    assert lower_bound(problem).value == 5
    assert lower_bound(problem.with_(objective="minsum")).value == 21

    tenths = problem.with_(matrix=matrix / 10)
    plan = Solution(tenths, np.arange(1, 21).reshape(5, 4))
    assert plan.makespan == pytest.approx(0.5)
    assert is_optimal(plan.makespan, lower_bound(tenths, target=plan.makespan).value, tenths.tolerance)


def test_one_city_far_away_decides_however_many_vehicles() -> None:
    problem = Problem.mtsp([[0, 0], [30, 40], [1, 0], [0, 1]], vehicles=10)
    bound = lower_bound(problem)
    assert bound.kind == "farthest"
    assert bound.value == pytest.approx(100, rel=1e-9)
    assert is_optimal(Solution(problem, [[1], [2], [3]]).makespan, bound.value, problem.tolerance)


@pytest.mark.parametrize(("end", "trip"), [("own", 20), ("any", 11), ("open", 10), (1, 11), ((0, 2), 17)])
def test_the_round_trip_ends_where_the_vehicle_may_end(end: object, trip: float) -> None:
    coords = [[0, 0], [11, 0], [10, 7], [10, 0]]
    problem = Problem(coords=np.array(coords, float), n_depots=3, vehicles=(Vehicle(end=end),))  # type: ignore[arg-type]
    assert farthest_city_bound(problem) == pytest.approx(trip)


def test_service_counts_at_the_city_and_on_the_way() -> None:
    matrix = np.array([[0, 1, 9], [1, 0, 1], [9, 1, 0]], float)
    problem = Problem.mtsp(matrix=matrix, vehicles=2, service=[0, 2, 5])
    # To city 2 and back through city 1, its service twice, is 4 + 5 + 4; directly it would be 23.
    assert farthest_city_bound(problem) == 13


def test_a_tour_without_branches_is_its_own_bound() -> None:
    square = Problem.tsp([[0, 0], [0, 1], [1, 1], [1, 0]])
    assert lower_bound(square).value == pytest.approx(4, rel=1e-9)


def test_more_demand_brings_more_vehicles_out() -> None:
    coords = [[0, 0]] + [[10, 0]] * 4
    problem = Problem.cvrp(coords, demand=[0, 1, 1, 1, 1], capacity=2)
    assert lower_bound(problem).value == pytest.approx(40)
    assert lower_bound(problem.with_(vehicles=(Vehicle(capacity=4),) * 4)).value == pytest.approx(20)


def test_whole_distances_make_whole_bounds() -> None:
    matrix = np.ones((21, 21)) - np.eye(21)
    assert lower_bound(Problem.mtsp(matrix=matrix, vehicles=3)).value == 8  # 23 / 3, rounded up


def test_nothing_to_visit_costs_nothing() -> None:
    bound = lower_bound(Problem.mtsp([[0, 0]], vehicles=3))
    assert (bound.value, bound.kind) == (0, "farthest")
    assert gap(0.0, bound.value) == 0
    assert is_optimal(0.0, bound.value, 0.0)


def test_cities_at_the_depot_cost_nothing() -> None:
    assert lower_bound(Problem.mtsp([[1, 2]] * 40, vehicles=2)).value == 0


def test_a_target_met_by_the_farthest_city_needs_no_tour_bound() -> None:
    problem = Problem.mtsp([[0, 0], [3, 4], [1, 0]], vehicles=3)
    assert lower_bound(problem, target=10.0).tour == 0
    assert lower_bound(problem, target=11.0).tour > 0


def test_full_loads_pay_for_their_round_trips() -> None:
    # Five loads of 3 out of 4: no two fit together, but by load they would be three and three quarters.
    problem = Problem.cvrp([[0, 0]] + [[10, 0]] * 5, demand=[0, 3, 3, 3, 3, 3], capacity=4)
    assert lower_bound(problem, time_limit=0).tour == pytest.approx(75)
    assert lower_bound(problem.with_(objective="minmax"), time_limit=0).tour == pytest.approx(15)


def test_the_gap_is_a_part_of_the_value() -> None:
    assert gap(10.0, 8.0) == pytest.approx(0.2)
    assert not is_optimal(10.0, 8.0, 1e-9)
    assert is_optimal(10.0, 10.0 - 1e-10, 1e-9)


@pytest.mark.parametrize("metric", ["euclidean", "att"])
def test_a_hundred_thousand_cities_have_a_farthest_one(metric: str) -> None:
    coords = 1e4 * np.random.default_rng(1).random((100_001, 2))
    problem = Problem.mtsp(coords, vehicles=20, metric=metric)
    far = 2 * np.hypot(*(coords - coords[0]).T).max() / (math.sqrt(10) if metric == "att" else 1)
    assert farthest_city_bound(problem) == pytest.approx(far, abs=2 if metric == "att" else 1e-6)


def test_the_bound_comes_close_to_a_tour_of_many_cities() -> None:
    # A comb of 40 by 50 points, one apart: the tour along its teeth is as short as a tour can be.
    coords = [[x, y] for x in range(40) for y in range(50)]
    assert 1990 <= lower_bound(Problem.tsp(coords)).value <= 2000 * (1 + 1e-9)


def test_best_known_tours_are_above_the_bound_and_near(data) -> None:  # type: ignore[no-untyped-def]
    lines = (data / "mtsplib" / "eil51.tsp").read_text().split("NODE_COORD_SECTION")[1].split("\n")
    coords = [[float(x) for x in line.split()[1:]] for line in lines if len(line.split()) == 3]
    for vehicles, best, within in [(2, 222.7334, 0.04), (3, 159.5715, 0.08), (7, 112.0714, 1e-6)]:
        value = lower_bound(Problem.mtsp(coords, vehicles=vehicles), target=best).value
        assert -1e-6 <= gap(best, value) <= within
