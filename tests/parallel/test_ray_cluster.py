"""What goes wrong with clusters is one clear line; a node that dies costs time and nothing else."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import deeds
import numpy as np
import pytest

from neurocross.batch import Options, solve_batch
from neurocross.errors import InputError, MissingDependencyError
from neurocross.generate import random_problem
from neurocross.io import ReadOptions, write_problem
from neurocross.parallel import team

ray = pytest.importorskip("ray", reason="backend ray needs ray: pip install 'neurocross[ray]'")


def refused(address: str) -> str:
    with pytest.raises(InputError) as error, team("ray", ray_address=address):
        pass
    assert "\n" not in str(error.value) and not ray.is_initialized()
    return str(error.value)


def test_an_address_where_nobody_listens_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert refused(f"127.0.0.1:{port}") == f"no Ray cluster at '127.0.0.1:{port}': Connection refused"


def test_something_else_that_listens_is_given_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neurocross.parallel.ray_cluster.CONNECT_SECONDS", 2.0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        assert refused(address) == f"no Ray cluster at '{address}': no answer in 2 s"


@pytest.mark.parametrize("address", ["nowhere", "host:port", "ray://", ""])
def test_what_is_no_address_is_refused(address: str) -> None:
    assert "use HOST:PORT, ray://HOST:PORT or auto" in refused(address)


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "neurocross.parallel.ray_cluster", raising=False)
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'neurocross\[ray\]'"), team("ray"):
        pass


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A head and two nodes of one core each, as processes of this machine."""
    from ray.cluster_utils import Cluster

    small = {"object_store_memory": 80 * 2**20, "num_cpus": 1}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(deeds.__file__).parent))
        made = Cluster(initialize_head=True, head_node_args={**small, "include_dashboard": False})
        try:
            yield made
        finally:
            made.shutdown()


def test_a_cluster_of_another_version_is_refused(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = ray.__version__
    monkeypatch.setattr(ray, "__version__", "2.0.0")
    message = refused(cluster.address)
    assert message.startswith("the Ray cluster is of another version: ")
    assert f"Ray: {ours}" in message and "Ray: 2.0.0" in message


def test_another_neurocross_on_the_nodes_is_refused(cluster: Any) -> None:
    with team("ray", ray_address=cluster.address) as workers:
        workers._backend._version = "99"
        (refused,) = workers.map(deeds.double, [1])
        with pytest.raises(InputError, match=r"has another neurocross: version .* on a node, 99 here"):
            refused.result()


def test_a_node_killed_in_the_middle_loses_nothing_and_doubles_nothing(cluster: Any, tmp_path: Path) -> None:
    rng, folder = np.random.default_rng(3), tmp_path / "in"
    folder.mkdir()
    for k in range(24):
        write_problem(random_problem("mtsp", rng, cities=12, vehicles=2), folder / f"{k:02d}.json")
    node = cluster.add_node(num_cpus=2, object_store_memory=80 * 2**20)
    cluster.wait_for_nodes()
    options = Options(ReadOptions(), {"time": 0.3})
    with team("ray", ray_address=cluster.address) as workers:
        assert workers.size == 3
        gone: list[threading.Thread] = []

        def tell(done: int, total: int, last: str) -> None:
            if done == 4:
                gone.append(threading.Thread(target=cluster.remove_node, args=(node, False)))
                gone[0].start()

        rows = solve_batch(folder, tmp_path / "out.jsonl", options, workers, tell)
        gone[0].join()
    names = [line.split('"')[3] for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert (rows.ok, rows.failed) == (24, 0)
    assert sorted(names) == [f"{k:02d}.json" for k in range(24)]
