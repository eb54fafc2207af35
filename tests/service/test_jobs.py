"""Jobs over HTTP: what can be uploaded, watched, stopped, continued and exported."""

from __future__ import annotations

import json

import numpy as np
import pytest
from serving import TOWNS, Service

from neurocross import Problem
from neurocross.io import ReadOptions, format_problem, parse_problem, parse_solution

SQUARE = "id,kind,x,y\nd,depot,0,0\na,city,0,1\nb,city,1,1\nc,city,1,0\n"
TSPLIB = (
    "NAME: four\nTYPE: TSP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n"
    "1 0 0\n2 0 9\n3 9 9\n4 9 0\nEOF\n"
)
VROOM = {
    "vehicles": [{"id": 7, "start": [8.5, 47.3], "end": [8.5, 47.3]}],
    "jobs": [{"id": 1, "location": [6.1, 46.2]}, {"id": 2, "location": [9.4, 47.4]}],
}
OURS = json.loads(format_problem(Problem.mtsp([[0, 0], [0, 1], [1, 1], [1, 0]], vehicles=2), "json"))


def test_a_job_is_accepted_at_once_and_finishes_with_a_feasible_plan(service: Service) -> None:
    answer = service.http.post("v1/jobs", json={"instance": TOWNS, "vehicles": 6, "seconds": 0.5})
    assert answer.status_code == 202
    assert answer.headers["location"] == answer.json()["links"]["self"]
    job = service.ended(answer.json())
    assert job["state"] == "finished" and job["about"]["cities"] == 58
    assert job["best"]["feasible"] and job["best"]["lower_bound"] <= job["best"]["makespan"]


@pytest.mark.parametrize("instance", [SQUARE, TSPLIB, VROOM, OURS], ids=["csv", "tsplib", "vroom", "ours"])
def test_every_format_can_be_the_instance_of_a_request(service: Service, instance: object) -> None:
    vehicles = 1 if instance is VROOM else 2
    job = service.ended(service.submit(instance, seconds=0.2, vehicles=vehicles))
    assert job["state"] == "finished" and job["best"]["feasible"]


@pytest.mark.parametrize(
    "body", [SQUARE, TSPLIB, json.dumps(VROOM), json.dumps(OURS)], ids=["csv", "tsplib", "vroom", "ours"]
)
def test_every_format_can_be_a_body_with_the_options_in_the_query(service: Service, body: str) -> None:
    answer = service.http.post("v1/jobs", content=body, params={"seconds": 0.2, "vehicles": 1})
    assert answer.status_code == 202, answer.text
    assert service.ended(answer.json())["state"] == "finished"


def test_events_tell_of_every_best_in_order_and_end_with_the_state(service: Service) -> None:
    events = list(service.events(service.submit(seconds=1)))
    assert [number for number, _, _ in events] == list(range(1, len(events) + 1))
    *bests, (_, last, _) = events
    values = [data["makespan"] for _, kind, data in bests if kind == "best"]
    assert last == "finished" and len(values) == len(bests) >= 2
    assert values == sorted(values, reverse=True)


def test_events_go_on_after_the_last_one_seen(service: Service) -> None:
    job = service.submit(seconds=0.5)
    all_events = list(service.events(job))
    assert list(service.events(job, after=2)) == all_events[2:]


def test_a_listener_who_comes_back_misses_nothing_of_a_running_job(service: Service) -> None:
    job = service.submit(seconds=1)
    first, *_ = service.first_best(job)
    rest = [number for number, _, _ in service.events(job, after=first)]
    assert rest == list(range(first + 1, first + 1 + len(rest))) and rest


def test_a_listener_who_has_seen_everything_is_told_not_to_come_back(service: Service) -> None:
    job = service.submit(SQUARE, seconds=0.1)
    last = list(service.events(job))[-1][0]
    answer = service.http.get(job["links"]["events"], headers={"Last-Event-ID": str(last)})
    assert answer.status_code == 204


def test_delete_stops_a_job_and_keeps_its_best(service: Service) -> None:
    job = service.submit(seconds=60, vehicles=3)
    _, _, first = service.first_best(job)
    stopped = service.http.delete(job["links"]["self"]).json()
    assert stopped["state"] == "stopped" and stopped["best"]["makespan"] <= first["makespan"]
    plan = service.http.get(job["links"]["self"] + "/solution.json").json()
    assert plan["makespan"] == pytest.approx(stopped["best"]["makespan"])


def test_delete_leaves_a_finished_job_finished(service: Service) -> None:
    job = service.ended(service.submit(SQUARE, seconds=0.1))
    assert service.http.delete(job["links"]["self"]).json()["state"] == "finished"


