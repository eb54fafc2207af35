from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from neurocross import InputError, Problem, solve
from neurocross.cli import app
from neurocross.generate import random_problem
from neurocross.predictor.model import load_predictor, shipped
from neurocross.predictor.tensorfile import read_tensors
from neurocross.train.accuracy import KS
from neurocross.train.evaluation import prediction_times


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize("kind", ["tsp", "mtsp", "mdvrp", "fmdvrp", "cvrp"])
def test_nce_solves_all_five_problems(kind):
    sizes = {"tsp": {}, "cvrp": {}}.get(kind, {"vehicles": 3})
    depots = {"depots": 2} if "md" in kind else {}
    problem = random_problem(kind, np.random.default_rng(1), cities=15, **sizes, **depots)
    result = solve(problem, method="nce", seed=1, perturbations=1)
    assert result.feasible
    assert result.solution.tours == solve(problem, method="nce", seed=1, perturbations=1).solution.tours


def test_more_samples_are_never_worse_and_the_trace_falls():
    problem = random_problem("fmdvrp", np.random.default_rng(2), cities=20, depots=2, vehicles=3)
    three, one = (solve(problem, method="nce", seed=3, perturbations=0, samples=n) for n in (3, 2))
    assert three.cost <= one.cost + 1e-12
    values = [value for _, _, value in three.trace]
    assert values == sorted(values, reverse=True) and values[-1] == pytest.approx(three.cost)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k must be at least 1"),
        ({"samples": 0}, "samples must be at least 1"),
        ({"weights": "nowhere"}, "no weights 'nowhere': give a file, or one of fmdvrp"),
        ({"method": "ce", "k": 3}, "k is not an option of method ce"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, message):
    problem = Problem.mtsp(np.random.default_rng(0).random((6, 2)), vehicles=2)
    with pytest.raises(InputError, match=message):
        solve(problem, **{"method": "nce", **options})


def test_a_problem_without_coordinates_is_sent_to_ce():
    with pytest.raises(InputError, match="only a matrix: use --method ce"):
        solve(Problem.mtsp(matrix=1.0 - np.eye(5), vehicles=2), method="nce")


def test_shipped_weights_say_what_they_are():
    assert "fmdvrp" in shipped()
    for name in shipped():
        about = load_predictor(name).about
        assert about["graph_passes"] > 0
        assert set(about["table"]["topk"]) == set(map(str, KS))
        assert about["data"]["problem"] == name


def test_evaluate_prints_the_table_as_json_and_draws(tmp_path):
    pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    answer = json.loads(
        run(
            "evaluate",
            "--instances",
            4,
            "--seed",
            3,
            "--json",
            "--plot",
            tmp_path / "p.svg",
            "--compare",
            1,
            "--times",
            tmp_path / "t.svg",
        )
    )
    assert list(answer["topk"]) == ["1", "3", "5", "10", "20"]
    assert answer["mae"] >= 0
    assert [row["cities"] for row in answer["comparison"]] == list(range(20, 101, 10))
    assert (tmp_path / "p.svg").stat().st_size and (tmp_path / "t.svg").stat().st_size


def test_predictions_are_timed_in_the_core_and_in_torch():
    pytest.importorskip("torch", reason="training needs torch: pip install 'neurocross[train]'")
    rows = list(prediction_times(cities=3, repeats=1))
    assert [row["form"] for row in rows] == ["paper", "tours"]
    assert all(row["core"] > 0 and row["torch"] > 0 for row in rows)


def test_evaluate_sets_the_paper_beside():
    assert "the paper       42.9   71.3   78.6   90.9   97.4" in run("evaluate", "--instances", 2)


def test_label_train_export_and_evaluate_work_together(tmp_path):
    pytest.importorskip("torch", reason="training needs torch: pip install 'neurocross[train]'")
    run("label", tmp_path / "data", "--instances", 4, "--problem", "mtsp", "--searched", 0)
    trained = json.loads(
        run(
            "train",
            "tiny",
            "--data",
            tmp_path / "data",
            "--folder",
            tmp_path,
            "--passes",
            2,
            "--no-compile",
            "--validation",
            2,
        )
    )
    assert (trained["passes"], trained["of"]) == (2, 2)
    run("export", tmp_path / "tiny" / "checkpoint.safetensors", tmp_path / "w.safetensors", "--instances", 2)
    answer = json.loads(run("evaluate", "--weights", tmp_path / "w.safetensors", "--instances", 2, "--json"))
    assert answer["instances"] == 2


def test_two_processes_train_as_one_does(tmp_path):
    pytest.importorskip("torch", reason="training needs torch: pip install 'neurocross[train]'")
    options = ["--folder", str(tmp_path), "--passes", "2", "--validation", "1", "--no-compile"]
    run("train", "one", *options)
    together = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    command = [sys.executable, *together, "-m", "neurocross", "train", "two", *options]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    one, two = (read_tensors(tmp_path / name / "checkpoint.safetensors")[0] for name in ("one", "two"))
    assert all(np.allclose(one[name], two[name], atol=1e-5) for name in one)


def test_help_and_solving_never_import_torch():
    code = (
        "import sys, numpy as np, neurocross as nc, neurocross.cli;"
        "nc.solve(nc.Problem.mtsp(np.random.default_rng(0).random((8, 2)), vehicles=2), method='nce');"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
