"""Thousands of small problems of every kind, with every option, against the independent checker."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import problems
from worlds import worlds

from neurocross.errors import InputError
from neurocross.objective import Objective
from neurocross.problem import Problem
from neurocross.solution import Solution
from neurocross.solver import solve

ENGINE_LIMITS = (
    {"iterations": 0}, {"iterations": 1}, {"iterations": 60}, {"no_improvement": 40}, {"time": 0.0},
    {"time": 0.002}, {"iterations": 60, "target": 3.0},
)  # fmt: skip
ALGORITHM_1_LIMITS = (
    {"perturbations": 0}, {"perturbations": 3}, {"iterations": 20}, {"time": 0.0}, {"time": 0.002},
    {"perturbations": 2, "samples": 2}, {"perturbations": 2, "accept": "better", "select": "max-min"},
)  # fmt: skip


@st.composite
def starts(draw: st.DrawFn, problem: Problem) -> Solution | None:
    """Nothing, or a plan that may leave cities out and exceed every limit."""
    if draw(st.booleans()):
        return None
    tours: list[list[int]] = [[] for _ in problem.vehicles]
    for city in draw(st.permutations(list(problem.cities))):
        if (vehicle := draw(st.integers(-1, problem.n_vehicles - 1))) >= 0:
            tours[vehicle].append(city)
    return Solution(problem, tours)


def sound(problem: Problem, **options: Any) -> None:
    """What holds of every answer."""
    result = solve(problem, **options)
    assert result.feasible == (not result.solution.check() and not problem.infeasibilities())
    assert sorted(city for tour in result.solution.tours for city in tour) == list(problem.cities)
    assert result.feasible or result.violations
    values = [value for _, _, value in result.trace]
    if result.feasible:
        assert result.lower_bound <= result.cost * (1 + 1e-9) + 1e-9
        assert math.isclose(values[-1], result.cost, rel_tol=1e-9, abs_tol=1e-9)
    json.dumps(result.to_dict(), allow_nan=False)


@given(st.one_of(problems(max_cities=9), worlds(max_cities=9)), st.data())
@settings(max_examples=1500)
def test_the_engine_is_sound_on_problems_of_every_kind(problem: Problem, data: st.DataObject) -> None:
    sound(
        problem.with_(objective=data.draw(st.sampled_from([*Objective]))),
        seed=data.draw(st.integers(0, 2**40)),
        start=data.draw(starts(problem)),
        threads=data.draw(st.integers(1, 3)),
        **data.draw(st.sampled_from(ENGINE_LIMITS)),
    )


@given(st.one_of(problems(max_cities=7), worlds(max_cities=7)), st.data())
@settings(max_examples=600)
def test_algorithm_1_is_sound_on_problems_of_every_kind(problem: Problem, data: st.DataObject) -> None:
    sound(
        problem.with_(objective=data.draw(st.sampled_from([*Objective]))),
        method=data.draw(st.sampled_from(["ce", "ce-brute"])),
        seed=data.draw(st.integers(0, 2**40)),
        start=data.draw(starts(problem)),
        **data.draw(st.sampled_from(ALGORITHM_1_LIMITS)),
    )


@given(worlds(max_cities=7), st.data())
@settings(max_examples=200)
def test_the_learned_operator_is_sound_or_says_what_it_cannot_see(
    problem: Problem, data: st.DataObject
) -> None:
    problem = problem.with_(objective=data.draw(st.sampled_from([*Objective])))
    method = data.draw(
        st.sampled_from([{"method": "nce", "perturbations": 1}, {"learned": True, "iterations": 50}])
    )
    if problem.plane is None or not all(problem.ends_of(k) for k in range(problem.n_vehicles)):
        with pytest.raises(InputError, match=r"only a matrix|open route"):
            solve(problem, **method)
    else:
        sound(problem, seed=1, start=data.draw(starts(problem)), **method)
