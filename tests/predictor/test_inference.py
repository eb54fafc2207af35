from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import slow_network

from neurocross import Problem, _core
from neurocross.errors import InputError, TooLargeError
from neurocross.predictor.features import check_problem, pair_graph
from neurocross.predictor.model import LARGEST, Predictor, load_predictor
from neurocross.predictor.spec import ARCHITECTURES, VERSION, Architecture

FORMS = {
    **{name: replace(arch, layers=2) for name, arch in ARCHITECTURES.items()},
    "narrow": Architecture(
        features="tours",
        layers=1,
        hidden=16,
        edge_depth=3,
        node_depth=3,
        head_depth=2,
        heads=2,
        triangles=3,
        quadrants=2,
        residual=True,
    ),
}


def two_tours(n1: int, n2: int, seed: int = 1) -> tuple[Problem, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    problem = Problem.fmdvrp(rng.random((n1 + n2 + 3, 2)), n_depots=3, vehicles=2)
    cities = rng.permutation(np.arange(3, 3 + n1 + n2)).astype(np.int32)
    return problem, cities[:n1], cities[n1:]


@pytest.fixture(params=["fastest", "portable"])
def instructions(request):
    before = _core.simd()
    _core.use_avx2(request.param == "fastest")
    yield
    _core.use_avx2(before == "avx2")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("sizes", [(0, 3), (1, 1), (1, 9), (13, 4)], ids=str)
def test_the_core_predicts_what_the_equations_say(form, sizes, instructions):
    arch = FORMS[form]
    tensors = slow_network.random_tensors(arch, np.random.default_rng(3))
    problem, t1, t2 = two_tours(*sizes)
    graph = pair_graph(arch.features, problem, 0, t1, 1, t2)
    fast = Predictor(arch, tensors, {}).network.predict([(graph.n1, graph.n2, graph.nodes, graph.edges)])[0]
    slow = slow_network.predict(arch, tensors, graph.nodes, graph.edges, graph.n1)
    assert fast == pytest.approx(slow, abs=1e-4)


def test_several_pairs_at_once_get_the_answers_they_get_alone():
    arch = FORMS["narrow"]
    predictor = Predictor(arch, slow_network.random_tensors(arch, np.random.default_rng(0)), {})
    problem, t1, t2 = two_tours(9, 6)
    pairs = [(0, t1, 1, t2), (0, t1[:4], 1, t2), (1, t2, 0, t1)]
    together = predictor(problem, pairs)
    for pair, table in zip(pairs, together, strict=True):
        assert np.array_equal(predictor(problem, [pair])[0], table)


def test_the_order_of_the_two_tours_only_transposes_the_table():
    arch = FORMS["tours"]
    predictor = Predictor(arch, slow_network.random_tensors(arch, np.random.default_rng(0)), {})
    problem, t1, t2 = two_tours(9, 6)
    one, other = predictor(problem, [(0, t1, 1, t2), (1, t2, 0, t1)])
    assert np.array_equal(one, other.T)


@pytest.mark.parametrize("form", ["paper", "tours"])
def test_scale_and_place_of_an_instance_change_nothing_but_the_unit(form):
    arch = FORMS[form]
    predictor = Predictor(arch, slow_network.random_tensors(arch, np.random.default_rng(0)), {})
    problem, t1, t2 = two_tours(12, 8)
    elsewhere = problem.with_(coords=1000 * problem.coords + 5000)
    here, there = (predictor(p, [(0, t1, 1, t2)])[0] for p in (problem, elsewhere))
    assert there / 1000 == pytest.approx(here, abs=1e-4)


def test_rotation_changes_nothing_the_default_form_sees():
    problem, t1, t2 = two_tours(12, 8)
    turned = problem.with_(coords=problem.coords[:, ::-1] * [1, -1])
    assert pair_graph("tours", turned, 0, t1, 1, t2).edges == pytest.approx(
        pair_graph("tours", problem, 0, t1, 1, t2).edges, abs=1e-6
    )


def test_features_of_a_cut_are_the_lengths_after_swapping_the_tails():
    problem, t1, t2 = two_tours(7, 5)
    graph = pair_graph("tours", problem, 0, t1, 1, t2)
    if graph.swapped:
        t1, t2 = t2, t1
    v1, v2 = (1, 0) if graph.swapped else (0, 1)
    longest = max(problem.core.length(v1, t1), problem.core.length(v2, t2))
    for a1 in range(len(t1) + 1):
        for a2 in range(len(t2) + 1):
            after = max(_core.cross_cost(problem.core, v1, t1, v2, t2, a1, len(t1), a2, len(t2)))
            gain = graph.edges[a1, len(t1) + 2 + a2, 12] * graph.unit
            assert gain == pytest.approx(longest - after, abs=1e-5)


def test_only_a_matrix_and_open_routes_are_refused_with_the_way_out():
    with pytest.raises(InputError, match=r"only a matrix.*--method ce"):
        check_problem(Problem.mtsp(matrix=np.ones((4, 4)), vehicles=2))
    problem = Problem.mtsp(np.random.default_rng(0).random((4, 2)), vehicles=2)
    opened = problem.with_(vehicles=tuple(replace(v, end="open") for v in problem.vehicles))
    with pytest.raises(InputError, match=r"vehicle 1 has an open route.*--method ce"):
        check_problem(opened)


def test_an_architecture_survives_being_written_and_read():
    for arch in ARCHITECTURES.values():
        assert Architecture.from_dict(arch.to_dict()) == arch


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": VERSION + 1}, "architecture version"),
        ({"colour": "red"}, "no architecture this program knows"),
        ({"features": "smells"}, "features 'smells' are unknown"),
        ({"layers": 0}, "layers must be a whole number from 1"),
        ({"layers": 10**9}, "layers must be a whole number from 1 to 1024"),
        ({"residual": "yes"}, "residual must be true or false, not 'yes'"),
        ({"objectives": 5}, "no architecture this program knows"),
        ({"heads": 7}, "multiple of 16 and of at most 64 heads"),
    ],
)
def test_an_architecture_of_another_kind_is_refused(change, message):
    with pytest.raises(InputError, match=message):
        Architecture.from_dict({**ARCHITECTURES["tours"].to_dict(), **change})


