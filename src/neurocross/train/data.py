"""The training data: pairs of tours and y*(a1, a2) for all their start pairs, each made from (seed, index).

Example `index` of a data set depends on nothing but its configuration, so it can be made when it is needed,
by any process, or once into shards (`neurocross label`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neurocross import _core
from neurocross.errors import InputError
from neurocross.operators.construct import initial_solution
from neurocross.operators.cross import Cities, cross
from neurocross.problem import Problem

PROBLEMS = ("fmdvrp", "mtsp")


@dataclass(frozen=True)
class DataConfig:
    """What the instances look like; the defaults are the paper's, but for `searched`."""

    problem: str = "fmdvrp"
    seed: int = 1
    cities: tuple[int, int] = (10, 100)
    """N_c is uniform between these, both included."""
    depots: tuple[int, int] = (2, 9)
    """N_d likewise; an mTSP has one."""
    searched: float = 1 / 3
    """Share of pairs met along a search, not raw initial tours."""

    def __post_init__(self) -> None:
        if self.problem not in PROBLEMS:
            raise InputError(
                f"no training data for problem '{self.problem}': use one of {', '.join(PROBLEMS)}"
            )
        if not 1 <= self.cities[0] <= self.cities[1] or not 1 <= self.depots[0] <= self.depots[1]:
            raise InputError(
                f"cities and depots must be ranges from at least 1, not {self.cities}, {self.depots}"
            )
        if not 0 <= self.searched <= 1:
            raise InputError(f"searched must be a share between 0 and 1, not {self.searched}")

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> DataConfig:
        """As read from a file, where lists stand for ranges."""
        ranges: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in values.items()}
        return cls(**ranges)


@dataclass(frozen=True)
class Example:
    """Two tours, of vehicles 0 and 1 of a problem, and what each start pair would gain."""

    problem: Problem
    t1: Cities
    t2: Cities
    labels: npt.NDArray[np.float32]
    """(n1+1, n2+1, 2): y*(a1, a2) under minmax and minsum."""


def make_example(config: DataConfig, index: int) -> Example:
    """Example number `index` of a data set."""
    rng = np.random.default_rng([config.seed, index])
    problem = random_problem(config, rng)
    t1, t2 = initial_solution(problem, rng)
    if rng.random() < config.searched:
        t1, t2 = _met_along_a_search(problem, t1, t2, rng)
    return label(problem, t1, t2)


def label(problem: Problem, t1: Cities, t2: Cities) -> Example:
    """Two tours with their labels under both objectives."""
    tables = [_core.cross_labels(problem.core, objective, 0, t1, 1, t2) for objective in (0, 1)]
    return Example(problem, t1, t2, np.stack(tables, axis=-1).astype(np.float32))


def random_problem(config: DataConfig, rng: np.random.Generator) -> Problem:
    """Two vehicles, cities and depots uniform in the unit square."""
    n_cities = int(rng.integers(config.cities[0], config.cities[1] + 1))
    if config.problem == "mtsp":
        return Problem.mtsp(rng.random((n_cities + 1, 2)), vehicles=2)
    n_depots = int(rng.integers(config.depots[0], config.depots[1] + 1))
    return Problem.fmdvrp(rng.random((n_cities + n_depots, 2)), n_depots=n_depots, vehicles=2)


def _met_along_a_search(
    problem: Problem, t1: Cities, t2: Cities, rng: np.random.Generator
) -> tuple[Cities, Cities]:
    """One of the pairs, drawn at random, that Algorithm 1 meets after its first move and can improve."""
    met = []
    while True:
        move = _core.cross_exact(problem.core, 0, 0, t1, 1, t2)
        value = max(problem.core.length(0, t1), problem.core.length(1, t2))
        if not move.moves or move.value > value - problem.tolerance:
            break
        met.append((t1, t2))
        t1, t2 = (
            _core.or_opt(
                problem.core, v, _core.two_opt(problem.core, v, tour, problem.tolerance), problem.tolerance
            )
            for v, tour in enumerate(cross(t1, t2, move.a1, move.b1, move.a2, move.b2))
        )
    later = met[1:] or met or [(t1, t2)]
    return later[int(rng.integers(len(later)))]
