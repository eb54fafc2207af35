"""What the service refuses, and that it says why."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from serving import TOWNS, Service

from neurocross.errors import InputError
from neurocross.service.settings import Settings, read_token
from neurocross.service.store import Store

TOKEN = "a-token-of-thirty-two-characters"


@pytest.mark.parametrize(
    ("body", "query", "sentence"),
    [
        ("", {}, "upload: is empty"),
        ("id,kind,x,y\nd,depot,0,zero\n", {"vehicles": 1}, "upload:2: y must be a finite number, not 'zero'"),
        ("what is this", {}, "upload: its format is not recognised"),
        ('{"instance": 3}', {}, "instance"),
        ('{"instance": "x", "speed": 3}', {}, "speed: extra inputs are not permitted"),
        ('{"instance": "\\ud800"}', {}, "half of a surrogate pair"),
        ("[" * 100_000, {}, "nested too deeply"),
        (TOWNS, {"vehicles": "many"}, "query.vehicles"),
        (TOWNS, {"vehicles": 2, "method": "magic"}, "query.method"),
        (TOWNS, {"vehicles": 2, "problem": "mdvrp", "end": "Paris"}, "'Paris' is no depot"),
        (TOWNS, {"vehicles": 2, "seconds": 1e9}, "more than this service gives a job (600)"),
        (b"\xff\xfe\x00", {}, "upload: is not UTF-8 text"),
    ],
)
def test_a_bad_upload_is_refused_in_a_sentence(
    service: Service, body: str | bytes, query: dict[str, object], sentence: str
) -> None:
    answer = service.http.post("v1/jobs", content=body, params=query)
    assert answer.status_code == 422
    assert sentence in answer.json()["error"] and "\n" not in answer.json()["error"]


def test_unknown_jobs_are_404(service: Service) -> None:
    assert service.http.get("v1/jobs/0123456789abcdef").status_code == 404
    assert service.http.get("v1/jobs/../../etc/passwd").status_code == 404
    assert service.http.get("v1/jobs/none").status_code == 422


def test_each_limit_is_an_option_with_an_answer_of_its_own(serve: Callable[..., Service]) -> None:
    service = serve("--max-cities", 40, "--max-seconds", 60, "--max-body", 20_000, "--max-queue", 1,
                    "--jobs-at-once", 1)  # fmt: skip
    rows = [f"{k},city,{k * k % 97},{k * k * k % 89}\n" for k in range(1, 42)]
    few, too_many = ("id,kind,x,y\nd,depot,50,50\n" + "".join(rows[:n]) for n in (40, 41))
    assert "has 41 cities, this service takes 40" in _refused(service, 422, too_many, vehicles=2)
    assert "(60)" in _refused(service, 422, few, vehicles=2, seconds=61)
    assert "20000 bytes" in _refused(service, 413, "x" * 20_001)
    jobs = [service.submit(few, vehicles=2, seconds=60) for _ in range(2)]
    answer = service.http.post("v1/jobs", content=few, params={"vehicles": 2, "seconds": 60})
    assert answer.status_code == 429 and answer.headers["retry-after"]
    assert "1 jobs are waiting already" in answer.json()["error"]
    assert [service.get(job)["state"] for job in jobs] == ["running", "queued"]
    for job in reversed(jobs):
        stopped = service.http.delete(job["links"]["self"]).json()
        assert stopped["state"] == "stopped"
    never_begun = service.http.get(jobs[1]["links"]["self"] + "/solution.sol")
    assert never_begun.status_code == 409 and "has no plan" in never_begun.json()["error"]


def _refused(service: Service, status: int, body: str, **query: object) -> str:
    answer = service.http.post("v1/jobs", content=body, params=query)
    assert answer.status_code == status, answer.text
    return str(answer.json()["error"])


def test_an_upload_that_takes_too_long_to_read_is_given_up(serve: Callable[..., Service]) -> None:
    service = serve("--parse-seconds", 0.05, "--max-body", 100_000_000, "--max-cities", 1_000_000)
    service.first_best(service.submit("id,kind,x,y\nd,depot,0,0\na,city,1,1\n", vehicles=1, seconds=1))
    body = "id,kind,x,y\nd,depot,0,0\n" + "".join(f"{k},city,{k},1\n" for k in range(200_000))
    assert "took longer than 0.05 s" in _refused(service, 422, body, vehicles=3)
    assert service.http.get("health").status_code == 200


def test_a_small_file_cannot_ask_for_a_huge_fleet(serve: Callable[..., Service]) -> None:
    service = serve("--max-memory", 1_000)

    def refused(*vehicles: dict[str, int]) -> str:
        document = {"neurocross": 1, "depots": [{"id": "d", "x": 0, "y": 0}], "cities": []}
        answer = service.http.post("v1/jobs", json={"instance": document | {"vehicles": vehicles}})
        assert answer.status_code == 422
        return str(answer.json()["error"])

    assert "has 5001 vehicles, this service takes 5000" in refused({"count": 5_001})
    assert "more memory than the service gives" in refused(*[{"count": 100_000}] * 2_000)
    assert service.ended(service.submit(seconds=0.1))["state"] == "finished"


def test_a_port_that_is_taken_is_told_in_a_line(service: Service, tmp_path: Path) -> None:
    port = service.url.rstrip("/").rpartition(":")[2]
    command = [
        sys.executable,
        "-m",
        "neurocross",
        "serve",
        "--port",
        port,
        "--database",
        str(tmp_path / "jobs"),
    ]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 2
    assert (
        ended.stderr.startswith(f"error: cannot listen on 127.0.0.1 port {port}")
        and ended.stderr.count("\n") == 1
    )


def test_a_token_is_asked_for_where_one_is_set(serve: Callable[..., Service], tmp_path: Path) -> None:
    (tmp_path / "token").write_text(TOKEN + "\n")
    service = serve("--token-file", tmp_path / "token")
    assert service.http.get("v1/jobs").status_code == 401
    assert service.http.get("v1/jobs", headers={"Authorization": "Bearer wrong"}).status_code == 401
    assert service.http.get("v1/jobs", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert service.http.post("", json={}).status_code == 401
    assert service.http.get("health").status_code == 200
    assert service.http.get("").status_code == 200


def test_other_machines_need_a_token() -> None:
    with pytest.raises(InputError, match="give --token-file"):
        Settings(host="0.0.0.0")
    assert Settings(host="0.0.0.0", token=TOKEN).host == "0.0.0.0"
    assert Settings(host="::1").is_local and Settings(host="localhost").is_local


@pytest.mark.parametrize("text", ["", "short", "two words of a token that is long"])
def test_a_token_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "token").write_text(text)
    with pytest.raises(InputError, match="a token is one line of at least 16"):
        read_token(tmp_path / "token")


def test_pages_of_other_sites_are_refused(service: Service) -> None:
    foreign = service.http.post("v1/jobs", content=TOWNS, headers={"Origin": "https://example.com"})
    own = service.http.post("v1/jobs?vehicles=2&seconds=0.1", content=TOWNS,
                            headers={"Origin": service.url.rstrip("/")})  # fmt: skip
    assert (foreign.status_code, own.status_code) == (403, 202)
    rebound = service.http.get("health", headers={"Host": "example.com"})
    assert rebound.status_code == 403


def test_every_answer_carries_the_security_headers(service: Service) -> None:
    for path in ("", "health", "v1/jobs", "nowhere"):
        headers = service.http.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers


def test_two_services_cannot_share_a_database(serve: Callable[..., Service], tmp_path: Path) -> None:
    serve()
    with pytest.raises(InputError, match="another service uses it"):
        Store(tmp_path / "jobs.sqlite3")


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("this is no database " * 100)
    with pytest.raises(InputError, match="cannot be used as the database of jobs"):
        Store(tmp_path / "notes")


def test_ended_jobs_are_forgotten_beyond_the_number_kept(tmp_path: Path) -> None:
    store = Store(tmp_path / "jobs.sqlite3")
    jobs = [store.add("{}", {}, {}, None) for _ in range(4)]
    for job in jobs[:3]:
        store.end(job, "finished")
    store.prune(keep=1)
    assert [job.id for job in store.newest(10)] == [jobs[3].id, jobs[2].id]
    assert not store.events(jobs[0], 0) and store.events(jobs[2], 0)
    store.close()
