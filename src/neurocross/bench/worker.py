"""One solver on one instance, in a process of its own: what runs there, and how its errors become answers."""

from __future__ import annotations

import time

from neurocross import InputError, MissingDependencyError
from neurocross.bench.adapter import Tours
from neurocross.bench.job import Answer, Job
from neurocross.bench.solvers import NotProvenError, solver_of
from neurocross.bench.topk import rank_of_best

APART = 1.1
"""Reported plans but the last are kept only this much later, relatively, than the one before: a curve needs
no more."""


def run(job: Job) -> Answer:
    """Run a job; every Python error becomes an answer."""
    answer = Answer("ok")
    began = time.perf_counter()

    def report(tours: Tours) -> None:
        if len(answer.trace) > 1 and answer.trace[-1][0] < APART * answer.trace[-2][0]:
            answer.trace.pop()
        answer.trace.append((time.perf_counter() - began, tours))

    try:
        if job.measure == "rank":
            answer.rank = rank_of_best(job.problem, job.spec.name, job.seed)
        else:
            solve = solver_of(job.spec, job.lkh)
            began = time.perf_counter()  # imports are not part of the run
            answer.tours = solve(job.problem, job.seed, job.time_limit, report)
    except NotProvenError as error:
        answer.status, answer.note, answer.tours = "not proven", str(error), error.tours
    except MissingDependencyError as error:
        answer.status, answer.note = "missing", str(error)
    except InputError as error:
        answer.status, answer.note = "failed", str(error)
    except Exception as error:
        answer.status, answer.note = "failed", f"{type(error).__name__}: {error}"
    answer.seconds = time.perf_counter() - began
    return answer
