"""f_θ as the operator uses it: weights from a file, predictions from the core, no torch."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from neurocross import _core
from neurocross.errors import InputError
from neurocross.predictor.features import Tour, pair_graph
from neurocross.predictor.spec import Architecture
from neurocross.predictor.tensorfile import Tensors, read_tensors, write_tensors
from neurocross.problem import Problem

KIND = "neurocross weights"
DEFAULT = "fmdvrp"
"""Weights the package ships and uses where none are named."""


@dataclass(frozen=True)
class Pair:
    """Two tours and whose they are."""

    v1: int
    t1: Tour
    v2: int
    t2: Tour


class Predictor:
    """Predicts y*(a1, a2), what the best CROSS exchange that starts at (a1, a2) gains."""

    def __init__(self, arch: Architecture, tensors: Tensors, about: dict[str, Any], source: str = "weights") -> None:
        self.arch, self.about, self.source = arch, about, source
        sizes = asdict(arch)
        del sizes["features"], sizes["objectives"]
        try:
            self.network = _core.Network(
                **sizes, outputs=len(arch.objectives), node_features=arch.node_features,
                edge_features=arch.edge_features, tensors=tensors)
        except ValueError as error:
            raise InputError(f"{source} does not fit its own architecture: {error}") from None

    def __call__(self, problem: Problem, pairs: list[Pair]) -> list[npt.NDArray[np.float32]]:
        """A table (n1+1, n2+1) of ŷ* for each pair, under the problem's objective, in its unit of length.

        Weights that were not trained for the objective rank by the one they know.
        """
        graphs = [pair_graph(self.arch.features, problem, p.v1, p.t1, p.v2, p.t2) for p in pairs]
        tables = self.network.predict([(g.n1, g.n2, g.nodes, g.edges) for g in graphs])
        names = self.arch.objectives
        column = names.index(problem.objective.value) if problem.objective.value in names else 0
        return [(table[..., column].T if graph.swapped else table[..., column]) * graph.unit
                for table, graph in zip(tables, graphs, strict=True)]


def shipped() -> list[str]:
    """Names of the weights inside the package."""
    folder = resources.files("neurocross.predictor") / "weights"
    return sorted(f.name.removesuffix(".safetensors") for f in folder.iterdir() if f.name.endswith(".safetensors"))


def load_predictor(weights: str | Path = DEFAULT) -> Predictor:
    """Weights by the name of a shipped set, or from a file."""
    if str(weights) in shipped():
        place = resources.files("neurocross.predictor") / "weights" / f"{weights}.safetensors"
        with resources.as_file(place) as path:
            return _read(path, str(weights))
    path = Path(weights)
    if not path.exists():
        raise InputError(f"no weights '{weights}': give a file, or one of {', '.join(shipped())}")
    return _read(path, str(path))


def _read(path: Path, source: str) -> Predictor:
    tensors, about = read_tensors(path)
    if about.get("kind") != KIND or not isinstance(about.get("architecture"), dict):
        raise InputError(f"{source} holds no weights of this program (its kind is {about.get('kind')!r})")
    return Predictor(Architecture.from_dict(about["architecture"], source), tensors, about, source)


def save_weights(path: Path, arch: Architecture, tensors: Tensors, about: dict[str, Any]) -> None:
    """Weights with what they are of, for `load_predictor`."""
    write_tensors(path, tensors, {"kind": KIND, "architecture": arch.to_dict(), **about})
