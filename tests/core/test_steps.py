"""The engine's steps against their slow twin: every route measured anew, every cost computed from it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import problems

from neurocross import _core
from neurocross.problem import Problem, Vehicle, with_slack
from neurocross.solution import checked_length

OBJECTIVES = ("minmax", "minsum")
WEIGHTS = {"reference": 2.0, "scale": 0.7, "load_penalty": 3.0, "length_penalty": 5.0}


def begun(problem: Problem, seed: int, neighbours: int = 40) -> _core.Steps:
    objective = OBJECTIVES.index(problem.objective)
    return _core.Steps(problem.core, objective=objective, seed=seed, neighbours=neighbours, **WEIGHTS)


def measured(problem: Problem, tours: list[list[int]]) -> tuple[list[float], list[float]]:
    lengths = [checked_length(problem, k, tour) for k, tour in enumerate(tours)]
    return lengths, [float(sum(problem.demand[c] for c in tour)) for tour in tours]


def cost(problem: Problem, tours: list[list[int]]) -> float:
    """The soft maximum of docs/engine.md, or the sum, and the penalties of what exceeds a limit."""
    total = 0.0
    for vehicle, length, load in zip(problem.vehicles, *measured(problem, tours), strict=True):
        x = (length - WEIGHTS["reference"]) / WEIGHTS["scale"]
        if problem.objective == "minsum":
            total += length
        elif x < 0:
            total += WEIGHTS["scale"] / (1 - x + x * x / 2)
        else:
            total += WEIGHTS["scale"] * (1 + x + x * x / 2 if x < 10 else 61 + 11 * (x - 10))
        total += WEIGHTS["load_penalty"] * max(0.0, load - with_slack(vehicle.capacity))
        total += WEIGHTS["length_penalty"] * max(0.0, length - with_slack(vehicle.max_length))
    return total


def walk(problem: Problem, seed: int, count: int, neighbours: int = 40) -> set[str]:
    """Random steps, some taken back; the kinds of steps that were met."""
    rng = np.random.default_rng(seed)
    steps, met = begun(problem, seed, neighbours), set()
    near = {"rel": 1e-9, "abs": 1e-9}
    for _ in range(count):
        before = steps.tours(), steps.lengths(), steps.loads()
        kind = ("exchange", "ruin_recreate")[rng.integers(2)]
        city = int(rng.integers(problem.n_depots, problem.n_nodes))
        told = getattr(steps, kind)(city)
        after = steps.tours()
        assert sorted(c for tour in after for c in tour) == list(problem.cities)
        lengths, loads = measured(problem, after)
        assert steps.lengths() == pytest.approx(lengths, **near)
        assert steps.loads() == pytest.approx(loads, **near)
        if told is None:
            assert after == before[0]
            continue
        met.add(kind)
        assert told == pytest.approx(cost(problem, after) - cost(problem, before[0]), **near)
        if rng.integers(2):
            steps.undo()
            assert (steps.tours(), steps.lengths(), steps.loads()) == before  # to the last bit
    return met


@given(problems(max_cities=12), st.sampled_from(OBJECTIVES), st.integers(0, 2**32))
@settings(max_examples=200)
def test_steps_change_what_they_say_and_are_taken_back_exactly(problem, objective, seed) -> None:
    if problem.n_cities:
        walk(problem.with_(objective=objective), seed, 40)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("one_way", [False, True])
def test_thousands_of_steps_leave_no_error_behind(objective: str, one_way: bool) -> None:
    rng = np.random.default_rng(3)
    n = 80
    where = {"matrix": rng.random((n, n))} if one_way else {"coords": rng.random((n, 2))}
    demand, service = (np.r_[0, 0, rng.random(n - 2)] for _ in range(2))
    ends = ("own", "any", "open", 1, (0, 1))
    fleet = tuple(
        Vehicle(start=k % 2, end=end, capacity=9.0 if k else math.inf, max_length=6.0 if k < 3 else math.inf)
        for k, end in enumerate(ends)
    )
    problem = Problem(
        n_depots=2, vehicles=fleet, demand=demand, service=service, objective=objective, **where
    )
    assert walk(problem, 1, 2500, neighbours=15) == {"exchange", "ruin_recreate"}
