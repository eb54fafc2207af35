"""Labelled examples on disk: what `neurocross label` writes and `neurocross train --data` reads.

A folder of `shard-00000.safetensors`, … of SHARD examples each, and `data.json`, the configuration they are
made from. A shard is written beside and renamed, so a run that was stopped goes on with what is missing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from neurocross.errors import InputError
from neurocross.files import write_bytes
from neurocross.parallel import Team
from neurocross.predictor.tensorfile import Tensors, read_tensors, write_tensors
from neurocross.problem import Problem
from neurocross.train.data import DataConfig, Example, make_example

SHARD = 500
"""Examples of a shard: about 5 MB, half a second to make."""


def write_shards(
    folder: Path, config: DataConfig, instances: int, workers: Team
) -> Iterator[tuple[int, int]]:
    """Make what is missing of examples 0 … instances-1; yields (examples, labels) of each shard there is."""
    if instances < 1:
        raise InputError(f"instances must be at least 1, not {instances}")
    about = folder / "data.json"
    ours = json.loads(json.dumps({**asdict(config), "instances": instances}))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if about.exists() and json.loads(about.read_text()) != ours:
            raise InputError(
                f"{folder} holds other data ({about.read_text().strip()}): label into another folder"
            )
    except (OSError, ValueError) as error:
        raise InputError(f"{about} cannot be made or read: {error}") from None
    write_bytes(about, f"{json.dumps(ours)}\n".encode())
    missing = []
    for first in range(0, instances, SHARD):
        if _path(folder, first).exists():
            yield _counts(read_tensors(_path(folder, first))[0])
        else:
            missing.append(range(first, min(first + SHARD, instances)))
    # Workers, who may be on other machines, make the examples; all files are written here.
    for done in workers.map(partial(_examples, config), missing):
        tensors = done.result()
        write_tensors(_path(folder, done.task.start), tensors, {"kind": "neurocross labels"})
        yield _counts(tensors)


def _path(folder: Path, first: int) -> Path:
    return folder / f"shard-{first // SHARD:05d}.safetensors"


def _examples(config: DataConfig, numbers: range) -> Tensors:
    tensors = {}
    for number in numbers:
        example = make_example(config, number)
        tensors[f"{number}/coords"] = np.asarray(example.problem.coords, np.float32)
        tensors[f"{number}/tours"] = np.concatenate([example.t1, [-1], example.t2]).astype(np.float32)
        tensors[f"{number}/labels"] = example.labels.astype(np.float32)
    return tensors


def _counts(tensors: Tensors) -> tuple[int, int]:
    tables = [tensor for name, tensor in tensors.items() if name.endswith("/labels")]
    return len(tables), sum(table.shape[0] * table.shape[1] for table in tables)


class Shards:
    """The examples of a folder, by number."""

    def __init__(self, folder: Path) -> None:
        try:
            about = json.loads((folder / "data.json").read_text())
            self.instances = int(about.pop("instances"))
            self.config = DataConfig.from_dict(about)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{folder} holds no labelled data ({error}): make it with neurocross label"
            ) from None
        missing = [
            path.name for f in range(0, self.instances, SHARD) if not (path := _path(folder, f)).exists()
        ]
        if missing:
            raise InputError(
                f"{folder} lacks {missing[0]}: run neurocross label again, it makes what is missing"
            )
        self._read = lru_cache(4)(lambda first: read_tensors(_path(folder, first))[0])

    def __call__(self, number: int) -> Example:
        """Example `number`; coordinates and labels have the precision of the file, 32 bits."""
        tensors = self._read(number - number % SHARD)
        coords, tours = tensors[f"{number}/coords"], tensors[f"{number}/tours"].astype(np.int32)
        (cut,) = np.flatnonzero(tours < 0)
        depots = len(coords) - (len(tours) - 1)
        if self.config.problem == "mtsp":
            problem = Problem.mtsp(coords, vehicles=2)
        else:
            problem = Problem.fmdvrp(coords, n_depots=depots, vehicles=2)
        return Example(problem, tours[:cut], tours[cut + 1 :], tensors[f"{number}/labels"])
