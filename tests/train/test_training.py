from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch: pip install 'neurocross[train]'")

from neurocross import Problem, _core  # noqa: E402
from neurocross.errors import InputError  # noqa: E402
from neurocross.predictor.features import pair_graph  # noqa: E402
from neurocross.predictor.model import Predictor, load_predictor, shipped  # noqa: E402
from neurocross.predictor.spec import ARCHITECTURES, Architecture  # noqa: E402
from neurocross.predictor.tensorfile import read_tensors  # noqa: E402
from neurocross.train.data import DataConfig, make_example  # noqa: E402
from neurocross.train.export import export, predictor_of  # noqa: E402
from neurocross.train.loop import Run, TrainConfig, configuration, saved_configuration, train  # noqa: E402
from neurocross.train.network import Network, mish  # noqa: E402

TINY = TrainConfig(
    architecture=Architecture(features="tours", layers=1, hidden=16, edge_depth=2, node_depth=2, head_depth=2,
                              heads=2, triangles=2, quadrants=2, residual=True, skip=True, cuts=True),
    data=DataConfig(cities=(4, 8), depots=(2, 3)),
    passes=12, instances=8, batch=2, every=4, warm_up=2, validation=3,
)  # fmt: skip


def quiet(folder, config=TINY, **options):
    return train(folder, config, compiled=False, say=lambda _: None, **options)


def test_the_short_formula_of_mish_is_mish():
    x = torch.linspace(-30, 30, 1001)
    assert torch.allclose(mish(x), torch.nn.functional.mish(x), atol=1e-6)


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_core_and_torch_predict_the_same_before_training(name):
    torch.manual_seed(0)
    network = Network(ARCHITECTURES[name])
    predict_the_same(network, {key: value.numpy() for key, value in network.state_dict().items()})


@pytest.mark.parametrize("name", shipped())
def test_core_and_torch_predict_the_same_with_the_shipped_weights(name):
    file = resources.files("neurocross.predictor") / "weights" / f"{name}.safetensors"
    tensors, about = read_tensors(file)
    network = Network(Architecture.from_dict(about["architecture"]))
    network.load_state_dict({key: torch.from_numpy(value) for key, value in tensors.items()})
    predict_the_same(network, tensors)


def predict_the_same(network, tensors):
    """On tours of 1 to 200 cities."""
    torch.set_num_threads(1)
    predictor = Predictor(network.arch, tensors, {})
    for n1, n2 in [(1, 1), (1, 200), (3, 2), (10, 50), (120, 10), (200, 200)]:
        rng = np.random.default_rng([n1, n2])
        problem = Problem.fmdvrp(rng.random((n1 + n2 + 3, 2)), n_depots=3, vehicles=2)
        cities = rng.permutation(np.arange(3, n1 + n2 + 3, dtype=np.int32))
        tours = [_core.nearest_neighbour(problem.core, v, t) for v, t in enumerate(np.split(cities, [n1]))]
        graph = pair_graph(network.arch.features, problem, 0, tours[0], 1, tours[1])
        with torch.no_grad():
            slow = network(torch.from_numpy(graph.nodes), torch.from_numpy(graph.edges), graph.n1 + 2)
        fast = predictor.network.predict([(graph.n1, graph.n2, graph.nodes, graph.edges)])[0]
        assert np.abs(fast - slow.numpy()).max() < 1e-4, f"{n1} and {n2} cities"


def test_the_paper_network_is_as_large_as_written():
    parameters = sum(p.numel() for p in Network(ARCHITECTURES["paper"]).parameters())
    assert parameters == pytest.approx(374_000, rel=0.03)


def test_a_stopped_run_goes_on_to_the_very_same_weights(tmp_path):
    whole = quiet(tmp_path / "whole")
    part = quiet(tmp_path / "parts", stop_after=0.0)  # stops after its first step
    assert 0 < part.passes < TINY.passes
    while part.passes < TINY.passes:
        part = quiet(tmp_path / "parts", stop_after=0.0)
    for a, b in zip(whole.network.parameters(), part.network.parameters(), strict=True):
        assert torch.equal(a, b)
    for a, b in zip(whole.averaged.parameters(), part.averaged.parameters(), strict=True):
        assert torch.equal(a, b)


