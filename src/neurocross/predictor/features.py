"""What f_θ sees of a pair of tours: the complete directed graph 𝒢 with node features x_i, edge features x_ij.

Nodes, in this order: start depot, cities, end depot of tour 1, then the same of tour 2. Tour 1 of a graph is
the longer one, so that the network need not learn that the two may change places.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from neurocross import _core
from neurocross.errors import InputError
from neurocross.problem import FloatArray, Problem

AFTER = 4
"""Edge feature of `tours` that is 1 where the second node comes later in the tour of the first."""

Float32 = npt.NDArray[np.float32]
Tour = npt.NDArray[np.int32]


@dataclass(frozen=True)
class PairGraph:
    """Features of one pair of tours of n1 and n2 cities; N = n1 + n2 + 4 nodes."""

    n1: int
    n2: int
    nodes: Float32
    """(N, length of x_i)"""
    edges: Float32
    """(N, N, length of x_ij), from row to column"""
    unit: float
    """Length that is 1 in the features: y* is predicted in this unit."""
    swapped: bool
    """Whether the longer tour was given second: tables by (a1, a2) are then to be transposed."""


def pair_graph(kind: str, problem: Problem, v1: int, t1: Tour, v2: int, t2: Tour) -> PairGraph:
    """Features `kind` of tours t1, t2 of vehicles v1, v2; the problem must be one `check_problem` accepts."""
    swapped = problem.core.length(v1, t1) < problem.core.length(v2, t2)
    if swapped:
        v1, t1, v2, t2 = v2, t2, v1, t1
    unit = length_unit(problem)
    nodes, edges = {"paper": _paper, "tours": _tours}[kind](problem, unit, v1, t1, v2, t2)
    return PairGraph(len(t1), len(t2), nodes.astype(np.float32), edges.astype(np.float32), unit, swapped)


def check_problem(problem: Problem, instead: str = "use --method ce") -> None:
    """Refuse a problem the network cannot see, and say what to do `instead`."""
    if problem.plane is None:
        raise InputError(
            f"the learned operator needs coordinates and this problem has only a matrix: {instead}"
        )
    for k in range(problem.n_vehicles):
        if not problem.ends_of(k):
            raise InputError(
                f"{problem.vehicle_name(k)} has an open route, which the learned operator "
                f"does not know: {instead}"
            )


def _sequence(problem: Problem, vehicle: int, tour: Tour) -> list[int]:
    """Start depot, cities, the end depot now in use."""
    nodes = [problem.vehicles[vehicle].start, *tour.tolist()]
    return [*nodes, problem.core.end_depot(vehicle, nodes[-1])]


def length_unit(problem: Problem) -> float:
    """The length that becomes 1: the longer side of the bounding box, in the unit of the arcs.

    The network learned on Euclidean instances in the unit square. A metric whose unit is not that of the
    plane (ATT, GEO) is brought to it by the ratio of the two from the first node to the others.
    """
    plane = cast(FloatArray, problem.plane)
    side = float(np.ptp(plane, axis=0).max()) or 1.0
    if problem.metric in ("euclidean", "haversine"):
        return side
    straight = np.linalg.norm(plane - plane[0], axis=1).sum()
    arcs = sum(problem.core.arc(0, node) for node in range(problem.n_nodes))
    return side * arcs / straight if straight > 0 and arcs > 0 else side


def _paper(
    problem: Problem, unit: float, v1: int, t1: Tour, v2: int, t2: Tour
) -> tuple[FloatArray, FloatArray]:
    """x_i = [x, y, is a depot], x_ij = [distance in the plane], as the paper has them."""
    sequence = np.array(_sequence(problem, v1, t1) + _sequence(problem, v2, t2))
    plane = cast(FloatArray, problem.plane)
    side = float(np.ptp(plane, axis=0).max()) or 1.0
    xy = ((plane - plane.min(axis=0)) / side)[sequence]
    nodes = np.column_stack([xy, sequence < problem.n_depots])
    return nodes, np.linalg.norm(xy[:, None] - xy[None], axis=-1)[..., None]


def _tours(
    problem: Problem, unit: float, v1: int, t1: Tour, v2: int, t2: Tour
) -> tuple[FloatArray, FloatArray]:
    """Lengths only, so that place and rotation do not matter, with the order of the tours.

    P is the length from a tour's start to a node, L the tour's length. Beside distances, an edge (i, k)
    carries what cutting after i and after k means: F = P(i) + d(i, k+1) - P(k+1) and
    F' = P(k) + d(k, i+1) - P(i+1). For nodes of both tours these are the two new beginnings; within a tour,
    what leaving i+1 … k out changes. Their sum is the added links minus the removed ones.
    """
    n1, n2 = len(t1), len(t2)
    arcs = _core.pair_arcs(problem.core, v1, t1, v2, t2) / unit
    n = n1 + n2 + 4
    end1, start2, end2 = n1 + 1, n1 + 2, n - 1
    first = np.arange(n) <= end1

    link = np.zeros(n)  # length of (i, i+1); an unused tour has none
    link[:-1] = np.diagonal(arcs, 1)
    link[[end1, end2]] = 0.0
    if n1 == 0:
        link[0] = 0.0
    if n2 == 0:
        link[start2] = 0.0
    before = np.zeros(n)  # P
    before[1:start2] = np.cumsum(link[:end1])
    before[start2 + 1 :] = np.cumsum(link[start2:end2])
    own = np.where(first, before[end1], before[end2])
    other = np.where(first, before[end2], before[end1])
    arrival = np.concatenate([[0.0], link[:-1]])
    start, end = np.zeros(n), np.zeros(n)
    start[[0, start2]] = 1.0
    end[[end1, end2]] = 1.0
    nodes = np.column_stack([first, start, end, before, own - before, own, other, own - other, link, arrival])

    index = np.arange(n)
    same = first[:, None] == first[None]
    after = same & (index[None] > index[:, None])
    cut = np.ones((n, n), bool)
    cut[[end1, end2]] = cut[:, [end1, end2]] = False
    beyond = np.zeros((n, n))  # d(i, k+1)
    beyond[:, :-1] = arcs[:, 1:]
    forward = np.where(cut, before[:, None] + beyond - (before + link)[None], 0.0)  # F
    # Lengths of the two tours after the simplest exchange of these cuts: within a tour, i+1 … k moved to
    # the other at no cost of connection; between tours, the tails swapped.
    inner = before[None] - (before + link)[:, None]
    mine = np.where(same, own[:, None] + forward, forward + own[None])
    theirs = np.where(same, other[:, None] + inner, forward.T + own[:, None])
    simple = cut & (after | ~same)
    gain = np.where(simple, max(before[end1], before[end2]) - np.maximum(mine, theirs), 0.0)
    balance = np.where(simple, mine - theirs, 0.0)

    successor = np.zeros((n, n), bool)
    successor[index[:-1], index[1:]] = True
    successor[end1, start2] = False
    edges = np.stack(
        [
            arcs,
            same,
            successor,
            successor.T,
            after,
            np.where(same, before[None] - before[:, None], 0.0),
            cut,
            forward,
            forward.T,
            forward + forward.T,
            beyond,
            beyond.T,
            gain,
            _close(gain),
            _close(balance),
            _close(np.where(same, 0.0, forward + forward.T)),
        ],
        axis=-1,
    )
    return nodes, edges


def _close(lengths: FloatArray) -> FloatArray:
    """Differences near zero, enlarged: a hundredth of the box decides between two moves."""
    return np.clip(10.0 * lengths, -3.0, 3.0)
