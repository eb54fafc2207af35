"""From a checkpoint to weights that explain themselves. Needs no torch: both are plain tensor files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from neurocross.errors import InputError
from neurocross.predictor.model import Predictor, save_weights
from neurocross.predictor.spec import Architecture
from neurocross.predictor.tensorfile import Tensors, read_tensors

CHECKPOINT = "neurocross checkpoint"
"""What a checkpoint calls itself."""


def read_checkpoint(path: Path) -> tuple[Tensors, dict[str, Any]]:
    """Tensors and description of a checkpoint."""
    tensors, about = read_tensors(path)
    if about.get("kind") != CHECKPOINT:
        raise InputError(f"{path} is no checkpoint of a training")
    return tensors, about


def trained_weights(path: Path) -> tuple[Architecture, Tensors, dict[str, Any]]:
    """The running mean of the weights of a checkpoint, or the weights where it keeps no mean."""
    tensors, about = read_checkpoint(path)
    kind = "average/" if about["config"]["average"] else "weights/"
    chosen = {name.removeprefix(kind): t for name, t in tensors.items() if name.startswith(kind)}
    return Architecture.from_dict(about["config"]["architecture"], str(path)), chosen, about


def predictor_of(checkpoint: Path) -> Predictor:
    """The prediction model as a checkpoint has it now."""
    return Predictor(*trained_weights(checkpoint), str(checkpoint))


def export(checkpoint: Path, output: Path, table: dict[str, Any] | None = None) -> dict[str, Any]:
    """Write the weights of a checkpoint and what they are; `table` is their top-K table, if measured."""
    arch, tensors, about = trained_weights(checkpoint)
    run = {key: value for key, value in about["config"].items() if key not in ("architecture", "data")}
    header = {
        "graph_passes": about["passes"],
        "training": {"seconds": round(about["seconds"]), **run},
        "data": about["config"]["data"],
        "table": table or about["table"],
    }
    save_weights(output, arch, tensors, header)
    return header
