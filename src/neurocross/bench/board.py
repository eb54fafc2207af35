"""The scoreboard: every target row of the three boards, what was reached, or `not run`; and the records."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from neurocross import files
from neurocross.bench.records import REACHED, Run, read_runs
from neurocross.bench.suites import SUITES, Case, FileCase, Suite, Target

HEAD = ("row", "time", "cases", "mean %", "worst %", "reached", "target", "opponent", "commit")
CASE_HEAD = ("case", "time", "runs", "mean", "worst", "best-known", "mean %", "opponent", "commit")
NOT_RUN = "not run"
NOTE = (
    "One thread. Per cent are mean gaps to the best-known value; in rows against PyVRP, to PyVRP on the same "
    "instances in the same run. `reached`: runs up to 1e-5 above the best-known. Made by "
    "`make board-quick`, `board-full` and `board-long`."
)


def write_board(results: Path, output: Path) -> None:
    """`results` holds a directory for each board, named after it."""
    lines = ["# Scoreboard", "", NOTE, ""]
    for suite in (suite for suite in SUITES.values() if suite.targets):
        runs = read_runs(results / suite.name)
        lines += [f"## {suite.name}", "", suite.title + ".", ""]
        lines += [*_table(HEAD, [_row(suite, target, runs) for target in suite.targets]), ""]
        lines += [*_table(CASE_HEAD, [_case_row(suite, case, runs) for case in suite.cases]), ""]
    files.write_bytes(output, "\n".join(lines).encode())


def write_records(results: Path, directory: Path) -> list[Path]:
    """The best plan below the best-known value of each public case, unless the directory has a better one."""
    directory.mkdir(parents=True, exist_ok=True)
    best: dict[Path, dict[str, Any]] = {}
    for suite in SUITES.values():
        cases = {case.name: case.source for case in suite.cases}
        for run in read_runs(results / suite.name):
            source = cases.get(run.case)
            if not isinstance(source, FileCase) or not run.is_record or run.value is None or not run.tours:
                continue
            path = directory / f"{source.set}-{source.name}.json"
            known = best.get(path) or (json.loads(path.read_text()) if path.is_file() else None)
            if known is None or run.value < known["value"]:
                best[path] = {
                    "set": source.set, "case": source.name, "value": run.value, "best_known": run.best_known,
                    "solver": run.solver, "seconds": run.time_limit, "seed": run.seed, "commit": run.commit,
                    "routes": run.tours,
                }  # fmt: skip
    for path, record in best.items():
        files.write_bytes(path, f"{json.dumps(record)}\n".encode())
    return list(best)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(head)} |", "|" + "---|" * len(head), *(f"| {' | '.join(row)} |" for row in rows)]


def _row(suite: Suite, target: Target, runs: Sequence[Run]) -> tuple[str, ...]:
    cases = [case for case in suite.cases if case.row == target.row]
    time = _time(suite, cases[0])
    played = [case for case in cases if _gaps(suite, case, runs)]
    if not played:
        none = f"0 of {len(cases)}"
        return (target.row, time, none, NOT_RUN, "", "", target.target, target.opponent, "")
    every = [gap for case in played for gap in _gaps(suite, case, runs)]
    reached = sum(gap <= REACHED for gap in every)
    return (
        target.row, time, f"{len(played)} of {len(cases)}", _percent(statistics.fmean(every)),
        _percent(max(every)), f"{reached} of {len(every)}" if _public(cases[0]) else "", target.target,
        target.opponent, ", ".join(_commits([run for case in played for run in _ours(suite, case, runs)])),
    )  # fmt: skip


def _case_row(suite: Suite, case: Case, runs: Sequence[Run]) -> tuple[str, ...]:
    ours, gaps = _ours(suite, case, runs), _gaps(suite, case, runs)
    name = f"{case.row}: {case.name}" if _public(case) else case.row
    values = [run.value for run in ours if run.value is not None]
    if not values:
        return (name, _time(suite, case), "0", NOT_RUN, "", "", "", "", "")
    others = [run.value for run in _theirs(suite, case, runs) if run.value is not None]
    known = next((run.best_known for run in ours if run.best_known is not None), None)
    return (
        name, _time(suite, case), str(len(values)), f"{statistics.fmean(values):.6g}", f"{max(values):.6g}",
        "" if known is None else f"{known:.6g}", _percent(statistics.fmean(gaps)) if gaps else "",
        f"{_solvers(suite, case)[1]} {statistics.fmean(others):.6g}" if others else "",
        ", ".join(_commits(ours)),
    )  # fmt: skip


def _percent(share: float) -> str:
    return f"{100 * share:.3f}".replace("-0.000", "0.000")


def _public(case: Case) -> bool:
    return isinstance(case.source, FileCase)


def _solvers(suite: Suite, case: Case) -> tuple[str, ...]:
    """Ours first, then the opponent, if it plays here."""
    return case.solvers or suite.solvers


def _time(suite: Suite, case: Case) -> str:
    own = _solvers(suite, case)[0].partition("@")[2]
    return f"{float(own or case.time or suite.time):g} s"


def _of(suite: Suite, case: Case, solver: str, runs: Sequence[Run]) -> list[Run]:
    """A case is told by its name and its time: the same one may be in two rows."""
    limit = float(solver.partition("@")[2] or case.time or suite.time)
    return [
        run for run in runs
        if run.case == case.name and run.solver == solver and run.time_limit == limit and run.counts
    ]  # fmt: skip


def _ours(suite: Suite, case: Case, runs: Sequence[Run]) -> list[Run]:
    return _of(suite, case, _solvers(suite, case)[0], runs)


def _theirs(suite: Suite, case: Case, runs: Sequence[Run]) -> list[Run]:
    solvers = _solvers(suite, case)
    return _of(suite, case, solvers[1], runs) if len(solvers) > 1 else []


def _gaps(suite: Suite, case: Case, runs: Sequence[Run]) -> list[float]:
    """To the best-known; on random instances to the opponent's value of the same instance and seed."""
    if _public(case):
        ours = _ours(suite, case, runs)
        return [run.value / run.best_known - 1 for run in ours if run.value and run.best_known]
    theirs = {(run.instance, run.seed): run.value for run in _theirs(suite, case, runs)}
    return [
        run.value / other - 1
        for run in _ours(suite, case, runs)
        if run.value is not None and (other := theirs.get((run.instance, run.seed)))
    ]


def _commits(runs: Sequence[Run]) -> list[str]:
    return list(dict.fromkeys(run.commit for run in runs if run.commit))
