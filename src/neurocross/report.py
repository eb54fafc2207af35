"""What `solve` shows: progress on standard error, the table of routes on standard output."""

from __future__ import annotations

import sys
import time as clock
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from neurocross.problem import Problem
from neurocross.result import Progress, Result
from neurocross.solution import Solution
from neurocross.units import length_unit

PLAIN_LINES_APART = 1.0
"""Seconds between progress lines where there is no terminal."""


@contextmanager
def progress(time_limit: float | None, quiet: bool) -> Iterator[Callable[[Progress], None] | None]:
    """A callback for every new best: a live line on a terminal, plain lines otherwise."""
    console = Console(stderr=True)
    if quiet:
        yield None
    elif console.is_terminal:
        line = _LiveLine(time_limit)
        with Live(line, console=console, transient=True, refresh_per_second=10):
            yield line.tell
    else:
        lines = _PlainLines()
        yield lines.tell
        lines.finish()


class _LiveLine:
    """`12.3 of 60 s  longest 450.18  total 2201.3  bound 444.78  gap 1.20 %` with the seconds running."""

    def __init__(self, time_limit: float | None) -> None:
        self._limit, self._started = time_limit, clock.perf_counter()
        self._best: Progress | None = None

    def tell(self, best: Progress) -> None:
        self._best = best

    def __rich__(self) -> Text:
        spent = clock.perf_counter() - self._started
        of = f" of {self._limit:g}" if self._limit else ""
        best = _describe(self._best) if self._best else "constructing"
        return Text(f"{spent:6.1f}{of} s  {best}  (Ctrl-C keeps the best)")


class _PlainLines:
    """A line for a new best, at most one in `PLAIN_LINES_APART` seconds, and one for the last."""

    def __init__(self) -> None:
        self._printed_at = -PLAIN_LINES_APART
        self._waiting: Progress | None = None

    def tell(self, best: Progress) -> None:
        self._waiting = best
        if best.seconds - self._printed_at >= PLAIN_LINES_APART:
            self.finish()

    def finish(self) -> None:
        if self._waiting is not None:
            self._printed_at = self._waiting.seconds
            print(f"{self._waiting.seconds:8.2f} s  {_describe(self._waiting)}", file=sys.stderr)
            self._waiting = None


def _describe(best: Progress) -> str:
    unit = length_unit(best.solution.problem, best.solution.lengths)
    longest, total = unit(best.solution.makespan), unit(best.solution.total)
    bound = unit(best.lower_bound)
    return f"longest {longest}  total {total}  bound {bound}  gap {100 * best.gap:.2f} %"


def print_result(result: Result) -> None:
    """The routes as a table and what is proven about them."""
    problem, solution = result.solution.problem, result.solution
    unit = length_unit(problem, solution.lengths)
    with_load = any(route.load for route in solution.routes)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("vehicle", "from", "to"):
        table.add_column(column, no_wrap=True)
    table.add_column("stops", justify="right")
    table.add_column("length", justify="right", no_wrap=True)
    if with_load:
        table.add_column("load", justify="right", no_wrap=True)
    table.add_column("route", overflow="fold")
    used = [route for route in solution.routes if route.cities]
    for route in used:
        table.add_row(
            problem.vehicle_name(route.vehicle),
            _label(problem, route.start),
            "open" if route.end is None else _label(problem, route.end),
            str(len(route.cities)),
            unit(route.length),
            *([f"{route.load:g}"] if with_load else []),
            " ".join(_label(problem, c) for c in route.cities),
            style="bold" if route.length == solution.makespan else None,
        )
    _print_table(table)
    if problem.fleet_is_bounded and (idle := problem.n_vehicles - len(used)):
        print(f"{idle} of {problem.n_vehicles} vehicles not needed")
    quality = "optimal" if result.optimal else f"gap {100 * result.gap:.2f} %"
    verdict = quality if result.feasible else "infeasible"
    longest, total = f"longest {unit(result.makespan)}", f"total {unit(result.total)}"
    parts = (longest, total) if problem.objective == "minmax" else (total, longest)
    print(
        f"{', '.join(parts)}, bound {unit(result.lower_bound)}, {verdict}; "
        f"{result.method}, seed {result.seed}, {result.seconds:.2f} s, {result.iterations} iterations"
    )


def _print_table(table: Table) -> None:
    """Print it as it is: names of places may look like markup, and a file has no edge to fold lines at."""
    console = Console(markup=False, emoji=False, highlight=False)
    console.print(table, width=None if console.is_terminal else max(console.width, 120))


def _label(problem: Problem, node: int) -> str:
    return problem.names[node] or problem.ids[node]


def print_plan(plan: Solution) -> None:
    """A line of progress for one plan of a trade-off."""
    unit = length_unit(plan.problem, plan.lengths)
    print(f"longest {unit(plan.makespan)}  total {unit(plan.total)}", file=sys.stderr)


def plan_dict(plan: Solution) -> dict[str, Any]:
    """One plan of a trade-off for JSON."""
    return {"makespan": plan.makespan, "total": plan.total, "routes": plan.route_dicts()}


def print_tradeoff(plans: Sequence[Solution]) -> None:
    """A line a plan: both lengths, and what each costs against the best there is."""
    fairest, cheapest = plans[0], plans[-1]
    unit = length_unit(fairest.problem, [plan.makespan for plan in plans])
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("plan", "longest", "", "total", "", "vehicles"):
        table.add_column(column, justify="right", no_wrap=True)
    for k, plan in enumerate(plans, 1):
        table.add_row(
            str(k),
            unit(plan.makespan),
            _more(plan.makespan, fairest.makespan),
            unit(plan.total),
            _more(plan.total, cheapest.total),
            str(sum(1 for tour in plan.tours if tour)),
        )
    _print_table(table)


def _more(value: float, least: float) -> str:
    return f"+{100 * (value - least) / least:.1f} %" if value > least > 0 else ""
