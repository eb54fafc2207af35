"""Proven optima for small problems: the paper's integer programs, a strengthened one, and CP-SAT circuits."""

from __future__ import annotations

import pickle
import subprocess
import sys
import time as clock
from collections.abc import Sequence
from dataclasses import dataclass

from neurocross.errors import InputError, MissingDependencyError, NeurocrossError
from neurocross.problem import Problem

FORMULATIONS = ("circuits", "strengthened", "appendix")
"""CP-SAT circuits (OR-Tools); our integer program; the paper's appendix A as corrected here (both HiGHS)."""

PROOF_TOLERANCE = 1e-6
"""Relative: a solver's proof holds up to its own arithmetic, floats in HiGHS and whole numbers in CP-SAT."""

Tours = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Proof:
    """What an exact solver leaves behind."""

    tours: Tours
    """By vehicle; the given plan if nothing better was found."""
    lower_bound: float
    """No plan has a smaller value of the objective, up to `PROOF_TOLERANCE`."""
    optimal: bool
    """Whether the solver proved its plan optimal."""


def prove(
    problem: Problem,
    plan: Sequence[Sequence[int]],
    *,
    lower_bound: float = 0.0,
    seconds: float = float("inf"),
    seed: int = 0,
    formulation: str | None = None,
) -> Proof:
    """Search for the optimum from a feasible `plan`, for at most `seconds`.

    `lower_bound` is what is proven already. Without a `formulation`: CP-SAT where OR-Tools is installed,
    because it proves soonest, else the strengthened integer program.
    """
    if formulation is None:
        formulation = "circuits" if _installed("ortools") else "strengthened"
    if formulation not in FORMULATIONS:
        raise InputError(f"formulation '{formulation}' is unknown: use one of {', '.join(FORMULATIONS)}")
    package = "ortools" if formulation == "circuits" else "highspy"
    if not _installed(package):
        raise MissingDependencyError(
            f"--method exact needs the package {package}: pip install 'neurocross[exact]'"
        )
    tours = tuple(tuple(int(c) for c in tour) for tour in plan)
    return _in_own_process(problem, tours, lower_bound, clock.time() + seconds, seed, formulation)


def _installed(package: str) -> bool:
    from importlib.util import find_spec

    return find_spec(package) is not None


def _in_own_process(*task: object) -> Proof:
    """Run `_task` in a fresh Python.

    HiGHS and OR-Tools each carry a library of the same name, and the second one loaded into a process fails
    to link; apart from each other both work, whatever the caller has imported.
    """
    command = [sys.executable, "-m", "neurocross.exact"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        try:
            answer, _ = child.communicate(pickle.dumps(task))
        except BaseException:
            child.kill()
            raise
    if child.returncode:
        raise NeurocrossError(f"the exact solver ended with code {child.returncode} before it had an answer")
    result = pickle.loads(answer)
    if isinstance(result, Exception):
        raise result
    assert isinstance(result, Proof)
    return result


def prove_here(
    problem: Problem, plan: Tours, lower_bound: float, ends_at: float, seed: int, formulation: str
) -> Proof:
    """The same in this process, until `ends_at` of the system's clock: building the model takes time too."""
    match formulation:
        case "circuits":
            from neurocross.exact.circuits import prove_by_circuits

            return prove_by_circuits(problem, plan, lower_bound, ends_at, seed)
        case "strengthened":
            from neurocross.exact.strengthened import strengthened
            from neurocross.exact.symmetry import in_fixed_order

            plan = in_fixed_order(problem, plan)
            return strengthened(problem, plan, lower_bound, ends_at).prove(plan, ends_at, seed)
        case _:
            from neurocross.exact.appendix import appendix

            return appendix(problem).prove(plan, ends_at, seed)
