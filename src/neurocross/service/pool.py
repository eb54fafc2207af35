"""Worker processes seen from the service: kept warm, killed when too slow, replaced when they die."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

LONGEST_LINE = 2**28
"""Bytes of one message of a worker at most."""


START_AGAIN = 1.0
"""Seconds between tries to start a process."""


class Refused(Exception):  # noqa: N818
    """The task cannot be done, and the user can be told why."""


class Failed(Exception):  # noqa: N818
    """The task ran into a bug, or its process died."""


class Worker:
    """One process and what is said to it."""

    def __init__(self, process: Process) -> None:
        self._process = process

    @classmethod
    async def spawn(cls, megabytes: int) -> Worker:
        """A process that has imported everything and waits for a task."""
        # Its own session: Ctrl-C in a terminal is for the service, which then ends its workers.
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "neurocross.service.worker", str(megabytes),
            stdin=PIPE, stdout=PIPE, limit=LONGEST_LINE, start_new_session=True,
        )  # fmt: skip
        worker = cls(process)
        try:
            await worker._hear()
        except BaseException:
            await worker.end()
            raise
        return worker

    async def run(
        self, task: str, arguments: dict[str, Any], heard: Callable[[dict[str, Any]], None] | None = None
    ) -> Any:
        """The task's value; `heard` is told of every message before it."""
        line = json.dumps({"task": task, "arguments": arguments}) + "\n"
        assert self._process.stdin is not None
        with suppress(ConnectionError):  # a dead process is found out below, with the reason
            self._process.stdin.write(line.encode())
            await self._process.stdin.drain()
        while True:
            message = await self._hear()
            match message["kind"]:
                case "done":
                    return message["value"]
                case "refused":
                    raise Refused(message["reason"])
                case "failed":
                    raise Failed(message["reason"])
                case _ if heard is not None:
                    heard(message)

    async def answers(self) -> bool:
        """Whether the process still runs; asked, because the news of a death takes its time."""
        try:
            await self.run("ping", {})
        except Failed:
            return False
        return True

    def kill(self) -> None:
        """End the process at once."""
        with suppress(ProcessLookupError):
            self._process.kill()

    async def end(self) -> None:
        """Kill the process and wait until it and its pipes are gone: the event loop must live to see it."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self.kill()
        self._process.stdin.close()
        with suppress(ConnectionError):
            await self._process.stdin.wait_closed()
        await self._process.stdout.read()
        await self._process.wait()

    async def _hear(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = await self._process.stdout.readline()
        if not line.endswith(b"\n"):
            code = await self._process.wait()
            how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            raise Failed(f"the worker process died ({how})")
        message: dict[str, Any] = json.loads(line)
        return message


class Pool:
    """`size` workers of so many megabytes, each in use, free for the next task, or being started."""

    def __init__(self, size: int, megabytes: int) -> None:
        self._size, self._megabytes = size, megabytes
        self._free: asyncio.Queue[Worker] = asyncio.Queue()
        self._alive: set[Worker] = set()
        self._starting: set[asyncio.Task[None]] = set()
        self._ending: set[asyncio.Task[None]] = set()

    def open(self) -> None:
        """Start every process, so that the first task need not wait for one."""
        for _ in range(self._size):
            self._start()

    async def close(self) -> None:
        """Kill every process."""
        for task in self._starting:
            task.cancel()
        await asyncio.gather(*self._starting, return_exceptions=True)
        await asyncio.gather(*self._ending, *(worker.end() for worker in self._alive), return_exceptions=True)

    @asynccontextmanager
    async def worker(self) -> AsyncIterator[Worker]:
        """A worker for the time of a task; one whose task did not come to an end is killed and replaced."""
        worker = await self._take()
        try:
            yield worker
        except Refused:
            self._free.put_nowait(worker)
            raise
        except BaseException:
            self._replace(worker)
            raise
        else:
            self._free.put_nowait(worker)

    async def call(self, task: str, seconds: float, **arguments: Any) -> Any:
        """The value of a short task; given up if it takes longer than `seconds`."""
        async with self.worker() as worker:
            try:
                return await asyncio.wait_for(worker.run(task, arguments), seconds)
            except TimeoutError:
                raise TimeoutError(f"took longer than {seconds:g} s") from None

    async def _take(self) -> Worker:
        while not await (worker := await self._free.get()).answers():
            self._replace(worker)
        return worker

    def _replace(self, worker: Worker) -> None:
        worker.kill()
        self._alive.discard(worker)
        ending = asyncio.create_task(worker.end())
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)
        self._start()

    def _start(self) -> None:
        task = asyncio.create_task(self._started())
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)

    async def _started(self) -> None:
        while True:
            try:
                worker = await Worker.spawn(self._megabytes)
            except (Failed, OSError):  # no memory, no process to be had: it may get better
                await asyncio.sleep(START_AGAIN)
                continue
            self._alive.add(worker)
            self._free.put_nowait(worker)
            return
