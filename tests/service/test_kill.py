"""Workers and services that are killed: no job is lost, and what was found is kept."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable

import pytest
from serving import Service, busiest, is_alive

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="worker processes are found through /proc")


def test_a_killed_worker_fails_its_job_and_the_service_goes_on(serve: Callable[..., Service]) -> None:
    service = serve()
    job = service.submit(seconds=60, vehicles=3)
    _, _, best = service.first_best(job)
    os.kill(busiest(service.workers()), signal.SIGKILL)
    failed = service.ended(job)
    assert failed["state"] == "failed" and "SIGKILL" in failed["error"]
    assert failed["best"]["makespan"] <= best["makespan"]
    assert service.http.get(failed["links"]["solution.sol"]).status_code == 200
    assert service.ended(service.submit(seconds=0.2))["state"] == "finished"


def test_idle_workers_that_are_killed_are_replaced(serve: Callable[..., Service]) -> None:
    service = serve()
    assert service.ended(service.submit(seconds=0.1))["state"] == "finished"
    for pid in service.workers():
        os.kill(pid, signal.SIGKILL)
    assert service.ended(service.submit(seconds=0.1))["state"] == "finished"


def test_a_killed_service_takes_its_jobs_up_from_their_best(serve: Callable[..., Service]) -> None:
    service = serve("--jobs-at-once", 1)
    done = service.ended(service.submit(seconds=0.2))
    running = service.submit(seconds=5, vehicles=3)
    waiting = service.submit(seconds=0.2)
    service.first_best(running)
    time.sleep(0.5)
    seen = service.get(running)["best"]
    workers = service.workers()
    service.kill()
    service = serve("--jobs-at-once", 1)
    assert service.get(done) == done
    events = list(service.events(running))
    job = service.get(running)
    assert job["state"] == "finished" and job["attempts"] == 2
    assert job["best"]["makespan"] <= seen["makespan"]
    bests = [data["makespan"] for _, kind, data in events if kind == "best"]
    assert bests == sorted(bests, reverse=True), "it began again from its best"
    assert service.ended(waiting)["state"] == "finished"
    assert not any(map(is_alive, workers)), "workers end with their service"


def test_a_job_that_takes_the_service_down_is_not_begun_for_ever(serve: Callable[..., Service]) -> None:
    service = serve()
    job = service.submit(seconds=60, vehicles=3)
    for _ in range(3):
        service.first_best(job)
        while service.get(job)["state"] != "running":
            time.sleep(0.05)
        service.kill()
        service = serve()
    failed = service.ended(job)
    assert failed["state"] == "failed" and "killed 3 times" in failed["error"]


def test_ctrl_c_leaves_running_jobs_for_the_next_start(serve: Callable[..., Service]) -> None:
    service = serve()
    job = service.submit(seconds=2, vehicles=3)
    service.first_best(job)
    service.close()
    assert service.errors == "" or "Traceback" not in service.errors
    assert serve().ended(job)["state"] == "finished"