def test_weights_that_do_not_fit_their_architecture_are_refused():
    arch = FORMS["narrow"]
    tensors = slow_network.random_tensors(arch, np.random.default_rng(0))
    with pytest.raises(InputError, match=r"'phi_c.linear.1.bias' is missing"):
        Predictor(arch, {k: v for k, v in tensors.items() if k != "phi_c.linear.1.bias"}, {})
    with pytest.raises(InputError, match=r"'embed_nodes.weight' is 2 x 3, not 16 x 10"):
        Predictor(arch, {**tensors, "embed_nodes.weight": np.zeros((2, 3), np.float32)}, {})
    with pytest.raises(InputError, match=r"damaged: tensor 'embed_nodes.bias' holds what is no number"):
        Predictor(arch, {**tensors, "embed_nodes.bias": np.full(16, np.nan, np.float32)}, {})


def test_a_prediction_that_would_come_too_late_is_given_up():
    arch = FORMS["tours"]
    predictor = Predictor(arch, slow_network.random_tensors(arch, np.random.default_rng(0)), {})
    problem, t1, t2 = two_tours(150, 150)
    assert predictor(problem, [(0, t1, 1, t2)], 0.0) == []
    assert len(predictor(problem, [(0, t1, 1, t2)], 60.0)) == 1


def test_tours_too_long_for_the_memory_are_refused_with_the_way_out():
    arch = FORMS["narrow"]
    predictor = Predictor(arch, slow_network.random_tensors(arch, np.random.default_rng(0)), {})
    problem, t1, t2 = two_tours(LARGEST - 3, 0)
    with pytest.raises(TooLargeError, match=rf"two tours of {LARGEST + 1} nodes .* --method ce"):
        predictor(problem, [(0, t1, 1, t2)])


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the memory of a process is not told here")
def test_two_tours_of_200_cities_take_less_than_200_mib():
    def held(what: str) -> int:
        return int(Path("/proc/self/status").read_text().split(f"{what}:")[1].split()[0])

    problem, t1, t2 = two_tours(200, 200)
    predictor = load_predictor()
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = held("VmRSS")
    predictor(problem, [(0, t1, 1, t2)])
    assert held("VmHWM") - before < 200 * 1024


def test_predicting_never_imports_torch():
    code = "import sys, neurocross.predictor.model, neurocross.train.data; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
