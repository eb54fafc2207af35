"""TSPLIB and VRPLIB files mean what their definition says."""

from __future__ import annotations

import math

import numpy as np
import pytest

from neurocross.io import ReadOptions, parse_problem
from neurocross.problem import Problem
from neurocross.solution import distance


def read(text: str, **options: object) -> Problem:
    return parse_problem(text, "tsplib", "file.tsp", ReadOptions(**options))


def nodes(weight_type: str, *points: str) -> str:
    rows = "\n".join(f"{k} {point}" for k, point in enumerate(points, start=1))
    head = f"NAME: n\nTYPE: TSP\nDIMENSION: {len(points)}\nEDGE_WEIGHT_TYPE: {weight_type}\n"
    return head + f"NODE_COORD_SECTION\n{rows}\nEOF\n"


def matrix(form: str, numbers: str, kind: str = "TSP") -> str:
    return (
        f"NAME: m\nTYPE: {kind}\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: {form}\n"
        f"EDGE_WEIGHT_SECTION\n{numbers}\nEOF\n"
    )


CVRP = """NAME : three
COMMENT : a hand-made case
TYPE : CVRP
DIMENSION : 4
EDGE_WEIGHT_TYPE : EUC_2D
VEHICLES : 2
CAPACITY : 10
NODE_COORD_SECTION
1 0 0
2 1 1
3 3 4
4 0 2
DEMAND_SECTION
1 0
2 4
3 5
4 6
DEPOT_SECTION
 1
 -1
EOF
"""


@pytest.mark.parametrize(
    ("weight_type", "a", "b", "expected"),
    [
        ("EUC_2D", "0 0", "1 1", math.sqrt(2)),  # unrounded in a TSP file
        ("CEIL_2D", "0 0", "1 1", 2),
        ("CEIL_2D", "0 0", "3 4", 5),
        ("MAN_2D", "0 0", "1.5 -2", 3.5),
        ("ATT", "0 0", "10 0", 4),  # sqrt(100 / 10) = 3.16, and pseudo-Euclid never rounds down
        ("ATT", "0 0", "0 30", 10),  # sqrt(900 / 10) = 9.49
        ("ATT", "0 0", "30 10", 10),  # sqrt(1000 / 10) = 10 exactly
        ("GEO", "0.00 0.00", "0.00 1.00", 112),  # a degree of 6378.388 km: 111.32, plus 1, cut off
        ("GEO", "0.00 0.00", "0.30 0.00", 56),  # 30 minutes, half of it: 55.66
        ("GEO", "38.24 20.42", "39.57 26.15", 509),  # the first distance of ulysses16
    ],
)
def test_distances_are_those_one_computes_by_hand(weight_type, a, b, expected):
    problem = read(nodes(weight_type, a, b))
    assert distance(problem, 0, 1) == pytest.approx(expected)
    assert problem.core.arc(0, 1) == pytest.approx(expected)


def test_a_tsp_file_is_a_tsp_from_its_first_node_unrounded():
    problem = read(nodes("EUC_2D", "0 0", "3 4", "6 8"))
    assert (problem.kind, problem.n_vehicles, problem.n_depots, problem.rounding) == ("tsp", 1, 1, "none")
    assert problem.ids == ("1", "2", "3")
    assert problem.objective == "minsum"
    assert problem.name == "n"


def test_a_tsp_file_with_a_number_of_vehicles_is_an_mtsp():
    problem = read(nodes("EUC_2D", "0 0", "3 4"), vehicles=3)
    assert (problem.kind, problem.n_vehicles, problem.objective) == ("mtsp", 3, "minmax")
    assert read(nodes("EUC_2D", "0 0", "3 4").replace("EOF", "VEHICLES: 3")) == problem


@pytest.mark.parametrize("rounding", ["none", "nearest", "ceil"])
def test_rounding_of_the_caller_overrides_that_of_the_file(rounding):
    assert read(CVRP).rounding == "nearest"
    assert read(CVRP, rounding=rounding).rounding == rounding
    assert read(nodes("CEIL_2D", "0 0", "1 1"), rounding=rounding).rounding == rounding


FULL = np.array([[0, 1, 2, 3], [1, 0, 4, 5], [2, 4, 0, 6], [3, 5, 6, 0]], float)