def test_training_lowers_the_loss(tmp_path):
    quiet(tmp_path, replace(TINY, passes=400, every=40, instances=40, learning_rate=3e-3))
    log = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert log[-1]["huber"] < 0.7 * log[0]["huber"]
    assert [line["passes"] for line in log] == list(range(40, 401, 40))


def test_lines_of_the_log_that_no_checkpoint_knows_are_dropped(tmp_path):
    quiet(tmp_path, stop_after=0.0)
    with (tmp_path / "log.jsonl").open("a") as log:
        log.write('{"passes": 10}\n')
    quiet(tmp_path)
    passes = [json.loads(line)["passes"] for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert passes == sorted(set(passes)) and passes[-1] == TINY.passes


def test_a_checkpoint_of_another_configuration_is_refused_and_kept(tmp_path):
    quiet(tmp_path, stop_after=0.0)
    before = (tmp_path / "checkpoint.safetensors").read_bytes()
    with pytest.raises(InputError, match=r"another configuration: learning_rate is 0.001 there, 0.01 here"):
        quiet(tmp_path, replace(TINY, learning_rate=0.01))
    assert (tmp_path / "checkpoint.safetensors").read_bytes() == before


def test_a_run_is_continued_with_the_configuration_it_began_with(tmp_path):
    quiet(tmp_path, stop_after=0.0)
    assert saved_configuration(tmp_path, None, None, passes=None) == TINY
    assert saved_configuration(tmp_path / "new", None, None) == configuration("tours")
    with pytest.raises(InputError, match="configuration 'poem' is unknown"):
        configuration("poem")


def test_exported_weights_predict_what_the_checkpoint_does_and_say_what_they_are(tmp_path):
    quiet(tmp_path)
    header = export(tmp_path / "checkpoint.safetensors", tmp_path / "w.safetensors")
    assert header["graph_passes"] == TINY.passes
    weights, checkpoint = (
        load_predictor(tmp_path / "w.safetensors"),
        predictor_of(tmp_path / "checkpoint.safetensors"),
    )
    assert weights.about["table"].keys() >= {"topk", "mae"}
    example = make_example(TINY.data, 3)
    pair = (0, example.t1, 1, example.t2)
    assert np.array_equal(weights(example.problem, [pair])[0], checkpoint(example.problem, [pair])[0])
    with pytest.raises(InputError, match="is no checkpoint of a training"):
        predictor_of(tmp_path / "w.safetensors")
    with pytest.raises(InputError, match="holds no weights of this program"):
        load_predictor(tmp_path / "checkpoint.safetensors")


def test_two_machines_without_a_common_disk_go_on_as_one(tmp_path):
    whole = quiet(tmp_path / "whole")
    quiet(tmp_path / "0", stop_after=0.0)  # the first machine's folder; the second has none
    script = tmp_path / "machine.py"
    script.write_text(
        "import os, pathlib, test_training as t\n"
        f"run = t.quiet(pathlib.Path({str(tmp_path)!r}) / os.environ['RANK'])\n"
        "assert run.passes == t.TINY.passes\n"
    )
    here = str(Path(__file__).parent)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    env = {**os.environ, "PYTHONPATH": here}
    ended = subprocess.run([*command, str(script)], capture_output=True, text=True, check=False, env=env)
    assert ended.returncode == 0, ended.stderr
    assert not (tmp_path / "1" / "checkpoint.safetensors").exists()
    together = Run(tmp_path / "0", TINY)
    for a, b in zip(whole.averaged.parameters(), together.averaged.parameters(), strict=True):
        assert torch.allclose(a, b, atol=1e-6)


def test_more_processes_than_graphs_of_a_batch_are_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "3")
    with pytest.raises(InputError, match="3 processes have only the 2 graphs of a batch to share"):
        quiet(tmp_path)
