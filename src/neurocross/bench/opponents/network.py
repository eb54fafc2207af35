"""A problem as solvers of integer matrices take it: one extra node for each rule of where routes end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from neurocross import Problem

LONGEST = 1_000_000
"""Scaled length of the longest arc: finer than any search resolves, small enough that sums stay exact."""


@dataclass(frozen=True)
class Network:
    """Nodes of the problem, then the end nodes; an arc into an end node is the way to the nearest end."""

    matrix: npt.NDArray[np.int64]
    ends: tuple[int, ...]
    """By vehicle: the node its route ends at."""
    scale: float
    """Whole numbers to a unit of length; 1 where lengths are whole already."""


def network_of(problem: Problem) -> Network:
    """Service times are part of the arcs; a vehicle that goes nowhere costs nothing."""
    n, core = problem.n_nodes, problem.core
    rules = {problem.ends_of(k): k for k in range(problem.n_vehicles)}
    end_of = {rule: n + number for number, rule in enumerate(rules)}
    lengths = np.zeros((n + len(rules), n + len(rules)))
    for u in range(n):
        lengths[u, :n] = [core.arc(u, v) for v in range(n)]
        lengths[u, n:] = [core.back(k, u) if u >= problem.n_depots else 0.0 for k in rules.values()]
    np.fill_diagonal(lengths, 0.0)
    whole = bool((lengths == np.floor(lengths)).all())
    scale = 1.0 if whole or not lengths.max() else LONGEST / float(lengths.max())
    matrix = np.rint(lengths * scale).astype(np.int64)
    return Network(matrix, tuple(end_of[problem.ends_of(k)] for k in range(problem.n_vehicles)), scale)
