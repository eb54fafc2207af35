"""Pictures of problems and plans: SVG and PNG through matplotlib, or one HTML page that needs no network.

A `_Picture` holds what is to be seen, whatever the format; `_figure` and `_page` draw it.
"""

from __future__ import annotations

import base64
import hashlib
import html
import io
import json
import math
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from neurocross.errors import InputError, MissingDependencyError
from neurocross.files import write_bytes
from neurocross.objective import Objective
from neurocross.problem import FloatArray, Problem
from neurocross.solution import Route, Solution, distance
from neurocross.units import BARE, LengthUnit, length_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SUFFIXES = (".svg", ".png", ".html")
CHART_SUFFIXES = (".svg", ".png")

# Eight colours that stay apart for every kind of colour blindness, on white and on near-black; four line
# styles then tell 32 routes apart.
LIGHT = ("#3b6ed3", "#d64e07", "#40a586", "#b23a86", "#d59a13", "#84afe5", "#4a277f", "#72251f")
DARK = ("#37a4f2", "#ed782b", "#8dc394", "#c87aaa", "#f6d667", "#a4dcee", "#776acf", "#b35c57")
DASHES: tuple[tuple[float, ...], ...] = ((), (5.0, 1.8), (1.6, 1.4), (7.0, 1.8, 1.6, 1.8))
"""On and off lengths in line widths."""


def plot_solution(
    solution: Solution, path: str | Path, *, title: str | None = None, lower_bound: float | None = None
) -> None:
    """Draw a plan into `path`, a `.svg`, `.png` or `.html` file.

    `lower_bound` (of the problem's objective) adds the proven gap to the picture.
    """
    _save(_picture(solution.problem, solution, title, lower_bound), Path(path))


def plot_problem(problem: Problem, path: str | Path, *, title: str | None = None) -> None:
    """Draw the depots and cities of a problem into `path`, a `.svg`, `.png` or `.html` file."""
    _save(_picture(problem, None, title, None), Path(path))


def plot_tradeoff(plans: Sequence[Solution], path: str | Path, *, title: str | None = None) -> None:
    """Draw the longest route against the total length of several plans of a problem, as `.svg` or `.png`."""
    heading = title or plans[0].problem.name or "Longest route against total length"
    write_chart(lambda axes: _draw_tradeoff(axes, plans), path, heading)


def write_chart(draw: Callable[[Axes], None], path: str | Path, title: str) -> None:
    """Write what `draw` puts on a pair of axes into `path`, a `.svg` or `.png` file."""
    check_path(path, CHART_SUFFIXES)

    def figure() -> Figure:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(7.2, 4.8), layout="constrained")
        axes = figure.add_subplot()
        axes.set_title(title, loc="left", weight="bold")
        axes.spines[["top", "right"]].set_visible(False)
        draw(axes)
        return figure

    write_bytes(path, _rendered(figure, title, Path(path).suffix.lower()[1:]))


# -- what is to be seen -------------------------------------------------------------------------


@dataclass(frozen=True)
class _Line:
    """One used route, ready to be drawn."""

    route: Route
    name: str
    ends: str
    """From and to which depot, where there is more than one."""
    load: str
    """Load and capacity; empty if the vehicle has no capacity."""
    stops: tuple[int, ...]
    """Start depot, cities and, unless the route is open, end depot."""
    colour: int
    dash: int
    longest: bool


@dataclass(frozen=True)
class _Picture:
    problem: Problem
    xy: FloatArray
    """(nodes, 2) positions, y upwards."""
    title: str
    facts: tuple[tuple[str, str], ...]
    """Name and value of what was measured, the objective first."""
    size: tuple[str, ...]
    """How many cities, depots, vehicles."""
    notes: tuple[str, ...]
    """What the reader must know to trust the picture."""
    lines: tuple[_Line, ...] = ()
    unit: LengthUnit = BARE
    bound: float = 0.0
    """Lower bound of the longest route; 0 if unknown."""

    def label(self, node: int) -> str:
        """What the map calls a node: its name, a depot with its id in front."""
        problem, name = self.problem, _plain(self.problem.names[node])
        named = [name] if name else []
        ids = [_plain(problem.ids[node])] if node < problem.n_depots or not name else []
        return _shortened(" ".join(dict.fromkeys(ids + named)), 32)

    @property
    def on_earth(self) -> bool:
        """Whether positions are metres; those of TSPLIB's GEO, degrees and minutes mixed, only nearly are."""
        problem = self.problem
        return bool(problem.geographic) and problem.coords is not None and problem.metric != "geo"

    @property
    def unvisited(self) -> list[int]:
        """Cities that no route visits."""
        seen = {city for line in self.lines for city in line.route.cities}
        return [city for city in self.problem.cities if city not in seen]


