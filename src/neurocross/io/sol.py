"""Plans as VRPLIB's `.sol` files have them: `Route #k:` and customers counted from 1."""

from __future__ import annotations

import re

from neurocross.io.stops import solution_of
from neurocross.io.text import Line, lines_of, plain, shown
from neurocross.problem import Problem
from neurocross.solution import Solution

_ROUTE = re.compile(r"route\s*#\s*(\d{1,9})\s*:(.*)", re.IGNORECASE)
_VALUE = re.compile(r"(cost|makespan)\s*:?\s", re.IGNORECASE)


def looks_like(text: str) -> bool:
    """Whether a text begins with a route, or with what a plan costs."""
    first = text.lstrip().partition("\n")[0] + " "
    return bool(_ROUTE.match(first) or _VALUE.match(first))


def format_solution(solution: Solution) -> str:
    """A plan as a `.sol` file.

    Route #k is vehicle k's: an unused vehicle is left out and keeps its number. `Cost` is the length of all
    routes, as everywhere in VRPLIB; `Makespan` is the longest one's.
    """
    first = solution.problem.n_depots - 1
    routes = (
        f"Route #{route.vehicle + 1}: {' '.join(str(city - first) for city in route.cities)}\n"
        for route in solution.routes
        if route.cities
    )
    return "".join([*routes, f"Cost: {plain(solution.total)}\n", f"Makespan: {plain(solution.makespan)}\n"])


def parse_solution(text: str, source: str, problem: Problem) -> Solution:
    """The plan in a `.sol` text; its cost is measured anew."""
    tours: dict[int, list[int]] = {}
    for line in lines_of(text, source):
        sentence = " ".join(line.words) + " "
        if route := _ROUTE.match(sentence):
            vehicle = int(route[1]) - 1
            if not 0 <= vehicle < problem.n_vehicles:
                raise line.fail(
                    f"route {route[1]} has no vehicle: the problem has vehicles 1 to {problem.n_vehicles}"
                )
            if vehicle in tours:
                raise line.fail(f"route {route[1]} is given twice")
            tours[vehicle] = _cities(Line(source, line.number, route[2].split()), problem)
        elif not _VALUE.match(sentence):
            raise line.fail(
                f"expected 'Route #k:', 'Cost:' or 'Makespan:', found '{shown(sentence.strip())}'"
            )
    return solution_of(problem, tours)


def _cities(line: Line, problem: Problem) -> list[int]:
    cities = []
    for k in range(len(line.words)):
        number = line.whole(k, "a customer's number", least=1)
        if number > problem.n_cities:
            raise line.fail(f"customer {number} does not exist: they are numbered 1 to {problem.n_cities}")
        cities.append(problem.n_depots + number - 1)
    return cities
