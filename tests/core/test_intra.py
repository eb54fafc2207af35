"""2-opt and or-opt inside a route: never worse, and no neighbour of the answer is better."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from strategies import Pair, pairs

from neurocross import _core
from neurocross.problem import Problem
from neurocross.solution import checked_length

TOLERANCE = 1e-9


def reversals(tour: list[int]) -> Iterator[list[int]]:
    for i in range(len(tour)):
        for j in range(i + 2, len(tour) + 1):
            yield tour[:i] + tour[i:j][::-1] + tour[j:]


def moves(tour: list[int]) -> Iterator[list[int]]:
    for i in range(len(tour)):
        for j in range(i + 1, min(i + 3, len(tour)) + 1):
            segment, rest = tour[i:j], tour[:i] + tour[j:]
            for k in range(len(rest) + 1):
                yield rest[:k] + segment + rest[k:]
                yield rest[:k] + segment[::-1] + rest[k:]


def assert_local_optimum(problem: Problem, before: np.ndarray, after: np.ndarray, *neighbourhoods) -> None:
    tour = after.tolist()
    length = checked_length(problem, 0, tour)
    assert sorted(tour) == sorted(before.tolist())
    assert length <= checked_length(problem, 0, before.tolist()) + TOLERANCE
    for neighbours in neighbourhoods:
        for other in neighbours(tour):
            # a single reversed city is a move of or-opt only where the segment keeps its place
            assert checked_length(problem, 0, other) >= length - 2 * TOLERANCE


@given(pairs(max_cities=9, limits=False))
def test_two_opt_leaves_no_reversal_that_shortens_the_route(pair: Pair) -> None:
    after = _core.two_opt(pair.problem.core, 0, pair.t1, TOLERANCE)
    assert_local_optimum(pair.problem, pair.t1, after, reversals)


@given(pairs(max_cities=9, limits=False))
def test_or_opt_leaves_no_moved_segment_that_shortens_the_route(pair: Pair) -> None:
    def elsewhere(tour: list[int]) -> Iterator[list[int]]:
        in_place = [
            tour[:i] + tour[i:j][::-1] + tour[j:] for i in range(len(tour)) for j in range(i + 2, i + 4)
        ]
        return (other for other in moves(tour) if other not in in_place)

    after = _core.or_opt(pair.problem.core, 0, pair.t1, TOLERANCE)
    assert_local_optimum(pair.problem, pair.t1, after, elsewhere)


@given(pairs(max_cities=9, limits=False))
def test_both_together_leave_neither(pair: Pair) -> None:
    after = _core.two_opt_and_or_opt(pair.problem.core, 0, pair.t1, TOLERANCE)
    assert_local_optimum(pair.problem, pair.t1, after, reversals, moves)


def test_a_crossing_is_undone() -> None:
    problem = Problem.tsp([[0, 0], [1, 1], [1, 0], [0, 1]])
    after = _core.two_opt(problem.core, 0, np.array([1, 2, 3], np.int32), TOLERANCE)
    assert problem.core.length(0, after) == pytest.approx(4.0)


@given(pairs(max_cities=9, limits=False))
def test_nearest_neighbour_always_goes_to_the_nearest_city_left(pair: Pair) -> None:
    core, at = pair.problem.core, pair.problem.vehicles[0].start
    order = _core.nearest_neighbour(core, 0, pair.t1).tolist()
    assert sorted(order) == sorted(pair.t1.tolist())
    for k, city in enumerate(order):
        assert core.arc(at, city) == min(core.arc(at, other) for other in order[k:])
        at = city