def _picture(
    problem: Problem, solution: Solution | None, title: str | None, lower_bound: float | None
) -> _Picture:
    notes = []
    xy = problem.plane
    if xy is None:
        xy = _estimated_positions(cast(FloatArray, problem.matrix))
        notes.append("positions estimated from the matrix")
    heading = _plain(title or problem.name or problem.kind.upper().replace("GENERAL", "Routing problem"))
    size = (_counted(problem.n_cities, "city", "cities"), _counted(problem.n_depots, "depot"))
    if solution is None:
        fleet = (_counted(problem.n_vehicles, "vehicle"),) if problem.fleet_is_bounded else ()
        return _Picture(problem, xy, heading, (), size + fleet, tuple(notes))

    lines, unit = _lines(solution), length_unit(problem, solution.lengths)
    facts = [("longest route", unit(solution.makespan)), ("total", unit(solution.total))]
    if problem.objective is Objective.MINSUM:
        facts.reverse()
    if lower_bound is not None and solution.feasible:
        gap = (solution.cost - lower_bound) / solution.cost if solution.cost else 0.0
        optimal = solution.cost <= lower_bound + problem.tolerance
        facts.append(("gap", "0 %, optimal" if optimal else f"{100 * gap:.2f} %"))
    used = _counted(len(lines), "vehicle")
    if problem.fleet_is_bounded and len(lines) < problem.n_vehicles:
        used = f"{len(lines)} of {_counted(problem.n_vehicles, 'vehicle')}"
    if not solution.feasible:
        facts.append(("plan", "not feasible"))
        more = f" (and {len(solution.violations) - 1} more)" if len(solution.violations) > 1 else ""
        notes.append(_plain(f"{solution.violations[0]}{more}"))
    bound = lower_bound if lower_bound and problem.objective is Objective.MINMAX else 0.0
    return _Picture(problem, xy, heading, tuple(facts), (*size, used), tuple(notes), lines, unit, bound)


def _lines(solution: Solution) -> tuple[_Line, ...]:
    problem, used = solution.problem, [route for route in solution.routes if route.cities]
    longest = solution.makespan - problem.tolerance
    differ = any(route.length < longest for route in used)  # else there is nothing to emphasise
    lines = []
    for rank, route in enumerate(used):
        end = () if route.end is None else (route.end,)
        ids = [_plain(problem.ids[depot]) for depot in (route.start, *end)]
        capacity = problem.vehicles[route.vehicle].capacity
        lines.append(
            _Line(
                route=route,
                name=_plain(problem.vehicle_name(route.vehicle)),
                ends=" → ".join(ids if end else [*ids, "open"]) if problem.n_depots > 1 or not end else "",
                load=f"{route.load:g}/{capacity:g}" if math.isfinite(capacity) else "",
                stops=(route.start, *route.cities, *end),
                colour=rank % len(LIGHT),
                dash=rank // len(LIGHT) % len(DASHES),
                longest=differ and route.length >= longest,
            )
        )
    return tuple(lines)


