"""Many instances, one answer line each: streamed, kept as they end, gone on with where it stopped.

An answer depends on its instance and the options alone, not on the order, the workers or the backend.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

from neurocross.errors import InputError, NeurocrossError
from neurocross.files import Log, write_bytes
from neurocross.io import ReadOptions, parse_problem
from neurocross.io.text import decoded
from neurocross.parallel import Done, LostError, Team
from neurocross.solver import solve

Row = dict[str, Any]

KEYS = ("instance", "digest", "status", "note", "options")
"""What a row says besides the answer, which is that of `solve --json`."""


@dataclass(frozen=True)
class Instance:
    """One instance as it was found: its bytes are read by the worker."""

    instance: str
    """The file's name in its directory, or `line N`."""
    content: bytes
    source: str
    """What errors call it; its suffix may tell the format."""
    unreadable: str = ""
    """Why there is no content."""

    @property
    def digest(self) -> str:
        """Tells whether an answer is of this content."""
        return blake2b(self.content, digest_size=16).hexdigest()


@dataclass(frozen=True)
class Options:
    """How every instance is read and solved."""

    read: ReadOptions
    solve: Mapping[str, Any]
    """Keyword arguments of `solve`."""
    format: str | None = None

    def given(self) -> dict[str, Any]:
        """What is not left to a default, for the record."""
        everything = {**asdict(self.read), "format": self.format, **self.solve}
        return {name: value for name, value in everything.items() if value is not None}


@dataclass
class Summary:
    """Rows in the output at the end, by status."""

    ok: int = 0
    infeasible: int = 0
    failed: int = 0

    def count(self, status: str) -> None:
        """One more."""
        setattr(self, status, getattr(self, status) + 1)


def solve_batch(
    source: Path,
    output: Path,
    options: Options,
    workers: Team,
    tell: Callable[[int, int, str], None] = lambda done, total, last: None,
) -> Summary:
    """Solve what has no row in `output` yet; `tell` hears how many of how many are done, and the last row.

    `source` is a directory of files, or a .jsonl file with an instance on each line.
    """
    _refuse_output_among_the_input(source, output)
    total, named = _number(source), source.is_dir()
    summary, answered = Summary(), Counter[tuple[str, str]]()
    for row in _kept(output, options.given()):
        summary.count(row["status"])
        answered[row["instance"] if named else "", row["digest"]] += 1  # a line may have moved
    done = answered.total()
    tell(done, total, "")

    def missing() -> Iterator[Instance]:
        for one in _instances(source):
            key = one.instance if named else "", one.digest
            if answered[key]:
                answered[key] -= 1
            else:
                yield one

    log = Log(output)
    try:
        for ended in workers.map(partial(_solve, options), missing()):
            row, done = _row(ended, options), done + 1
            log.write(json.dumps(row, allow_nan=False))
            summary.count(row["status"])
            tell(done, total, _describe(row))
    finally:
        log.close()
    return summary


def _solve(options: Options, instance: Instance) -> Row:
    """What a worker does: the answer's part of the row."""
    if instance.unreadable:
        raise InputError(f"{instance.source}: cannot be read: {instance.unreadable}")
    text = decoded(instance.content, instance.source)
    problem = parse_problem(text, options.format, instance.source, options.read)
    return {"name": problem.name, **solve(problem, **options.solve).to_dict()}


def _row(ended: Done[Instance, Row], options: Options) -> Row:
    """An answer, or why there is none. A bug is a row too: it must not cost the other instances' time."""
    note, answer = "", Row()
    if ended.error is None:
        answer = ended.result()
        status = "ok" if answer["feasible"] else "infeasible"
    else:
        status, note = "failed", str(ended.error)
        if isinstance(ended.error, LostError):
            note = f"{LOST}{note}"
        elif not isinstance(ended.error, NeurocrossError):
            note = f"a bug: {note}"
    about = (ended.task.instance, ended.task.digest, status, note, options.given())
    return {**dict(zip(KEYS, about, strict=True)), **answer}


LOST = "lost: "
"""Begins the note of an instance that says nothing about it: its workers died. The next run tries again."""


def _kept(output: Path, given: dict[str, Any]) -> list[Row]:
    """The rows that count of an earlier run; those to be made again are taken out of the file."""
    if not output.is_file():
        return []
    kept, dropped = [], 0
    wanted = json.loads(json.dumps(given))
    with output.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                dropped += 1  # a kill cut it short
                continue
            try:
                row = {key: json.loads(line)[key] for key in KEYS}
                Summary().count(row["status"])
            except (ValueError, KeyError, TypeError, AttributeError):
                raise InputError(
                    f"{output}:{number}: is no row of solve-batch: write to another file"
                ) from None
            if row["options"] != wanted:
                raise InputError(
                    f"{output}:{number}: holds answers with other options ({_shown(row['options'])}, "
                    f"not {_shown(wanted)}): write to another file"
                )
            if row["note"].startswith(LOST):
                dropped += 1
            else:
                kept.append(row)
    if dropped:
        _take_out(output)
    return kept


def _take_out(output: Path) -> None:
    lines = output.read_bytes().splitlines(keepends=True)
    lost = f'"note": "{LOST}'.encode()
    write_bytes(output, b"".join(line for line in lines if line.endswith(b"\n") and lost not in line))


def _shown(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in options.items()) or "none"


def _describe(row: Row) -> str:
    if row["status"] == "failed":
        return f"{row['instance']} failed: {row['note']}"
    value = row["makespan"] if row["objective"] == "minmax" else row["total"]
    mark = "" if row["status"] == "ok" else " infeasible"
    return f"{row['instance']} {value:.6g}{mark}"


# -- the instances ------------------------------------------------------------------------------


def _instances(source: Path) -> Iterator[Instance]:
    if source.is_dir():
        for path in _files(source):
            try:
                yield Instance(path.name, path.read_bytes(), str(path))
            except OSError as error:
                yield Instance(path.name, b"", str(path), unreadable=error.strerror or str(error))
        return
    for number, line in enumerate(_lines(source), start=1):
        if line.strip():
            yield Instance(f"line {number}", line.strip(), f"{source}:{number}")


def _number(source: Path) -> int:
    try:
        number = len(_files(source)) if source.is_dir() else sum(1 for line in _lines(source) if line.strip())
    except OSError as error:
        raise InputError(f"{source}: cannot be read: {error.strerror}") from None
    if not number:
        raise InputError(f"{source}: holds no instances")
    return number


def _files(directory: Path) -> list[Path]:
    """Every file but hidden ones, by name."""
    return sorted(path for path in directory.iterdir() if path.is_file() and path.name[0] != ".")


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from file


def _refuse_output_among_the_input(source: Path, output: Path) -> None:
    if output.exists() and source.exists() and output.samefile(source):
        raise InputError(f"{output}: is the input itself: give another file to write to")
    if source.is_dir() and output.resolve().parent == source.resolve():
        raise InputError(f"{output}: is among the instances: write outside of {source}")
