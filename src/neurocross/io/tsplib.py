"""TSPLIB and VRPLIB files: TSP, ATSP and CVRP, coordinates or a matrix in any of its formats."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from neurocross.errors import InputError
from neurocross.io.options import ReadOptions, options_with_fleet
from neurocross.io.sheet import Sheet, amounts_of, depots_first, in_order, problem_of
from neurocross.io.text import Line, plain, shown
from neurocross.problem import FloatArray, Problem

METRICS = {
    "EUC_2D": ("euclidean", "none"),
    "CEIL_2D": ("euclidean", "ceil"),
    "MAN_2D": ("manhattan", "none"),
    "ATT": ("att", "none"),
    "GEO": ("geo", "none"),
}
"""EDGE_WEIGHT_TYPE to metric and rounding."""

TRIANGLES = {
    "UPPER_ROW": (False, 1),
    "UPPER_DIAG_ROW": (False, 0),
    "LOWER_COL": (False, 1),
    "LOWER_DIAG_COL": (False, 0),
    "LOWER_ROW": (True, 1),
    "LOWER_DIAG_ROW": (True, 0),
    "UPPER_COL": (True, 1),
    "UPPER_DIAG_COL": (True, 0),
}
"""EDGE_WEIGHT_FORMAT to (lower triangle by rows, diagonal left out); columns are rows of the other half."""

HEADER = (
    "NAME",
    "TYPE",
    "COMMENT",
    "DIMENSION",
    "EDGE_WEIGHT_TYPE",
    "EDGE_WEIGHT_FORMAT",
    "NODE_COORD_TYPE",
    "DISPLAY_DATA_TYPE",
    "CAPACITY",
    "DISTANCE",
    "SERVICE_TIME",
    "VEHICLES",
)
SECTIONS = (
    "NODE_COORD_SECTION",
    "EDGE_WEIGHT_SECTION",
    "DISPLAY_DATA_SECTION",
    "DEMAND_SECTION",
    "SERVICE_TIME_SECTION",
    "DEPOT_SECTION",
)

_KEYWORD = re.compile(r"\s*(?!nan\b|inf(?:inity)?\b)([a-z]\w*)\s*:?\s*(.*?)\s*$", re.IGNORECASE)


def parse(text: str, source: str, options: ReadOptions) -> Problem:
    """The problem in a TSPLIB or VRPLIB text; node 1 is the depot where no section says otherwise."""
    return problem_of(_sheet(_scan(text, source)), options)


def looks_like(text: str) -> bool:
    """Whether a text begins as such files do."""
    first = _KEYWORD.match(text.lstrip().partition("\n")[0])
    return first is not None and first[1].upper() in HEADER + SECTIONS


@dataclass
class _File:
    """Header lines and sections as they stand."""

    source: str
    header: dict[str, Line] = field(default_factory=dict)
    """Keyword to a line whose words are the value's."""
    sections: dict[str, list[Line]] = field(default_factory=dict)
    """Keyword to its line and the lines below."""

    def word(self, keyword: str) -> str:
        """A keyword's value, empty where it is not given."""
        return " ".join(self.header[keyword].words) if keyword in self.header else ""

    def number(self, keyword: str, default: float) -> float:
        """A keyword's value as a number of at least 0."""
        if keyword not in self.header:
            return default
        self._one_word(keyword)
        return self.header[keyword].real(0, keyword, least=0)

    def whole(self, keyword: str) -> int:
        """A keyword's value as a whole number of at least 1."""
        self._one_word(keyword)
        return self.header[keyword].whole(0, keyword, least=1)

    def _one_word(self, keyword: str) -> None:
        if len(self.header[keyword].words) != 1:
            raise self.header[keyword].fail(
                f"{keyword} must be one number, not '{shown(self.word(keyword))}'"
            )

    def rows(self, section: str) -> list[Line]:
        """The data lines of a section."""
        return self.sections[section][1:]

    def fail(self, message: str, keyword: str = "") -> InputError:
        """An error about a keyword's line, or about the file."""
        line = self.header.get(keyword) or self.sections.get(keyword, [None])[0]
        return line.fail(message) if line else InputError(f"{self.source}: {message}")


