"""Two plain formats of the MDVRP literature: Cordeau's own, and the one of the `wang2015` set."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from neurocross.errors import InputError
from neurocross.io.options import ReadOptions
from neurocross.io.sheet import Sheet, problem_of
from neurocross.io.text import Line, lines_of, plain
from neurocross.problem import FloatArray, Problem, Vehicle, fleet_of

TYPES = ("VRP", "PVRP", "MDVRP", "SDVRP", "VRPTW", "PVRPTW", "MDVRPTW", "SDVRPTW")
"""What the number that opens a file in Cordeau's format means; only MDVRP is supported."""


def looks_like_cordeau(text: str) -> bool:
    """Whether a text begins as Cordeau's files do: four whole numbers, then a pair."""
    first, second = _first_two(text)
    return len(first) == 4 and all(word.isdigit() for word in first) and len(second) == 2


def looks_like_wang2015(text: str) -> bool:
    """Whether a text begins as that set's files do: a name and two whole numbers, then a depot's line."""
    first, second = _first_two(text)
    return len(first) in (3, 4) and first[1].isdigit() and first[2].isdigit() and len(second) == 4


def parse_cordeau(text: str, source: str, options: ReadOptions) -> Problem:
    """`2 m n t`; a line `D Q` for each of t depots; n customers, then the depots.

    m vehicles start at each depot; D is their longest route, Q their capacity, 0 meaning no limit. A node's
    line is `number x y service demand`; what may follow (visits in a period) means nothing in an MDVRP.
    """
    lines = list(lines_of(text, source))
    at_each, n_cities, n_depots = _cordeau_header(lines[0])
    _expect_lines(lines, 1 + n_depots + n_cities + n_depots)
    limits = [_limits(line) for line in lines[1 : 1 + n_depots]]
    nodes = lines[1 + n_depots + n_cities :] + lines[1 + n_depots : 1 + n_depots + n_cities]
    for line in nodes:
        if len(line.words) < 5:
            raise line.fail(f"expected 'number x y service demand', found {len(line.words)} values")
    return problem_of(
        Sheet(
            source=source,
            kind="mdvrp",
            n_depots=n_depots,
            coords=_points(nodes),
            service=_per_node(nodes, 3, "the service time", n_depots),
            demand=_per_node(nodes, 4, "the demand", n_depots),
            ids=_numbers(nodes),
            vehicles=tuple(
                replace(vehicle, max_length=limits[vehicle.start][0], capacity=limits[vehicle.start][1])
                for vehicle in fleet_of([at_each] * n_depots, starts=range(n_depots))
            ),
        ),
        options,
    )


def parse_wang2015(text: str, source: str, options: ReadOptions) -> Problem:
    """`name customers depots value`; depots as `number x y vehicles`; customers as `number x y anything`.

    The value in the first line is stale and the customers' last column unused: both are ignored.
    """
    lines = list(lines_of(text, source))
    head = lines[0]
    if len(head.words) not in (3, 4):
        raise head.fail("expected 'name customers depots value'")
    n_cities = head.whole(1, "the number of customers", least=0)
    n_depots = head.whole(2, "the number of depots", least=1)
    _expect_lines(lines, 1 + n_depots + n_cities)
    depots, cities = lines[1 : 1 + n_depots], lines[1 + n_depots :]
    for line in depots:
        line.expect(4, "number x y vehicles")
    for line in cities:
        if len(line.words) not in (3, 4):
            raise line.fail(f"expected 'number x y' and one unused value, found {len(line.words)} values")
    return problem_of(
        Sheet(
            source=source,
            kind="mdvrp",
            name=head.words[0],
            n_depots=n_depots,
            coords=_points(depots + cities),
            ids=(*("D" + number for number in _numbers(depots)), *_numbers(cities)),
            vehicles=fleet_of(
                [line.whole(3, "the number of vehicles", least=0) for line in depots], starts=range(n_depots)
            ),
        ),
        options,
    )


def _first_two(text: str) -> list[list[str]]:
    rows = [line.words for line, _ in zip(lines_of(text, ""), range(2), strict=False)]
    return [*rows, [], []][:2]


def _cordeau_header(line: Line) -> tuple[int, int, int]:
    """Vehicles at each depot, customers, depots."""
    line.expect(4, "2 vehicles customers depots")
    number = line.whole(0, "the type")
    if number != TYPES.index("MDVRP"):
        name = TYPES[number] if 0 <= number < len(TYPES) else str(number)
        raise line.fail(f"type {number} ({name}) is not supported, use 2 (MDVRP)")
    return (
        line.whole(1, "the number of vehicles", least=1),
        line.whole(2, "the number of customers", least=0),
        line.whole(3, "the number of depots", least=1),
    )


