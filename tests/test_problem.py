"""A problem that exists is valid; what is not valid says why."""

from __future__ import annotations

import copy
import math
import pickle
import re

import numpy as np
import pytest
from hypothesis import given
from worlds import worlds

from neurocross.errors import InputError
from neurocross.objective import Objective
from neurocross.problem import EARTH_RADIUS, Problem, Vehicle, fleet_of

SQUARE = [[0.0, 0.0], [0.0, 3.0], [4.0, 3.0], [4.0, 0.0]]


def one_depot(**changes: object) -> Problem:
    return Problem(**{"coords": SQUARE, "n_depots": 1, "vehicles": (Vehicle(),)} | changes)


# -- the five problems ----------------------------------------------------------------------------


def test_a_tsp_has_one_vehicle_and_counts_its_length():
    problem = Problem.tsp(SQUARE)
    assert (problem.kind, problem.n_vehicles, problem.objective) == ("tsp", 1, "minsum")
    assert problem.ends_of(0) == (0,)
    assert (problem.n_nodes, problem.n_cities, list(problem.cities)) == (4, 3, [1, 2, 3])


def test_an_mtsp_has_equal_vehicles_at_one_depot():
    problem = Problem.mtsp(SQUARE, vehicles=3, max_length=50)
    assert (problem.kind, problem.objective) == ("mtsp", "minmax")
    assert problem.vehicles == (Vehicle(max_length=50),) * 3


def test_an_mdvrp_deals_vehicles_to_depots_in_turn_or_by_number():
    in_turn = Problem.mdvrp(SQUARE, n_depots=2, vehicles=5)
    by_number = Problem.mdvrp(SQUARE, n_depots=2, vehicles=[1, 2], capacity=7)
    assert [v.start for v in in_turn.vehicles] == [0, 1, 0, 1, 0]
    assert [v.start for v in by_number.vehicles] == [0, 1, 1]
    assert {v.capacity for v in by_number.vehicles} == {7}
    assert [in_turn.ends_of(k) for k in (0, 1)] == [(0,), (1,)]
    assert (in_turn.kind, in_turn.objective) == ("mdvrp", "minmax")


def test_an_fmdvrp_lets_every_vehicle_end_anywhere():
    problem = Problem.fmdvrp(SQUARE, n_depots=2, vehicles=2)
    assert (problem.kind, problem.objective) == ("fmdvrp", "minmax")
    assert [problem.ends_of(k) for k in (0, 1)] == [(0, 1), (0, 1)]


def test_a_cvrp_has_an_unlimited_fleet_unless_a_number_is_given():
    unlimited = Problem.cvrp(SQUARE, demand=[0, 1, 2, 3], capacity=4)
    bounded = Problem.cvrp(SQUARE, demand=[0, 1, 2, 3], capacity=4, vehicles=2)
    assert (unlimited.fleet_is_bounded, unlimited.n_vehicles) == (False, 3)
    assert (bounded.fleet_is_bounded, bounded.n_vehicles) == (True, 2)
    assert (bounded.kind, bounded.objective) == ("cvrp", "minsum")
    assert {v.capacity for v in bounded.vehicles} == {4}


@pytest.mark.parametrize("word", ["minmax", "makespan", "min-max", Objective.MINMAX])
def test_an_objective_has_several_names(word):
    assert Problem.tsp(SQUARE, objective=word).objective is Objective.MINMAX


@pytest.mark.parametrize("coords", [[[1, 1]], [[1, 1]] * 4], ids=["no city", "all at one point"])
def test_degenerate_problems_are_problems(coords):
    problem = Problem.mtsp(coords, vehicles=9)
    assert problem.core.length(0, np.array(problem.cities, np.int32)) == 0


