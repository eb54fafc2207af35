"""What a caller adds to a file, and what contradicts it."""

from __future__ import annotations

import math

import pytest

from neurocross.errors import InputError
from neurocross.io import ReadOptions, parse_problem
from neurocross.problem import Problem

TWO_DEPOTS = "id,kind,x,y,demand\nn,depot,0,0,0\ns,depot,9,0,0\na,city,3,4,1\nb,city,6,8,2\n"
ONE_DEPOT = TWO_DEPOTS.replace("s,depot,9,0,0\n", "")
EQUAL = (
    '{"neurocross": 1, "depots": [{"id": "d", "x": 0, "y": 0}], "cities": [{"x": 3, "y": 4}],'
    ' "vehicles": [{}]}'
)
LISTED = EQUAL.replace("[{}]", '[{"capacity": 3}, {}]')


def read(text: str, **options: object) -> Problem:
    return parse_problem(text, None, "f", ReadOptions(**options))


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (ONE_DEPOT, {"problem": "tsp", "vehicles": 3}, "a tsp has one vehicle, not 3: give --problem mtsp"),
        (
            TWO_DEPOTS,
            {"problem": "mtsp", "vehicles": 2},
            "an mtsp has one depot, here are 2: give --problem mdvrp or fmdvrp",
        ),
        (
            TWO_DEPOTS,
            {"problem": "tsp"},
            "a tsp has one depot, here are 2: give --problem mdvrp or fmdvrp",
        ),
        (
            TWO_DEPOTS,
            {"problem": "cvrp", "capacity": 3},
            "a cvrp has one depot, here are 2: give --problem mdvrp or fmdvrp",
        ),
        (ONE_DEPOT, {"problem": "cvrp"}, "a cvrp needs a capacity: give --capacity"),
        (
            ONE_DEPOT.replace("demand", "service"),
            {"problem": "cvrp", "capacity": 3},
            "a cvrp needs demands, the file has none",
        ),
        (ONE_DEPOT, {}, "the file does not say how many vehicles this mtsp has: give --vehicles"),
        (TWO_DEPOTS, {}, "the file does not say how many vehicles this fmdvrp has: give --vehicles"),
        (
            ONE_DEPOT,
            {"vehicles": 2, "capacity": 4},
            "an mtsp has no capacity: give --problem cvrp, mdvrp or fmdvrp, or no --capacity",
        ),
        (
            TWO_DEPOTS,
            {"vehicles": 2, "problem": "mdvrp", "end": "any"},
            "in an mdvrp routes end at their own depot: give --problem fmdvrp, or no --end",
        ),
        (
            TWO_DEPOTS,
            {"vehicles": 2, "problem": "fmdvrp", "end": "own"},
            "in an fmdvrp routes end at any depot: give --problem mdvrp, or no --end",
        ),
        (
            TWO_DEPOTS,
            {"vehicles": 2, "problem": "mdvrp", "end": "n,x"},
            "--end 'x' is no depot: use own, any, open or depots of n, s",
        ),
        (
            ONE_DEPOT,
            {"vehicles": 2, "metric": "haversine"},
            "--metric haversine needs latitude and longitude, the file has plane coordinates",
        ),
        (
            "id,kind,lat,lon\nd,depot,1,1\n",
            {"vehicles": 2, "metric": "euclidean"},
            "--metric euclidean needs plane coordinates, the file has latitude and longitude",
        ),
        (
            EQUAL.replace('"vehicles"', '"matrix": [[0, 1], [1, 0]], "vehicles"'),
            {"metric": "euclidean"},
            "the file gives a matrix of distances, --metric euclidean cannot be used",
        ),
        (
            LISTED,
            {"vehicles": 5},
            "the file lists its own vehicles and they differ: change them there, or give no --vehicles",
        ),
        (LISTED, {"problem": "tsp"}, "a tsp has one vehicle, not 2: give --problem mtsp"),
    ],
)
def test_options_that_contradict_the_file_or_each_other_are_refused(text, options, message):
    with pytest.raises(InputError) as error:
        read(text, **options)
    assert str(error.value) == f"f: {message}"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"problem": "vrp"}, "--problem 'vrp' is unknown: use one of tsp, mtsp, mdvrp, fmdvrp, cvrp"),
        ({"vehicles": 0}, "--vehicles must be a whole number of at least 1, not 0"),
        ({"vehicles": 2.0}, "--vehicles must be a whole number of at least 1, not 2.0"),
        ({"capacity": -1}, "--capacity must be a finite number of at least 0, not -1"),
        ({"max_length": math.nan}, "--max-length must be a finite number of at least 0, not nan"),
        ({"rounding": "up"}, "--round 'up' is unknown: use one of none, nearest, ceil"),
        (
            {"metric": "matrix"},
            "--metric 'matrix' is unknown: use one of euclidean, manhattan, haversine, att, geo",
        ),
        ({"objective": "fast"}, "objective 'fast' is unknown: use minmax (alias makespan) or minsum"),
        ({"end": " "}, "--end must be own, any, open, a depot's id or several with commas"),
    ],
)
def test_an_option_is_checked_before_any_file_is_read(options, message):
    with pytest.raises(InputError) as error:
        ReadOptions(**options)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("end", "ends", "kind"),
    [("own", (0,), "mdvrp"), ("s", (1,), "general"), ("n,s", (0, 1), "general"), ("open", (), "general")],
)
def test_the_end_of_every_route_is_a_rule_or_depots_by_id(end, ends, kind):
    problem = read(TWO_DEPOTS, problem="mdvrp", vehicles=2, end=end)
    assert (problem.ends_of(0), problem.kind) == (ends, kind)