@pytest.mark.parametrize(
    ("form", "numbers"),
    [
        ("FULL_MATRIX", "0 1 2 3\n1 0 4 5\n2 4 0 6\n3 5 6 0"),
        ("UPPER_ROW", "1 2 3\n4 5\n6"),
        ("LOWER_ROW", "1\n2 4\n3 5 6"),
        ("UPPER_DIAG_ROW", "0 1 2 3\n0 4 5\n0 6\n0"),
        ("LOWER_DIAG_ROW", "0\n1 0\n2 4 0\n3 5 6 0"),
        ("UPPER_COL", "1\n2 4\n3 5 6"),
        ("LOWER_COL", "1 2 3\n4 5\n6"),
        ("UPPER_DIAG_COL", "0\n1 0\n2 4 0\n3 5 6 0"),
        ("LOWER_DIAG_COL", "0 1 2 3\n0 4 5\n0 6\n0"),
    ],
)
def test_every_format_gives_the_same_matrix_however_lines_are_broken(form, numbers):
    for text in (numbers, numbers.replace("\n", " "), numbers.replace(" ", "\n")):
        np.testing.assert_array_equal(read(matrix(form, text)).matrix, FULL)


def test_an_atsp_keeps_both_directions_and_its_huge_diagonal_means_nothing():
    problem = read(matrix("FULL_MATRIX", "9999 1 2 3\n10 9999 4 5\n20 40 9999 6\n30 50 60 9999", "ATSP"))
    assert problem.matrix[0, 1] == 1
    assert problem.matrix[1, 0] == 10
    assert not problem.matrix.diagonal().any()


def test_coordinates_beside_a_matrix_are_for_the_picture():
    text = matrix("FULL_MATRIX", "0 1 2 3\n1 0 4 5\n2 4 0 6\n3 5 6 0")
    problem = read(text.replace("EOF", "DISPLAY_DATA_SECTION\n2 5 5\n1 0 0\n3 6 6\n4 7 7\nEOF"))
    assert problem.metric == "matrix"
    assert problem.coords.tolist() == [[0, 0], [5, 5], [6, 6], [7, 7]]


def test_a_cvrp_file_has_an_unlimited_fleet_whatever_it_says_of_vehicles():
    problem = read(CVRP)
    assert (problem.kind, problem.fleet_is_bounded, problem.n_vehicles) == ("cvrp", False, 3)
    assert (problem.objective, problem.rounding) == ("minsum", "nearest")
    assert problem.demand.tolist() == [0, 4, 5, 6]
    assert {v.capacity for v in problem.vehicles} == {10}
    assert distance(problem, 0, 1) == 1  # sqrt(2) to the nearest


def test_a_cvrp_file_takes_a_number_of_vehicles_from_the_caller():
    problem = read(CVRP, vehicles=2)
    assert (problem.fleet_is_bounded, problem.n_vehicles) == (True, 2)


def test_another_problem_on_a_cvrp_file_uses_its_number_of_vehicles():
    problem = read(CVRP, problem="mtsp")
    assert (problem.kind, problem.n_vehicles, problem.objective) == ("mtsp", 2, "minmax")
    assert {v.capacity for v in problem.vehicles} == {math.inf}


def test_service_time_and_longest_route_hold_for_every_city_and_vehicle():
    problem = read(CVRP.replace("CAPACITY", "SERVICE_TIME : 7\nDISTANCE : 99\nCAPACITY"))
    assert problem.service.tolist() == [0, 7, 7, 7]
    assert {v.max_length for v in problem.vehicles} == {99}


def test_a_depot_that_is_not_the_first_node_comes_first_and_keeps_its_number():
    text = CVRP.replace(" 1\n -1", " 3\n -1").replace("1 0\n2 4\n3 5", "1 5\n2 4\n3 0")
    problem = read(text)
    assert problem.ids == ("3", "1", "2", "4")
    assert problem.coords[0].tolist() == [3, 4]
    assert problem.demand.tolist() == [0, 5, 4, 6]


def test_several_depots_make_an_fmdvrp_or_what_the_caller_says():
    text = nodes("EUC_2D", "0 0", "3 4", "6 8").replace("EOF", "DEPOT_SECTION\n1 2 -1\nEOF")
    flexible, own = read(text, vehicles=3), read(text, problem="mdvrp", vehicles=3)
    assert (flexible.kind, [v.start for v in flexible.vehicles]) == ("fmdvrp", [0, 1, 0])
    assert (own.kind, own.ends_of(1)) == ("mdvrp", (1,))


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(" : ", ":\t"),
        lambda text: text.replace(" : ", " "),
        lambda text: text.replace("\n", " \r\n"),
        lambda text: text.replace("\n", "\n\n"),
        lambda text: text.replace("_SECTION", "_SECTION :"),
        lambda text: text.replace("EOF\n", ""),
        lambda text: text.replace("DIMENSION", "dimension"),
        lambda text: text + "whatever stands below the end",
    ],
)
def test_colons_blanks_and_line_ends_do_not_matter(change):
    assert read(change(CVRP)) == read(CVRP)
