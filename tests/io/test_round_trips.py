"""What is written is read again as the same problem, or it is not written."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from worlds import worlds

from neurocross.errors import InputError
from neurocross.io import PROBLEM_FORMATS, format_problem, read_problem, write_problem
from neurocross.problem import Problem, Vehicle

SUFFIX = {"json": ".json", "csv": ".csv", "tsplib": ".vrp"}


def substance(problem: Problem) -> Problem:
    """A problem without what things are called."""
    vehicles = tuple(replace(vehicle, name="") for vehicle in problem.vehicles)
    return problem.with_(ids=(), names=(), name="", kind="general", vehicles=vehicles)


@st.composite
def named_problems(draw: st.DrawFn, kind: str) -> Problem:
    """One of the five problems in the plane."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    several = kind in ("mdvrp", "fmdvrp")
    n_depots, n_cities = draw(st.integers(1, 3)) if several else 1, draw(st.integers(0, 5))
    options = {
        "coords": rng.normal(size=(n_depots + n_cities, 2)).round(draw(st.sampled_from([0, 3, 17]))),
        "service": np.concatenate((np.zeros(n_depots), rng.random(n_cities) * draw(st.booleans()))),
        "rounding": draw(st.sampled_from(["none", "nearest", "ceil"])),
        "objective": draw(st.sampled_from(["minmax", "minsum"])),
    }
    demand = np.concatenate((np.zeros(n_depots), rng.integers(1, 9, n_cities)))
    limit = draw(st.sampled_from([math.inf, 12.5]))
    number = draw(st.integers(1, 5))
    match kind:
        case "tsp":
            return Problem.tsp(**options)
        case "mtsp":
            return Problem.mtsp(**options, vehicles=number, max_length=limit)
        case "mdvrp":
            return Problem.mdvrp(**options, n_depots=n_depots, vehicles=number, max_length=limit)
        case "fmdvrp":
            return Problem.fmdvrp(
                **options, n_depots=n_depots, vehicles=number, capacity=limit, demand=demand
            )
        case _:
            bound = draw(st.sampled_from([None, number]))
            return Problem.cvrp(**options, demand=demand, capacity=9.5, vehicles=bound)


@pytest.mark.parametrize("format", PROBLEM_FORMATS)
@given(problem=worlds())
def test_a_problem_is_written_whole_or_refused(format, problem, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / f"{format}-problem"
    try:
        options = write_problem(problem, path, format=format)
    except InputError as refusal:
        assert format != "json"
        assert "\n" not in str(refusal)
        return
    again = read_problem(path, format=format, options=options)
    assert substance(again) == substance(problem)


@pytest.mark.parametrize("format", ["json", "csv", "tsplib"])
@pytest.mark.parametrize("kind", ["tsp", "mtsp", "mdvrp", "fmdvrp", "cvrp"])
@given(data=st.data())
def test_the_five_problems_are_held_and_the_options_to_read_them_are_told(
    format, kind, data, tmp_path_factory
):
    problem = data.draw(named_problems(kind))
    path = tmp_path_factory.getbasetemp() / f"{kind}{SUFFIX[format]}"
    again = read_problem(path, options=write_problem(problem, path))
    assert again.kind == kind
    assert substance(again) == substance(problem)


@pytest.mark.parametrize("format", ["wang2015", "cordeau"])
def test_an_mdvrp_with_its_vehicles_by_depot_is_held_by_the_formats_of_the_mdvrp(format, tmp_path):
    rng = np.random.default_rng(1)
    problem = Problem.mdvrp(rng.random((8, 2)), n_depots=3, vehicles=[2, 2, 2])
    path = tmp_path / "p01"
    assert write_problem(problem, path, format=format).problem == "mdvrp"
    again = read_problem(path)
    assert substance(again) == substance(problem)


def test_cordeau_holds_limits_by_depot():
    vehicles = (Vehicle(0, capacity=5, max_length=9), Vehicle(1, capacity=7))
    problem = Problem(
        n_depots=2, coords=[[0, 0], [1, 1], [2, 2]], vehicles=vehicles, demand=[0, 0, 1], service=[0, 0, 2]
    )
    assert format_problem(problem, "cordeau") == "2 1 1 2\n9 5\n0 7\n1 2 2 2 1\n2 0 0 0 0\n3 1 1 0 0\n"


DIFFERENT = Problem(n_depots=2, matrix=np.eye(3) + 1, vehicles=(Vehicle(0), Vehicle(1, capacity=3)))
A_CHOICE = Problem.fmdvrp([[0, 0], [1, 1], [2, 2]], n_depots=2, vehicles=2, metric="haversine")


@pytest.mark.parametrize(
    ("problem", "format", "message"),
    [
        (DIFFERENT, "csv", "a CSV holds coordinates, this problem has a matrix: use .json"),
        (DIFFERENT, "cordeau", "these files hold plane coordinates only, not metric matrix: use .json"),
        (DIFFERENT, "tsplib", "format tsplib cannot hold this problem: its vehicles would change"),
        (A_CHOICE, "tsplib", "TSPLIB files know no metric haversine: use .json or .csv"),
        (A_CHOICE, "vroom", "VROOM's files know one end a vehicle, vehicle 1 has 2"),
        (
            A_CHOICE.with_(metric="euclidean", geographic=False, demand=[0, 0, 1], kind="general"),
            "wang2015",
            "format wang2015 cannot hold this problem: its vehicles, demand would change",
        ),
        (
            Problem.tsp([[0, 0], [1, 1]]),
            "vroom",
            "VROOM's files hold lon, lat or a matrix, not metric euclidean: use .json",
        ),
        (
            A_CHOICE,
            "dbf",
            "--format 'dbf' is unknown: use one of json, vroom, csv, tsplib, cordeau, wang2015",
        ),
    ],
)
def test_a_format_without_a_place_for_something_says_what(problem, format, message):
    with pytest.raises(InputError) as error:
        format_problem(problem, format)
    assert str(error.value) == message


def test_the_file_names_the_options_that_make_it_the_same_problem():
    problem = Problem.mtsp([[0, 0], [1, 1]], vehicles=4, rounding="nearest")
    assert (
        "COMMENT : read with --problem mtsp --vehicles 4 --objective minmax --round nearest --end own\n"
        in format_problem(problem, "tsplib")
    )
