"""Cordeau's format and that of the wang2015 set."""

from __future__ import annotations

import math

import pytest

from neurocross.io import ReadOptions, parse_problem

CORDEAU = """2 2 3 2
100 8
0 9
1 3 4 5 2 1 4 1 2 4 8
2 6 8 5 3 1 4 1 2 4 8
3 9 0 0 4 1 4 1 2 4 8
4 0 0 0 0 0 0
5 10 10 0 0 0 0
"""

WANG = "md0 3 2 123.4\r\n1\t0\t0\t2\r\n2\t10\t10\t1\r\n\r\n1\t3\t4\t8.5\r\n2\t6\t8\t1\r\n3\t9\t0\t2\r\n"


def test_cordeau_has_m_vehicles_at_each_depot_with_that_depots_limits():
    problem = parse_problem(CORDEAU)
    assert (problem.kind, problem.n_depots, problem.n_cities) == ("mdvrp", 2, 3)
    assert [v.start for v in problem.vehicles] == [0, 0, 1, 1]
    assert [v.capacity for v in problem.vehicles] == [8, 8, 9, 9]
    assert [v.max_length for v in problem.vehicles] == [100, 100, math.inf, math.inf]
    assert {v.end for v in problem.vehicles} == {"own"}


def test_cordeau_lists_depots_last_and_we_put_them_first():
    problem = parse_problem(CORDEAU)
    assert problem.ids == ("4", "5", "1", "2", "3")
    assert problem.coords.tolist() == [[0, 0], [10, 10], [3, 4], [6, 8], [9, 0]]
    assert problem.service.tolist() == [0, 0, 5, 5, 0]
    assert problem.demand.tolist() == [0, 0, 2, 3, 4]
    assert problem.rounding == "none"


def test_wang2015_gives_each_depot_its_number_of_vehicles_and_ignores_values():
    problem = parse_problem(WANG)
    assert (problem.kind, problem.name, problem.n_depots, problem.n_cities) == ("mdvrp", "md0", 2, 3)
    assert [v.start for v in problem.vehicles] == [0, 0, 1]
    assert problem.coords.tolist() == [[0, 0], [10, 10], [3, 4], [6, 8], [9, 0]]
    assert problem.ids == ("D1", "D2", "1", "2", "3")
    assert not problem.demand.any()


def test_wang2015_may_have_blank_lines_anywhere():
    assert parse_problem(WANG.replace("\r\n", "\n\n \n")) == parse_problem(WANG)


@pytest.mark.parametrize("text", [CORDEAU, WANG])
def test_the_callers_number_replaces_equal_vehicles_in_turn_at_the_depots(text):
    problem = parse_problem(text.replace("100 8", "0 9"), options=ReadOptions(vehicles=5))
    assert [v.start for v in problem.vehicles] == [0, 1, 0, 1, 0]


@pytest.mark.parametrize("text", [CORDEAU, WANG])
def test_the_same_file_is_an_fmdvrp_if_the_caller_says_so(text):
    problem = parse_problem(text, options=ReadOptions(problem="fmdvrp"))
    assert problem.kind == "fmdvrp"
    assert problem.ends_of(0) == (0, 1)
    assert [v.start for v in problem.vehicles] == [v.start for v in parse_problem(text).vehicles]