def _counted(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def _plain(text: str) -> str:
    """One line without the characters that XML forbids."""
    return re.sub("[^ -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", " ".join(text.split()))


def _estimated_positions(matrix: FloatArray) -> FloatArray:
    """Positions in the plane whose distances resemble a matrix.

    Classical multidimensional scaling of at most 500 landmarks, to which all nodes are fitted; then, as
    scaling lays nodes on top of each other when distances are equal, a few steps of stress majorisation.
    """
    n = len(matrix)
    apart = (matrix + matrix.T) / 2
    np.fill_diagonal(apart, 0.0)
    marks = np.unique(np.linspace(0, n - 1, min(n, 500)).astype(int))
    squares = apart[np.ix_(marks, marks)] ** 2
    centred = squares.mean(axis=0) + squares.mean(axis=1)[:, None] - squares - squares.mean()
    values, vectors = np.linalg.eigh(centred / 2)
    xy = np.zeros((n, 2))
    for axis, (value, vector) in enumerate(zip(values[:-3:-1], vectors.T[:-3:-1], strict=True)):
        if value > 1e-12 * values[-1]:
            # The sign of an eigenvector is arbitrary: its largest entry decides.
            scale = math.copysign(2 * math.sqrt(value), vector[np.abs(vector).argmax()])
            xy[:, axis] = (squares.mean(axis=0) - apart[:, marks] ** 2) @ vector / scale

    # A faint sunflower parts coincident nodes, which majorisation alone would never do.
    turn, radius = np.arange(n) * math.pi * (3 - math.sqrt(5)), np.sqrt((np.arange(n) + 0.5) / n)
    xy += 0.05 * apart.mean() * np.stack([radius * np.cos(turn), radius * np.sin(turn)], axis=1)
    for _ in range(100 if n <= 1000 else 0):
        now = np.hypot(*(xy[:, None] - xy[None]).transpose(2, 0, 1))
        ratio = np.divide(apart, now, out=np.zeros_like(now), where=now > 0)
        xy = (ratio.sum(axis=1)[:, None] * xy - ratio @ xy) / n
    return xy


# -- the file -----------------------------------------------------------------------------------


def check_path(path: str | Path, suffixes: Sequence[str] = SUFFIXES) -> None:
    """Raise what drawing into `path` would raise for its suffix: ask before a long search, not after."""
    suffix = Path(path).suffix.lower()
    if suffix not in suffixes:
        raise InputError(f"{path}: cannot be drawn: the name of a picture ends in {', '.join(suffixes)}")
    if suffix != ".html" and find_spec("matplotlib") is None:
        raise MissingDependencyError(
            f"{path}: needs matplotlib: pip install 'neurocross[plot]' (a .html picture needs nothing)"
        )


def _save(picture: _Picture, path: Path) -> None:
    check_path(path)
    suffix = path.suffix.lower()
    if suffix == ".html":
        write_bytes(path, _page(picture).encode())
    else:
        write_bytes(path, _rendered(lambda: _figure(picture), picture.title, suffix[1:]))


# -- SVG and PNG --------------------------------------------------------------------------------

INK, GREY, PALE = "#1c2024", "#6b7280", "#e5e7eb"
MARGIN, LEGEND_WIDTH, HEADER = 0.35, 2.6, 0.85
"""Inches."""
FULL_LEGEND = 25
"""Routes up to which each gets two lines in the legend."""
LABELLED = 90
"""Cities up to which the picture tries to name each."""


def _rendered(draw: Callable[[], Figure], title: str, format: str) -> bytes:
    import matplotlib as mpl

    buffer = io.BytesIO()
    with mpl.rc_context(), warnings.catch_warnings():
        mpl.rcdefaults()  # a user's own style must not change the picture
        mpl.rcParams.update(
            {
                "svg.fonttype": "none",
                "svg.hashsalt": "neurocross",
                "text.parse_math": False,
                "text.color": INK,
            }
        )
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure = draw()
        if format == "png":
            figure.savefig(buffer, format="png", dpi=160, metadata={"Software": "neurocross"})
            return buffer.getvalue()
        figure.savefig(
            buffer,
            format="svg",
            metadata={"Title": title, "Date": None, "Creator": None, "Format": None, "Type": None},
        )
    # The document type is the only reference to the network; readers of SVG do not use it.
    return re.sub(rb"<!DOCTYPE[^>]*>\s*", b"", buffer.getvalue(), count=1)


def _figure(picture: _Picture) -> Figure:
    """One axes whose unit is the inch holds all: map, legend and title share their coordinates."""
    from matplotlib.figure import Figure

    low, span = picture.xy.min(axis=0), np.ptp(picture.xy, axis=0)
    scale = min(8.2 / span[0] if span[0] else math.inf, 6.2 / span[1] if span[1] else math.inf)
    scale = scale if math.isfinite(scale) else 1.0
    rows = min(len(picture.lines), 80)
    map_width = max(4.0, span[0] * scale)
    map_height = max(3.0, span[1] * scale, rows * (0.26 if rows <= FULL_LEGEND else 0.085))
    left = MARGIN + (map_width - span[0] * scale) / 2
    bottom = 0.6 + (map_height - span[1] * scale) / 2
    width = 2 * MARGIN + map_width + (MARGIN + LEGEND_WIDTH if rows else 0.0)
    height = 0.6 + map_height + HEADER + 0.15

    figure = Figure(figsize=(width, height), facecolor="white")
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(0, height))
    axes.set_axis_off()
    _draw_header(axes, picture, height)
    xy = (picture.xy - low) * scale + (left, bottom)
    _draw_map(axes, picture, xy, (0.1, 0.45, MARGIN + map_width + MARGIN - 0.05, 0.6 + map_height + 0.25))
    if rows:
        draw_legend = _draw_legend if len(picture.lines) <= FULL_LEGEND else _draw_compact_legend
        draw_legend(axes, picture, width - MARGIN - LEGEND_WIDTH, 0.6 + map_height)
    notes = _shortened(" · ".join(picture.notes), int(width * 11))
    axes.text(width - MARGIN, 0.22, notes, size=7.5, color=GREY, ha="right")
    if picture.on_earth and span.any():
        _draw_scale_bar(axes, scale)
    return figure


