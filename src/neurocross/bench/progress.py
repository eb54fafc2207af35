"""Progress of a benchmark on standard error: a bar on a terminal, a line a run otherwise."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from neurocross.bench.records import Run


@contextmanager
def progress(title: str, quiet: bool) -> Iterator[Callable[[int, int, Run | None], None]]:
    """A callback for `run`: how many of how many, and the run that ended."""
    console = Console(stderr=True)
    if quiet:
        yield lambda done, total, run: None
    elif console.is_terminal:
        columns = (
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
            TextColumn("{task.fields[last]}"),
        )  # fmt: skip
        with Progress(*columns, console=console) as bars:
            task = bars.add_task(title, total=None, last="")

            def on_run(done: int, total: int, run: Run | None) -> None:
                bars.update(task, completed=done, total=total)
                if run is not None:
                    bars.update(task, last=_describe(run))

            yield on_run
    else:

        def on_run(done: int, total: int, run: Run | None) -> None:
            if run is not None:
                print(f"{done}/{total} {_describe(run)}", file=sys.stderr)

        yield on_run


def _describe(run: Run) -> str:
    value = "no plan" if run.value is None else f"{run.value:.6g}"
    mark = "" if run.status == "ok" else f" {run.status}: {run.note}"
    return f"{run.instance} {run.solver} seed {run.seed}: {value}{mark}"
