"""The life of a job: read, queued, running, ended; every step is in the store before anybody is told."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from typing import Any

from neurocross.service.pool import Failed, Pool, Refused
from neurocross.service.settings import Settings
from neurocross.service.store import Event, Job, Store

GRACE = 10.0
"""Seconds beyond its own limit after which a search is killed."""

ATTEMPTS = 3
"""How often a job is begun at most: one that takes the service down must not do so for ever."""

QUIET = 15.0
"""Seconds without news after which a listener is told so: a dead connection shows when it is written to."""

DESK = 2
"""Processes for short tasks: uploads, exports, inspections."""


class QueueFull(Exception):  # noqa: N818
    """Too many jobs wait."""


class Jobs:
    """All jobs of a service."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.store = Store(settings.database)
        self._desk = Pool(DESK, settings.max_memory)
        self._solvers = Pool(settings.jobs_at_once, settings.max_memory)
        self._queue: asyncio.Queue[str] = asyncio.Queue()
        self._running: dict[str, asyncio.Task[None]] = {}
        self._runners: list[asyncio.Task[None]] = []
        self._news: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)

    def open(self) -> None:
        """Start the processes and take up what was left unfinished."""
        self._desk.open()
        self._solvers.open()
        for job in self.store.unfinished():
            if job.attempts >= ATTEMPTS:
                self.store.end(job, "failed", f"the service was killed {ATTEMPTS} times while it ran")
            else:
                self._queue.put_nowait(job.id)
        self._runners = [asyncio.create_task(self._run()) for _ in range(self._settings.jobs_at_once)]

    async def close(self) -> None:
        """Leave running jobs as they are: the next start takes them up from their best."""
        for task in (*self._runners, *self._running.values()):
            task.cancel()
        await asyncio.gather(*self._runners, *self._running.values(), return_exceptions=True)
        await self._desk.close()
        await self._solvers.close()
        self.store.close()

    # -- what can be asked ----------------------------------------------------------------------

    async def read(self, body: str, query: dict[str, Any]) -> dict[str, Any]:
        """An upload as `problem`, `about`, `options` and `start`; `Refused` says what is wrong with it."""
        read: dict[str, Any] = await self._short(
            "read", body=body, query=query, max_cities=self._settings.max_cities
        )
        return read

    async def submit(self, body: str, query: dict[str, Any]) -> Job:
        """Read an upload and queue its job; `Refused` says what is wrong with it."""
        self._refuse_when_full()
        read = await self.read(body, query)
        if read["options"]["seconds"] > self._settings.max_seconds:
            asked, most = read["options"]["seconds"], self._settings.max_seconds
            raise Refused(f"seconds: {asked:g} is more than this service gives a job ({most:g})")
        self._refuse_when_full()
        job = self.store.add(read["problem"], read["about"], read["options"], read["start"])
        self.store.prune(self._settings.keep_jobs)
        self._queue.put_nowait(job.id)
        return job

    async def stop(self, job: Job) -> Job:
        """End a job and keep its best; one that has ended stays as it is."""
        if job.id in self._running:
            self._running[job.id].cancel()
        elif not job.has_ended:
            self._end(job, "stopped")
        return await self.ended(job)

    async def ended(self, job: Job) -> Job:
        """The job once it has ended."""
        async for _ in self.events(job, 0):
            pass
        now = self.store.find(job.id)
        assert now is not None
        return now

    async def events(self, job: Job, after: int) -> AsyncIterator[Event | None]:
        """What happened after an event and what happens until the job has ended; None when it is quiet."""
        while True:
            news = self._news[job.id]
            now = self.store.find(job.id)
            for event in self.store.events(job, after):
                yield event
                after = event.number
            if now is None or now.has_ended:
                return
            try:
                await asyncio.wait_for(news.wait(), QUIET)
            except TimeoutError:
                yield None

    async def export(self, job: Job, format: str) -> str | None:
        """The best plan as text; None if there is none yet."""
        routes = self.store.routes(job)
        if routes is None:
            return None
        bound = job.best["lower_bound"] if job.best else None
        problem = self.store.problem(job)
        text = await self._short("export", problem=problem, routes=routes, format=format, lower_bound=bound)
        return str(text)

    async def inspect(self, job: Job, event: int | None, **choice: Any) -> dict[str, Any] | None:
        """Exchanges of two tours of the best plan, of an event's, or with event 0 of the first plan."""
        routes = None if event == 0 else self.store.routes(job, event)
        if routes is None and event != 0:
            return None
        found: dict[str, Any] = await self._short(
            "inspect", problem=self.store.problem(job), routes=routes, seed=job.options["seed"], **choice
        )
        return found

    # -- running --------------------------------------------------------------------------------

    async def _short(self, task: str, **arguments: Any) -> Any:
        return await self._desk.call(task, self._settings.parse_seconds, **arguments)

    def _refuse_when_full(self) -> None:
        if self.store.count("queued") >= self._settings.max_queue + self._idle():
            raise QueueFull(f"{self._settings.max_queue} jobs are waiting already: try again later")

    def _idle(self) -> int:
        return self._settings.jobs_at_once - len(self._running)

    async def _run(self) -> None:
        """One of the runners: solves one job after another."""
        while True:
            job = self.store.find(await self._queue.get())
            if job is None or job.has_ended:
                continue
            task = self._running[job.id] = asyncio.create_task(self._solve(job))
            await asyncio.wait([task])
            del self._running[job.id]
            if task.cancelled():
                self._end(job, "stopped")

    async def _solve(self, job: Job) -> None:
        try:
            self.store.begin(job)
            figures = await asyncio.wait_for(self._search(job), job.options["seconds"] + GRACE)
            self.store.note(job, figures)
            self._end(job, "finished")
        except TimeoutError:
            has_plan = self.store.routes(job) is not None
            self._end(job, "finished" if has_plan else "failed", None if has_plan else "no plan in time")
        except (Failed, Refused) as error:
            self._end(job, "failed", str(error))
        except Exception as error:
            self._end(job, "failed", f"{type(error).__name__}: {error}")
            raise

    async def _search(self, job: Job) -> dict[str, Any]:
        def heard(message: dict[str, Any]) -> None:
            self.store.tell_best(job, message["data"])
            self._ring(job)

        arguments = {
            "problem": self.store.problem(job),
            "options": job.options,
            "start": self.store.start_routes(job),
            "spent": job.best["seconds"] if job.best else 0.0,
        }
        async with self._solvers.worker() as worker:
            figures: dict[str, Any] = await worker.run("solve", arguments, heard)
            return figures

    def _end(self, job: Job, state: Any, error: str | None = None) -> None:
        self.store.end(job, state, error)
        self._ring(job)

    def _ring(self, job: Job) -> None:
        """Wake everybody who waits for news of a job."""
        self._news.pop(job.id, asyncio.Event()).set()
