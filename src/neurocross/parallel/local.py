"""Tasks in processes of this machine."""

from __future__ import annotations

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass, field

from neurocross.parallel.task import Answer, Task


@dataclass(eq=False)
class _Worker:
    """A process that runs one task at a time; in a session of its own, so that Ctrl-C is for the parent."""

    answers: queue.SimpleQueue[tuple[_Worker, Answer]]
    process: subprocess.Popen[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "neurocross.parallel.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            start_new_session=True,
        )
        threading.Thread(target=self._listen, daemon=True).start()

    def ask(self, task: Task) -> None:
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):  # it has died: whoever listens hears of it
            pickle.dump(pickle.dumps(task), self.process.stdin)
            self.process.stdin.flush()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        try:
            while True:
                self.answers.put((self, pickle.load(self.process.stdout)))
        except Exception:  # the pipe broke in one of many ways: the process has ended
            code = self.process.wait()
            self.answers.put((self, Answer("lost", f"the process ended with code {code}")))

    def interrupt(self) -> None:
        with suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGINT)

    def end(self) -> None:
        """End the process and whatever it started."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        assert self.process.stdin is not None and self.process.stdout is not None
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.stdout.close()


class LocalProcesses:
    """At most `count` busy processes, started when there is work, kept for the next task of their kind."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._answers: queue.SimpleQueue[tuple[_Worker, Answer]] = queue.SimpleQueue()
        self._busy: dict[int, _Worker] = {}
        self._idle: dict[str, list[_Worker]] = {}
        self._kinds: dict[_Worker, str] = {}

    def room(self, exactly: bool) -> int:
        """Tasks that may be under way."""
        return self._count

    def start(self, ticket: int, task: Task, kind: str) -> None:
        """Give a task to a process that has only run tasks of its kind."""
        idle = self._idle.setdefault(kind, [])
        worker = idle.pop() if idle else _Worker(self._answers)
        self._busy[ticket] = worker
        self._kinds[worker] = kind
        worker.ask(task)

    def wait(self, seconds: float | None) -> list[tuple[int, Answer]]:
        """The next answer, if one comes in so many seconds."""
        try:
            worker, answer = self._answers.get(timeout=seconds)
        except queue.Empty:
            return []
        ticket = next((t for t, busy in self._busy.items() if busy is worker), None)
        if ticket is None:  # it died idle, or was killed
            self._forget(worker)
            return []
        del self._busy[ticket]
        if answer.status == "lost":
            self._forget(worker)
        else:
            self._idle[self._kinds[worker]].append(worker)
        return [(ticket, answer)]

    def interrupt(self, ticket: int) -> None:
        """Ask a task to end with what it has."""
        self._busy[ticket].interrupt()

    def kill(self, ticket: int) -> None:
        """End a task's process; nobody waits for its answer."""
        self._forget(self._busy.pop(ticket))

    def close(self) -> None:
        """End every process."""
        for worker in list(self._kinds):
            self._forget(worker)

    def _forget(self, worker: _Worker) -> None:
        kind = self._kinds.pop(worker, None)
        if kind is not None and worker in self._idle[kind]:
            self._idle[kind].remove(worker)
        worker.end()
