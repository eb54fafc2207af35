"""`python -m neurocross.bench.kernels`: how fast the kernels are, and whether limits are kept.

Times are of this machine on this day; the ratios in one run are what counts.
"""

from __future__ import annotations

import math
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

from neurocross import _core
from neurocross.problem import Problem
from neurocross.solver import solve

SIZES = (10, 20, 50, 100, 200, 500)
BRUTE_FORCE_UP_TO = 100
INSTANCES = 5
REQUIRED_RATIO = {50: 8.0, 100: 30.0}
REQUIRED_MILLISECONDS = {200: 15.0, 500: 150.0}


def main() -> None:
    """Print every table."""
    console = Console(width=110)
    console.print(exchange_table())
    console.print(limits_table())


def exchange_table() -> Table:
    """One search for the best exchange of two raw greedy tours, minmax."""
    table = Table(title=f"best exchange of two greedy tours, milliseconds, one core, {_core.simd()}")
    for column in ("cities a tour", "brute force", "exact", "ratio", "required"):
        table.add_column(column, justify="right")
    for n in SIZES:
        tours = [_greedy_pair(n, seed) for seed in range(INSTANCES)]
        exact = _milliseconds(_core.cross_exact, tours, repeats=5)
        brute = _milliseconds(_core.cross_brute, tours) if n <= BRUTE_FORCE_UP_TO else math.nan
        required = f"ratio >= {REQUIRED_RATIO[n]:g}" if n in REQUIRED_RATIO else ""
        required = f"exact < {REQUIRED_MILLISECONDS[n]:g} ms" if n in REQUIRED_MILLISECONDS else required
        table.add_row(
            str(n), "" if math.isnan(brute) else f"{brute:.3f}", f"{exact:.3f}",
            "" if math.isnan(brute) else f"{brute / exact:.0f}", required,
        )  # fmt: skip
    return table


def limits_table() -> Table:
    """Start-up, time limits and memory."""
    table = Table(title="start-up, limits, memory")
    for column in ("what", "measured", "required"):
        table.add_column(column)
    table.add_row("neurocross --help, best of 5", f"{_start_up():.3f} s", "< 0.3 s")
    for cities, vehicles in ((100, 5), (1000, 2), (1000, 20)):
        problem = Problem.mtsp(np.random.default_rng(0).random((cities + 1, 2)), vehicles=vehicles)
        began = time.perf_counter()
        solve(problem, method="ce", time=1.0)
        over = time.perf_counter() - began - 1.0
        table.add_row(f"--time 1 with {cities} cities, {vehicles} vehicles", f"{over:+.3f} s", "within 0.1 s")
    large = (
        "import numpy as np, resource; from neurocross import Problem, solve;"
        "p = Problem.mtsp(np.random.default_rng(0).random((10001, 2)), vehicles=20);"
        "solve(p, method='ce', time=5.0); print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    kilobytes = int(subprocess.run([sys.executable, "-c", large], capture_output=True, check=True).stdout)
    table.add_row("10,000 cities, 20 vehicles, searching", f"{kilobytes / 1024:.0f} MiB", "< 1024 MiB")
    return table


def _greedy_pair(n: int, seed: int) -> tuple[_core.Instance, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    core = Problem.mtsp(rng.random((2 * n + 1, 2)), vehicles=2).core
    cities = rng.permutation(np.arange(1, 2 * n + 1, dtype=np.int32))
    return core, _core.nearest_neighbour(core, 0, cities[:n]), _core.nearest_neighbour(core, 1, cities[n:])


def _milliseconds(
    find: Callable[..., _core.Exchange],
    tours: list[tuple[_core.Instance, np.ndarray, np.ndarray]],
    repeats: int = 1,
) -> float:
    """Mean over the instances of the best of some repeats."""
    times = []
    for core, t1, t2 in tours:
        runs = []
        for _ in range(repeats):
            began = time.perf_counter()
            find(core, 0, 0, t1, 1, t2)
            runs.append(time.perf_counter() - began)
        times.append(min(runs))
    return 1e3 * float(np.mean(times))


def _start_up() -> float:
    times = []
    for _ in range(5):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-m", "neurocross", "--help"], capture_output=True, check=True)
        times.append(time.perf_counter() - began)
    return min(times)


if __name__ == "__main__":
    main()
