"""How good a prediction model is: its top-K table, its errors, the search with it against the full one."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from neurocross import _core
from neurocross.errors import InputError, MissingDependencyError
from neurocross.operators.construct import initial_solution
from neurocross.operators.cross import ExchangeOperator
from neurocross.operators.cross_exchange import cross_exchange, cross_exchange_brute
from neurocross.operators.intra import INTRA_OPERATORS
from neurocross.operators.neuro_cross import NeuroCross
from neurocross.operators.perturb import random_exchange
from neurocross.operators.select import SELECTORS
from neurocross.predictor.features import length_unit
from neurocross.predictor.model import Predictor
from neurocross.problem import Problem
from neurocross.search import Limits, Parts, search
from neurocross.train.accuracy import Accuracy
from neurocross.train.data import DataConfig, make_example

SIZES = (20, 40, 60, 80, 100)
"""N_c of the comparison with full search."""

TOUR_SIZES = (10, 20, 50, 100, 200)
"""Cities of each of the two tours an operator is timed on."""


@dataclass(frozen=True)
class Evaluation:
    """Answers for all start pairs of fresh instances."""

    table: dict[str, Any]
    """`topk`, `mae` (in units of the bounding box), `instances`, `ranked`: those that can be improved."""
    predicted: np.ndarray
    true: np.ndarray
    """A sample of decrements, for the picture."""


def evaluate(predictor: Predictor, config: DataConfig, instances: int) -> Evaluation:
    """Predict for `instances` fresh instances and compare with the exact labels."""
    if instances < 1:
        raise InputError(f"instances must be at least 1, not {instances}")
    accuracy, sample = Accuracy(), []
    for number in range(instances):
        example = make_example(config, number)
        unit = length_unit(example.problem)
        predicted = predictor(example.problem, [(0, example.t1, 1, example.t2)])[0].astype(float) / unit
        true = example.labels[..., 0] / unit
        accuracy.add(predicted, true)
        keep = np.random.default_rng([config.seed, number]).integers(true.size, size=20)
        sample.append(np.stack([predicted.ravel()[keep], true.ravel()[keep]]))
    return Evaluation(accuracy.table(), *np.concatenate(sample, axis=1))


def compare(
    predictor: Predictor,
    *,
    instances: int,
    seed: int,
    k: int,
    brute: bool = False,
    sizes: tuple[int, ...] = SIZES,
) -> Iterator[dict[str, Any]]:
    """NCE with K = `k` against CE for each N_c, N_d = N_v = 3, no perturbation: a row a size.

    Paired: the same instances and initial tours. Times are processor time of the exchange operators alone.
    """
    for n_cities in sizes:
        operators: dict[str, ExchangeOperator] = {"ce": cross_exchange, "nce": NeuroCross(predictor, k)}
        if brute:
            operators["ce-brute"] = cross_exchange_brute
        costs: dict[str, list[float]] = {name: [] for name in operators}
        seconds = dict.fromkeys(operators, 0.0)
        calls = dict.fromkeys(operators, 0)
        for number in range(instances):
            rng = np.random.default_rng([seed, n_cities, number])
            problem = Problem.fmdvrp(rng.random((n_cities + 3, 2)), n_depots=3, vehicles=3)
            for name, operator in operators.items():
                timed = _Timed(operator)
                parts = Parts(
                    initial_solution,
                    SELECTORS["sweep"],
                    timed,
                    INTRA_OPERATORS["2opt+oropt"],
                    random_exchange,
                )
                tours = search(
                    problem, parts, Limits(perturbations=0), np.random.default_rng([seed, number])
                ).tours
                costs[name].append(max(problem.core.length(v, t) for v, t in enumerate(tours)))
                seconds[name] += timed.seconds
                calls[name] += timed.calls
        yield {
            "cities": n_cities,
            "instances": instances,
            "k": k,
            "cost": {name: float(np.mean(values)) for name, values in costs.items()},
            "above_ce_percent": 100 * float(np.mean(np.divide(costs["nce"], costs["ce"]) - 1)),
            "milliseconds_per_call": {name: 1000 * seconds[name] / max(1, calls[name]) for name in operators},
        }


def operator_times(
    predictor: Predictor, *, repeats: int = 5, seed: int = 1, sizes: tuple[int, ...] = TOUR_SIZES
) -> Iterator[dict[str, Any]]:
    """Milliseconds of processor time of one call on two raw tours of n cities each; median of fresh pairs."""
    operators: dict[str, ExchangeOperator] = {
        "brute force": cross_exchange_brute,
        "exact": cross_exchange,
        "learned": NeuroCross(predictor),
    }
    for n in sizes:
        spent: dict[str, list[float]] = {name: [] for name in operators}
        for number in range(repeats):
            rng = np.random.default_rng([seed, n, number])
            problem = Problem.fmdvrp(rng.random((2 * n + 2, 2)), n_depots=2, vehicles=2)
            cities = np.arange(2, 2 * n + 2, dtype=np.int32)
            tours = [_core.nearest_neighbour(problem.core, v, cities[v::2]) for v in range(2)]
            for name, operator in operators.items():
                timed = _Timed(operator)
                timed(problem, 0, tours[0], 1, tours[1], math.inf)
                spent[name].append(1000 * timed.seconds)
        yield {"cities": n, "milliseconds": {name: float(np.median(times)) for name, times in spent.items()}}


class _Timed:
    """An operator that counts its calls and their processor time, which other work does not change."""

    def __init__(self, operator: ExchangeOperator) -> None:
        self.operator, self.seconds, self.calls = operator, 0.0, 0

    def __call__(self, *arguments: Any) -> Any:
        began = time.process_time()
        try:
            return self.operator(*arguments)
        finally:
            self.seconds += time.process_time() - began
            self.calls += 1


def plot_predictions(evaluation: Evaluation, path: Path) -> None:
    """Predicted against true decrements, as in the paper's appendix."""

    def draw(axes: Any) -> None:
        axes.scatter(evaluation.true, evaluation.predicted, s=3, alpha=0.3, linewidths=0)
        top = float(max(evaluation.true.max(), evaluation.predicted.max()))
        axes.plot([0, top], [0, top], color="black", linewidth=0.8)
        axes.set_xlabel("true decrement y*(a1, a2)")
        axes.set_ylabel("predicted decrement")
        axes.set_aspect("equal")

    _figure(draw, path)


def plot_times(rows: list[dict[str, Any]], path: Path) -> None:
    """Milliseconds per call of each operator by number of cities."""

    def draw(axes: Any) -> None:
        for name in rows[0]["milliseconds_per_call"]:
            axes.plot(
                [row["cities"] for row in rows],
                [row["milliseconds_per_call"][name] for row in rows],
                marker="o",
                label=name,
            )
        axes.set_yscale("log")
        axes.set_xlabel("cities")
        axes.set_ylabel("milliseconds a call, one core")
        axes.legend()

    _figure(draw, path)


def _figure(draw: Callable[[Any], None], path: Path) -> None:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingDependencyError("pictures need matplotlib: pip install 'neurocross[plot]'") from None
    figure = Figure(figsize=(5, 5), layout="constrained")
    draw(figure.subplots())
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be written: {error}") from None
