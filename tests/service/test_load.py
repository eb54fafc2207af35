"""Fifty jobs at once, on loopback, bounded in number and time."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from serving import Service

JOBS = 50


def test_fifty_jobs_at_once_are_all_finished(serve: Callable[..., Service]) -> None:
    service = serve()

    def solve(seed: int) -> tuple[str, str, int]:
        job = service.submit(seconds=0.1, seed=seed)
        events = list(service.events(job))
        assert [number for number, _, _ in events] == list(range(1, len(events) + 1))
        ended = service.get(job)
        return ended["id"], ended["state"], ended["options"]["seed"]

    with ThreadPoolExecutor(JOBS) as threads:
        answers = list(threads.map(solve, range(JOBS)))
    assert len({id for id, _, _ in answers}) == JOBS
    assert [(state, seed) for _, state, seed in answers] == [("finished", seed) for seed in range(JOBS)]
    health = service.http.get("health").json()
    assert (health["running"], health["queued"]) == (0, 0)
