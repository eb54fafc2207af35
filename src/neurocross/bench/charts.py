"""Line charts and route pictures as inline SVG: no library, no network, colours from the page's style."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape

from neurocross import Problem, Solution

WIDTH, HEIGHT = 600, 300
LEFT, RIGHT, TOP, BOTTOM = 56, 168, 14, 40
NOISE = 1e-4
"""Shares below zero by less are drawn as zero."""

COLOURS = 8
"""Classes c0 … of the page's style."""

Points = Sequence[tuple[float, float]]


def line_chart(
    series: Mapping[str, Points],
    *,
    x_label: str,
    y_label: str,
    log_x: bool = False,
    log_y: bool = False,
    percent: bool = False,
    dots: bool = True,
) -> str:
    """One line a name; names stand at the lines' ends."""
    points = [point for line in series.values() for point in line]
    if not points:
        return ""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    floor = 0.0 if percent and min(ys) > -NOISE else min(ys)
    x_at, x_ticks = _axis(min(xs), max(xs), LEFT, WIDTH - RIGHT, log_x)
    y_at, y_ticks = _axis(min(ys) if log_y else floor, max(ys), HEIGHT - BOTTOM, TOP, log_y)
    parts = [f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(y_label)}">']
    for tick in y_ticks:
        y = y_at(tick)
        text = f"{100 * tick:g} %" if percent else _number(tick)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="tick" x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{text}</text>')
    for tick in x_ticks:
        x = x_at(tick)
        parts.append(
            f'<text class="tick" x="{x:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">'
            f"{_number(tick)}</text>"
        )
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(
        f'<text class="label" x="{middle}" y="{HEIGHT - 6}" text-anchor="middle">{escape(x_label)}</text>'
    )
    ends = []
    for number, (name, line) in enumerate(series.items()):
        if not line:
            continue
        path = " ".join(f"{x_at(x):.1f},{y_at(y):.1f}" for x, y in line)
        colour = f"c{number % COLOURS}"
        parts.append(
            f'<polyline class="line {colour}" points="{path}"><title>{escape(name)}</title></polyline>'
        )
        if dots:
            for x, y in line:
                value = f"{100 * y:.3f} %" if percent else f"{y:.5g}"
                parts.append(
                    f'<circle class="dot {colour}" cx="{x_at(x):.1f}" cy="{y_at(y):.1f}" r="3">'
                    f"<title>{escape(name)}: {value} at {_number(x)}</title></circle>"
                )
        ends.append((y_at(line[-1][1]), x_at(line[-1][0]), name, colour))
    for y, (line_y, line_x, name, colour) in zip(
        _apart([end[0] for end in sorted(ends)]), sorted(ends), strict=True
    ):
        x = WIDTH - RIGHT + 12
        parts.append(
            f'<line class="lead" x1="{line_x + 4:.1f}" y1="{line_y:.1f}" x2="{x - 2}" y2="{y:.1f}"/>'
            f'<text class="name {colour}" x="{x}" y="{y + 4:.1f}">{escape(_short(name))}</text>'
        )
    return "".join(parts) + "</svg>"


def _apart(wanted: Sequence[float], least: float = 13.0) -> list[float]:
    """Places as near the wanted (ascending) as a distance between them allows, inside the chart."""
    places: list[float] = []
    for y in wanted:
        places.append(max(y, places[-1] + least) if places else max(y, TOP))
    bottom = HEIGHT - BOTTOM + 8.0
    for k in range(len(places) - 1, -1, -1):
        places[k] = min(places[k], bottom)
        bottom = places[k] - least
    return places


def _axis(
    low: float, high: float, start: float, end: float, log: bool
) -> tuple[Callable[[float], float], list[float]]:
    """Where a value is drawn, and round values to name."""
    if log:
        low, high = max(low, 1e-4), max(high, 2e-4)
        first, last = math.log10(low), math.log10(max(high, low * 1.5))
        ticks = [
            m * 10.0**k
            for k in range(math.floor(first), math.ceil(last) + 1)
            for m in ((1, 2, 5) if last - first < 2 else (1,))
        ]
        inside = [tick for tick in ticks if first - 1e-9 <= math.log10(tick) <= last + 1e-9]
        return lambda v: start + (math.log10(max(v, low)) - first) / (last - first) * (end - start), inside
    if high - low < 1e-12 * max(1.0, abs(high)):
        low, high = low - 0.5 * abs(low or 1), high + 0.5 * abs(high or 1)
    step = 10 ** math.floor(math.log10((high - low) / 4))
    step *= next(m for m in (1, 2, 5, 10) if (high - low) / (m * step) <= 6)
    low, high = math.floor(low / step) * step, math.ceil(high / step) * step
    count = round((high - low) / step)
    ticks = [round(low + k * step, 12) for k in range(count + 1)]
    return lambda v: start + (v - low) / (high - low) * (end - start), ticks


def _short(name: str) -> str:
    """A solver's name where there is little room, options by the paper's letters."""
    return name.replace("perturbations=", "p=").replace(":k=", ":K=")


def _number(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:g}"


def route_picture(problem: Problem, solution: Solution) -> str:
    """Routes in the plane, the longest drawn thicker."""
    plane = problem.plane
    if plane is None:
        return ""
    size, margin = 320, 10
    low = plane.min(axis=0)
    scale = (size - 2 * margin) / max(float((plane.max(axis=0) - low).max()), 1e-12)

    def at(node: int) -> tuple[float, float]:
        x, y = ((plane[node] - low) * scale).tolist()
        return margin + x, size - margin - y

    parts = [f'<svg class="plan" viewBox="0 0 {size} {size}" role="img" aria-label="routes">']
    for number, route in enumerate(solution.routes):
        if route.cities:
            stops = [route.start, *route.cities, *([] if route.end is None else [route.end])]
            thick = " longest" if route.length == solution.makespan else ""
            path = " ".join("{:.1f},{:.1f}".format(*at(node)) for node in stops)
            parts.append(
                f'<polyline class="line c{number % COLOURS}{thick}" points="{path}">'
                f"<title>{escape(problem.vehicle_name(route.vehicle))}: {route.length:.5g}</title></polyline>"
            )
    for node in problem.cities:
        x, y = at(node)
        parts.append(f'<circle class="city" cx="{x:.1f}" cy="{y:.1f}" r="2"/>')
    for node in range(problem.n_depots):
        x, y = at(node)
        parts.append(f'<rect class="depot" x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8"/>')
    return "".join(parts) + "</svg>"
