"""A service in a process of its own, as users run it, and what tests ask of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

EXAMPLES = Path(__file__).parents[1] / "examples"
TOWNS = (EXAMPLES / "switzerland.csv").read_text(encoding="utf-8")

Event = tuple[int, str, dict[str, Any]]
"""Number, kind, data."""


class Service:
    """`neurocross serve` on a free port of loopback."""

    def __init__(self, database: Path, *options: object) -> None:
        command = [
            sys.executable, "-m", "neurocross", "serve", "--port", "0", "--database", str(database),
            *map(str, options),
        ]  # fmt: skip
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("neurocross serves "):
            self.close()
            raise AssertionError(f"the service did not start: {line}{self.errors}")
        self.url = line.split()[2]
        self.http = httpx.Client(base_url=self.url, timeout=60)

    def __enter__(self) -> Service:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()
        self.close()

    def close(self) -> None:
        """End it as Ctrl-C does."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        _, self.errors = self.process.communicate(timeout=30)

    def kill(self) -> None:
        """End it as nothing can prepare for."""
        self.process.kill()
        self.process.communicate(timeout=30)

    def submit(self, instance: Any = TOWNS, **options: Any) -> dict[str, Any]:
        """A job that is queued."""
        answer = self.http.post("v1/jobs", json={"instance": instance, "vehicles": 6} | options)
        assert answer.status_code == 202, answer.text
        return answer.json()

    def get(self, job: dict[str, Any]) -> dict[str, Any]:
        """How a job stands."""
        answer = self.http.get(job["links"]["self"])
        assert answer.status_code == 200, answer.text
        return answer.json()

    def events(self, job: dict[str, Any], after: int = 0) -> Iterator[Event]:
        """The events of a job as they come, until it has ended."""
        headers = {"Last-Event-ID": str(after)}
        with self.http.stream("GET", job["links"]["events"], headers=headers) as stream:
            assert stream.status_code in (200, 204)
            fields: dict[str, str] = {}
            for line in stream.iter_lines():
                if line and not line.startswith(":"):
                    name, _, value = line.partition(": ")
                    fields[name] = value
                elif fields:
                    yield int(fields["id"]), fields["event"], json.loads(fields["data"])
                    fields = {}

    def ended(self, job: dict[str, Any]) -> dict[str, Any]:
        """The job once it has ended."""
        for _ in self.events(job):
            pass
        return self.get(job)

    def first_best(self, job: dict[str, Any]) -> Event:
        """The first plan of a job, which then goes on."""
        return next(event for event in self.events(job) if event[1] == "best")

    def workers(self) -> set[int]:
        """Process ids of its worker processes."""
        found = set()
        for entry in Path("/proc").iterdir():
            try:
                if (
                    entry.name.isdigit()
                    and f"\nPPid:\t{self.process.pid}\n" in (entry / "status").read_text()
                ):
                    found.add(int(entry.name))
            except OSError:
                continue
        return found


def busiest(workers: set[int]) -> int:
    """The process that uses the most time of the processor during the next second."""

    def ticks(pid: int) -> int:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    before = {pid: ticks(pid) for pid in workers}
    time.sleep(1)
    return max(workers, key=lambda pid: ticks(pid) - before[pid])


def is_alive(pid: int) -> bool:
    """Whether a process runs."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
