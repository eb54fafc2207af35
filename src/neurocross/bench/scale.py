"""`python -m neurocross.bench.scale [sizes] [large] [workers]`: what size costs, and what workers bring.

Times are of this machine, which should have nothing else to do; the ratios in one run are what counts.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from neurocross.batch import Options, solve_batch
from neurocross.generate import random_problem
from neurocross.io import ReadOptions, format_problem
from neurocross.parallel import BACKENDS, Team, team
from neurocross.train.data import DataConfig
from neurocross.train.shards import SHARD, write_shards

SIZES = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)
CITIES_A_ROUTE = 500
ITERATIONS_A_CITY = 20
WARM_UP = 4
"""Tasks that are not counted: workers start with the first they get."""

ROWS = 150
ROW_ITERATIONS = 60_000
SHARDS = 80

ONE = """
import json, resource, sys, time
import numpy as np
from neurocross import random_problem, solve
from neurocross.decompose import is_large
from neurocross.parallel import team

cities, vehicles, limit, amount = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], float(sys.argv[4])
problem = random_problem("mtsp", np.random.default_rng(0), cities=cities, vehicles=vehicles)
heard, limits = [], {limit: amount if limit == "time" else int(amount)}

def spent(who):
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime

before, began = spent(resource.RUSAGE_SELF), time.perf_counter()
if is_large(problem):
    with team() as workers:
        processes = workers.size
        found = solve(problem, method="decompose", workers=workers, on_best=heard.append, **limits)
else:
    processes = 0
    found = solve(problem, on_best=heard.append, **limits)
seconds = time.perf_counter() - began
alone = spent(resource.RUSAGE_SELF) - before
cpu = alone + spent(resource.RUSAGE_CHILDREN)
own, child = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
print(json.dumps({
    "method": found.method, "first": heard[0].seconds, "seconds": seconds, "cpu": cpu, "alone": alone,
    "iterations": found.iterations, "mebibytes": (own + processes * child) / 1024,
    "cost": found.cost, "gap": found.gap, "feasible": found.feasible,
}))
"""


def main(names: list[str]) -> None:
    """Print the tables named, or all."""
    tables: dict[str, Callable[[], Table]] = {
        "sizes": sizes_table,
        "large": large_table,
        "workers": workers_table,
    }
    unknown = [name for name in names if name not in tables]
    if unknown:
        sys.exit(f"error: table '{unknown[0]}' is unknown: use some of {', '.join(tables)}")
    console = Console(width=110)
    for name in names or tables:
        console.print(tables[name]())


def sizes_table(sizes: tuple[int, ...] = SIZES) -> Table:
    """What the default method needs for as many iterations a city, from small to large."""
    table = _table(
        f"mTSP, {CITIES_A_ROUTE} cities a route, {ITERATIONS_A_CITY} iterations a city",
        "cities", "vehicles", "method", "first plan", "processor time", "not shared",
        "an iteration", "memory", "gap",
    )  # fmt: skip
    for cities in sizes:
        vehicles = max(2, cities // CITIES_A_ROUTE)
        one = solved(cities, vehicles, "iterations", ITERATIONS_A_CITY * cities)
        table.add_row(
            f"{cities:,}", str(vehicles), one["method"], f"{one['first']:.2f} s", f"{one['cpu']:.2f} s",
            f"{one['alone']:.2f} s", f"{1e6 * one['cpu'] / one['iterations']:.1f} µs",
            f"{one['mebibytes']:.0f} MiB", _gap(one),
        )  # fmt: skip
    return table


def large_table(seconds: float = 55.0, more: float = 550.0, largest: float = 300.0) -> Table:
    """What is promised for 10,000 and 100,000 cities."""
    table = _table("large mTSP", "what", "measured", "required")
    short, long = (solved(10_000, 50, "time", limit) for limit in (seconds, more))
    table.add_row(f"10,000 cities, 50 vehicles, --time {seconds:g}", _plan(short), "< 60 s")
    table.add_row(f"the same, --time {more:g}", _plan(long), "")
    table.add_row("longest route against that", f"{100 * (short['cost'] / long['cost'] - 1):+.2f} %", "< 5 %")
    most = solved(100_000, 200, "time", largest)
    table.add_row(f"100,000 cities, 200 vehicles, --time {largest:g}", _plan(most), "< 600 s, < 4096 MiB")
    return table


def workers_table(rows: int = ROWS, shards: int = SHARDS, backends: tuple[str, ...] = BACKENDS) -> Table:
    """Throughput of two workers over one, once they are up."""
    table = _table("two workers", "work", "backend", "one", "two", "ratio", "required", "the command's own")
    with tempfile.TemporaryDirectory() as directory:
        source = _instances(Path(directory), rows)
        works: dict[str, tuple[str, int, Callable[[Team, Path], Any]]] = {
            "solve-batch": ("rows", rows, lambda workers, to: _batch(source, to, workers)),
            "label": ("pairs", shards * SHARD, lambda workers, to: _label(to, shards, workers)),
        }
        for backend in backends:
            for name, (unit, amount, work) in works.items():
                rates, own = [], 0.0
                for processes in (1, 2):
                    with team(backend, processes) as workers:
                        list(workers.map(time.sleep, [0.5] * WARM_UP))
                        began, used = time.perf_counter(), time.process_time()
                        work(workers, Path(directory) / f"{name}-{backend}-{processes}")
                        rates.append(amount / (time.perf_counter() - began))
                        own = (time.process_time() - used) / amount
                table.add_row(
                    name, backend, *(f"{rate:.1f} {unit}/s" for rate in rates),
                    f"{rates[1] / rates[0]:.2f}", ">= 1.7" if backend == "ray" else "",
                    f"{1e3 * own:.2f} ms a {unit[:-1]}",
                )  # fmt: skip
    return table


def solved(cities: int, vehicles: int, limit: str, amount: float) -> dict[str, Any]:
    """What a process of its own says about one problem."""
    words = [sys.executable, "-c", ONE, str(cities), str(vehicles), limit, str(amount)]
    said = subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout
    found: dict[str, Any] = json.loads(said)
    assert found["feasible"]
    return found


def _instances(directory: Path, rows: int) -> Path:
    rng = np.random.default_rng(0)
    lines = (
        format_problem(random_problem("mtsp", rng, cities=100, vehicles=5), "json").replace("\n", " ")
        for _ in range(rows)
    )
    path = directory / "instances.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def _batch(source: Path, output: Path, workers: Team) -> None:
    options = Options(ReadOptions(), {"iterations": ROW_ITERATIONS})
    assert solve_batch(source, output.with_suffix(".jsonl"), options, workers).failed == 0


def _label(output: Path, shards: int, workers: Team) -> None:
    for _ in write_shards(output, DataConfig(), shards * SHARD, workers):
        pass


def _plan(one: dict[str, Any]) -> str:
    return (
        f"{one['cost']:.4f} (gap {_gap(one)}), {one['method']}, "
        f"{one['seconds']:.1f} s, {one['mebibytes']:.0f} MiB"
    )


def _gap(one: dict[str, Any]) -> str:
    return f"{100 * one['gap']:.2f} %"


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title)
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number == 0 else "right")
    return table


if __name__ == "__main__":
    main(sys.argv[1:])
