"""VROOM's JSON is taken and answered in its words."""

from __future__ import annotations

import json
import math

import pytest

from neurocross.io import ReadOptions, format_problem, format_solution, parse_problem, parse_solution
from neurocross.problem import Problem
from neurocross.solution import Solution

ON_EARTH = {
    "vehicles": [
        {"id": 47, "description": "Anna", "start": [8.5, 47.0], "end": [8.5, 47.0], "capacity": [4]},
        {"id": 48, "start": [7.5, 46.5], "end": [8.5, 47.0], "max_distance": 90000},
        {"id": 49, "start": [7.5, 46.5]},
    ],
    "jobs": [
        {"id": 1414, "location": [8.0, 47.0], "delivery": [2], "description": "bakery"},
        {"id": 1515, "location": [7.6, 46.6]},
    ],
}
BY_MATRIX = {
    "vehicles": [{"id": 0, "start_index": 0, "end_index": 3}],
    "jobs": [{"id": 1414, "location_index": 1, "service": 60}, {"id": 1515, "location_index": 2}],
    "matrices": {
        "car": {
            "durations": [[0, 2104, 197, 1299], [2103, 0, 2255, 3152], [197, 2256, 0, 1102], [9, 8, 7, 0]]
        }
    },
}


def read(document: dict[str, object], **options: object) -> Problem:
    return parse_problem(json.dumps(document), None, "vroom.json", ReadOptions(**options))


def test_places_where_vehicles_start_and_end_become_depots():
    problem = read(ON_EARTH)
    assert problem.n_depots == 2
    assert problem.coords.tolist() == [[47, 8.5], [46.5, 7.5], [47, 8], [46.6, 7.6]]
    assert [v.start for v in problem.vehicles] == [0, 1, 1]
    assert [v.end for v in problem.vehicles] == ["own", 0, "open"]
    assert (problem.metric, problem.objective) == ("haversine", "minmax")


def test_ids_descriptions_amounts_and_limits_are_kept():
    problem = read(ON_EARTH)
    assert problem.ids == ("depot 1", "depot 2", "1414", "1515")
    assert problem.names == ("", "", "bakery", "")
    assert [v.name for v in problem.vehicles] == ["47 Anna", "48", "49"]
    assert problem.demand.tolist() == [0, 0, 2, 0]
    assert [v.capacity for v in problem.vehicles] == [4, math.inf, math.inf]
    assert [v.max_length for v in problem.vehicles] == [math.inf, 90000, math.inf]


def test_a_matrix_is_cut_to_the_rows_that_are_used():
    problem = read(BY_MATRIX)
    assert problem.n_depots == 2
    assert problem.matrix.tolist() == [
        [0, 1299, 2104, 197],
        [9, 0, 8, 7],
        [2103, 3152, 0, 2255],
        [197, 1102, 2256, 0],
    ]
    assert problem.service.tolist() == [0, 0, 60, 0]


def test_two_jobs_may_be_at_one_row_of_the_matrix():
    jobs = [{"id": 1, "location_index": 1}, {"id": 2, "location_index": 1}]
    problem = read(BY_MATRIX | {"jobs": jobs})
    assert problem.matrix[2, 3] == 0
    assert problem.matrix[0].tolist() == [0, 1299, 2104, 2104]


def test_distances_may_be_given_instead_of_durations():
    table = BY_MATRIX["matrices"]["car"]["durations"]
    document = BY_MATRIX | {
        "matrices": {"car": {"distances": table}},
        "jobs": [{"id": 1, "location_index": 1}],
    }
    vehicles = [BY_MATRIX["vehicles"][0] | {"max_distance": 5000}]
    assert read(document | {"vehicles": vehicles}).vehicles[0].max_length == 5000


@pytest.mark.parametrize(
    "nothing",
    [
        {"skills": []},
        {"priority": 0},
        {"setup": 0},
        {"time_windows": []},
    ],
)
def test_an_unsupported_key_that_asks_for_nothing_is_no_reason_to_refuse(nothing):
    jobs = [job | nothing for job in ON_EARTH["jobs"]]
    assert read(ON_EARTH | {"jobs": jobs}) == read(ON_EARTH)


def test_the_answer_has_the_makespan_and_where_each_vehicle_ends():
    problem = read(BY_MATRIX)
    answer = json.loads(format_solution(Solution(problem, [[2, 3]]), "vroom"))
    assert answer["code"] == 0
    assert answer["summary"]["makespan"] == 2104 + 60 + 2255 + 1102
    assert answer["summary"]["cost"] == answer["summary"]["duration"] == 2104 + 2255 + 1102
    assert answer["summary"]["service"] == 60
    assert answer["summary"]["unassigned"] == 0
    (route,) = answer["routes"]
    assert (route["vehicle"], route["ends"]) == (0, "depot 2")
    assert [step["type"] for step in route["steps"]] == ["start", "job", "job", "end"]
    assert [step.get("id") for step in route["steps"]] == [None, 1414, 1515, None]
    assert [step["arrival"] for step in route["steps"]] == [
        0,
        2104,
        2104 + 60 + 2255,
        2104 + 60 + 2255 + 1102,
    ]
    assert [step["duration"] for step in route["steps"]] == [0, 2104, 2104 + 2255, 2104 + 2255 + 1102]


def test_the_answer_uses_vrooms_own_ids_and_longitude_first():
    problem = read(ON_EARTH)
    answer = json.loads(format_solution(Solution(problem, [[], [], [3]]), "vroom"))
    (route,) = answer["routes"]
    assert (route["vehicle"], route["ends"]) == (49, None)
    assert [step["type"] for step in route["steps"]] == ["start", "job"]
    assert route["steps"][0]["location"] == [7.5, 46.5]
    assert route["distance"] == route["cost"]
    assert answer["unassigned"] == [{"id": 1414, "description": "bakery", "type": "job", "location": [8, 47]}]
    assert answer["summary"]["violations"] == [{"cause": "city '1414' is not visited"}]


def test_an_answer_of_vroom_is_a_plan():
    problem = read(ON_EARTH)
    step = {"setup": 0, "waiting_time": 0, "violations": []}
    steps = [{"type": "start"} | step, {"type": "job", "id": 1515} | step, {"type": "end"} | step]
    answer = {"code": 0, "summary": {}, "unassigned": [], "routes": [{"vehicle": 48, "steps": steps}]}
    assert parse_solution(json.dumps(answer), problem).tours == ((), (3,), ())


def test_a_problem_that_came_from_vroom_goes_back():
    for document in (ON_EARTH, BY_MATRIX):
        problem = read(document)
        assert parse_problem(format_problem(problem, "vroom")) == problem
