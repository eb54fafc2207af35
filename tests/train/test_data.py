from __future__ import annotations

import errno
from pathlib import Path

import numpy as np
import pytest

from neurocross import _core
from neurocross.errors import InputError
from neurocross.train.accuracy import Accuracy
from neurocross.train.data import DataConfig, make_example
from neurocross.train.shards import Shards, write_shards

SMALL = DataConfig(cities=(5, 12), depots=(2, 3))


def test_an_example_depends_on_seed_and_number_alone():
    one, again, other = make_example(SMALL, 7), make_example(SMALL, 7), make_example(SMALL, 8)
    assert one.problem == again.problem
    assert np.array_equal(one.labels, again.labels)
    assert one.problem != other.problem


@pytest.mark.parametrize("problem", ["fmdvrp", "mtsp"])
@pytest.mark.parametrize("searched", [0.0, 1.0])
def test_labels_are_what_trying_every_exchange_finds(problem, searched):
    config = DataConfig(problem=problem, cities=(4, 7), depots=(2, 3), searched=searched)
    for number in range(5):
        example = make_example(config, number)
        core, n1, n2 = example.problem.core, len(example.t1), len(example.t2)
        before = np.array([core.length(0, example.t1), core.length(1, example.t2)])
        for a1 in range(n1 + 1):
            for a2 in range(n2 + 1):
                after = np.array(
                    [
                        _core.cross_cost(core, 0, example.t1, 1, example.t2, a1, b1, a2, b2)
                        for b1 in range(a1, n1 + 1)
                        for b2 in range(a2, n2 + 1)
                    ]
                )
                expected = [before.max() - after.max(axis=1).min(), before.sum() - after.sum(axis=1).min()]
                assert example.labels[a1, a2] == pytest.approx(expected, abs=1e-6)


def test_shards_give_back_the_examples(tmp_path, workers):
    config = DataConfig(cities=(4, 6), depots=(2, 2))
    assert list(write_shards(tmp_path, config, 3, workers)) == [
        (3, sum(make_example(config, k).labels[..., 0].size for k in range(3)))
    ]
    shards = Shards(tmp_path)
    assert shards.config == config
    for number in range(3):
        made, read = make_example(config, number), shards(number)
        assert np.array_equal(made.t1, read.t1) and np.array_equal(made.t2, read.t2)
        assert read.problem.n_depots == made.problem.n_depots
        assert read.labels == pytest.approx(made.labels, abs=1e-6)


def test_labelling_goes_on_with_what_is_missing_and_gives_the_same(tmp_path, monkeypatch, workers):
    monkeypatch.setattr("neurocross.train.shards.SHARD", 2)
    list(write_shards(tmp_path, SMALL, 5, workers))
    contents = {path: path.read_bytes() for path in tmp_path.iterdir()}
    (tmp_path / "shard-00001.safetensors").unlink()
    with pytest.raises(InputError, match=r"lacks shard-00001\.safetensors: run neurocross label again"):
        Shards(tmp_path)
    kept = (tmp_path / "shard-00000.safetensors").stat().st_mtime_ns
    list(write_shards(tmp_path, SMALL, 5, workers))
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == contents
    assert (tmp_path / "shard-00000.safetensors").stat().st_mtime_ns == kept


def test_a_full_disk_while_labelling_is_told_and_leaves_whole_shards_alone(tmp_path, monkeypatch, workers):
    monkeypatch.setattr("neurocross.train.shards.SHARD", 2)
    write = Path.write_bytes

    def fills_up(path, content):
        if "shard-00001" in path.name:
            write(path, content[:100])
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, content)

    monkeypatch.setattr(Path, "write_bytes", fills_up)
    with pytest.raises(
        InputError, match=r"shard-00001\.safetensors: cannot be written: No space left on device"
    ):
        list(write_shards(tmp_path, SMALL, 6, workers))
    shards = {path.name for path in tmp_path.iterdir()} - {"data.json"}
    assert shards <= {"shard-00000.safetensors", "shard-00002.safetensors"}


def test_other_data_in_the_folder_is_refused(tmp_path, workers):
    list(write_shards(tmp_path, SMALL, 1, workers))
    with pytest.raises(InputError, match="holds other data"):
        list(write_shards(tmp_path, DataConfig(seed=9), 1, workers))
    with pytest.raises(InputError, match="holds no labelled data"):
        Shards(tmp_path / "nowhere")


@pytest.mark.parametrize("wrong", [{"problem": "cvrp"}, {"cities": (0, 3)}, {"searched": 2.0}])
def test_data_of_another_kind_is_refused(wrong):
    with pytest.raises(InputError):
        DataConfig(**wrong)


def test_the_table_counts_an_instance_when_a_best_pair_is_among_the_first_k():
    accuracy = Accuracy()
    true = np.array([[0.0, 0.5], [0.5, 0.1]])
    accuracy.add(np.array([[9.0, 1.0], [2.0, 3.0]]), true)  # the best come third and fourth
    accuracy.add(true, true)
    accuracy.add(true, np.zeros((2, 2)))  # nothing improves
    table = accuracy.table()
    assert table["topk"] == {"1": 50.0, "3": 100.0, "5": 100.0, "10": 100.0, "20": 100.0}
    assert table["reached"] == {"1": 50.0, "3": 100.0, "5": 100.0, "10": 100.0, "20": 100.0}
    assert (table["instances"], table["ranked"]) == (3, 2)
    error = np.array([[9.0, 0.5], [1.5, 2.9]])
    assert table["mae"] == pytest.approx((error.mean() + 0 + true.mean()) / 3)
    assert table["rmse"] == pytest.approx(np.sqrt((np.square(error).mean() + np.square(true).mean()) / 3))