# -- distances ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"coords": [[0, 0], [1, 1]]}, math.sqrt(2)),
        ({"coords": [[0, 0], [1, 1]], "rounding": "nearest"}, 1),
        ({"coords": [[0, 0], [0.5, 0]], "rounding": "nearest"}, 1),  # a half is rounded up
        ({"coords": [[0, 0], [1, 1]], "rounding": "ceil"}, 2),
        ({"coords": [[0, 0], [3, 4]], "rounding": "ceil"}, 5),
        ({"coords": [[0, 0], [-1, 2.5]], "metric": "manhattan"}, 3.5),
        ({"coords": [[0, 0], [0, 90]], "metric": "haversine"}, EARTH_RADIUS * math.pi / 2),
        ({"coords": [[90, 0], [-90, 123]], "metric": "haversine"}, EARTH_RADIUS * math.pi),
        ({"coords": [[0, 179], [0, -179]], "metric": "haversine"}, EARTH_RADIUS * math.pi / 90),
        ({"coords": [[0, 0], [10, 0]], "metric": "att"}, 4),
        ({"coords": [[0, 0], [0, 1]], "metric": "geo"}, 112),
        ({"coords": [[5, 5], [5, 5]], "metric": "geo"}, 1),  # TSPLIB adds 1 even to nothing
        ({"matrix": [[0, 2.5], [9, 0]]}, 2.5),
        ({"matrix": [[0, 2.5], [9, 0]], "rounding": "nearest"}, 3),
    ],
)
def test_distances_are_those_one_computes_by_hand(options, expected):
    problem = Problem.tsp(options.pop("coords", None), **options)
    assert problem.core.arc(0, 1) == pytest.approx(expected, rel=1e-12)


def test_service_is_part_of_the_arc_that_enters_a_city():
    problem = Problem.tsp([[0, 0], [3, 4]], service=[0, 7])
    assert problem.core.arc(0, 1) == 12
    assert problem.core.arc(1, 0) == 5


def test_the_diagonal_of_a_matrix_means_nothing():
    given = [[math.inf, 1.0], [2.0, -1.0]]
    assert Problem.tsp(matrix=given).matrix.tolist() == [[0, 1], [2, 0]]
    assert given[0][0] == math.inf


def test_what_is_rounding_noise_grows_with_the_farthest_round_trip():
    assert Problem.tsp([[0, 0], [0, 1]]).tolerance == pytest.approx(2e-9)
    assert Problem.tsp([[0, 0], [1000, 0]]).tolerance == pytest.approx(2e-6)
    assert Problem.tsp(matrix=[[0, 500], [1, 0]]).tolerance == pytest.approx(501e-9)
    assert Problem.tsp([[0, 0], [0, 1]], service=[0, 8]).tolerance == pytest.approx(1e-8)


@pytest.mark.parametrize("coords", [[[1, 1]], [[1, 1]] * 4], ids=["no city", "all at one point"])
def test_there_is_rounding_noise_even_without_distances(coords):
    assert Problem.tsp(coords).tolerance > 0


def test_cities_at_their_depots_leave_the_shortest_way_between_depots_as_the_scale():
    corners = [[0, 0], [3, 4], [9e9, 0]]
    assert Problem.mdvrp(corners * 2, n_depots=3, vehicles=3).tolerance == pytest.approx(5e-9)


def test_latitude_and_longitude_are_projected_with_east_to_the_right():
    west, east, north = Problem.tsp([[60, 10], [60, 11], [61, 10]], metric="haversine").plane
    degree = EARTH_RADIUS * math.pi / 180
    assert east[0] - west[0] == pytest.approx(degree * math.cos(math.radians(181 / 3)))
    assert north[1] - west[1] == pytest.approx(degree)
    assert Problem.tsp(SQUARE).plane.tolist() == SQUARE
    assert Problem.tsp(matrix=[[0]]).plane is None


# -- ends -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("end", "kept", "ends"),
    [
        ("own", "own", (1,)),
        ("any", "any", (0, 1, 2)),
        ("open", "open", ()),
        (2, 2, (2,)),
        (np.int64(2), 2, (2,)),
        ([2], 2, (2,)),
        ([2, 2], 2, (2,)),
        ([2, 0, 2], (0, 2), (0, 2)),
        (np.array([0, 2]), (0, 2), (0, 2)),
    ],
)
def test_an_end_is_a_rule_a_depot_or_a_list_of_depots(end, kept, ends):
    problem = one_depot(n_depots=3, vehicles=(Vehicle(1, end),))
    assert problem.vehicles[0].end == kept
    assert problem.ends_of(0) == ends


