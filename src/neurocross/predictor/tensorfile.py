"""Tensors with a self-explaining header in one plain file: the safetensors format, 32-bit floats only.

Layout: length of the header (8 bytes, little endian), header (JSON: for each tensor its type, shape and
place, and `__metadata__`, strings by name), then the numbers. Nothing in it is ever executed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from neurocross.errors import InputError
from neurocross.files import write_bytes

Tensors = dict[str, npt.NDArray[np.float32]]

LARGEST_HEADER = 10_000_000
"""Bytes; what is longer is no header of ours."""


def write_tensors(path: Path, tensors: Tensors, metadata: dict[str, Any]) -> None:
    """Replace a file as a whole: a reader sees the old one or the new one, whatever happens."""
    header: dict[str, Any] = {"__metadata__": {key: json.dumps(value) for key, value in metadata.items()}}
    place = 0
    for name, tensor in tensors.items():
        header[name] = {
            "dtype": "F32",
            "shape": list(tensor.shape),
            "data_offsets": [place, place + 4 * tensor.size],
        }
        place += 4 * tensor.size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    numbers = (np.ascontiguousarray(tensor, "<f4").tobytes() for tensor in tensors.values())
    write_bytes(path, b"".join((len(text).to_bytes(8, "little"), text, *numbers)))


def read_tensors(path: Path) -> tuple[Tensors, dict[str, Any]]:
    """Tensors by name, and the metadata."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    size = int.from_bytes(data[:8], "little")
    if len(data) < 8 or not 2 <= size <= min(LARGEST_HEADER, len(data) - 8):
        raise InputError(f"{path} is no tensor file (safetensors), or is cut off")
    try:
        header = json.loads(data[8 : 8 + size])
        metadata = {key: json.loads(value) for key, value in header.pop("__metadata__", {}).items()}
        places = {
            name: (entry["dtype"], tuple(map(int, entry["shape"])), *map(int, entry["data_offsets"]))
            for name, entry in header.items()
        }
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(f"{path} has a damaged header, or one of another program") from None
    body, tensors = memoryview(data)[8 + size :], {}
    if len(body) != max((end for *_, end in places.values()), default=0):
        raise InputError(f"{path} is cut off or damaged: its header does not fit its {len(data)} bytes")
    for name, (dtype, shape, begin, end) in places.items():
        if (
            dtype != "F32"
            or min(shape, default=0) < 0
            or not 0 <= begin <= end
            or end - begin != 4 * int(np.prod(shape))
        ):
            raise InputError(f"{path}: tensor '{name}' is not what its header says, or not of 32-bit floats")
        tensors[name] = np.frombuffer(body[begin:end], "<f4").reshape(shape).astype(np.float32)
    return tensors, metadata