def _draw_tradeoff(axes: Axes, plans: Sequence[Solution]) -> None:
    unit = length_unit(plans[0].problem, [plan.makespan for plan in plans])
    longest = [plan.makespan / unit.divisor for plan in plans]
    total = [plan.total / unit.divisor for plan in plans]
    axes.step(longest, total, where="post", color=PALE, linewidth=2, zorder=1)
    axes.plot(longest, total, "o", color=LIGHT[0], zorder=2)
    for x, y, plan in zip(longest, total, plans, strict=True):
        used = sum(1 for tour in plan.tours if tour)
        axes.annotate(
            _counted(used, "vehicle"), (x, y), (4, 4), textcoords="offset points", size=7, color=GREY
        )
    axes.set_xlabel(f"longest route{unit.name and f' ({unit.name.strip()})'}")
    axes.set_ylabel(f"total length{unit.name and f' ({unit.name.strip()})'}")
    axes.margins(0.08)


def _draw_header(axes: Axes, picture: _Picture, height: float) -> None:
    room = axes.get_xlim()[1] - 2 * MARGIN
    axes.text(MARGIN, height - 0.42, _shortened(picture.title, int(room * 7.5)), size=15, weight="bold")
    facts = " · ".join([*(f"{name} {value}" for name, value in picture.facts), *picture.size])
    axes.text(MARGIN, height - 0.7, facts, size=min(10.0, 10.0 * room * 12.2 / len(facts)), color=GREY)


def _draw_map(axes: Axes, picture: _Picture, xy: FloatArray, page: tuple[float, float, float, float]) -> None:
    from matplotlib.collections import PolyCollection

    problem, n = picture.problem, picture.problem.n_cities
    width = 1.8 if n <= 150 else 1.2 if n <= 1000 else 0.7
    dot = 5.2 if n <= 150 else 3.4 if n <= 1000 else 1.4
    for line in sorted(picture.lines, key=lambda line: line.longest):  # the longest lie on top
        colour, path, cities = LIGHT[line.colour], xy[list(line.stops)], xy[list(line.route.cities)]
        if line.longest:
            axes.plot(*path.T, lw=width * 4.5, color=colour, alpha=0.22, solid_joinstyle="round")
        axes.plot(
            *path.T,
            lw=width * (1.6 if line.longest else 1.0),
            color=colour,
            solid_joinstyle="round",
            dashes=_dashes(line),
            gid=f"route-{line.route.vehicle + 1}",
        )
        axes.add_collection(
            PolyCollection(
                _arrows(path, size=0.035 + 0.05 * width),
                facecolors=colour,
                edgecolors="white",
                linewidths=0.4,
                zorder=2.2,
            )
        )
        axes.plot(*cities.T, "o", ms=dot, color=colour, mec="white", mew=dot / 8, zorder=2.3)
    if picture.unvisited:
        fill, edge = ("white", GREY) if picture.lines else (GREY, "white")
        axes.plot(*xy[picture.unvisited].T, "o", ms=dot, mfc=fill, mec=edge, mew=dot / 7, zorder=2.3)
    for depot in range(problem.n_depots):
        axes.plot(
            *xy[depot], "s", ms=9, color=INK, mec="white", mew=1.6, zorder=2.5, gid=f"depot-{depot + 1}"
        )
    labels = [_Label(picture.label(depot), 9.0, depot=True) for depot in range(problem.n_depots)]
    if n <= LABELLED:
        labels += [_Label(picture.label(city), 6.8, depot=False) for city in problem.cities]
    for label, (x, y), side in _placed(labels, xy, [xy[list(line.stops)] for line in picture.lines], page):
        axes.text(
            x,
            y,
            label.text,
            size=label.size,
            weight="bold" if label.depot else "normal",
            color=INK if label.depot else "#3f4650",
            va="center",
            ha=side,
            zorder=2.6 if label.depot else 2.4,
            bbox={"facecolor": "white", "alpha": 0.72, "linewidth": 0, "pad": 0.6},
        )