def test_the_way_back_leads_to_the_nearest_allowed_end():
    coords, city = [[0, 0], [10, 0], [100, 0], [8, 0]], 3
    vehicles = (Vehicle(0), Vehicle(0, "any"), Vehicle(0, "open"), Vehicle(0, 2), Vehicle(0, [0, 2]))
    core = Problem(coords=coords, n_depots=3, vehicles=vehicles).core
    assert [core.back(k, city) for k in range(5)] == [8, 2, 0, 92, 8]
    assert [core.end_depot(k, city) for k in range(5)] == [0, 1, -1, 2, 0]


def test_a_vehicle_is_called_by_its_name_or_its_number_from_one():
    problem = one_depot(vehicles=(Vehicle(), Vehicle(name="Anna")))
    assert [problem.vehicle_name(k) for k in range(2)] == ["vehicle 1", "Anna"]


# -- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"coords": None}, "a problem needs coords or a matrix"),
        ({"coords": [[0, 0, 0]]}, "coords must have two columns, not shape (1, 3)"),
        ({"coords": [0, 0]}, "coords must have two columns, not shape (2,)"),
        ({"coords": [[0, 0], [1]]}, "coords must be numbers in rows of equal length"),
        ({"coords": [["a", "b"]]}, "coords must be numbers in rows of equal length"),
        ({"coords": [[0, 0], [1, math.nan]]}, "coords of node 1 are not finite, or too large: [1.0, nan]"),
        ({"coords": [[0, 0], [math.inf, 1]]}, "coords of node 1 are not finite, or too large: [inf, 1.0]"),
        ({"coords": [[0, 0], [1e200, 1]]}, "coords of node 1 are not finite, or too large: [1e+200, 1.0]"),
        (
            {"coords": [[0, 0], [91, 1]], "metric": "haversine"},
            "node 1 is not latitude, longitude: [91.0, 1.0]",
        ),
        (
            {"metric": "taxi"},
            "metric 'taxi' is unknown: use one of euclidean, manhattan, haversine, att, geo, or a matrix",
        ),
        (
            {"metric": "matrix"},
            "metric 'matrix' is unknown: use one of euclidean, manhattan, haversine, att, geo, or a matrix",
        ),
        ({"matrix": [[0, 1]]}, "matrix must be square, not 1 x 2"),
        ({"matrix": [0, 1]}, "matrix must be square, not 2"),
        ({"matrix": [[0, -1], [1, 0]]}, "distance from node 0 to node 1 is negative: -1"),
        (
            {"matrix": [[0, math.inf], [1, 0]]},
            "node 1 cannot be reached from node 0: distance inf "
            "(give every pair a finite distance; a large one forbids an arc)",
        ),
        ({"matrix": [[0, 1], [1, 0]]}, "coords has 4 rows, the matrix 2"),
        ({"rounding": "up"}, "rounding 'up' is unknown: use one of none, nearest, ceil"),
        ({"kind": "vrp"}, "problem 'vrp' is unknown: use one of tsp, mtsp, mdvrp, fmdvrp, cvrp, general"),
        ({"objective": "fast"}, "objective 'fast' is unknown: use minmax (alias makespan) or minsum"),
        ({"n_depots": 0}, "a problem needs at least one depot"),
        ({"n_depots": 5}, "5 depots do not fit 4 nodes"),
        ({"n_depots": 1.5}, "n_depots must be a whole number, not 1.5"),
        ({"demand": [0, 1]}, "demand needs one number a node (4), has shape (2,)"),
        ({"demand": [0, 1, -2, 3]}, "demand of node 2 must be a number from 0 to 1e+100, not -2"),
        ({"service": [0, 1, math.nan, 3]}, "service of node 2 must be a number from 0 to 1e+100, not nan"),
        ({"service": [0, 1, 1e200, 3]}, "service of node 2 must be a number from 0 to 1e+100, not 1e+200"),
        ({"demand": [1, 1, 1, 1]}, "demand of depot 0 must be 0, not 1"),
        ({"ids": ["a"]}, "ids needs one entry a node (4), has 1"),
        ({"ids": ["a", "b", "b", "c"]}, "node id 'b' is given twice"),
        ({"ids": ["a", "", "b", "c"]}, "id '' of node 1 must not be empty, nor begin or end with a blank"),
        (
            {"ids": ["a", "b ", "b", "c"]},
            "id 'b ' of node 1 must not be empty, nor begin or end with a blank",
        ),
        ({"names": ["a", "b\n", "b", "c"]}, "names of node 1 must be plain text on one line, not 'b\\n'"),
        ({"name": "\ud800"}, "name of the problem must be plain text on one line, not '\\ud800'"),
        ({"vehicles": ()}, "a problem needs at least one vehicle"),
        ({"vehicles": (Vehicle(1),)}, "vehicle 1 starts at node 1, which is no depot"),
        ({"vehicles": (Vehicle(), Vehicle(-1))}, "vehicle 2 starts at node -1, which is no depot"),
        ({"vehicles": (Vehicle(0.5),)}, "vehicle 1 starts at node 0.5, which is no depot"),
        ({"vehicles": (Vehicle(end=3),)}, "vehicle 1 ends at node 3, which is no depot"),
        ({"vehicles": (Vehicle(end=[0, 3]),)}, "vehicle 1 ends at node 3, which is no depot"),
        ({"vehicles": (Vehicle(end=[]),)}, "vehicle 1 may end nowhere: give it a depot, or end 'open'"),
        (
            {"vehicles": (Vehicle(end="home"),)},
            "end 'home' of vehicle 1 is unknown: own, any, open, a depot or a list",
        ),
        ({"vehicles": (Vehicle(end=None),)}, "vehicle 1 ends at node None, which is no depot"),
        (
            {"vehicles": (Vehicle(capacity=-1),)},
            "capacity of vehicle 1 must be a number of at least 0, not -1",
        ),
        (
            {"vehicles": (Vehicle(max_length=math.nan),)},
            "max_length of vehicle 1 must be a number of at least 0, not nan",
        ),
        (
            {"vehicles": (Vehicle(capacity="10"),)},
            "capacity of vehicle 1 must be a number of at least 0, not 10",
        ),
        (
            {"vehicles": (Vehicle(name="a\tb"),)},
            "name of vehicle 1 must be plain text on one line, not 'a\\tb'",
        ),
    ],
)
def test_what_is_wrong_is_named(changes, message):
    with pytest.raises(InputError) as error:
        one_depot(**changes)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Problem.mtsp(SQUARE, vehicles=0), "vehicles must be from 1 to 100000, not 0"),
        (
            lambda: Problem.mtsp(SQUARE, vehicles=10**18),
            "vehicles must be from 1 to 100000, not 1000000000000000000",
        ),
        (
            lambda: Problem.mtsp(SQUARE, vehicles=2.5),
            "vehicles must be a whole number, or one for each depot, not 2.5",
        ),
        (lambda: Problem.mdvrp(SQUARE, n_depots=2, vehicles=[1]), "vehicles lists 1 depots, there are 2"),
        (
            lambda: Problem.mdvrp(SQUARE, n_depots=2, vehicles=[2, -1]),
            "vehicles must be a whole number, or one for each depot, not [2, -1]",
        ),
        (lambda: Problem.mdvrp(SQUARE, n_depots=0, vehicles=2), "a problem needs at least one depot"),
        (lambda: Problem.mdvrp(SQUARE, n_depots=2, vehicles=[0, 0]), "a problem needs at least one vehicle"),
        (
            lambda: Problem.cvrp(SQUARE, demand="all", capacity=3),
            "demand must be numbers in rows of equal length",
        ),
        (
            lambda: Problem.cvrp(SQUARE, demand=3, capacity=3),
            "demand needs one number a node (4), has shape ()",
        ),
        (
            lambda: Problem.cvrp(SQUARE, demand=[0, 1, 2, 3], capacity=None),
            "capacity of vehicle 1 must be a number of at least 0, not None",
        ),
    ],
)
def test_the_constructors_name_what_is_wrong(make, message):
    with pytest.raises(InputError) as error:
        make()
    assert str(error.value) == message