def _limits(line: Line) -> tuple[float, float]:
    line.expect(2, "longest-route capacity")
    longest, most = line.real(0, "the longest route", least=0), line.real(1, "the capacity", least=0)
    return longest or math.inf, most or math.inf


def _expect_lines(lines: list[Line], count: int) -> None:
    if len(lines) < count:
        raise lines[-1].fail(f"the file ends after {len(lines)} lines, its first line asks for {count}")
    if len(lines) > count:
        raise lines[count].fail(f"the file goes on after the {count} lines its first line asks for")


def _points(nodes: list[Line]) -> FloatArray:
    return np.array([(line.real(1, "x"), line.real(2, "y")) for line in nodes], float)


def _per_node(nodes: list[Line], column: int, what: str, n_depots: int) -> FloatArray:
    values = [line.real(column, what, least=0) for line in nodes]
    for line, value in zip(nodes[:n_depots], values, strict=False):
        if value:
            raise line.fail(f"{what} of a depot must be 0, not {value:g}")
    return np.array(values, float)


def _numbers(nodes: list[Line]) -> tuple[str, ...]:
    numbers: dict[int, None] = {}
    for line in nodes:
        number = line.whole(0, "the node's number")
        if number in numbers:
            raise line.fail(f"node {number} is given twice")
        numbers[number] = None
    return tuple(map(str, numbers))


# -- writing ------------------------------------------------------------------------------------


def cordeau_ids(problem: Problem) -> tuple[str, ...]:
    """What Cordeau's files call the nodes: customers from 1, the depots after them."""
    n = problem.n_cities
    return tuple(str(n + 1 + depot) for depot in range(problem.n_depots)) + tuple(map(str, range(1, n + 1)))


def wang2015_ids(problem: Problem) -> tuple[str, ...]:
    """What we call the nodes of such files, where depots and customers both count from 1."""
    return tuple(f"D{depot + 1}" for depot in range(problem.n_depots)) + tuple(
        str(city + 1) for city in range(problem.n_cities)
    )


def format_cordeau(problem: Problem) -> str:
    """A problem in Cordeau's format."""
    first = [next((v for v in problem.vehicles if v.start == d), Vehicle()) for d in range(problem.n_depots)]
    points, numbers = _plane_points(problem), cordeau_ids(problem)
    service, demand = _column(problem.service, problem), _column(problem.demand, problem)
    rows: list[Sequence[object]] = [(2, max(_at_each(problem)), problem.n_cities, problem.n_depots)]
    rows += [(_or_zero(v.max_length), _or_zero(v.capacity)) for v in first]
    rows += [
        (numbers[node], *points[node], service[node], demand[node])
        for node in (*problem.cities, *range(problem.n_depots))
    ]
    return _text(rows)


def format_wang2015(problem: Problem) -> str:
    """A problem in the format of the `wang2015` set."""
    points = _plane_points(problem)
    rows: list[Sequence[object]] = [
        ("_".join(problem.name.split()) or "problem", problem.n_cities, problem.n_depots, 0)
    ]
    rows += [(depot + 1, *points[depot], count) for depot, count in enumerate(_at_each(problem))]
    rows += [(city - problem.n_depots + 1, *points[city], 0) for city in problem.cities]
    return _text(rows)


def _plane_points(problem: Problem) -> list[list[int | float]]:
    if problem.matrix is not None or problem.coords is None or problem.metric != "euclidean":
        raise InputError(f"these files hold plane coordinates only, not metric {problem.metric}: use .json")
    return [[plain(x), plain(y)] for x, y in problem.coords.tolist()]


def _at_each(problem: Problem) -> list[int]:
    return [sum(vehicle.start == depot for vehicle in problem.vehicles) for depot in range(problem.n_depots)]


def _or_zero(limit: float) -> int | float:
    return plain(limit) if math.isfinite(limit) else 0


def _column(values: FloatArray | None, problem: Problem) -> list[int | float]:
    return [0] * problem.n_nodes if values is None else [plain(value) for value in values.tolist()]


def _text(rows: list[Sequence[object]]) -> str:
    return "".join(" ".join(map(str, row)) + "\n" for row in rows)