def _dashes(line: _Line) -> tuple[float | None, ...]:
    return DASHES[line.dash] or (None, None)  # matplotlib's word for a solid line


def _arrows(path: FloatArray, size: float) -> list[FloatArray]:
    """Triangles that show the direction: on the first and the last arc, and on the longest of each third."""
    arcs = np.diff(path, axis=0)
    lengths = np.hypot(*arcs.T)
    thirds = [third for third in np.array_split(np.arange(len(arcs)), 3) if len(third)]
    triangles = []
    for arc in sorted({0, len(arcs) - 1, *(int(third[lengths[third].argmax()]) for third in thirds)}):
        if lengths[arc] > 1.2 * size:
            along = arcs[arc] / lengths[arc] * size
            across = np.array([-along[1], along[0]]) * 0.42
            tip = path[arc] + 0.55 * arcs[arc] + along / 2
            triangles.append(np.array([tip, tip - along + across, tip - 0.72 * along, tip - along - across]))
    return triangles


@dataclass(frozen=True)
class _Label:
    text: str
    size: float
    """Points."""
    depot: bool


def _placed(
    labels: Sequence[_Label],
    xy: FloatArray,
    lines: Sequence[FloatArray],
    page: tuple[float, float, float, float],
) -> Iterator[tuple[_Label, FloatArray, str]]:
    """Anchor and alignment of each label that fits: clear of dots and labels, and off the lines if it can.

    Depots come first and are always named; a city without room stays unnamed.
    """
    on_lines = np.concatenate(
        [np.empty((0, 2))]
        + [  # a line is as many points, one every 0.04 inches
            a + np.linspace(0, 1, 2 + int(np.hypot(*(b - a)) / 0.04))[:, None] * (b - a)
            for line in lines
            for a, b in pairwise(line)
        ]
    )
    low, high = np.array(page[:2]), np.array(page[2:])
    taken: list[tuple[FloatArray, FloatArray]] = []
    for label, node in zip(labels, xy, strict=False):
        half = np.array([0.31 * len(label.text), 0.62]) * label.size / 72
        reach = half + (0.09 if label.depot else 0.055)
        best, place = math.inf, None
        for step in ((1, 0), (-1, 0), (0, 1), (0, -1), (0.8, 0.8), (-0.8, 0.8), (0.8, -0.8), (-0.8, -0.8)):
            lo, hi = node + reach * step - half, node + reach * step + half
            blocked = (
                bool((lo < low).any() or (hi > high).any())
                or _within(lo, hi, xy) > 0
                or any((lo < b).all() and (hi > a).all() for a, b in taken)
            )
            cost = 1e6 * blocked + _within(lo, hi, on_lines)
            if cost < best and (label.depot or not blocked):
                best, place = cost, (lo, hi, int(np.sign(step[0])))
        if place is not None:
            lo, hi, side = place
            taken.append((lo, hi))
            # Widths are only estimated: the side towards the node is the one that must be exact.
            anchor = np.array([{1: lo[0], 0: (lo[0] + hi[0]) / 2, -1: hi[0]}[side], (lo[1] + hi[1]) / 2])
            yield label, anchor, {1: "left", 0: "center", -1: "right"}[side]