def _scan(text: str, source: str) -> _File:
    file, section = _File(source), None
    for number, content in enumerate(text.splitlines(), start=1):
        keyword = _KEYWORD.match(content)
        line = Line(source, number, (keyword[2] if keyword else content).split())
        if keyword is None:
            if line.words and section is None:
                raise line.fail(f"expected a keyword such as DIMENSION, found '{shown(content)}'")
            if line.words and section is not None:
                section.append(line)
            continue
        name = keyword[1].upper()
        if name == "EOF":
            break
        if name in file.sections or (name in file.header and name != "COMMENT"):
            raise line.fail(f"{name} is given twice")
        if name in SECTIONS:
            section = file.sections[name] = [line]
        elif name in HEADER:
            file.header[name], section = line, None
        else:
            raise line.fail(f"keyword '{shown(keyword[1])}' is not supported")
    return file


def _sheet(file: _File) -> Sheet:
    type_ = _type(file)
    ids, coords, matrix = _nodes(file)
    index = {node: k for k, node in enumerate(ids)}
    depots = _depots(file, index)
    demand, service = _by_node(file, "DEMAND_SECTION", index, depots), _service(file, index, depots)
    order = depots_first([k in depots for k in range(len(ids))])
    metric, rounding = METRICS.get(file.word("EDGE_WEIGHT_TYPE"), ("matrix", "none"))
    vehicles = file.whole("VEHICLES") if "VEHICLES" in file.header else None
    return Sheet(
        source=file.source,
        n_depots=len(depots),
        coords=None if coords is None else coords[order],
        matrix=None if matrix is None else matrix[np.ix_(order, order)],
        metric=metric,
        rounding="nearest" if type_ == "CVRP" else rounding,
        demand=in_order(demand, order),
        service=in_order(service, order),
        ids=tuple(str(ids[k]) for k in order),
        name=file.word("NAME"),
        kind=_kind(type_, len(depots), vehicles or 1),
        fleet_hint=vehicles,
        capacity=file.number("CAPACITY", math.inf),
        max_length=file.number("DISTANCE", math.inf),
    )


def _type(file: _File) -> str:
    if not file.word("TYPE"):
        raise file.fail("has no TYPE, give TSP, ATSP or CVRP", "TYPE")
    type_ = file.word("TYPE").upper()
    if type_ not in ("TSP", "ATSP", "CVRP"):
        raise file.fail(f"TYPE {shown(type_)} is not supported, use TSP, ATSP or CVRP", "TYPE")
    return type_


def _kind(type_: str, n_depots: int, vehicles: int) -> str | None:
    """The problem a file's TYPE names, unless its depots or vehicles say that it is another."""
    if type_ == "CVRP":
        return "cvrp"
    return "tsp" if n_depots == 1 and vehicles == 1 else None


def _dimension(file: _File) -> int:
    if "DIMENSION" not in file.header:
        raise file.fail("has no DIMENSION, the number of nodes")
    return file.whole("DIMENSION")


def _nodes(file: _File) -> tuple[list[int], FloatArray | None, FloatArray | None]:
    """Node numbers, coordinates and matrix; one of the two may be missing."""
    n, type_ = _dimension(file), file.word("EDGE_WEIGHT_TYPE")
    if file.word("NODE_COORD_TYPE") not in ("", "TWOD_COORDS", "NO_COORDS"):
        raise file.fail("only TWOD_COORDS are supported", "NODE_COORD_TYPE")
    if type_ in METRICS:
        ids, coords = _coords(file, "NODE_COORD_SECTION", n)
        if "EDGE_WEIGHT_SECTION" in file.sections:
            raise file.fail(
                f"a matrix contradicts {type_}, use EDGE_WEIGHT_TYPE EXPLICIT", "EDGE_WEIGHT_SECTION"
            )
        return ids, coords, None
    if type_ != "EXPLICIT":
        known = ", ".join([*METRICS, "EXPLICIT"])
        what = f"EDGE_WEIGHT_TYPE {shown(type_)} is not supported" if type_ else "has no EDGE_WEIGHT_TYPE"
        raise file.fail(f"{what}, use one of {known}", "EDGE_WEIGHT_TYPE")
    matrix, numbers = _matrix(file, n), list(range(1, n + 1))
    for section in ("NODE_COORD_SECTION", "DISPLAY_DATA_SECTION"):
        if section in file.sections:
            ids, coords = _coords(file, section, n)
            if sorted(ids) != numbers:
                raise file.fail(f"beside a matrix the nodes must be numbered 1 to {n}", section)
            return numbers, coords[np.argsort(ids)], matrix
    return numbers, None, matrix