@pytest.mark.parametrize(
    ("end", "kind"),
    [(None, "fmdvrp"), ("any", "fmdvrp"), ("own", "mdvrp"), ("open", "general"), ("s", "general")],
)
def test_without_a_named_problem_the_end_of_the_routes_tells_it(end, kind):
    assert read(TWO_DEPOTS, vehicles=2, end=end).kind == kind


def test_the_end_a_file_gives_its_routes_may_be_changed():
    text = EQUAL.replace('"vehicles"', '"problem": "fmdvrp", "vehicles"')
    assert read(text, end="open").ends_of(0) == ()


def test_with_one_depot_any_end_is_the_own_one():
    assert read(ONE_DEPOT, vehicles=2, end="any").kind == "mtsp"


def test_limits_and_objective_of_the_caller_hold_for_every_vehicle():
    problem = read(LISTED, capacity=7, max_length=8, objective="min-sum")
    assert [(v.capacity, v.max_length) for v in problem.vehicles] == [(7, 8), (7, 8)]
    assert problem.objective == "minsum"


def test_equal_vehicles_of_a_file_may_be_replaced_by_another_number():
    assert read(EQUAL, vehicles=4).n_vehicles == 4


def test_a_file_that_names_its_problem_keeps_its_rules_without_options():
    text = EQUAL.replace('"vehicles"', '"problem": "mtsp", "objective": "minsum", "vehicles"')
    assert read(text).objective == "minsum"
    assert read(text, problem="mtsp").objective == "minsum"
    assert read(text, problem="mdvrp").objective == "minmax"


def test_a_tsp_file_with_several_vehicles_asked_for_is_an_mtsp():
    text = EQUAL.replace('"vehicles"', '"problem": "tsp", "vehicles"')
    assert (read(text).kind, read(text, vehicles=2).kind) == ("tsp", "mtsp")


def test_options_are_shown_as_the_command_takes_them():
    options = ReadOptions(problem="cvrp", vehicles=3, rounding="nearest", max_length=1 / 3)
    assert str(options) == "--problem cvrp --vehicles 3 --round nearest --max-length 0.33333333333333331"
