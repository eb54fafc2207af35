"""How good predictions are: the paper's top-K table and the mean error."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

KS = (1, 3, 5, 10, 20)
PAPER = (42.9, 71.3, 78.6, 90.9, 97.4)
"""Per cent of instances whose argmax pair is among the K predicted, as the paper reports them."""

TIE = 1e-9
"""A pair whose y* is this near the maximum is as good as the best."""

Values = npt.NDArray[np.floating[Any]]


class Accuracy:
    """Collects predictions of y*(a1, a2) and what was true, an instance at a time."""

    def __init__(self) -> None:
        self.hits: list[list[bool]] = []
        self.errors: list[float] = []
        """Mean absolute error of each instance, in units of the instance's bounding box."""

    def add(self, predicted: Values, true: Values) -> None:
        """Both (n1+1, n2+1). Where nothing improves there is no best pair: it counts for the error only."""
        self.errors.append(float(np.abs(predicted - true).mean()))
        if true.max() > TIE:
            best = true.ravel() >= true.max() - TIE
            order = np.argsort(-predicted.ravel(), kind="stable")
            self.hits.append([bool(best[order[:k]].any()) for k in KS])

    def table(self) -> dict[str, Any]:
        """`topk`: per cent by K; `mae`; and how many instances these are of."""
        share = 100 * np.mean(self.hits, axis=0) if self.hits else np.full(len(KS), np.nan)
        return {
            "topk": {str(k): round(float(s), 2) for k, s in zip(KS, share, strict=True)},
            "mae": float(np.mean(self.errors)),
            "instances": len(self.errors),
            "ranked": len(self.hits),
        }