def _coords(file: _File, section: str, n: int) -> tuple[list[int], FloatArray]:
    if section not in file.sections:
        raise file.fail(f"has no {section}")
    points: dict[int, tuple[float, float]] = {}
    for line in file.rows(section):
        line.expect(3, "node x y")
        node = line.whole(0, "the node's number")
        if node in points:
            raise line.fail(f"node {node} is given twice")
        if len(points) == n:
            raise line.fail(f"there are more nodes than DIMENSION says ({n})")
        points[node] = (line.real(1, "x"), line.real(2, "y"))
    if len(points) < n:
        last = file.sections[section][-1]
        raise last.fail(f"{section} ends after {len(points)} nodes, DIMENSION says {n}")
    return list(points), np.array(list(points.values()), float)


def _matrix(file: _File, n: int) -> FloatArray:
    if "EDGE_WEIGHT_SECTION" not in file.sections:
        raise file.fail("has no EDGE_WEIGHT_SECTION, which EXPLICIT needs")
    form = file.word("EDGE_WEIGHT_FORMAT")
    matrix = np.zeros((n, n))
    if form == "FULL_MATRIX":
        matrix[:] = np.reshape(_weights(file, n * n), (n, n))
    elif form in TRIANGLES:
        lower, skipped = TRIANGLES[form]
        rows, columns = np.tril_indices(n, -skipped) if lower else np.triu_indices(n, skipped)
        matrix[rows, columns] = matrix[columns, rows] = _weights(file, len(rows))
    else:
        known = ", ".join(["FULL_MATRIX", *TRIANGLES])
        what = f"EDGE_WEIGHT_FORMAT {shown(form)} is not supported" if form else "has no EDGE_WEIGHT_FORMAT"
        raise file.fail(f"{what}, use one of {known}", "EDGE_WEIGHT_FORMAT")
    np.fill_diagonal(matrix, 0.0)  # some files put a huge number there: nobody goes from a node to itself
    return matrix


def _weights(file: _File, count: int) -> list[float]:
    """The numbers of a matrix, which may be broken over lines anywhere."""
    form = file.word("EDGE_WEIGHT_FORMAT")
    weights: list[float] = []
    for line in file.rows("EDGE_WEIGHT_SECTION"):
        if len(weights) + len(line.words) > count:
            raise line.fail(f"the matrix has more numbers than {form} needs here ({count})")
        weights += [line.real(k, "a distance", least=0) for k in range(len(line.words))]
    if len(weights) < count:
        last = file.sections["EDGE_WEIGHT_SECTION"][-1]
        raise last.fail(f"the matrix ends after {len(weights)} numbers, {form} needs {count} here")
    return weights


def _depots(file: _File, index: dict[int, int]) -> list[int]:
    """Places of the depots among the nodes."""
    if "DEPOT_SECTION" not in file.sections:
        return [0]
    depots: list[int] = []
    ended = False
    for line in file.rows("DEPOT_SECTION"):
        for k in range(len(line.words)):
            node = line.whole(k, "a depot's number")
            if ended:
                raise line.fail("DEPOT_SECTION goes on after its end, -1")
            if node == -1:
                ended = True
            elif node not in index:
                raise line.fail(f"depot {node} is no node of this file")
            elif index[node] in depots:
                raise line.fail(f"depot {node} is given twice")
            else:
                depots.append(index[node])
    if not depots:
        raise file.fail("there is no depot, give at least one node", "DEPOT_SECTION")
    return depots