def _within(low: FloatArray, high: FloatArray, points: FloatArray) -> int:
    """How many points a box holds, with a hair of margin."""
    return int(((points > low - 0.02) & (points < high + 0.02)).all(axis=1).sum())


def _draw_legend(axes: Axes, picture: _Picture, left: float, top: float) -> None:
    """A row a vehicle; its line is as long as its route in proportion, so the rows show the balance."""
    makespan = max(line.route.length for line in picture.lines)
    bound = min(1.0, picture.bound / makespan) if makespan else 0.0
    pitch = min(0.42, (top - 0.55) / len(picture.lines))
    right = left + LEGEND_WIDTH
    for row, line in enumerate(picture.lines):
        y, weight = top - row * pitch, "bold" if line.longest else "normal"
        length = picture.unit(line.route.length)
        value = " · ".join(filter(None, [line.load, length]))
        name = _shortened(line.name, 38 - len(value) - len(line.ends))
        axes.text(left, y, f"{name}  {line.ends}".rstrip(), size=8.5, weight=weight)
        axes.text(right, y, value, size=8.5, weight=weight, ha="right")
        share = line.route.length / makespan if makespan else 1.0
        axes.plot(
            [left, left + LEGEND_WIDTH * share],
            [y - 0.075] * 2,
            lw=3.2 if line.longest else 2.2,
            color=LIGHT[line.colour],
            dashes=_dashes(line),
        )
        if bound:
            axes.plot([left + LEGEND_WIDTH * bound] * 2, [y - 0.115, y - 0.035], lw=1.2, color=INK)
    if bound:
        axes.text(
            left + LEGEND_WIDTH * bound,
            top - len(picture.lines) * pitch,
            f"lower bound {picture.unit(picture.bound)} ▏",
            size=7,
            color=GREY,
            ha="right",
        )


def _draw_compact_legend(axes: Axes, picture: _Picture, left: float, top: float) -> None:
    """One thin row a vehicle, longest first; rows too thin for text leave it to the first and the last."""
    lines = sorted(picture.lines, key=lambda line: -line.route.length)
    makespan, pitch = lines[0].route.length, (top - 0.6) / len(lines)
    size = min(7.0, 72 * pitch * 0.95)
    bar_left, bar_right, right = left + 0.95, left + LEGEND_WIDTH - 0.55, left + LEGEND_WIDTH
    for row, line in enumerate(lines):
        y = top - row * pitch
        if size >= 5 or row in (0, len(lines) - 1):
            length = picture.unit(line.route.length)
            for x, text in ((bar_left - 0.06, _shortened(line.name, 16)), (right, length)):
                axes.text(
                    x,
                    y,
                    text,
                    size=max(size, 6.0),
                    ha="right",
                    va="center",
                    weight="bold" if line.longest else "normal",
                )
        share = line.route.length / makespan if makespan else 1.0
        axes.plot(
            [bar_left, bar_left + (bar_right - bar_left) * share],
            [y, y],
            lw=min(2.4, 50 * pitch),
            color=LIGHT[line.colour],
            dashes=_dashes(line),
            solid_capstyle="butt",
        )


def _draw_scale_bar(axes: Axes, scale: float) -> None:
    """A round number of kilometres; `scale` is inches a metre."""
    metres = _round_length(1.2 / scale)
    width = metres * scale
    axes.plot([MARGIN, MARGIN, MARGIN + width, MARGIN + width], [0.31, 0.26, 0.26, 0.31], lw=1, color=GREY)
    axes.text(MARGIN + width + 0.07, 0.24, f"{metres / 1000:g} km", size=7.5, color=GREY)


def _round_length(about: float) -> float:
    """1, 2 or 5 times a power of ten, at most `about`."""
    power = 10.0 ** math.floor(math.log10(about))
    return max(step * power for step in (1, 2, 5) if step * power <= about)


def _shortened(text: str, room: int) -> str:
    return text if len(text) <= max(room, 4) else text[: max(room, 4) - 1] + "…"


# -- HTML ---------------------------------------------------------------------------------------


