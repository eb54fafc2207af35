"""The CROSS exchange: what its four numbers mean, how it is applied, when it counts as a gain.

    tour 1   depot  x1 ... x[a1] | x[a1+1] ... x[b1] | x[b1+1] ... back
                                 X                   X
    tour 2   depot  y1 ... y[a2] | y[a2+1] ... y[b2] | y[b2+1] ... back

`a` is the last node kept before the cut (0: the start depot), `b` the last node that changes sides;
0 <= a <= b <= n. As slices of the lists of cities that is the paper's equation 2:

    t1' = t1[:a1] + t2[a2:b2] + t1[b1:]          t2' = t2[:a2] + t1[a1:b1] + t2[b2:]

A segment may be empty on one side (a = b), and a tour may become empty: its vehicle then stays at
its depot and costs nothing.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from neurocross._core import Exchange
from neurocross.problem import Problem

Cities = npt.NDArray[np.int32]
"""The cities of one tour in visiting order."""


class ExchangeOperator(Protocol):
    """Finds an exchange between two tours; `exchange.moves` is False if none is better than none."""

    def __call__(
        self, problem: Problem, v1: int, t1: Cities, v2: int, t2: Cities, seconds: float
    ) -> Exchange:
        """Search the tours `t1`, `t2` of vehicles `v1`, `v2` for at most `seconds`."""
        ...


def cross(t1: Cities, t2: Cities, a1: int, b1: int, a2: int, b2: int) -> tuple[Cities, Cities]:
    """CROSS(a1, b1, a2, b2; t1, t2), equation 2."""
    return (
        np.concatenate((t1[:a1], t2[a2:b2], t1[b1:])),
        np.concatenate((t2[:a2], t1[a1:b1], t2[b2:])),
    )


def objective_code(problem: Problem) -> int:
    """The objective as the kernels number it."""
    return 0 if problem.objective == "minmax" else 1