def test_infeasibility_that_is_plain_to_see_is_told_with_its_reason():
    problem = Problem.cvrp(SQUARE, demand=[0, 5, 9, 4], capacity=8, vehicles=2, ids=["d", "a", "b", "c"])
    assert problem.infeasibilities() == [
        "city 'b' demands 9, more than any vehicle carries (8)",
        "the cities demand 18 in all, the fleet carries 16",
    ]
    assert Problem.cvrp(SQUARE, demand=[0, 8, 8, 8], capacity=8).infeasibilities() == []
    assert Problem.tsp(SQUARE).infeasibilities() == []


def test_a_capacity_met_on_paper_is_met_in_floats():
    demand = [0, 0.1, 0.2, 0.3]
    assert Problem.cvrp(SQUARE, demand=demand, capacity=0.6, vehicles=1).infeasibilities() == []


# -- immutable, equal, copied ---------------------------------------------------------------------


def test_nothing_in_a_problem_can_be_changed():
    coords = np.array(SQUARE)
    problem = Problem.tsp(coords)
    coords[0, 0] = 9
    assert problem.coords[0, 0] == 0
    for array in (problem.coords, problem.demand, problem.service, Problem.tsp(matrix=[[0]]).matrix):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(AttributeError):
        problem.name = "other"


