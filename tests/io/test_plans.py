"""Plans in files: `.sol`, JSON, CSV, GeoJSON and VROOM's answers."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from worlds import plans

from neurocross.errors import InputError
from neurocross.io import SOLUTION_FORMATS, format_solution, parse_solution, read_solution, write_solution
from neurocross.problem import METRICS, Problem, Vehicle
from neurocross.solution import Solution

SUFFIXES = {"sol": ".sol", "json": ".json", "csv": ".csv", "geojson": ".geojson"}


@pytest.fixture
def plan() -> Solution:
    """Two depots; the second of three vehicles is unused, the third has an open route."""
    problem = Problem(
        n_depots=2,
        coords=[[0, 0], [10, 0], [3, 4], [6, 8], [10, 5]],
        vehicles=(Vehicle(0, "any"), Vehicle(1), Vehicle(1, "open")),
        service=[0, 0, 1, 0, 0],
        demand=[0, 0, 2, 3, 4],
        ids=["n", "s", "a", "b", "c"],
        names=["North", "", "Anna, baker", "", ""],
    )
    return Solution(problem, [[2, 3], [], [4]])


@pytest.mark.parametrize("format", SOLUTION_FORMATS)
@given(plan=plans(metrics=METRICS[1:]))
def test_every_plan_comes_back_with_the_same_tours(format, plan):
    assert parse_solution(format_solution(plan, format), plan.problem, format).tours == plan.tours


@pytest.mark.parametrize("format", SUFFIXES)
def test_the_suffix_chooses_the_format_and_the_content_tells_it(format, plan, tmp_path):
    path = tmp_path / f"plan{SUFFIXES[format]}"
    write_solution(plan, path)
    assert path.read_text() == format_solution(plan, format)
    renamed = path.rename(tmp_path / "plan.txt")
    assert read_solution(renamed, plan.problem).tours == plan.tours


def test_sol_counts_customers_from_one_and_keeps_the_numbers_of_vehicles(plan):
    assert format_solution(plan, "sol") == (
        "Route #1: 1 2\nRoute #3: 3\nCost: 24.94427190999916\nMakespan: 19.94427190999916\n"
    )  # 5 + 1 + 5 + sqrt(80) back to the south depot; 5 for the open route


@pytest.mark.parametrize(
    "text",
    [
        "Route #1: 1 2\nRoute #2:\nRoute #3: 3\nCost 12\n",
        "route # 3 : 3\r\nROUTE #1: 1 2\r\n",
        "Cost: 12\nMakespan: 3\nRoute #3: 3\nRoute #1: 1 2",
    ],
)
def test_sol_files_of_others_are_read(text, plan):
    assert parse_solution(text, plan.problem).tours == plan.tours


def test_csv_has_one_line_a_stop_with_the_length_on_arrival(plan):
    assert format_solution(plan, "csv").splitlines() == [
        "vehicle,sequence,id,name,kind,arrival",
        "1,0,n,North,depot,0",
        '1,1,a,"Anna, baker",city,5',
        "1,2,b,,city,11",  # 5, 1 of service, 5
        "1,3,s,,depot,19.94427190999916",
        "3,0,s,,depot,0",
        "3,1,c,,city,5",
    ]


def test_json_tells_what_the_plan_is_worth(plan):
    document = json.loads(format_solution(plan, "json"))
    assert document["feasible"] is True
    assert document["makespan"] == plan.makespan
    assert document["total"] == plan.total
    assert document["routes"][0] == {
        "vehicle": 1, "start": "n", "end": "s", "stops": ["a", "b"], "length": plan.makespan, "load": 5.0,
    }  # fmt: skip
    assert document["routes"][1]["stops"] == []
    assert document["routes"][2]["end"] is None


def test_the_answer_of_the_command_is_a_plan(plan):
    answer = {
        "problem": "general", "objective": "minmax", "method": "ce", "seed": 0, "rounding": "none",
        "feasible": True, "violations": [], "makespan": 1.0, "total": 2.0, "lower_bound": 0.5, "gap": 1.0,
        "optimal": False, "seconds": 0.1, "iterations": 3, "routes": plan.route_dicts(),
    }  # fmt: skip
    assert parse_solution(json.dumps(answer), plan.problem).tours == plan.tours


def test_geojson_is_plane_for_plane_problems(plan):
    features = json.loads(format_solution(plan, "geojson"))["features"]
    lines = [f["geometry"]["coordinates"] for f in features if f["geometry"]["type"] == "LineString"]
    assert lines == [[[0, 0], [3, 4], [6, 8], [10, 0]], [[10, 0], [10, 5]]]
    kinds = [f["properties"]["kind"] for f in features]
    assert kinds == ["route", "route", "depot", "depot", "city", "city", "city"]


def test_geojson_has_longitude_first_on_the_globe():
    problem = Problem.tsp([[47.0, 8.5], [46.5, 7.25]], metric="haversine")
    features = json.loads(format_solution(Solution(problem, [[1]]), "geojson"))["features"]
    assert features[0]["geometry"]["coordinates"] == [[8.5, 47], [7.25, 46.5], [8.5, 47]]


def test_geojson_turns_minutes_into_decimals_of_a_degree():
    problem = Problem.tsp([[48.30, -8.15], [0.0, 0.0]], metric="geo")
    features = json.loads(format_solution(Solution(problem, [[1]]), "geojson"))["features"]
    assert features[1]["geometry"]["coordinates"] == pytest.approx([-8.25, 48.5])


def test_a_map_needs_places():
    problem = Problem.tsp(None, matrix=[[0, 1], [1, 0]])
    with pytest.raises(InputError, match=r"^a map needs coordinates, this problem has only a matrix"):
        format_solution(Solution(problem, [[1]]), "geojson")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Route #1: 1 9\n", "plan:1: customer 9 does not exist: they are numbered 1 to 3"),
        ("Route #1: 1\nRoute #1: 2\n", "plan:2: route 1 is given twice"),
        ("Route #4: 1\n", "plan:1: route 4 has no vehicle: the problem has vehicles 1 to 3"),
        ("Route #0: 1\n", "plan:1: route 0 has no vehicle: the problem has vehicles 1 to 3"),
        ("Route #1: 1 x\n", "plan:1: a customer's number must be a whole number, not 'x'"),
        (
            "Route #1: 1\nRout #2: 2\n",
            "plan:2: expected 'Route #k:', 'Cost:' or 'Makespan:', found 'Rout #2: 2'",
        ),
        ("hello\n", "plan: its format is not recognised: give --format sol|json|csv|geojson|vroom"),
        ("", "plan: is empty"),
        ("vehicle,id\n", "plan:1: column 'sequence' must be given once; known are {columns}"),
        ("vehicle,sequence,id,kind,x\n", "plan:1: column 'x' is unknown; known are {columns}"),
        (
            "vehicle,sequence,id,kind\n1,1,a,city\n1,1,b,city\n",
            "plan:3: vehicle 1 has two stops of sequence 1",
        ),
        ("vehicle,sequence,id,kind\n1,1,z,city\n", "plan:2: node 'z' is not in the problem"),
        ("vehicle,sequence,id,kind\n9,1,a,city\n", "plan:2: vehicle 9 does not exist: the problem has 3"),
        (
            "vehicle,sequence,id,kind\n1,1,a\n",
            "plan:2: expected 4 values (vehicle,sequence,id,kind), found 3",
        ),
        ('{"makespan": 3}', "plan: the document lacks the key 'routes'"),
        (
            '{"neurocross": 1, "routes": [{"vehicle": 1}]}',
            "plan: routes must name the vehicle and the stops of each",
        ),
        (
            '{"neurocross": 1, "routes": [{"vehicle": 1, "stops": ["z"]}]}',
            "plan: routes[0].stops[0] is 'z', which is no node of the problem",
        ),
        (
            '{"neurocross": 1, "routes": [{"vehicle": 9, "stops": []}]}',
            "plan: routes[0].vehicle is 9, the problem has 3 vehicles",
        ),
        (
            '{"neurocross": 1, "routes": [{"vehicle": 1, "stops": []}, {"vehicle": 1, "stops": []}]}',
            "plan: routes[1].vehicle is 1, which already has a route",
        ),
        ('{"neurocross": 1, "routes": [], "speed": 3}', "plan: the document has the unknown key 'speed'"),
        ('{"code": 0}', "plan: is no answer of VROOM: it has no routes"),
        ('{"code": 0, "routes": [{"vehicle": 1}]}', "plan: routes[0] must have a vehicle and steps"),
        (
            '{"code": 0, "routes": [{"vehicle": 1, "steps": [{"type": "job", "id": 9}]}]}',
            "plan: routes[0].steps[0].id is 9, which is no job of the problem",
        ),
        (
            '{"code": 0, "routes": [{"vehicle": 1, "steps": [{"type": "break"}]}]}',
            'plan: routes[0].steps[0].type must be one of start, job, end, not "break"',
        ),
        (
            '{"features": [{"properties": {"kind": "route", "vehicle": 1}}]}',
            "plan: features must name the vehicle and the stops of each",
        ),
        ('{"features": 3}', "plan: features must be a list […], not 3"),
    ],
)
def test_a_plan_that_cannot_be_read_is_an_error_that_names_the_place(text, message, plan):
    with pytest.raises(InputError) as error:
        parse_solution(text, plan.problem, None, "plan")
    columns = "vehicle, sequence, id, name, kind, arrival"
    assert str(error.value).startswith(message.format(columns=columns) if "{columns}" in message else message)
    assert "\n" not in str(error.value)


def test_a_plan_need_not_be_feasible_to_be_read(plan):
    half = parse_solution("Route #1: 1 1\n", plan.problem)
    assert half.tours == ((2, 2), (), ())
    assert not half.feasible
