"""Routes for fleets whose longest route matters.

>>> import neurocross as nc
>>> problem = nc.Problem.mtsp([[0, 0], [0, 1], [1, 0], [1, 1]], vehicles=2)
>>> round(nc.solve(problem, seed=1).makespan, 4)
3.4142
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from neurocross.bounds import lower_bound
    from neurocross.errors import InputError, MissingDependencyError, NeurocrossError
    from neurocross.generate import random_problem
    from neurocross.io import read_problem, read_solution, write_problem, write_solution
    from neurocross.model import Model
    from neurocross.objective import Objective
    from neurocross.plot import plot_problem, plot_solution
    from neurocross.problem import Problem, Vehicle
    from neurocross.result import Progress, Result
    from neurocross.solution import Route, Solution
    from neurocross.solver import solve
    from neurocross.stop import MaxIterations, MaxRuntime, MultipleCriteria, NoImprovement

# Public names and their modules, imported when first asked for: `import neurocross` stays instant.
_HOME = {
    "InputError": "errors",
    "MaxIterations": "stop",
    "MaxRuntime": "stop",
    "MissingDependencyError": "errors",
    "Model": "model",
    "MultipleCriteria": "stop",
    "NeurocrossError": "errors",
    "NoImprovement": "stop",
    "Objective": "objective",
    "Problem": "problem",
    "Progress": "result",
    "Result": "result",
    "Route": "solution",
    "Solution": "solution",
    "Vehicle": "problem",
    "lower_bound": "bounds",
    "plot_problem": "plot",
    "plot_solution": "plot",
    "random_problem": "generate",
    "read_problem": "io",
    "read_solution": "io",
    "solve": "solver",
    "write_problem": "io",
    "write_solution": "io",
}

__all__ = [
    "InputError",
    "MaxIterations",
    "MaxRuntime",
    "MissingDependencyError",
    "Model",
    "MultipleCriteria",
    "NeurocrossError",
    "NoImprovement",
    "Objective",
    "Problem",
    "Progress",
    "Result",
    "Route",
    "Solution",
    "Vehicle",
    "lower_bound",
    "plot_problem",
    "plot_solution",
    "random_problem",
    "read_problem",
    "read_solution",
    "solve",
    "write_problem",
    "write_solution",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'neurocross' has no attribute '{name}'")
    value = getattr(import_module(f"neurocross.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
