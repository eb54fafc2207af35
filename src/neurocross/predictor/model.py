"""f_θ as the operator uses it: weights from a file, predictions from the core, no torch."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import asdict
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from neurocross import _core
from neurocross.errors import InputError, TooLargeError
from neurocross.predictor.features import Tour, check_problem, pair_graph
from neurocross.predictor.spec import Architecture
from neurocross.predictor.tensorfile import Tensors, read_tensors, write_tensors
from neurocross.problem import Problem

SUFFIX = ".safetensors"
KIND = "neurocross weights"
DEFAULT = "fmdvrp"
"""Weights the package ships and uses where none are named."""


LARGEST = 1200
"""Nodes of two tours together. Memory grows with their square: 0.9 GiB here, 0.1 GiB at 400."""


class Predictor:
    """Predicts y*(a1, a2), what the best CROSS exchange that starts at (a1, a2) gains."""

    def __init__(
        self, arch: Architecture, tensors: Tensors, about: dict[str, Any], source: str = "weights"
    ) -> None:
        self.arch, self.about, self.source = arch, about, source
        for name, tensor in tensors.items():
            if not np.isfinite(tensor).all():
                raise InputError(f"{source} is damaged: tensor '{name}' holds what is no number")
        sizes = asdict(arch)
        del sizes["features"], sizes["objectives"]
        try:
            self.network = _core.Network(
                **sizes,
                outputs=len(arch.objectives),
                node_features=arch.node_features,
                edge_features=arch.edge_features,
                tensors=tensors,
            )
        except ValueError as error:
            raise InputError(f"{source} does not fit its own architecture: {error}") from None

    def __call__(
        self,
        problem: Problem,
        pairs: Sequence[tuple[int, Tour, int, Tour]],
        seconds: float = math.inf,
    ) -> list[npt.NDArray[np.float32]]:
        """A table (n1+1, n2+1) of ŷ* for each pair (v1, t1, v2, t2) of tours t1, t2 of vehicles v1, v2.

        Under the problem's objective, in its unit of length. Weights that were not trained for the objective
        rank by the one they know. No table at all if that takes more than `seconds`.
        """
        check_problem(problem)
        longest = max((len(t1) + len(t2) + 4 for _, t1, _, t2 in pairs), default=0)
        if longest > LARGEST:
            raise TooLargeError(
                f"two tours of {longest} nodes together are too long for the learned operator, "
                f"which takes {LARGEST}: use --method ce"
            )
        began = time.perf_counter()
        graphs = [pair_graph(self.arch.features, problem, *pair) for pair in pairs]
        left = seconds - (time.perf_counter() - began)
        tables = self.network.predict([(g.n1, g.n2, g.nodes, g.edges) for g in graphs], left)
        names = self.arch.objectives
        column = names.index(problem.objective.value) if problem.objective.value in names else 0
        return [
            (table[..., column].T if graph.swapped else table[..., column]) * graph.unit
            for table, graph in zip(tables, graphs, strict=False)
        ]


def shipped() -> list[str]:
    """Names of the weights inside the package."""
    folder = resources.files("neurocross.predictor") / "weights"
    names = [file.name for file in folder.iterdir()]
    return sorted(name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX))


def load_predictor(weights: str | Path = DEFAULT) -> Predictor:
    """Weights by the name of a shipped set, or from a file."""
    if str(weights) in shipped():
        place = resources.files("neurocross.predictor") / "weights" / f"{weights}{SUFFIX}"
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
