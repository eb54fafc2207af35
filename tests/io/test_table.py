"""CSV: what people have."""

from __future__ import annotations

import pytest

from neurocross.io import ReadOptions, parse_problem
from neurocross.problem import Problem

STOPS = """id,kind,x,y,demand,service,name
a,city,3,4,2,5,Anna
hub,depot,0,0,0,0,"Hub, main"
b,city,6,8,,,
"""


def read(text: str, **options: object) -> Problem:
    return parse_problem(text, None, "stops.csv", ReadOptions(**{"vehicles": 2} | options))


def test_depots_may_stand_anywhere_and_empty_amounts_are_zero():
    problem = read(STOPS)
    assert problem.ids == ("hub", "a", "b")
    assert problem.names == ("Hub, main", "Anna", "")
    assert problem.demand.tolist() == [0, 2, 0]
    assert problem.service.tolist() == [0, 5, 0]
    assert problem.coords.tolist() == [[0, 0], [3, 4], [6, 8]]


def test_one_depot_makes_an_mtsp_several_an_fmdvrp():
    assert read(STOPS).kind == "mtsp"
    several = read(STOPS.replace("b,city", "b,depot"), vehicles=3)
    assert (several.kind, [v.start for v in several.vehicles]) == ("fmdvrp", [0, 1, 0])
    assert read(STOPS.replace("b,city", "b,depot"), end="own").kind == "mdvrp"


def test_lat_and_lon_are_measured_in_metres_over_the_globe():
    problem = read("id,kind,lat,lon\nd,depot,0,0\na,city,0,1\n")
    assert (problem.metric, problem.geographic) == ("haversine", True)
    assert problem.core.arc(0, 1) == pytest.approx(6_371_008.8 * 3.141592653589793 / 180)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(",", ";").replace("Hub; main", "Hub, main"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\n\n"),
        lambda text: text.replace("a,city", " a , CITY "),
        lambda text: text.replace("id,kind", "ID,Kind"),
        lambda text: text.rstrip("\n"),
    ],
)
def test_delimiter_byte_order_mark_blanks_and_case_do_not_matter(change):
    assert read(change(STOPS)) == read(STOPS)


def test_columns_may_come_in_any_order():
    assert read("y,x,kind,id\n0,0,depot,d\n4,3,city,a\n") == read("id,kind,x,y\nd,depot,0,0\na,city,3,4\n")


def test_a_cvrp_takes_demands_from_the_table_and_the_capacity_from_the_caller():
    problem = read(STOPS, problem="cvrp", capacity=4, vehicles=None)
    assert (problem.kind, problem.fleet_is_bounded, problem.rounding) == ("cvrp", False, "none")
    assert {v.capacity for v in problem.vehicles} == {4}


def test_a_table_without_cities_is_a_problem():
    assert read("id,kind,x,y\nd,depot,0,0\n").n_cities == 0
