"""One run in a worker: what it leaves of a solver's new bests."""

from __future__ import annotations

from itertools import pairwise

import pytest

from neurocross import Problem
from neurocross.bench import worker
from neurocross.bench.adapter import Report, Solve, Tours
from neurocross.bench.job import Job
from neurocross.bench.solvers import Spec, parse_spec
from neurocross.bench.suites import RandomCase


def test_a_curve_keeps_its_early_points_and_its_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan every 1 % of the time: each is near the one before, yet the curve has points from all over."""
    times = [1.01**k for k in range(300)]

    def solver_of(spec: Spec, lkh: str | None) -> Solve:
        def solve(problem: Problem, seed: int, seconds: float, report: Report) -> Tours:
            for _ in times:
                report([[1]])
            return [[1]]

        return solve

    clock = iter([0.0, 0.0, *times, times[-1]])
    monkeypatch.setattr(worker, "solver_of", solver_of)
    monkeypatch.setattr(worker.time, "perf_counter", lambda: next(clock))
    job = Job(parse_spec("ce"), RandomCase("mtsp", 1, 1, 1).problem(0), 1, 5.0, "plan")
    kept = [seconds for seconds, _ in worker.run(job).trace]
    assert kept[0] == times[0] and kept[-1] == times[-1]
    assert 25 < len(kept) < 40
    assert all(worker.APART <= later / sooner < 1.2 for sooner, later in pairwise(kept[:-1]))
