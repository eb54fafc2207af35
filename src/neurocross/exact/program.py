"""An integer program on HiGHS whose arcs are routes: what both formulations share."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import highspy
import numpy as np

from neurocross.exact import PROOF_TOLERANCE, Proof, Tours
from neurocross.problem import Problem
from neurocross.solution import Solution

Arc = tuple[int, int, int]
"""i, j, k: vehicle k drives from node i to node j. A node of `Program.returns` as j ends the route."""

TAKEN = 0.5
"""A binary variable above this is 1."""


@dataclass
class Program:
    """Variables x of the arcs, their meaning, and HiGHS with every constraint in it."""

    problem: Problem
    highs: highspy.Highs
    x: Mapping[Arc, highspy.highs_var]
    Q: highspy.highs_var
    """The objective."""
    returns: Mapping[tuple[int, int], int]
    """(vehicle, depot) -> the node that stands for ending there; depot -1 for a route's only end."""

    def prove(self, plan: Tours, ends_at: float, seed: int) -> Proof:
        """Minimise Q from a feasible plan."""
        highs = self.highs
        highs.setOptionValue("threads", 1)
        highs.setOptionValue("random_seed", seed % 2**31)
        highs.setOptionValue("mip_rel_gap", PROOF_TOLERANCE / 10)
        self._warm_start(plan)
        set_time_limit(highs, ends_at)
        highs.minimize(self.Q)
        proven = highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
        found = self._tours() if highs.getInfo().primal_solution_status == 2 else plan
        best = min((plan, found), key=lambda tours: Solution(self.problem, tours).key)
        return Proof(best, highs.getInfo().mip_dual_bound, proven)

    def _warm_start(self, plan: Tours) -> None:
        """Fix the arcs of the plan; HiGHS completes the other variables."""
        taken = {arc for k, tour in enumerate(plan) for arc in self._arcs(k, tour)}
        index = np.array([variable.index for variable in self.x.values()], np.int32)
        value = np.array([float(arc in taken) for arc in self.x])
        self.highs.setSolution(len(index), index, value)

    def _arcs(self, k: int, tour: Sequence[int]) -> list[Arc]:
        if not tour:
            return []
        depot = self.problem.core.end_depot(k, tour[-1])
        end = self.returns.get((k, depot), self.returns.get((k, -1), -1))
        stops = [self.problem.vehicles[k].start, *tour, end]
        return [(i, j, k) for i, j in itertools.pairwise(stops)]

    def _tours(self) -> Tours:
        """The routes the variables describe."""
        values = self.highs.getSolution().col_value
        after = {(i, k): j for (i, j, k), variable in self.x.items() if values[variable.index] > TAKEN}
        tours = []
        for k, vehicle in enumerate(self.problem.vehicles):
            tour: list[int] = []
            node = after.get((vehicle.start, k))
            while node is not None and self.problem.n_depots <= node < self.problem.n_nodes:
                tour.append(node)
                node = after.get((node, k))
            tours.append(tuple(tour))
        return tuple(tours)


def set_time_limit(highs: highspy.Highs, ends_at: float) -> None:
    """End at a moment of the system's clock: HiGHS counts from its first run."""
    if math.isfinite(ends_at):
        highs.setOptionValue("time_limit", highs.getRunTime() + max(0.0, ends_at - time.time()))


def new_highs() -> highspy.Highs:
    """A silent solver."""
    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.setOptionValue("output_flag", False)
    return highs
