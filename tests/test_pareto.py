"""The trade-off between longest route and total length."""

from __future__ import annotations

import json

import numpy as np
import pytest

from neurocross.errors import InputError
from neurocross.generate import random_problem
from neurocross.pareto import not_dominated, pareto
from neurocross.plot import plot_tradeoff
from neurocross.problem import Problem
from neurocross.solution import Solution

PROBLEM = random_problem("mtsp", np.random.default_rng(2), cities=25, vehicles=3)


def test_plans_trade_one_length_for_the_other() -> None:
    plans = pareto(PROBLEM, points=5, time=2.0, seed=1)
    assert 2 <= len(plans) <= 5
    assert all(plan.feasible for plan in plans)
    longest, total = [p.makespan for p in plans], [p.total for p in plans]
    assert longest == sorted(longest) and total == sorted(total, reverse=True)
    assert len({tour for tour in plans[-1].tours if tour}) <= len({tour for tour in plans[0].tours if tour})


def test_a_plan_beaten_in_both_lengths_is_left_out() -> None:
    line = Problem.mtsp([[0, 0], [1, 0], [2, 0], [3, 0]], vehicles=2)
    split, worse, single = (
        Solution(line, [[1, 2], [3]]),
        Solution(line, [[1, 3], [2]]),
        Solution(line, [[1, 2, 3]]),
    )
    assert not_dominated([worse, single, split]) == [single]


def test_the_picture_is_written_and_other_suffixes_refused(tmp_path) -> None:
    plans = pareto(PROBLEM, points=3, time=0.3)
    plot_tradeoff(plans, tmp_path / "front.svg")
    assert "longest route" in (tmp_path / "front.svg").read_text()
    with pytest.raises(InputError, match=r"front\.html"):
        plot_tradeoff(plans, tmp_path / "front.html")


@pytest.mark.parametrize(("options", "named"), [({"points": 1}, "points"), ({"time": -1}, "time")])
def test_wrong_options_are_refused_by_name(options: dict, named: str) -> None:
    with pytest.raises(InputError, match=named):
        pareto(PROBLEM, **options)


def test_the_command_prints_and_writes_every_plan(tmp_path, monkeypatch, capsys) -> None:
    from neurocross.cli import main
    from neurocross.io import write_problem

    write_problem(PROBLEM, tmp_path / "problem.json")
    words = [
        "pareto",
        tmp_path / "problem.json",
        "--time",
        1,
        "--points",
        3,
        "-o",
        tmp_path / "plans",
        "--json",
    ]
    monkeypatch.setattr("sys.argv", ["neurocross", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    plans = json.loads(capsys.readouterr().out)["plans"]
    assert len(list((tmp_path / "plans").iterdir())) == len(plans) >= 1
