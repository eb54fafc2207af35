"""CSV: stops of a problem, one a line, and the stops of a plan, one a line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

import numpy as np

from neurocross.errors import InputError
from neurocross.io.options import ReadOptions
from neurocross.io.sheet import Sheet, amounts_of, depots_first, problem_of
from neurocross.io.stops import nodes_by_id, solution_of, stops_of
from neurocross.io.text import Line, plain, shown
from neurocross.problem import Problem
from neurocross.solution import Solution

PLANE, GLOBE = ("x", "y"), ("lat", "lon")
OPTIONAL = ("demand", "service", "name")
PLAN = ("vehicle", "sequence", "id", "name", "kind", "arrival")
HEADER_WANTED = "the first line must name the columns: id,kind,x,y or id,kind,lat,lon[,demand,service,name]"


def looks_like(text: str) -> bool:
    """Whether a text begins with a header line that names nodes and their kinds."""
    return {"id", "kind"} <= _columns_of(text)


def looks_like_plan(text: str) -> bool:
    """Whether a text begins with a header line that names vehicles and nodes."""
    return {"vehicle", "id"} <= _columns_of(text)


def parse(text: str, source: str, options: ReadOptions) -> Problem:
    """The problem in a table; depots may stand anywhere in it."""
    rows = _rows(text, source)
    header = next(rows)
    columns = _columns(header)
    axes = GLOBE if "lat" in columns else PLANE
    lines = list(rows)
    for line in lines:
        line.expect(len(columns), ",".join(columns))
    kinds = [_kind(line, columns["kind"]) for line in lines]
    if "depot" not in kinds:
        raise InputError(f"{source}: there is no depot: give at least one line the kind 'depot'")
    order = depots_first([kind == "depot" for kind in kinds])
    ids = _ids(lines, columns["id"])

    def numbers(column: str) -> np.ndarray | None:
        if column not in columns:
            return None
        return np.array([_amount(lines[k], columns[column], column, kinds[k]) for k in order], float)

    return problem_of(
        Sheet(
            source=source,
            n_depots=kinds.count("depot"),
            coords=np.array([[_axis(lines[k], columns[axis], axis) for axis in axes] for k in order], float),
            metric="haversine" if axes is GLOBE else "euclidean",
            geographic=axes is GLOBE,
            demand=numbers("demand"),
            service=numbers("service"),
            ids=tuple(ids[k] for k in order),
            names=tuple(lines[k].words[columns["name"]] for k in order) if "name" in columns else (),
        ),
        options,
    )


def _columns_of(text: str) -> set[str]:
    first = text.lstrip().partition("\n")[0]
    return {cell.strip().strip('"').lower() for cell in first.replace(";", ",").split(",")}


def _rows(text: str, source: str) -> Iterator[Line]:
    """Lines that are not blank, cut into cells without the white space around them."""
    first = text.lstrip().partition("\n")[0]
    reader = csv.reader(io.StringIO(text), delimiter=";" if ";" in first else ",", strict=True)
    at = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield Line(source, at, [cell.strip() for cell in cells])
            at = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"{source}:{at}: is not valid CSV: {error}") from None


def _columns(header: Line) -> dict[str, int]:
    """Where each column stands."""
    names = [cell.lower() for cell in header.words]
    if not {"id", "kind"} & set(names):
        raise header.fail(HEADER_WANTED)
    known = ("id", "kind", *PLANE, *GLOBE, *OPTIONAL)
    for name in names:
        if name not in known:
            raise header.fail(f"column '{shown(name)}' is unknown; known are {', '.join(known)}")
        if names.count(name) > 1:
            raise header.fail(f"column '{name}' is given twice")
    for name in ("id", "kind"):
        if name not in names:
            raise header.fail(f"column '{name}' is missing; {HEADER_WANTED}")
    if set(names) & {*PLANE, *GLOBE} not in (set(PLANE), set(GLOBE)):
        raise header.fail("give the columns x and y, or lat and lon")
    return {name: k for k, name in enumerate(names)}


def _kind(line: Line, column: int) -> str:
    kind = line.words[column].lower()
    if kind not in ("depot", "city"):
        raise line.fail(f"kind must be depot or city, not '{shown(kind)}'")
    return kind


def _ids(lines: list[Line], column: int) -> list[str]:
    ids: dict[str, None] = {}
    for line in lines:
        name = line.words[column]
        if not name:
            raise line.fail("the id is empty")
        if name in ids:
            raise line.fail(f"id '{shown(name)}' is given twice")
        ids[name] = None
    return list(ids)


def _axis(line: Line, column: int, axis: str) -> float:
    value = line.real(column, axis)
    limit = {"lat": 90.0, "lon": 360.0}.get(axis)
    if limit is not None and abs(value) > limit:
        raise line.fail(f"{axis} must be between {-limit:g} and {limit:g} degrees, not {value:g}")
    return value


def _amount(line: Line, column: int, what: str, kind: str) -> float:
    value = line.real(column, what, least=0) if line.words[column] else 0.0
    if value and kind == "depot":
        raise line.fail(f"{what} of a depot must be 0, not {value:g}")
    return value


def format_problem(problem: Problem) -> str:
    """The nodes of a problem as a table; its vehicles and rules have no place there."""
    if problem.matrix is not None or problem.coords is None:
        raise InputError("a CSV holds coordinates, this problem has a matrix: use .json")
    columns: dict[str, Sequence[object]] = {
        "id": problem.ids,
        "kind": ["depot"] * problem.n_depots + ["city"] * problem.n_cities,
    }
    axes = GLOBE if problem.geographic else PLANE
    columns |= {axis: [plain(v) for v in problem.coords[:, k].tolist()] for k, axis in enumerate(axes)}
    for name, values in amounts_of(problem).items():
        columns[name] = [plain(value) for value in values]
    if any(problem.names):
        columns["name"] = problem.names
    return _text([tuple(columns), *zip(*columns.values(), strict=True)])


def _text(rows: Sequence[Sequence[object]]) -> str:
    return "".join(",".join(map(_cell, row)) + "\n" for row in rows)


def _cell(value: object) -> str:
    """A value in quotes where it must be; also with a semicolon, which is the delimiter elsewhere."""
    text = str(value)
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',;"') else text


# -- plans --------------------------------------------------------------------------------------


def format_solution(solution: Solution) -> str:
    """A plan, one line a stop; vehicles count from 1, stop 0 is the start, arrival is the length so far."""
    problem = solution.problem
    rows: list[Sequence[object]] = [PLAN]
    for route in solution.routes:
        for stop in stops_of(solution, route):
            node, kind = stop.node, "depot" if stop.node < problem.n_depots else "city"
            rows.append(
                (
                    stop.vehicle + 1,
                    stop.sequence,
                    problem.ids[node],
                    problem.names[node],
                    kind,
                    plain(stop.arrival),
                )
            )
    return _text(rows)


def parse_solution(text: str, source: str, problem: Problem) -> Solution:
    """The plan in such a table: its cities in the order of `sequence`; the rest is not looked at."""
    rows = _rows(text, source)
    header = next(rows)
    names = [cell.lower() for cell in header.words]
    for name in names:
        if name not in PLAN:
            raise header.fail(f"column '{shown(name)}' is unknown; known are {', '.join(PLAN)}")
    for name in ("vehicle", "sequence", "id", "kind"):
        if names.count(name) != 1:
            raise header.fail(f"column '{name}' must be given once; known are {', '.join(PLAN)}")
    at, nodes = {name: k for k, name in enumerate(names)}, nodes_by_id(problem)
    visits: dict[tuple[int, int], int] = {}
    for line in rows:
        line.expect(len(names), ",".join(names))
        vehicle = line.whole(at["vehicle"], "the vehicle", least=1)
        sequence = line.whole(at["sequence"], "the sequence", least=0)
        node = line.words[at["id"]]
        if vehicle > problem.n_vehicles:
            raise line.fail(f"vehicle {vehicle} does not exist: the problem has {problem.n_vehicles}")
        if node not in nodes:
            raise line.fail(f"node '{shown(node)}' is not in the problem")
        if _kind(line, at["kind"]) == "city":
            if (vehicle - 1, sequence) in visits:
                raise line.fail(f"vehicle {vehicle} has two stops of sequence {sequence}")
            visits[vehicle - 1, sequence] = nodes[node]
    tours: dict[int, list[int]] = {}
    for (k, _), city in sorted(visits.items()):
        tours.setdefault(k, []).append(city)
    return solution_of(problem, tours)
