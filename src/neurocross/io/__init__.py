"""Files of problems and plans. The format is told by the content, then by the suffix; `format` overrides."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np

from neurocross.errors import InputError
from neurocross.files import StrPath
from neurocross.io import cordeau, geojson, native, sol, table, tsplib, vroom
from neurocross.io.document import parse_document
from neurocross.io.options import ReadOptions, options_of, options_with_fleet
from neurocross.io.text import BYTE_ORDER_MARK, read_text, write_text
from neurocross.problem import Problem
from neurocross.solution import Solution

__all__ = [
    "PROBLEM_FORMATS",
    "SOLUTION_FORMATS",
    "ReadOptions",
    "format_problem",
    "format_solution",
    "parse_problem",
    "parse_solution",
    "read_problem",
    "read_solution",
    "solution_format",
    "write_problem",
    "write_solution",
]


@dataclass(frozen=True)
class _Format:
    """How a format is recognised."""

    looks_like: Callable[[str], bool] = lambda text: False
    """Whether a text that is no JSON begins as this format does."""
    keys: tuple[str, ...] = ()
    """A JSON document with one of these keys is in this format."""
    suffixes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class _ProblemFormat(_Format):
    parse: Callable[[str, str, ReadOptions], Problem]
    format: Callable[[Problem], str]
    ids: Callable[[Problem], tuple[str, ...]] = lambda problem: problem.ids
    """What a written file calls the nodes."""
    lists_vehicles: bool
    """Whether a file says all about its vehicles."""


@dataclass(frozen=True, kw_only=True)
class _SolutionFormat(_Format):
    parse: Callable[[str, str, Problem], Solution]
    format: Callable[[Solution], str]


_PROBLEMS = {
    "json": _ProblemFormat(
        parse=native.parse,
        format=native.format_problem,
        lists_vehicles=True,
        keys=("neurocross",),
        suffixes=(".json",),
    ),
    "vroom": _ProblemFormat(
        parse=vroom.parse,
        format=vroom.format_problem,
        ids=vroom.ids_in,
        lists_vehicles=True,
        keys=("jobs", "shipments"),
    ),
    "csv": _ProblemFormat(
        parse=table.parse,
        format=table.format_problem,
        lists_vehicles=False,
        looks_like=table.looks_like,
        suffixes=(".csv",),
    ),
    "tsplib": _ProblemFormat(
        parse=tsplib.parse,
        format=tsplib.format_problem,
        ids=tsplib.ids_in,
        lists_vehicles=False,
        looks_like=tsplib.looks_like,
        suffixes=(".tsp", ".atsp", ".vrp"),
    ),
    "cordeau": _ProblemFormat(
        parse=cordeau.parse_cordeau,
        format=cordeau.format_cordeau,
        ids=cordeau.cordeau_ids,
        lists_vehicles=True,
        looks_like=cordeau.looks_like_cordeau,
    ),
    "wang2015": _ProblemFormat(
        parse=cordeau.parse_wang2015,
        format=cordeau.format_wang2015,
        ids=cordeau.wang2015_ids,
        lists_vehicles=True,
        looks_like=cordeau.looks_like_wang2015,
    ),
}
_SOLUTIONS = {
    "sol": _SolutionFormat(
        parse=sol.parse_solution,
        format=sol.format_solution,
        looks_like=sol.looks_like,
        suffixes=(".sol",),
    ),
    "json": _SolutionFormat(
        parse=native.parse_solution,
        format=native.format_solution,
        keys=("neurocross", "makespan"),
        suffixes=(".json",),
    ),
    "csv": _SolutionFormat(
        parse=table.parse_solution,
        format=table.format_solution,
        looks_like=table.looks_like_plan,
        suffixes=(".csv",),
    ),
    "geojson": _SolutionFormat(
        parse=geojson.parse_solution,
        format=geojson.format_solution,
        keys=("features",),
        suffixes=(".geojson",),
    ),
    "vroom": _SolutionFormat(
        parse=vroom.parse_solution,
        format=vroom.format_solution,
        keys=("code", "summary", "unassigned"),
    ),
}

PROBLEM_FORMATS = tuple(_PROBLEMS)
SOLUTION_FORMATS = tuple(_SOLUTIONS)

_AS_WRITTEN = ReadOptions()


def read_problem(path: StrPath, *, format: str | None = None, options: ReadOptions = _AS_WRITTEN) -> Problem:
    """The problem in a file, with what `options` add to it."""
    return parse_problem(read_text(path), format, os.fspath(path), options)


def parse_problem(
    text: str, format: str | None = None, source_name: str = "input", options: ReadOptions = _AS_WRITTEN
) -> Problem:
    """The problem in a text; errors call it `source_name`."""
    text = text.removeprefix(BYTE_ORDER_MARK)
    return _PROBLEMS[_format_of(text, source_name, format, _PROBLEMS)].parse(text, source_name, options)


def write_problem(problem: Problem, path: StrPath, *, format: str | None = None) -> ReadOptions:
    """Write a problem to a file that is replaced as a whole.

    Returns the options with which `read_problem` gives the same problem again; our JSON needs none.
    """
    chosen = _format_for(path, format, _PROBLEMS)
    text = format_problem(problem, chosen)
    write_text(path, text)
    return _options_for(problem, chosen)


def format_problem(problem: Problem, format: str) -> str:
    """A problem as text; refused where the format has no place for some of it."""
    chosen = _PROBLEMS[_known(format, _PROBLEMS)]
    text = chosen.format(problem)
    try:
        again = chosen.parse(text, format, _options_for(problem, format))
        lost = _differences(problem, again, chosen.ids(problem))
    except InputError as error:
        raise InputError(f"format {format} cannot hold this problem: {error}") from None
    if lost:
        raise InputError(f"format {format} cannot hold this problem: its {', '.join(lost)} would change")
    return text


def read_solution(path: StrPath, problem: Problem, *, format: str | None = None) -> Solution:
    """The plan for `problem` in a file; whether it is feasible is another question."""
    return parse_solution(read_text(path), problem, format, os.fspath(path))


def parse_solution(
    text: str, problem: Problem, format: str | None = None, source_name: str = "input"
) -> Solution:
    """The plan for `problem` in a text; errors call it `source_name`."""
    text = text.removeprefix(BYTE_ORDER_MARK)
    return _SOLUTIONS[_format_of(text, source_name, format, _SOLUTIONS)].parse(text, source_name, problem)


def write_solution(solution: Solution, path: StrPath, *, format: str | None = None) -> None:
    """Write a plan to a file that is replaced as a whole."""
    write_text(path, format_solution(solution, solution_format(path, format)))


def solution_format(path: StrPath, format: str | None = None) -> str:
    """The format `write_solution` would choose: ask before a long search, not after."""
    return _format_for(path, format, _SOLUTIONS)


def format_solution(solution: Solution, format: str) -> str:
    """A plan as text."""
    return _SOLUTIONS[_known(format, _SOLUTIONS)].format(solution)


# -- which format -------------------------------------------------------------------------------


def _format_of(text: str, source: str, given: str | None, formats: Mapping[str, _Format]) -> str:
    if not text.strip():
        raise InputError(f"{source}: is empty")
    if given is not None:
        return _known(given, formats)
    chosen = _by_content(text, source, formats) or _by_suffix(source, formats)
    if chosen is None:
        raise InputError(f"{source}: its format is not recognised: give --format {'|'.join(formats)}")
    return chosen


def _by_content(text: str, source: str, formats: Mapping[str, _Format]) -> str | None:
    if text.lstrip()[0] in "{[":
        keys = parse_document(text, source).members().keys()
        return next((name for name, format in formats.items() if keys & set(format.keys)), None)
    return next((name for name, format in formats.items() if format.looks_like(text)), None)


def _by_suffix(path: StrPath, formats: Mapping[str, _Format]) -> str | None:
    suffix = Path(path).suffix.lower()
    return next((name for name, format in formats.items() if suffix in format.suffixes), None)


def _format_for(path: StrPath, given: str | None, formats: Mapping[str, _Format]) -> str:
    chosen = given or _by_suffix(path, formats)
    if chosen is None:
        raise InputError(
            f"{os.fspath(path)}: the suffix names no format: use one of "
            f"{', '.join(suffix for f in formats.values() for suffix in f.suffixes)}"
        )
    return _known(chosen, formats)


def _known(format: str, formats: Mapping[str, _Format]) -> str:
    if format not in formats:
        raise InputError(f"--format '{format}' is unknown: use one of {', '.join(formats)}")
    return format


# -- what a format holds ------------------------------------------------------------------------


def _options_for(problem: Problem, format: str) -> ReadOptions:
    chosen = _PROBLEMS[format]
    if format == "json":
        return ReadOptions()
    return options_of(problem) if chosen.lists_vehicles else options_with_fleet(problem, chosen.ids(problem))


def _differences(problem: Problem, again: Problem, ids: tuple[str, ...]) -> list[str]:
    """Fields that a problem and its file do not share; names do not count, ids must be as promised."""
    labels = ("names", "name") + (("kind",) if problem.kind == "general" else ())
    compared = [field.name for field in fields(Problem) if field.name not in labels]
    first, second = _unnamed(problem.with_(ids=ids)), _unnamed(again)
    return [name for name in compared if not np.array_equal(getattr(first, name), getattr(second, name))]


def _unnamed(problem: Problem) -> Problem:
    return problem.with_(vehicles=tuple(replace(vehicle, name="") for vehicle in problem.vehicles))
