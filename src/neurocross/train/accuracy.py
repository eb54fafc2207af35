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
        self.reached: list[list[float]] = []
        """Share of the best decrement that the best of the first K pairs has."""
        self.errors: list[float] = []
        """Mean absolute error of each instance, in units of the instance's bounding box."""
        self.squares: list[float] = []
        """Mean squared error likewise."""

    def add(self, predicted: Values, true: Values) -> None:
        """Both (n1+1, n2+1). Where nothing improves there is no best pair: it counts for the error only."""
        self.errors.append(float(np.abs(predicted - true).mean()))
        self.squares.append(float(np.square(predicted - true).mean()))
        if true.max() > TIE:
            order = np.argsort(-predicted.ravel(), kind="stable")
            found = [true.ravel()[order[:k]].max() for k in KS]
            self.hits.append([bool(value >= true.max() - TIE) for value in found])
            self.reached.append([float(value / true.max()) for value in found])

    def table(self) -> dict[str, Any]:
        """`topk` and `reached`: per cent by K; `mae`, `rmse`; and how many instances these are of."""
        return {
            "topk": self._percent(self.hits),
            "reached": self._percent(self.reached),
            "mae": float(np.mean(self.errors)),
            "rmse": float(np.sqrt(np.mean(self.squares))),
            "instances": len(self.errors),
            "ranked": len(self.hits),
        }

    @staticmethod
    def _percent(shares: list[list[bool]] | list[list[float]]) -> dict[str, float]:
        means = 100 * np.mean(shares, axis=0) if shares else np.full(len(KS), np.nan)
        return {str(k): round(float(mean), 2) for k, mean in zip(KS, means, strict=True)}