def test_a_job_starts_from_the_routes_it_is_given(service: Service) -> None:
    first = service.ended(service.submit(seconds=0.5))
    routes = service.http.get(first["links"]["solution.json"]).json()["routes"]
    again = service.submit(seconds=0.5, start=routes)
    _, _, begun = service.first_best(again)
    assert begun["makespan"] == pytest.approx(first["best"]["makespan"])


def test_the_same_seed_and_iterations_give_the_same_plan(service: Service) -> None:
    jobs = [service.submit(seconds=30, iterations=200, seed=5, method="ce") for _ in range(2)]
    one, two = (service.ended(job)["best"] for job in jobs)
    assert (one["makespan"], one["total"]) == (two["makespan"], two["total"])


@pytest.mark.parametrize("format", ["json", "csv", "geojson", "sol"])
def test_an_exported_plan_is_the_best_plan(service: Service, format: str) -> None:
    job = service.ended(service.submit(seconds=0.3))
    text = service.http.get(job["links"][f"solution.{format}"]).text
    problem = parse_problem(TOWNS, options=ReadOptions(vehicles=6))
    plan = parse_solution(text, problem, format)
    assert plan.feasible and plan.makespan == pytest.approx(job["best"]["makespan"])


def test_a_plan_is_drawn_as_svg_that_may_run_nothing(service: Service) -> None:
    job = service.ended(service.submit(seconds=0.3))
    answer = service.http.get(job["links"]["solution.svg"])
    assert answer.headers["content-type"] == "image/svg+xml" and "<svg" in answer.text
    assert "sandbox" in answer.headers["content-security-policy"]


def test_the_problem_of_a_job_can_be_solved_again(service: Service) -> None:
    job = service.submit(SQUARE, seconds=0.1, vehicles=2)
    again = service.submit(service.http.get(job["links"]["problem"]).json(), seconds=0.1, vehicles=None)
    assert service.ended(again)["best"]["makespan"] == service.ended(job)["best"]["makespan"]


def test_jobs_are_listed_newest_first_page_by_page(service: Service) -> None:
    ids = [service.submit(SQUARE, seconds=0.1)["id"] for _ in range(5)]
    seen, url = [], "v1/jobs?limit=2"
    while url and len(seen) < 5:
        page = service.http.get(url).json()
        seen += [job["id"] for job in page["jobs"]]
        url = page["next"]
    assert seen[:5] == ids[::-1]


def test_the_true_gains_of_all_exchanges_can_be_looked_at(service: Service) -> None:
    job = service.ended(service.submit(seconds=0.3))
    answer = service.http.get(f"v1/jobs/{job['id']}/exchanges", params={"event": 0, "top": 5}).json()
    gains = np.array(answer["gains"])
    stops = [len(route["stops"]) for route in answer["routes"]]
    assert gains.shape == (stops[0] + 1, stops[1] + 1)
    assert answer["best"]["gain"] == pytest.approx(gains.max()) and len(answer["picks"]) == 5


def test_vroom_json_is_answered_in_vrooms_schema(service: Service) -> None:
    answer = service.http.post("", json=VROOM, params={"seconds": 0.2})
    assert answer.status_code == 200
    plan = answer.json()
    assert plan["code"] == 0 and plan["summary"]["makespan"] == plan["routes"][0]["length"]
    assert plan["routes"][0]["vehicle"] == 7 and plan["routes"][0]["ends"] == "depot 1"


def test_an_unsupported_key_of_vroom_is_refused_by_name(service: Service) -> None:
    answer = service.http.post("", json=VROOM | {"shipments": [{}]})
    assert answer.status_code == 400
    assert answer.json()["code"] == 2 and "'shipments'" in answer.json()["error"]


def test_twenty_stops_a_distance_of_1_apart_are_shared_by_five_vehicles(service: Service) -> None:
    matrix = (1 - np.eye(21, dtype=int)).tolist()
    instance = {"neurocross": 1, "depots": [{"id": "0"}], "matrix": matrix,
                "cities": [{"id": str(k)} for k in range(1, 21)]}  # fmt: skip
    job = service.ended(service.submit(instance, vehicles=5, seconds=5))
    assert job["best"]["makespan"] == 5


def test_health_tells_that_the_service_runs(service: Service) -> None:
    assert service.http.get("health").json()["status"] == "ok"


def test_the_page_or_a_notice_is_at_the_root(service: Service) -> None:
    answer = service.http.get("")
    assert answer.headers["content-type"].startswith("text/html") and "neurocross" in answer.text


def test_no_path_of_a_request_reaches_a_file(service: Service) -> None:
    for path in (
        "/../settings.py",
        "/assets/../../app.py",
        "/%2e%2e/app.py",
        "/page/index.html",
        "//etc/passwd",
    ):
        assert service.http.get(path).status_code == 404
