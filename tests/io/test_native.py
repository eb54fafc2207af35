"""Our own JSON says all of a problem."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from worlds import worlds

from neurocross.io import format_problem, parse_problem
from neurocross.problem import Problem

SMALL = {
    "neurocross": 1,
    "name": "small",
    "depots": [{"id": "north", "x": 0, "y": 0}, {"id": "south", "x": 9, "y": 0, "name": "South gate"}],
    "cities": [{"id": 7, "x": 3, "y": 4, "demand": 2, "service": 1.5}, {"id": "b", "x": 6, "y": 8}],
    "vehicles": [
        {"start": "north", "end": "any", "capacity": 5},
        {"count": 2, "start": "south", "end": ["north", "south"], "max_length": 30, "name": "van"},
        {"start": "south", "end": ["north"]},
        {"start": "south"},
    ],
}


def read(document: dict[str, object]) -> Problem:
    return parse_problem(json.dumps(document), None, "f.json")


@given(worlds())
def test_every_problem_comes_back_as_it_was(problem):
    assert parse_problem(format_problem(problem, "json")) == problem


def test_a_document_written_by_hand_means_what_it_says():
    problem = read(SMALL)
    assert (problem.kind, problem.objective, problem.metric) == ("general", "minmax", "euclidean")
    assert problem.ids == ("north", "south", "7", "b")
    assert problem.names == ("", "South gate", "", "")
    assert [v.start for v in problem.vehicles] == [0, 1, 1, 1, 1]
    assert [v.end for v in problem.vehicles] == ["any", (0, 1), (0, 1), 0, "own"]
    assert [v.capacity for v in problem.vehicles] == [5, math.inf, math.inf, math.inf, math.inf]
    assert [v.max_length for v in problem.vehicles] == [math.inf, 30, 30, math.inf, math.inf]
    assert problem.demand.tolist() == [0, 0, 2, 0]
    assert problem.service.tolist() == [0, 0, 1.5, 0]


def test_with_one_depot_a_vehicle_needs_no_start():
    assert read(SMALL | {"depots": SMALL["depots"][:1], "vehicles": [{}]}).vehicles[0].start == 0


def test_latitude_and_longitude_are_measured_over_the_globe():
    places = {"depots": [{"lat": 47, "lon": 8}], "cities": [{"lat": 46, "lon": 7}], "vehicles": [{}]}
    problem = read({"neurocross": 1} | places)
    assert (problem.metric, problem.geographic) == ("haversine", True)
    assert problem.ids == ("0", "1")


def test_a_matrix_may_come_with_places_or_without():
    nodes = {"depots": [{}], "cities": [{}], "vehicles": [{}], "matrix": [[0, 1.5], [2, 0]]}
    without = read({"neurocross": 1} | nodes)
    assert (without.coords, without.matrix.tolist()) == (None, [[0, 1.5], [2, 0]])
    places = {"depots": [{"lat": 47, "lon": 8}], "cities": [{"lat": 46, "lon": 7}]}
    assert read({"neurocross": 1} | nodes | places).geographic


def test_equal_vehicles_are_written_once_with_their_number():
    text = format_problem(Problem.mtsp([[0, 0], [1, 1]], vehicles=40), "json")
    assert '{"count": 40, "start": "0", "end": "own"}' in text


def test_each_node_and_each_row_has_its_own_line():
    text = format_problem(Problem.tsp(None, matrix=[[0, 1], [2, 0]]), "json")
    assert "    [0, 1],\n    [2, 0]\n" in text


@pytest.mark.parametrize("word", ["NaN", "Infinity"])
def test_nothing_that_is_no_json_is_ever_written(word):
    assert word not in format_problem(Problem.mtsp([[0, 0], [1, 1]], vehicles=2), "json")
