"""Results on disk: one JSON line a run, written as it ends: a kill loses the run under way and no other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from neurocross import InputError, files

RUNS = "runs.jsonl"
MACHINE = "machine.json"
REACHED = 1e-5
"""A value this little above the best-known, relatively, has reached it; this little below is no record."""

Key = tuple[str, str, str, str, int, float]


@dataclass(frozen=True, kw_only=True)
class Run:
    """One line."""

    suite: str
    case: str
    instance: str
    solver: str
    seed: int
    time_limit: float
    seconds: float | None
    """What the solver took; None if it never answered."""
    value: float | None
    """The objective as the judge computed it; None if there is no plan."""
    feasible: bool
    best_known: float | None
    status: str
    """`ok`, `infeasible`, `nonsense`, `not proven`, `missing`, `failed`, `crashed`, `timed out`."""
    note: str = ""
    nodes: int = 0
    commit: str = ""
    trace: tuple[tuple[float, float], ...] = ()
    """Seconds, value of every feasible new best, as judged."""
    tours: tuple[tuple[int, ...], ...] | None = None

    @property
    def key(self) -> Key:
        """Runs of one key are one run; the last counts."""
        return self.suite, self.case, self.instance, self.solver, self.seed, self.time_limit

    @property
    def counts(self) -> bool:
        """Whether it has a feasible plan to average."""
        return self.feasible and self.value is not None

    @property
    def is_record(self) -> bool:
        """Whether its plan is below the best-known value."""
        if not self.feasible or self.value is None or self.best_known is None:
            return False
        return self.value < self.best_known * (1 - REACHED)

    def describe(self) -> str:
        """For people, on one line."""
        value = "no plan" if self.value is None else f"{self.value:.6g}"
        mark = "" if self.status == "ok" else f" {self.status}: {self.note}"
        return f"{self.instance} {self.solver} seed {self.seed}: {value}{mark}"

    def line(self) -> str:
        """As JSON; optional parts only if there."""
        row = asdict(self)
        for name in ("note", "trace", "tours"):
            if not row[name]:
                del row[name]
        return json.dumps(row, allow_nan=False)


def read_runs(directory: Path) -> list[Run]:
    """Every run in a directory, in order; of a key run twice the last, without a half-written last line."""
    path = directory / RUNS
    if not path.is_file():
        return []
    runs = {}
    for run in _parsed(path):
        runs[run.key] = run
    return list(runs.values())


def _parsed(path: Path) -> Iterator[Run]:
    names = {field.name for field in fields(Run)}
    lines = path.read_text().split("\n")
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        try:
            row = json.loads(line)
            yield Run(**{name: _frozen(value) for name, value in row.items() if name in names})
        except (ValueError, TypeError):
            if number == len(lines):  # no newline behind it: the run was killed while writing it
                return
            raise InputError(f"{path}:{number}: expected a run as JSON") from None


def _frozen(value: Any) -> Any:
    return tuple(_frozen(part) for part in value) if isinstance(value, list) else value


class Log:
    """Appends runs to a directory's file, each on the disk before the next begins."""

    def __init__(self, directory: Path) -> None:
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{directory}: cannot make this directory: {error.strerror}") from None
        self._lines = files.Log(directory / RUNS)

    def write(self, run: Run) -> None:
        """Append one run."""
        self._lines.write(run.line())

    def close(self) -> None:
        """Done."""
        self._lines.close()
