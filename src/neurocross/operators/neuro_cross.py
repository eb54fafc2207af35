"""ALGORITHM 2 of the paper: predict what each start pair would gain, search from the K best alone."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from neurocross import _core
from neurocross.errors import InputError, TooLargeError
from neurocross.operators.cross import Cities, objective_code
from neurocross.problem import Problem

Predict = Callable[[Problem, Sequence[tuple[int, Cities, int, Cities]], float], Sequence[npt.NDArray[Any]]]
"""f_θ: for each pair of tours (v1, t1, v2, t2) a table (n1+1, n2+1) of ŷ*(a1, a2); nothing if that takes
more than so many seconds."""

DEFAULT_K = 10
"""Start pairs searched, the paper's K."""

REMEMBERED = 10_000
"""Pairs of tours whose candidates are kept: a prediction holds until one of the tours changes."""


class NeuroCross:
    """The NeuroCROSS operation with the prediction model `predict`, for one search."""

    def __init__(self, predict: Predict, k: int = DEFAULT_K) -> None:
        if k < 1:
            raise InputError(f"k must be at least 1, not {k}: the number of start pairs to search")
        self.predict, self.k = predict, k
        self._known: OrderedDict[tuple[int, int, bytes, int, bytes], list[tuple[int, int]]] = OrderedDict()

    def __call__(
        self, problem: Problem, v1: int, t1: Cities, v2: int, t2: Cities, seconds: float
    ) -> _core.Exchange:
        """The best exchange that starts at one of the K most promising (a1, a2)."""
        S_K = self.candidates(problem, v1, t1, v2, t2, seconds)
        # Perform search: argmax over (b1, b2) of y(a1, b1, a2, b2) for each (a1, a2) in S_K, exactly.
        return _core.cross_from(problem.core, objective_code(problem), v1, t1, v2, t2, S_K)

    def candidates(
        self, problem: Problem, v1: int, t1: Cities, v2: int, t2: Cities, seconds: float
    ) -> list[tuple[int, int]]:
        """S_K, the K start pairs (a1, a2) of the largest ŷ*, best first; none if time is up."""
        key = (id(problem), v1, t1.tobytes(), v2, t2.tobytes())
        if key in self._known:
            return self._known[key]
        try:
            predicted = self.predict(problem, [(v1, t1, v2, t2)], seconds)  # Predict cost decrement
        except TooLargeError:
            if not self._known:
                raise
            return []  # grown too long since the search began: it goes on with the other pairs
        if not predicted:
            return []
        y = predicted[0]
        first = np.argpartition(-y, min(self.k, y.size) - 1, axis=None)[: self.k]
        S_K = first[np.argsort(-y.ravel()[first], kind="stable")]  # Candidate set construction
        candidates = [divmod(int(pair), y.shape[1]) for pair in S_K]
        self._known[key] = candidates
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return candidates
