"""Progress of many tasks on standard error: a bar on a terminal, a line a task otherwise."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

Told = Callable[[int, int, str], None]
"""How many of how many are done, and what the last one came to; empty if it has no line of its own."""


@contextmanager
def progress(title: str, quiet: bool) -> Iterator[Told]:
    """A callback to tell of every task that is done."""
    console = Console(stderr=True)
    if quiet:
        yield lambda done, total, last: None
    elif console.is_terminal:
        columns = (
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
            TextColumn("{task.fields[last]}"),
        )  # fmt: skip
        with Progress(*columns, console=console) as bars:
            task = bars.add_task(title, total=None, last="")

            def tell(done: int, total: int, last: str) -> None:
                bars.update(task, completed=done, total=total)
                if last:
                    bars.update(task, last=escape(last))

            yield tell
    else:

        def tell(done: int, total: int, last: str) -> None:
            if last:
                print(f"{done}/{total} {last}", file=sys.stderr)

        yield tell