@given(worlds())
def test_a_problem_equals_its_copies_and_they_measure_the_same(problem):
    for twin in (pickle.loads(pickle.dumps(problem)), copy.deepcopy(problem), problem.with_()):
        assert twin == problem
        assert twin.core.arc(0, problem.n_nodes - 1) == problem.core.arc(0, problem.n_nodes - 1)
        assert not twin.demand.flags.writeable


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "b"},
        {"rounding": "ceil"},
        {"coords": [*SQUARE[:3], [4.0, 0.5]]},
        {"service": [0, 0, 0, 1]},
        {"vehicles": (Vehicle(end="open"),)},
        {"ids": list("abcd")},
    ],
)
def test_a_problem_differs_from_one_with_another_field(changes):
    assert one_depot(**changes) != one_depot()
    assert one_depot() != "a problem"


def test_with_changes_and_checks():
    problem = Problem.mtsp(SQUARE, vehicles=2)
    assert problem.with_(rounding="ceil").rounding == "ceil"
    with pytest.raises(InputError, match=r"^rounding 'x' is unknown"):
        problem.with_(rounding="x")


def test_an_equal_fleet_goes_round_the_depots():
    assert [v.start for v in fleet_of(np.int64(3), starts=[1, 4])] == [1, 4, 1]


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"n_depots": "1"}, "n_depots must be a whole number, not '1'"),
        ({"n_depots": None}, "n_depots must be a whole number, not None"),
        ({"vehicles": 3}, "vehicles must be a sequence of Vehicle, not 3"),
        ({"vehicles": Vehicle()}, "vehicles must be a sequence of Vehicle, not Vehicle"),
        ({"vehicles": (3,)}, "vehicle 1 must be a Vehicle, not 3"),
        ({"vehicles": (Vehicle(name=3),)}, "name of vehicle 1 must be plain text on one line, not 3"),
        ({"ids": 5}, "ids must be a sequence of texts, not 5"),
        ({"name": 7}, "name of the problem must be plain text on one line, not 7"),
    ],
    ids=str,
)
def test_a_value_of_another_type_is_refused_by_name(wrong: dict, named: str) -> None:
    with pytest.raises(InputError, match=re.escape(named)):
        Problem(**{"n_depots": 1, "vehicles": (Vehicle(),), "coords": np.zeros((4, 2)), **wrong})


@pytest.mark.parametrize("kind", [Problem.mdvrp, Problem.fmdvrp])
def test_a_number_of_depots_that_is_none_is_refused(kind) -> None:
    with pytest.raises(InputError, match=r"n_depots must be a whole number, not 1\.5"):
        kind(np.zeros((4, 2)), n_depots=1.5, vehicles=2)
