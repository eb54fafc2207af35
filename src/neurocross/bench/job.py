"""What a worker is asked and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, field

from neurocross import Problem
from neurocross.bench.adapter import Tours
from neurocross.bench.solvers import Spec


@dataclass(frozen=True)
class Job:
    """One run."""

    spec: Spec
    problem: Problem
    seed: int
    time_limit: float
    measure: str
    lkh: str | None = None


@dataclass
class Answer:
    """What a run leaves: a plan, or why there is none."""

    status: str
    """`ok`, `not proven`, `missing`, `failed`."""
    note: str = ""
    tours: Tours | None = None
    rank: int | None = None
    seconds: float = 0.0
    trace: list[tuple[float, Tours]] = field(default_factory=list)
    """Seconds, plan: new bests."""
