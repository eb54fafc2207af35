"""How good a prediction model is: its top-K table, its errors, the search with it against the full one."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from neurocross import _core
from neurocross.errors import InputError
from neurocross.operators.construct import initial_solution
from neurocross.operators.cross import Cities, ExchangeOperator
from neurocross.operators.cross_exchange import cross_exchange, cross_exchange_brute
from neurocross.operators.intra import INTRA_OPERATORS
from neurocross.operators.neuro_cross import NeuroCross
from neurocross.operators.perturb import random_exchange
from neurocross.operators.select import SELECTORS
from neurocross.plot import GREY, LIGHT, PALE, write_chart
from neurocross.predictor.features import length_unit, pair_graph
from neurocross.predictor.model import Predictor
from neurocross.predictor.spec import ARCHITECTURES
from neurocross.problem import Problem
from neurocross.search import Limits, Parts, search
from neurocross.train.accuracy import Accuracy
from neurocross.train.data import DataConfig, make_example

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZES = tuple(range(20, 101, 10))
"""N_c of the comparison with full search."""

TOUR_SIZES = (10, 20, 50, 100, 200)
"""Cities of each of the two tours an operator is timed on."""


OPERATORS = {"ce-brute": "CE, O(n⁴)", "ce": "CE, exact", "nce": "NCE"}
"""What is compared."""


@dataclass(frozen=True)
class Evaluation:
    """Answers for all start pairs of fresh instances."""

    table: dict[str, Any]
    """As `Accuracy` gives it; errors in units of the bounding box."""
    predicted: np.ndarray
    true: np.ndarray
    """A sample of decrements, for the picture."""


def evaluate(
    predictor: Predictor,
    config: DataConfig,
    instances: int,
    watched: Callable[[range], Iterable[int]] = iter,
) -> Evaluation:
    """Predict for `instances` fresh instances and compare with the exact labels; `watched` shows progress."""
    if instances < 1:
        raise InputError(f"instances must be at least 1, not {instances}")
    accuracy, sample = Accuracy(), []
    for number in watched(range(instances)):
        example = make_example(config, number)
        unit = length_unit(example.problem)
        predicted = predictor(example.problem, [(0, example.t1, 1, example.t2)])[0].astype(float) / unit
        true = example.labels[..., 0] / unit
        accuracy.add(predicted, true)
        keep = np.random.default_rng([config.seed, number]).integers(true.size, size=20)
        sample.append(np.stack([predicted.ravel()[keep], true.ravel()[keep]]))
    return Evaluation(accuracy.table(), *np.concatenate(sample, axis=1))


def compare(
    predictor: Predictor, *, instances: int, seed: int, k: int, sizes: tuple[int, ...] = SIZES
) -> Iterator[dict[str, Any]]:
    """NCE with K = `k` against CE for each N_c, N_d = N_v = 3, no perturbation: a row a size.

    Paired: the same instances and initial tours. `ce` searches exactly, `ce-brute` tries every exchange as
    the paper's CE does; they differ only where two exchanges tie. Two descents that part ways end apart by
    chance, so a row also says what CE still gains from where NCE ended. Times are processor time.
    """
    for n_cities in sizes:
        costs = {name: np.empty(instances) for name in OPERATORS}
        missed = np.empty(instances)
        seconds, within, calls = (dict.fromkeys(OPERATORS, 0.0) for _ in range(3))
        for number in range(instances):
            rng = np.random.default_rng([seed, n_cities, number])
            problem = Problem.fmdvrp(rng.random((n_cities + 3, 2)), n_depots=3, vehicles=3)
            first = initial_solution(problem, rng)
            operators: dict[str, ExchangeOperator] = {
                "ce-brute": cross_exchange_brute,
                "ce": cross_exchange,
                "nce": NeuroCross(predictor, k),
            }
            for name, operator in operators.items():
                timed = _Timed(operator)
                began = time.process_time()
                tours, costs[name][number] = _descend(problem, first, timed)
                seconds[name] += time.process_time() - began
                within[name] += timed.seconds
                calls[name] += timed.calls
            missed[number] = costs["nce"][number] / _descend(problem, tours, cross_exchange)[1] - 1
        above = 100 * (costs["nce"] / costs["ce"] - 1)
        yield {
            "cities": n_cities,
            "instances": instances,
            "k": k,
            "cost": {name: float(values.mean()) for name, values in costs.items()},
            "above_ce_percent": float(above.mean()),
            "standard_error": float(above.std() / math.sqrt(instances)),
            "missed_percent": 100 * float(missed.mean()),
            "milliseconds": {name: 1000 * seconds[name] / instances for name in OPERATORS},
            "milliseconds_per_call": {name: 1000 * within[name] / max(1, calls[name]) for name in OPERATORS},
        }


def _descend(
    problem: Problem, tours: Sequence[Cities], operator: ExchangeOperator
) -> tuple[Sequence[Cities], float]:
    """Algorithm 1 from these tours without perturbation: where it ends, and the longest tour there."""
    parts = Parts(
        lambda *_: tours, SELECTORS["sweep"], operator, INTRA_OPERATORS["2opt+oropt"], random_exchange
    )
    ended = search(problem, parts, Limits(perturbations=0), np.random.default_rng(0)).tours
    return ended, max(problem.core.length(v, t) for v, t in enumerate(ended))


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


def prediction_times(cities: int = 50, repeats: int = 7) -> Iterator[dict[str, Any]]:
    """Milliseconds of one core of one prediction for two tours, here and in torch; nothing without torch.

    For each form of the network, with weights as training begins with them; the fastest of some repeats.
    """
    try:
        import torch

        from neurocross.train.network import Network
    except ImportError:
        return
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    problem = Problem.fmdvrp(rng.random((2 * cities + 2, 2)), n_depots=2, vehicles=2)
    nodes = np.arange(2, 2 * cities + 2, dtype=np.int32)
    for name, arch in ARCHITECTURES.items():
        graph = pair_graph(arch.features, problem, 0, nodes[::2], 1, nodes[1::2])
        network = Network(arch)
        core = Predictor(arch, {key: value.numpy() for key, value in network.state_dict().items()}, {})
        seen = torch.from_numpy(graph.nodes), torch.from_numpy(graph.edges), graph.n1 + 2
        with torch.no_grad():
            yield {
                "form": name,
                "cities": cities,
                "core": _fastest(
                    repeats, core.network.predict, [(graph.n1, graph.n2, graph.nodes, graph.edges)]
                ),
                "torch": _fastest(repeats, network, *seen),
            }


def _fastest(repeats: int, call: Callable[..., object], *arguments: object) -> float:
    times = []
    for _ in range(repeats):
        began = time.process_time()
        call(*arguments)
        times.append(1000 * (time.process_time() - began))
    return min(times)


class _Timed:
    """An operator that counts its calls and their processor time, which other work does not change."""

    def __init__(self, operator: ExchangeOperator) -> None:
        self.operator, self.seconds, self.calls = operator, 0.0, 0

    def __call__(
        self, problem: Problem, v1: int, t1: Cities, v2: int, t2: Cities, seconds: float
    ) -> _core.Exchange:
        began = time.process_time()
        try:
            return self.operator(problem, v1, t1, v2, t2, seconds)
        finally:
            self.seconds += time.process_time() - began
            self.calls += 1


def plot_predictions(evaluation: Evaluation, path: Path) -> None:
    """Predicted against true decrements, as in the paper's appendix."""

    def draw(axes: Axes) -> None:
        true, predicted = evaluation.true, evaluation.predicted
        low, high = min(true.min(), predicted.min()), max(true.max(), predicted.max())
        cells = axes.hexbin(true, predicted, gridsize=70, bins="log", mincnt=1, cmap="viridis", linewidths=0)
        axes.plot([low, high], [low, high], color=GREY, linewidth=0.8)
        axes.figure.colorbar(cells, ax=axes, label="start pairs", format="{x:g}")
        axes.set_xlabel("true decrement y*(a1, a2), in sides of the bounding box")
        axes.set_ylabel("predicted decrement")

    table = evaluation.table
    write_chart(draw, path, f"Predicted and true decrements of {table['instances']} instances")


def plot_times(rows: list[dict[str, Any]], path: Path) -> None:
    """Milliseconds of a whole search with each operator by number of cities."""

    def draw(axes: Axes) -> None:
        cities = [row["cities"] for row in rows]
        for (name, title), colour in zip(OPERATORS.items(), LIGHT, strict=False):
            values = [row["milliseconds"][name] for row in rows]
            axes.plot(cities, values, marker="o", color=colour)
            axes.annotate(
                title, (cities[-1], values[-1]), (6, 0), textcoords="offset points", va="center", color=colour
            )
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
        axes.margins(x=0.02)
        axes.grid(axis="y", color=PALE)
        axes.set_xlabel("cities (three depots, three vehicles)")
        axes.set_ylabel("milliseconds of one core a descent")

    write_chart(draw, path, "What one descent costs, without perturbation")
