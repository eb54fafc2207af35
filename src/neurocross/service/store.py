"""Where jobs live: one SQLite file, written before anybody is told, so that `kill -9` loses nothing.

Calls take microseconds and come from one thread, the event loop's.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any, Literal

from neurocross.errors import InputError

State = Literal["queued", "running", "finished", "stopped", "failed"]
ENDED = ("finished", "stopped", "failed")
VERSION = 1

SCHEMA = f"""
CREATE TABLE jobs (
  number   INTEGER PRIMARY KEY AUTOINCREMENT,
  id       TEXT NOT NULL UNIQUE,
  state    TEXT NOT NULL,
  about    TEXT NOT NULL,     -- the problem in figures, JSON
  options  TEXT NOT NULL,     -- method, seconds, seed …, JSON
  problem  TEXT NOT NULL,     -- the problem in our JSON
  start    TEXT,              -- routes to start from, JSON
  best     TEXT,              -- figures of the best plan, JSON; its routes are in the events
  error    TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  created  REAL NOT NULL,
  started  REAL,
  ended    REAL
);
CREATE INDEX jobs_by_state ON jobs (state, number);
CREATE TABLE events (
  job    INTEGER NOT NULL REFERENCES jobs ON DELETE CASCADE,
  number INTEGER NOT NULL,    -- counts from 1 within a job: the id of the server-sent event
  kind   TEXT NOT NULL,
  data   TEXT NOT NULL,
  PRIMARY KEY (job, number)
) WITHOUT ROWID;
PRAGMA user_version = {VERSION};
"""


@dataclass(frozen=True)
class Job:
    """A job but for its problem and routes, which may be long."""

    number: int
    id: str
    state: State
    about: dict[str, Any]
    options: dict[str, Any]
    best: dict[str, Any] | None
    error: str | None
    attempts: int
    """How often it was started: more than once where the service was killed meanwhile."""
    created: float
    started: float | None
    ended: float | None

    @property
    def has_ended(self) -> bool:
        """Whether nothing more will happen to it."""
        return self.state in ENDED


@dataclass(frozen=True)
class Event:
    """Something that happened to a job."""

    number: int
    kind: str
    data: str
    """JSON."""


_COLUMNS = "number, id, state, about, options, best, error, attempts, created, started, ended"


class Store:
    """The jobs in a file; one service at a time."""

    def __init__(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, isolation_level=None, timeout=1.0, check_same_thread=False)
            # Exclusive, because a second service would restart the unfinished jobs of the first.
            self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.execute("PRAGMA foreign_keys = ON")
            (version,) = self._db.execute("PRAGMA user_version").fetchone()
            if version == 0:
                self._db.executescript(f"BEGIN EXCLUSIVE; {SCHEMA} COMMIT;")
        except (OSError, sqlite3.Error) as error:
            reason = "another service uses it" if "locked" in str(error) else str(error)
            raise InputError(f"{path}: cannot be used as the database of jobs: {reason}") from None
        if version not in (0, VERSION):
            raise InputError(f"{path}: was written by another version ({version}): give another --database")

    def close(self) -> None:
        """Let the file go."""
        self._db.close()

    # -- jobs -----------------------------------------------------------------------------------

    def add(
        self, problem: str, about: dict[str, Any], options: dict[str, Any], start: list[Any] | None
    ) -> Job:
        """A new job, queued."""
        row = (
            token_hex(8), json.dumps(about), json.dumps(options), problem,
            None if start is None else json.dumps(start), time.time(),
        )  # fmt: skip
        self._db.execute(
            "INSERT INTO jobs (id, state, about, options, problem, start, created)"
            " VALUES (?, 'queued', ?, ?, ?, ?, ?)",
            row,
        )
        job = self.find(row[0])
        assert job is not None
        return job

    def find(self, id: str) -> Job | None:
        """The job of this id, if there is one."""
        row = self._db.execute(f"SELECT {_COLUMNS} FROM jobs WHERE id = ?", (id,)).fetchone()
        return None if row is None else _job(row)

    def newest(self, limit: int, before: int | None = None, state: str | None = None) -> Sequence[Job]:
        """Jobs, the newest first; `before` is the number of the last one seen."""
        rows = self._db.execute(
            f"SELECT {_COLUMNS} FROM jobs WHERE (? IS NULL OR number < ?) AND (? IS NULL OR state = ?)"
            " ORDER BY number DESC LIMIT ?",
            (before, before, state, state, limit),
        )
        return [_job(row) for row in rows]

    def count(self, state: State) -> int:
        """Jobs in a state."""
        (count,) = self._db.execute("SELECT count(*) FROM jobs WHERE state = ?", (state,)).fetchone()
        return int(count)

    def unfinished(self) -> Sequence[Job]:
        """Jobs that wait or were running when the service was killed, the oldest first."""
        rows = self._db.execute(
            f"SELECT {_COLUMNS} FROM jobs WHERE state IN ('queued', 'running') ORDER BY number"
        )
        return [_job(row) for row in rows]

    def problem(self, job: Job) -> str:
        """The problem in our JSON."""
        (text,) = self._db.execute("SELECT problem FROM jobs WHERE number = ?", (job.number,)).fetchone()
        return str(text)

    def routes(self, job: Job, event: int | None = None) -> list[Any] | None:
        """The routes of the best plan, or of the one that an event told of; None if there is none."""
        row = self._db.execute(
            "SELECT data FROM events WHERE job = ? AND kind = 'best' AND (? IS NULL OR number = ?)"
            " ORDER BY number DESC LIMIT 1",
            (job.number, event, event),
        ).fetchone()
        return None if row is None else json.loads(row[0])["routes"]

    def start_routes(self, job: Job) -> list[Any] | None:
        """The routes a job is to start from: its best so far, or those it came with."""
        (given,) = self._db.execute("SELECT start FROM jobs WHERE number = ?", (job.number,)).fetchone()
        return self.routes(job) or (None if given is None else json.loads(given))

    # -- what happens to them -------------------------------------------------------------------

    def begin(self, job: Job) -> None:
        """The job runs, for the first time or again."""
        self._db.execute(
            "UPDATE jobs SET state = 'running', attempts = attempts + 1, started = coalesce(started, ?)"
            " WHERE number = ?",
            (time.time(), job.number),
        )

    def tell_best(self, job: Job, data: dict[str, Any]) -> None:
        """A new best plan: its figures, and its routes under `routes`."""
        with _Transaction(self._db):
            self._tell(job, "best", data)
            self._set_best(job, {key: value for key, value in data.items() if key != "routes"})

    def note(self, job: Job, figures: dict[str, Any]) -> None:
        """What was learned of the best plan without a new one: a better bound, the time it took."""
        now = self.find(job.id)
        if now is not None and now.best is not None:
            self._set_best(job, now.best | figures)

    def end(self, job: Job, state: State, error: str | None = None) -> None:
        """The job is over; its last event is called as its state is."""
        with _Transaction(self._db):
            self._db.execute(
                "UPDATE jobs SET state = ?, error = ?, ended = ? WHERE number = ?",
                (state, error, time.time(), job.number),
            )
            self._tell(job, state, {"state": state, "error": error})

    def events(self, job: Job, after: int) -> Sequence[Event]:
        """What happened after the event of this number."""
        rows = self._db.execute(
            "SELECT number, kind, data FROM events WHERE job = ? AND number > ? ORDER BY number",
            (job.number, after),
        )
        return [Event(*row) for row in rows]

    def prune(self, keep: int) -> None:
        """Forget the oldest ended jobs but for `keep`."""
        self._db.execute(
            "DELETE FROM jobs WHERE number IN (SELECT number FROM jobs"
            " WHERE state IN ('finished', 'stopped', 'failed') ORDER BY number DESC LIMIT -1 OFFSET ?)",
            (keep,),
        )

    def _tell(self, job: Job, kind: str, data: dict[str, Any]) -> None:
        self._db.execute(
            "INSERT INTO events SELECT ?, coalesce(max(number), 0) + 1, ?, ? FROM events WHERE job = ?",
            (job.number, kind, json.dumps(data, ensure_ascii=False, allow_nan=False), job.number),
        )

    def _set_best(self, job: Job, best: dict[str, Any]) -> None:
        self._db.execute("UPDATE jobs SET best = ? WHERE number = ?", (json.dumps(best), job.number))


class _Transaction:
    """All or nothing."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def __enter__(self) -> None:
        self._db.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._db.execute("COMMIT" if kind is None else "ROLLBACK")


def _job(row: tuple[Any, ...]) -> Job:
    number, id, state, about, options, best, *rest = row
    figures = None if best is None else json.loads(best)
    return Job(number, id, state, json.loads(about), json.loads(options), figures, *rest)
