"""Where the truly best start pair (a1, a2) of two tours stands among the predicted ones."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from neurocross import InputError, Problem, _core
from neurocross.operators.construct import initial_solution

TIE = 1e-9
"""A pair whose y* is this near the maximum is as good as the best."""


def rank_of_best(problem: Problem, predictor: str, seed: int) -> int | None:
    """1 if the first predicted pair is a best one; None if no exchange of the first tours improves."""
    rng = np.random.default_rng(seed)
    t1, t2 = initial_solution(problem, rng)
    true = _core.cross_labels(problem.core, 0, 0, t1, 1, t2).ravel()
    if true.max() <= TIE:
        return None
    match predictor:
        case "random":
            predicted: npt.NDArray[np.floating] = rng.random(true.size)
        case "nce":
            from neurocross.predictor.model import DEFAULT, load_predictor

            predicted = load_predictor(DEFAULT)(problem, [(0, t1, 1, t2)])[0].ravel()
        case _:
            raise InputError(f"solver '{predictor}' predicts nothing: use nce or random")
    best = true[np.argsort(-predicted, kind="stable")] >= true.max() - TIE
    return int(best.argmax()) + 1