def _page(picture: _Picture) -> str:
    """Fill the template in one pass, so that no text of the user's is taken for a part of the page."""
    bound = [f"▏ lower bound {picture.unit(picture.bound)}"] if picture.bound else []
    template = files("neurocross").joinpath("plot_page.html").read_text(encoding="utf-8")
    parts = {
        "title": html.escape(picture.title),
        "facts": "".join(
            f"<div><dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd></div>"
            for name, value in picture.facts
        ),
        "size": " · ".join(map(html.escape, picture.size)),
        "notes": "".join(f"<p>{html.escape(note)}</p>" for note in [*picture.notes, *bound]),
        "legend": "".join(_legend_row(line, picture) for line in picture.lines),
        "light": _colour_rules(LIGHT),
        "dark": _colour_rules(DARK),
        "data": _json(_page_data(picture)),
    }

    def filled(text: str) -> str:
        return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], text)

    # Only this style and this script may run, and nothing may be fetched: the browser enforces it.
    for name in ("style", "script"):
        body = cast("re.Match[str]", re.search(rf"<{name}>(.*?)</{name}>", template, re.DOTALL))[1]
        digest = hashlib.sha256(filled(body).encode()).digest()
        parts[f"{name}_hash"] = f"'sha256-{base64.b64encode(digest).decode()}'"
    return filled(template)


def _legend_row(line: _Line, picture: _Picture) -> str:
    makespan = max(line.route.length for line in picture.lines)
    share = 100 * line.route.length / makespan if makespan else 100.0
    dashes = " ".join(f"{4 * dash:g}" for dash in DASHES[line.dash])
    bound = 100 * picture.bound / makespan if makespan else 0.0
    mark = f'<line class="bound" x1="{bound:.2f}%" x2="{bound:.2f}%" y1="0" y2="8"/>' if bound else ""
    details = [line.ends, _counted(len(line.route.cities), "stop"), line.load and f"load {line.load}"]
    kind = "route longest" if line.longest else "route"
    return (
        f'<li><button class="{kind}" aria-pressed="false">'
        f'<span class="name">{html.escape(line.name)}</span>'
        f'<span class="length">{html.escape(picture.unit(line.route.length))}</span>'
        f'<svg class="bar c{line.colour}" width="100%" height="8" aria-hidden="true">'
        f'<line x1="0" x2="{share:.2f}%" y1="4" y2="4" stroke-dasharray="{dashes or "none"}"/>{mark}</svg>'
        f'<span class="details">{html.escape(" · ".join(filter(None, details)))}</span>'
        f"</button></li>"
    )


def _colour_rules(colours: Sequence[str]) -> str:
    return "".join(f"--c{number}:{colour};" for number, colour in enumerate(colours))


def _page_data(picture: _Picture) -> dict[str, Any]:
    problem, span = picture.problem, float(np.ptp(picture.xy, axis=0).max()) or 1.0
    # Whole numbers up to 100,000 are finer than any screen and keep the page small; its y is downwards.
    grid = np.rint((picture.xy - picture.xy.min(axis=0)) / span * 100_000).astype(int)
    demand, service = cast(FloatArray, problem.demand), cast(FloatArray, problem.service)
    return {
        "depots": problem.n_depots,
        "x": grid[:, 0].tolist(),
        "y": (grid[:, 1].max() - grid[:, 1]).tolist(),
        "ids": [_plain(text) for text in problem.ids],
        "names": [_plain(text) for text in problem.names] if any(problem.names) else [],
        "demand": demand.tolist() if demand.any() else [],
        "service": service.tolist() if service.any() else [],
        "unit": asdict(picture.unit),
        "metresPerStep": span / 100_000 if picture.on_earth else 0,
        "dashes": DASHES,
        "routes": [
            {
                "name": line.name,
                "length": line.route.length,
                "longest": line.longest,
                "colour": line.colour,
                "dash": line.dash,
                "stops": line.stops,
                "arrivals": _arrivals(problem, line.stops),
            }
            for line in picture.lines
        ],
    }


def _arrivals(problem: Problem, stops: Sequence[int]) -> list[float]:
    """Length of the route when it arrives at each stop, service there not yet done."""
    service = cast(FloatArray, problem.service)
    arrivals = [0.0]
    for u, v in pairwise(stops):
        arrivals.append(arrivals[-1] + float(service[u]) + distance(problem, u, v))
    return [float(f"{arrival:.9g}") for arrival in arrivals]


def _json(data: object) -> str:
    """JSON that no HTML parser can leave: the three characters that could are written as escapes."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