def _by_node(file: _File, section: str, index: dict[int, int], depots: list[int]) -> FloatArray | None:
    """A section of one number a node, by place; None where the file has no such section."""
    if section not in file.sections:
        return None
    what = "the demand" if section == "DEMAND_SECTION" else "the service time"
    values = np.full(len(index), math.nan)
    for line in file.rows(section):
        line.expect(2, "node value")
        node = line.whole(0, "the node's number")
        if node not in index:
            raise line.fail(f"node {node} is no node of this file")
        if not math.isnan(values[index[node]]):
            raise line.fail(f"{what} of node {node} is given twice")
        value = values[index[node]] = line.real(1, what, least=0)
        if value and index[node] in depots:
            raise line.fail(f"{what} of depot {node} must be 0, not {value:g}")
    for node, k in index.items():
        if math.isnan(values[k]):
            raise file.fail(f"{section} lacks node {node}", section)
    return values


def _service(file: _File, index: dict[int, int], depots: list[int]) -> FloatArray | None:
    by_node = _by_node(file, "SERVICE_TIME_SECTION", index, depots)
    if by_node is not None or "SERVICE_TIME" not in file.header:
        return by_node
    service = np.full(len(index), file.number("SERVICE_TIME", 0.0))
    service[depots] = 0.0
    return service


# -- writing ------------------------------------------------------------------------------------


def ids_in(problem: Problem) -> tuple[str, ...]:
    """What such a file calls the nodes: numbers from 1."""
    return tuple(str(node + 1) for node in range(problem.n_nodes))


def format_problem(problem: Problem) -> str:
    """A problem as a TSPLIB file; the comment says with which options it is the same problem again."""
    return "\n".join([*_header(problem), *_body(problem), "EOF", ""])


def _header(problem: Problem) -> Iterator[str]:
    vehicle = problem.vehicles[0]
    yield f"NAME : {' '.join(problem.name.split()) or 'problem'}"
    yield f"COMMENT : read with {options_with_fleet(problem, ids_in(problem))}"
    yield f"TYPE : {_type_of(problem)}"
    yield f"DIMENSION : {problem.n_nodes}"
    yield f"EDGE_WEIGHT_TYPE : {_weight_type(problem)}"
    if problem.matrix is not None:
        yield "EDGE_WEIGHT_FORMAT : FULL_MATRIX"
    if math.isfinite(vehicle.capacity):
        yield f"CAPACITY : {plain(vehicle.capacity)}"
    if math.isfinite(vehicle.max_length):
        yield f"DISTANCE : {plain(vehicle.max_length)}"
    if problem.fleet_is_bounded and problem.n_vehicles > 1:
        yield f"VEHICLES : {problem.n_vehicles}"


def _type_of(problem: Problem) -> str:
    if "demand" in amounts_of(problem):
        return "CVRP"
    asymmetric = problem.matrix is not None and (problem.matrix != problem.matrix.T).any()
    return "ATSP" if asymmetric else "TSP"


def _weight_type(problem: Problem) -> str:
    if problem.matrix is not None:
        return "EXPLICIT"
    if problem.metric == "euclidean":
        return "CEIL_2D" if problem.rounding == "ceil" else "EUC_2D"
    for word, (metric, _) in METRICS.items():
        if metric == problem.metric:
            return word
    raise InputError(f"TSPLIB files know no metric {problem.metric}: use .json or .csv")


def _body(problem: Problem) -> Iterator[str]:
    if problem.coords is not None:
        yield "NODE_COORD_SECTION"
        yield from (f"{k} {plain(x)} {plain(y)}" for k, (x, y) in enumerate(problem.coords.tolist(), start=1))
    if problem.matrix is not None:
        yield "EDGE_WEIGHT_SECTION"
        yield from (" ".join(str(plain(d)) for d in row) for row in problem.matrix.tolist())
    for name, values in amounts_of(problem).items():
        yield "DEMAND_SECTION" if name == "demand" else "SERVICE_TIME_SECTION"
        yield from (f"{k} {plain(value)}" for k, value in enumerate(values, start=1))
    yield "DEPOT_SECTION"
    yield from (str(depot + 1) for depot in range(problem.n_depots))
    yield "-1"
