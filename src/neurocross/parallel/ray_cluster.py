"""Tasks on a Ray cluster: one that is there, or one of this machine for the time of the work."""

from __future__ import annotations

import os
import pickle
import socket
import subprocess
import sys
import time
from typing import Any
from urllib.parse import urlsplit

from neurocross.errors import InputError, MissingDependencyError
from neurocross.parallel.task import Answer, Task, attempt

# Read by Ray as it is imported. Its notes on dead workers go to standard output, which is the answer's:
# the loop tells of what matters.
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", "(?s).*")

try:
    import ray
    from ray.exceptions import RayError, RayTaskError, TaskCancelledError
except ImportError:
    raise MissingDependencyError("backend ray needs ray: pip install 'neurocross[ray]'") from None

OBJECT_STORE = 256 * 2**20
"""Bytes of a local cluster's store: answers are small and soon fetched."""

AHEAD = 2
"""Tasks sent for each core: none idles while an answer travels, and an autoscaler sees the need for nodes."""

CONNECT_SECONDS = 30.0
"""How long a cluster may take to say hello; left alone, Ray tries for minutes and cannot be interrupted."""

RECOUNT_SECONDS = 5.0
"""How often the cluster's cores are counted: nodes come and go."""


def run_task(pickled: bytes, version: str) -> Answer:
    """What a Ray worker does; the pickle is opened inside, so that a missing module is an answer too."""
    from importlib.metadata import version as installed

    if installed("neurocross") != version:
        here = f"version {installed('neurocross')} on a node, {version} here"
        return Answer("error", InputError(f"the Ray cluster has another neurocross: {here}"))
    return attempt(pickle.loads(pickled))


class RayCluster:
    """A cluster joined by its address, or one started here; what was started here is stopped at the end."""

    def __init__(self, address: str | None, processes: int | None) -> None:
        from importlib.metadata import version

        from neurocross.parallel.team import cores

        self._most = processes
        self._ours = not ray.is_initialized()
        if self._ours and address is None:
            # On the loopback address: nobody but this machine can reach it.
            _init(
                num_cpus=processes or cores(), object_store_memory=OBJECT_STORE, include_dashboard=False,
                _node_ip_address="127.0.0.1",
            )  # fmt: skip
        elif self._ours:
            _join(str(address))
        self._version = version("neurocross")
        # Without Ray's own retries: the loop counts deaths, whatever the backend.
        self._run = ray.remote(num_cpus=1, max_retries=0)(run_task)
        self._tickets: dict[Any, int] = {}
        self._cores, self._counted = 0, -RECOUNT_SECONDS

    def room(self, exactly: bool) -> int:
        """Tasks that may be under way."""
        if time.monotonic() - self._counted >= RECOUNT_SECONDS:
            self._cores = max(1, int(ray.cluster_resources().get("CPU", 1)))
            self._counted = time.monotonic()
        most = self._cores if self._most is None else min(self._most, self._cores)
        return most if exactly else AHEAD * most

    def start(self, ticket: int, task: Task, kind: str) -> None:
        """Send a task."""
        self._tickets[self._run.remote(pickle.dumps(task), self._version)] = ticket

    def wait(self, seconds: float | None) -> list[tuple[int, Answer]]:
        """Answers that have come."""
        waiting = list(self._tickets)
        ready, _ = ray.wait(waiting, num_returns=1, timeout=seconds)
        if ready:  # and whatever else is there by now
            ready, _ = ray.wait(waiting, num_returns=len(waiting), timeout=0)
        # Fetched first, then forgotten: Ctrl-C between the two loses no answer.
        answers = [(reference, _answer(reference)) for reference in ready]
        return [(self._tickets.pop(reference), answer) for reference, answer in answers]

    def interrupt(self, ticket: int) -> None:
        """Ask a task to end with what it has."""
        ray.cancel(self._reference(ticket), force=False)

    def kill(self, ticket: int) -> None:
        """End a task."""
        reference = self._reference(ticket)
        del self._tickets[reference]
        ray.cancel(reference, force=True)

    def close(self) -> None:
        """Stop what was started, leave what was joined."""
        if self._ours:
            ray.shutdown()

    def _reference(self, ticket: int) -> Any:
        return next(reference for reference, t in self._tickets.items() if t == ticket)


def _answer(reference: Any) -> Answer:
    try:
        answer: Answer = ray.get(reference)
        return answer
    except TaskCancelledError:
        return Answer("dropped")
    except RayTaskError as error:
        last = str(error).strip().splitlines()[-1]
        if "neurocross" in last and "ModuleNotFoundError" in last:
            last = "its nodes have no neurocross, or another version of it"
        return Answer("error", InputError(f"the Ray cluster cannot run the task: {last}"))
    except RayError as error:
        return Answer("lost", f"Ray lost it ({type(error).__name__})")


def _join(address: str) -> None:
    if address != "auto":
        _refuse_unreachable(address)
    _init(address=address)


def _refuse_unreachable(address: str) -> None:
    where = urlsplit(address if "://" in address else f"//{address}")
    try:
        host, port = where.hostname, where.port
    except ValueError:
        host, port = None, None
    if not host or not port:
        raise InputError(f"ray-address '{address}' is none: use HOST:PORT, ray://HOST:PORT or auto")
    try:
        socket.create_connection((host, port), timeout=CONNECT_SECONDS).close()
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"no Ray cluster at '{address}': {reason}") from None
    # Something listens: whether it is Ray, a process finds out that can be ended.
    hello = f"import ray; ray.init(address={address!r}, log_to_driver=False)"
    probe = subprocess.Popen(
        [sys.executable, "-c", hello], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        probe.wait(CONNECT_SECONDS)
    except subprocess.TimeoutExpired:
        raise InputError(f"no Ray cluster at '{address}': no answer in {CONNECT_SECONDS:g} s") from None
    finally:
        probe.kill()
        probe.wait()


def _init(**options: Any) -> None:
    """`ray.init`, its errors as one line."""
    try:
        ray.init(log_to_driver=False, configure_logging=False, **options)
    except (RuntimeError, ConnectionError, OSError, ValueError) as error:
        text = " ".join(str(error).split())
        what = "the Ray cluster is of another version" if "Version mismatch" in text else "no Ray cluster"
        raise InputError(f"{what}: {text}") from None
