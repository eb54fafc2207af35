"""Runs a suite: every case, instance, seed and solver, each run kept as it ends, none run twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from neurocross import InputError, Problem
from neurocross.bench import machine
from neurocross.bench.job import Answer, Job
from neurocross.bench.judge import judge
from neurocross.bench.records import MACHINE, Key, Log, Run, read_runs
from neurocross.bench.solvers import Spec, parse_spec
from neurocross.bench.suites import Case, FileCase, Suite, best_known, instances
from neurocross.bench.worker import run as run_job
from neurocross.parallel import Done, LostError, OverdueError, Team

GRACE = 15.0
"""Seconds beyond twice its limit after which a solver is ended: slow starts and loaded machines pass."""

PREDICTORS = ("nce", "random")
"""Who can play a suite that measures predictions."""


@dataclass(frozen=True)
class Plan:
    """What to run: a suite with the command's changes to it."""

    suite: Suite
    solvers: tuple[str, ...] = ()
    """Instead of the suite's."""
    time: float | None = None
    """Instead of the suite's and the cases'; a solver's own @seconds stay."""
    instances: int | None = None
    seeds: tuple[int, ...] = ()
    data: Path | None = None
    lkh: str | None = None
    cases: tuple[str, ...] = ()
    """Only these."""

    def __post_init__(self) -> None:
        if self.instances is not None and self.instances < 1:
            raise InputError(f"instances must be at least 1, not {self.instances}")
        if self.time is not None and not self.time > 0:
            raise InputError(f"time must be above 0, not {self.time}")
        if any(seed < 0 for seed in self.seeds):
            raise InputError(f"seeds must be at least 0, not {min(self.seeds)}")
        if self.data is not None and not self.data.is_dir():
            raise InputError(f"{self.data}: there is no such directory of public instances")
        names = {case.name for case in self.suite.cases}
        for name in self.cases:
            if name not in names:
                raise InputError(f"suite {self.suite.name} has no case '{name}': it has {', '.join(names)}")
        if self.suite.needs_data and self.data is None:
            raise InputError(
                f"suite {self.suite.name} plays public instances: give their directory with --data "
                "(docs/reproduction.md says where they come from)"
            )
        for text in self.solvers:
            self._spec(text)

    def jobs(self) -> Iterator[tuple[Case, Job]]:
        """Every run, instance by instance: solvers take turns, so that a loaded machine hurts all alike."""
        suite = self.suite
        for case in suite.cases:
            if self.cases and case.name not in self.cases:
                continue
            for problem in instances(case, self.instances or suite.instances, self.data):
                for seed in self.seeds or suite.seeds:
                    for text in self.solvers or case.solvers or suite.solvers:
                        spec = self._spec(text)
                        limit = spec.seconds or self.time or case.time or suite.time
                        yield case, Job(spec, problem, seed, limit, suite.measure, self.lkh)

    def _spec(self, text: str) -> Spec:
        if self.suite.measure != "rank":
            return parse_spec(text)
        if text not in PREDICTORS:
            raise InputError(f"solver '{text}' predicts nothing: use {' or '.join(PREDICTORS)}")
        return Spec(text, text)

    def describe(self) -> dict[str, Any]:
        """For the record."""
        return {
            "suite": self.suite.name,
            "solvers": list(self.solvers),
            "time": self.time,
            "instances": self.instances or self.suite.instances,
            "seeds": list(self.seeds or self.suite.seeds),
            "cases": list(self.cases),
        }


def run(plan: Plan, directory: Path, workers: Team, on_run: Callable[[int, int, Run | None], None]) -> None:
    """Run what is not in the directory yet; `on_run` hears (done, all, run) after each, first with None."""
    done_before = {found.key for found in read_runs(directory) if found.status != "missing"}
    known = best_known(plan.data)
    everything = list(plan.jobs())
    jobs = [(case, job) for case, job in everything if _key(plan, case, job) not in done_before]
    total = len(everything)
    log, here = Log(directory), machine.commit()
    machine.write_description(directory / MACHINE, plan.describe())
    on_run(total - len(jobs), total, None)
    try:
        # No retries: that a solver crashed is a result. A solver has its processes to itself, so that what
        # one imports or breaks is not the next one's.
        ended = workers.map(
            run_job, (job for _, job in jobs), retries=0, kind=lambda job: job.spec.text,
            patience=lambda job: 2 * job.time_limit + GRACE,
        )  # fmt: skip
        for count, done in enumerate(ended, start=total - len(jobs) + 1):
            case, job = jobs[done.number]
            result = _judged(plan, case, job, _answer(done), known, here)
            log.write(result)
            on_run(count, total, result)
    finally:
        log.close()


def _key(plan: Plan, case: Case, job: Job) -> Key:
    return plan.suite.name, case.name, job.problem.name, job.spec.text, job.seed, job.time_limit


def _answer(done: Done[Job, Answer]) -> Answer:
    """Its answer, or a made-up one that says why there is none."""
    if isinstance(done.error, OverdueError):
        return Answer("timed out", str(done.error))
    if isinstance(done.error, LostError):
        return Answer("crashed", str(done.error))
    return done.result()


def _judged(
    plan: Plan, case: Case, job: Job, answer: Answer, known: dict[tuple[str, str], float], commit: str
) -> Run:
    problem, status, note = job.problem, answer.status, answer.note
    value: float | None
    if job.measure == "rank":
        value, feasible = answer.rank, answer.rank is not None
        if answer.status == "ok" and not feasible:
            note = "no exchange improves the first tours"
    else:
        verdict = judge(problem, answer.tours)
        value, feasible = verdict.value, verdict.feasible
        if answer.tours is not None and not feasible:
            status, note = "infeasible" if value is not None else "nonsense", verdict.note
            value = None if status == "nonsense" else value
    answered = status not in ("crashed", "timed out", "missing")
    source = case.source
    result = Run(
        suite=plan.suite.name,
        case=case.name,
        instance=problem.name,
        solver=job.spec.text,
        seed=job.seed,
        time_limit=job.time_limit,
        seconds=round(answer.seconds, 4) if answered else None,
        value=value,
        feasible=feasible,
        best_known=known.get((source.set, source.name)) if isinstance(source, FileCase) else None,
        status=status,
        note=note,
        nodes=problem.n_nodes,
        commit=commit,
        trace=_judged_trace(problem, answer),
    )
    if answer.tours and feasible and (plan.suite.keep_tours or result.is_record):
        return replace(result, tours=tuple(map(tuple, answer.tours)))
    return result


def _judged_trace(problem: Problem, answer: Answer) -> tuple[tuple[float, float], ...]:
    points: list[tuple[float, float]] = []
    for seconds, tours in answer.trace:
        verdict = judge(problem, tours)
        if verdict.feasible and verdict.value is not None and (not points or verdict.value < points[-1][1]):
            points.append((round(seconds, 4), verdict.value))
    return tuple(points)
