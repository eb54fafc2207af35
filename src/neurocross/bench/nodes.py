"""`python -m neurocross.bench.nodes [PRICE]`: what N nodes take, and cost at PRICE a core and hour.

A calculation from figures that `python -m neurocross.bench.scale` measures; nothing is run.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from neurocross.decompose import PART

NODES = (1, 4, 16, 64, 256)
CORES = 8
"""Of a node."""

MILLION = 1_000_000


@dataclass(frozen=True)
class Measured:
    """Seconds of one core."""

    row: float = 3e-3
    """Of the command, for one instance of `solve-batch` on Ray: to read, send, receive and write it."""
    iteration: float = 12e-6
    """Of a worker, for one iteration of the engine in a large problem."""
    city: float = 6.5e-6
    """Of the command, for one city of a large problem: to cut, send and put together, all rounds."""


@dataclass(frozen=True)
class Expected:
    """What a number of cores makes of it."""

    seconds: float
    busy: float
    """Share of the cores' time that is work."""


def batch(instances: int, seconds: float, cores: int, measured: Measured) -> Expected:
    """`solve-batch` with `seconds` an instance: as fast as the workers, or as the command hands out."""
    work = instances * seconds
    took = max(work / cores, instances * measured.row)
    return Expected(took, work / cores / took)


def large(cities: int, iterations_a_city: int, cores: int, measured: Measured) -> Expected:
    """One problem in parts, halved until they are small: no more cores work than there are parts."""
    parts = 2 ** max(0, math.ceil(math.log2(cities / PART)))
    work = cities * iterations_a_city * measured.iteration
    took = cities * measured.city + math.ceil(parts / cores) * work / parts
    return Expected(took, work / cores / took)


def table(title: str, expected: list[Expected], price: float) -> Table:
    """A row for each number of nodes."""
    shown = Table(title=title)
    for column in ("nodes", "cores", "time", "cores busy", "core hours", "price"):
        shown.add_column(column, justify="right")
    for nodes, one in zip(NODES, expected, strict=True):
        hours = nodes * CORES * one.seconds / 3600
        shown.add_row(
            str(nodes), str(nodes * CORES), duration(one.seconds), f"{100 * one.busy:.0f} %",
            f"{hours:,.2f}", f"{hours * price:,.2f}",
        )  # fmt: skip
    return shown


def duration(seconds: float) -> str:
    """`34.7 h`, `52 min` or `97 s`."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def tables(price: float, measured: Measured) -> list[Table]:
    """A million instances, and one of a million cities."""
    cores = [nodes * CORES for nodes in NODES]
    many = [batch(MILLION, 1.0, n, measured) for n in cores]
    one = [large(MILLION, 200, n, measured) for n in cores]
    return [
        table("a million instances, --time 1", many, price),
        table("one instance of a million cities, 200 iterations a city", one, price),
    ]


def main(words: list[str]) -> None:
    """Print both tables."""
    try:
        price = float(words[0]) if words else 0.05
    except ValueError:
        sys.exit(f"error: '{words[0]}' is no price of a core and hour")
    for one in tables(price, Measured()):
        Console(width=110).print(one)


if __name__ == "__main__":
    main(sys.argv[1:])
