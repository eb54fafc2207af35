"""Runs as tables: means, gaps, seconds, and the paper's figures beside them."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from neurocross.bench import paper
from neurocross.bench.paper import Figure
from neurocross.bench.records import REACHED, Run
from neurocross.bench.suites import Suite

PAPERS_NAMES = {
    "exact": "CPLEX", "exact-appendix": "CPLEX", "ce": "CE", "ce-brute": "CE", "nce": "NCE",
    "nce:weights=mtsp": "NCE-mTSP",
    "ce:perturbations=0": "CE", "nce:k=10,perturbations=0": "NCE", "nce:samples=10": "NCE (s.10)",
    "ortools": "OR-tools", "lkh": "LKH-3", "nce:intra=2opt": "NCE 2-opt", "nce:intra=ortools": "NCE OR-tools",
    "nce:intra=elkai": "NCE Elkai", "nce:select=random": "NCE random", "nce:select=max-min": "NCE max-min",
    **{f"nce:k={k}": f"NCE K={k}" for k in paper.CANDIDATES},
    **{f"nce:perturbations={p}": f"NCE p={p}" for p in paper.PERTURBATIONS},
}  # fmt: skip
"""Which row of the paper stands beside a solver's."""


@dataclass(frozen=True)
class Row:
    """One solver on one case, or on all of them."""

    case: str
    solver: str
    runs: int
    """With a feasible plan."""
    marked: int
    """Without one: missing, failed, crashed, timed out, infeasible."""
    value: float | None = None
    """Mean."""
    gap: float | None = None
    """Mean, relative to the reference."""
    worst: float | None = None
    seconds: float | None = None
    known: int = 0
    """Runs on instances with a best-known value."""
    reached: int = 0
    """Runs at it."""
    paper: Figure | None = None
    paper_gap: float | None = None
    quoted: bool = False
    """A row of the paper that nobody ran here."""


def references(runs: Iterable[Run]) -> dict[tuple[str, str], float]:
    """By case and instance: the best-known value, or else the best any solver found here."""
    found: dict[tuple[str, str], float] = {}
    for run in runs:
        if run.best_known is not None:
            found[run.case, run.instance] = run.best_known
    known = set(found)
    for run in runs:
        key = run.case, run.instance
        if run.counts and key not in known:
            assert run.value is not None
            found[key] = min(run.value, found.get(key, math.inf))
    return found


def gap_of(run: Run, reference: Mapping[tuple[str, str], float]) -> float:
    """How far above the reference, relatively."""
    best = reference[run.case, run.instance]
    assert run.value is not None
    return run.value / best - 1 if best else 0.0


def solvers_of(runs: Iterable[Run]) -> list[str]:
    """In the order they were run."""
    return list(dict.fromkeys(run.solver for run in runs))


def played_by_all(runs: Sequence[Run]) -> list[Run]:
    """The runs on instances every solver has a plan of, all runs if there are none.

    Slow solvers often play only the first few instances of a case.
    """
    of = {
        solver: {(run.case, run.instance) for run in runs if run.solver == solver and run.counts}
        for solver in solvers_of(runs)
    }
    common = set.intersection(*(played for played in of.values() if played)) if any(of.values()) else set()
    return [run for run in runs if (run.case, run.instance) in common or not common]


def rows_of(suite: Suite, runs: Sequence[Run]) -> list[Row]:
    """Every case of the suite that was run, its solvers, then what the paper has besides."""
    reference, rows = references(runs), []
    for case in suite.cases:
        here = [run for run in runs if run.case == case.name]
        if not here:
            continue
        known = next((run.best_known for run in here if run.best_known is not None), None)
        quoted = dict(case.paper)
        best = known or min((figure.cost for figure in quoted.values()), default=None)
        for solver in solvers_of(here):
            mine = [run for run in here if run.solver == solver]
            name = PAPERS_NAMES.get(solver.partition("@")[0])
            rows.append(_row(case.name, solver, mine, reference, case.paper.get(name or ""), best))
            quoted.pop(name or "", None)
        rows += [
            Row(
                case.name, name, 0, 0, paper=figure, quoted=True,
                paper_gap=figure.cost / best - 1 if best else None,
            )
            for name, figure in quoted.items()
        ]  # fmt: skip
    return rows


def summary_of(runs: Sequence[Run]) -> list[Row]:
    """Every solver over all cases."""
    reference = references(runs)
    return [
        _row("all", solver, [run for run in runs if run.solver == solver], reference, None, None)
        for solver in solvers_of(runs)
    ]


def _row(
    case: str,
    solver: str,
    runs: Sequence[Run],
    reference: Mapping[tuple[str, str], float],
    figure: Figure | None,
    best: float | None,
) -> Row:
    good = [run for run in runs if run.counts]
    gaps = [gap_of(run, reference) for run in good]
    with_known = [gap for run, gap in zip(good, gaps, strict=True) if run.best_known is not None]
    seconds = [run.seconds for run in good if run.seconds is not None]
    return Row(
        case,
        solver,
        runs=len(good),
        marked=len(runs) - len(good),
        value=statistics.fmean(run.value for run in good if run.value is not None) if good else None,
        gap=statistics.fmean(gaps) if gaps else None,
        worst=max(gaps, default=None),
        seconds=statistics.fmean(seconds) if seconds else None,
        known=len(with_known),
        reached=sum(gap <= REACHED for gap in with_known),
        paper=figure,
        paper_gap=figure.cost / best - 1 if figure and best else None,
    )


def gap_over_time(runs: Sequence[Run], points: int = 40) -> dict[str, list[tuple[float, float]]]:
    """By solver: seconds, mean gap of the best plan by then; begins when every run has a plan."""
    reference, curves = references(runs), {}
    for solver in solvers_of(runs):
        mine = [run for run in runs if run.solver == solver and run.trace and run.counts]
        if len(mine) < 1:
            continue
        first = max(run.trace[0][0] for run in mine)
        last = max(max(run.time_limit if run.seconds is None else run.seconds, first) for run in mine)
        first, last = max(first, 1e-3), max(last, 2e-3, first * 1.0001)
        grid = [first * (last / first) ** (k / (points - 1)) for k in range(points)]
        curves[solver] = [(t, statistics.fmean(_gap_at(run, t, reference) for run in mine)) for t in grid]
    return curves


def _gap_at(run: Run, seconds: float, reference: Mapping[tuple[str, str], float]) -> float:
    best = reference[run.case, run.instance]
    seen = [value for at, value in run.trace if at <= seconds]
    value = seen[-1] if seen else run.trace[0][1]
    return value / best - 1 if best else 0.0
