from __future__ import annotations

import json

import numpy as np
import pytest

from neurocross.errors import InputError
from neurocross.predictor.model import load_predictor
from neurocross.predictor.tensorfile import read_tensors, write_tensors

TENSORS = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.float32([1.5])}


def test_what_is_written_is_read(tmp_path):
    write_tensors(tmp_path / "t.safetensors", TENSORS, {"about": {"k": [1, 2]}})
    tensors, about = read_tensors(tmp_path / "t.safetensors")
    assert about == {"about": {"k": [1, 2]}}
    assert tensors.keys() == TENSORS.keys()
    assert all(np.array_equal(tensors[k], TENSORS[k]) for k in TENSORS)


def test_the_header_is_that_of_the_safetensors_format(tmp_path):
    write_tensors(tmp_path / "t.safetensors", TENSORS, {})
    data = (tmp_path / "t.safetensors").read_bytes()
    size = int.from_bytes(data[:8], "little")
    assert size % 8 == 0
    assert json.loads(data[8 : 8 + size])["b"] == {"dtype": "F32", "shape": [1], "data_offsets": [24, 28]}
    assert np.frombuffer(data[8 + size :], "<f4").tolist() == [0, 1, 2, 3, 4, 5, 1.5]


@pytest.mark.parametrize("keep", [0, 5, 8, 60, -1])
def test_a_file_cut_off_anywhere_is_refused(tmp_path, keep):
    path = tmp_path / "t.safetensors"
    write_tensors(path, TENSORS, {"kind": "x"})
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(InputError, match=r"t\.safetensors.*(cut off|damaged)"):
        read_tensors(path)


@pytest.mark.parametrize(
    "text", [b"PK\x03\x04 some archive of another program", b"\x10" + b"\0" * 7 + b"not json at all!"]
)
def test_a_foreign_file_is_refused(tmp_path, text):
    (tmp_path / "f").write_bytes(text)
    with pytest.raises(InputError, match=r"no tensor file|damaged header"):
        read_tensors(tmp_path / "f")


def test_a_header_that_lies_about_a_tensor_is_refused(tmp_path):
    header = json.dumps({"a": {"dtype": "F32", "shape": [5], "data_offsets": [0, 8]}}).encode()
    (tmp_path / "f").write_bytes(len(header).to_bytes(8, "little") + header + b"\0" * 8)
    with pytest.raises(InputError, match="tensor 'a' is not what its header says"):
        read_tensors(tmp_path / "f")


def test_tensors_of_another_program_are_no_weights(tmp_path):
    write_tensors(tmp_path / "t.safetensors", TENSORS, {"format": "pt"})
    with pytest.raises(InputError, match="holds no weights of this program"):
        load_predictor(tmp_path / "t.safetensors")
    with pytest.raises(InputError, match="no weights 'nowhere'"):
        load_predictor("nowhere")
