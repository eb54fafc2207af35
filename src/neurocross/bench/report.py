"""`bench report`: the runs of a directory as Markdown and as one page that needs nothing else."""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Sequence
from html import escape
from importlib import resources
from pathlib import Path

from neurocross import InputError, Solution, files
from neurocross.bench import paper
from neurocross.bench.charts import line_chart, route_picture
from neurocross.bench.records import MACHINE, RUNS, Run, read_runs
from neurocross.bench.suites import FileCase, RandomCase, Suite, suite_named
from neurocross.bench.tables import Row, gap_over_time, played_by_all, rows_of, solvers_of, summary_of

CASE_HEAD = (
    "case",
    "solver",
    "runs",
    "value",
    "gap %",
    "worst %",
    "seconds",
    "paper",
    "paper gap %",
    "paper s",
)
SUMMARY_HEAD = ("solver", "runs", "marked", "mean gap %", "worst %", "reached", "mean seconds")
NOTE = (
    "Values are computed by the judge from the coordinates. Gaps are to the best-known value where there is "
    "one, else to the best value any solver found in this run; the paper's are to the best of its own table. "
    "Random instances are not the paper's: averages may differ by 1 to 2 % for that alone. The machine was "
    "shared and noisy: compare seconds within a table only. Rows in italics are the paper's, not run here."
)


def write_report(directory: Path, data: Path | None = None) -> tuple[Path, Path]:
    """Write `report.md` and `report.html`; gives both paths. `data` is needed to draw public instances."""
    runs = read_runs(directory)
    if not runs:
        raise InputError(f"{directory / RUNS}: there are no runs to report; make some with `bench run`")
    suites = [suite_named(name) for name in dict.fromkeys(run.suite for run in runs)]
    of = {suite.name: [run for run in runs if run.suite == suite.name] for suite in suites}
    machines = _machines(directory)
    markdown, html = directory / "report.md", directory / "report.html"
    title = ", ".join(suite.title for suite in suites)
    files.write_bytes(markdown, _markdown(title, suites, of, machines).encode())
    files.write_bytes(html, _page(title, suites, of, machines, data).encode())
    return markdown, html


def _machines(directory: Path) -> list[str]:
    """A line for each machine and commit the runs were made on."""
    path = directory / MACHINE
    try:
        entries = json.loads(path.read_text())
    except (OSError, ValueError):
        return []
    lines = []
    for entry in entries:
        packages = ", ".join(f"{name} {version}" for name, version in entry["packages"].items())
        plan = ", ".join(f"{key} {value}" for key, value in entry["command"].items() if value)
        lines.append(
            f"{entry['processor']}, {entry['cores']} cores, {entry['system']}, Python {entry['python']}; "
            f"{packages}; commit {entry['commit'] or 'unknown'}; {plan}"
        )
    return lines


# -- cells --------------------------------------------------------------------------------------


def _case_cells(row: Row) -> tuple[str, ...]:
    return (
        row.case, row.solver, str(row.runs) + (f" (+{row.marked} marked)" if row.marked else ""),
        _value(row.value), _percent(row.gap), _percent(row.worst), _seconds(row.seconds),
        _value(row.paper.cost if row.paper else None), _percent(row.paper_gap),
        _seconds(row.paper.seconds if row.paper else None),
    )  # fmt: skip


def _summary_cells(row: Row) -> tuple[str, ...]:
    reached = f"{row.reached} of {row.known}" if row.known else ""
    return (
        row.solver, str(row.runs), str(row.marked or ""), _percent(row.gap), _percent(row.worst), reached,
        _seconds(row.seconds),
    )  # fmt: skip


def _value(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}" if value < 100 else f"{value:.2f}"


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.2f}".replace("-0.00", "0.00")


def _seconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.3g}" if seconds < 1 else f"{seconds:.2f}"


def _summaries(runs: Sequence[Run]) -> list[tuple[str, Sequence[Run]]]:
    """What to average, with a caption; where some solvers played fewer instances, also those all played."""
    fair = played_by_all(runs)
    if len(fair) == len(runs):
        return [("", runs)]
    return [("All runs:", runs), ("The instances every solver played:", fair)]


def _marks(runs: Sequence[Run]) -> list[str]:
    """Every kind of run without a plan, once."""
    marked = Counter((run.solver, run.status, run.note) for run in runs if run.status != "ok")
    return [
        f"{solver}: {status}{f', {note}' if note else ''} ({count} runs)"
        for (solver, status, note), count in marked.items()
    ]


def _top_k(runs: Sequence[Run]) -> list[tuple[str, ...]]:
    """The paper's table of hits: how often the best pair is among the first K."""
    rows = [("paper", "1000", *(f"{hit:.1f}" for hit in paper.TOP_K.values()))]
    for solver in solvers_of(runs):
        ranks = [run.value for run in runs if run.solver == solver and run.value is not None]
        if ranks:
            hits = (f"{100 * statistics.fmean(rank <= k for rank in ranks):.1f}" for k in paper.TOP_K)
            rows.append((solver, str(len(ranks)), *hits))
    return rows


TOP_K_HEAD = ("predictor", "instances", *(f"K = {k}" for k in paper.TOP_K))


# -- Markdown -----------------------------------------------------------------------------------


def _markdown(title: str, suites: list[Suite], of: dict[str, list[Run]], machines: list[str]) -> str:
    lines = [f"# {title}", "", NOTE, "", *(f"- {machine}" for machine in machines), ""]
    for suite in suites:
        runs = of[suite.name]
        lines += [f"## {suite.name}: {suite.title}", ""]
        if suite.measure == "rank":
            lines += ["Per cent of instances whose best start pair is among the K predicted.", ""]
            lines += [*_markdown_table(TOP_K_HEAD, _top_k(runs)), ""]
        else:
            for caption, some in _summaries(runs):
                cells = [_summary_cells(row) for row in summary_of(some)]
                lines += [*([caption, ""] if caption else []), *_markdown_table(SUMMARY_HEAD, cells), ""]
            rows = rows_of(suite, runs)
            cells = [
                tuple(f"*{c}*" if row.quoted and k == 1 else c for k, c in enumerate(_case_cells(row)))
                for row in rows
            ]
            lines += [*_markdown_table(CASE_HEAD, cells), ""]
        if marks := _marks(runs):
            lines += ["Marked:", "", *(f"- {mark}" for mark in marks), ""]
    return "\n".join(lines)


def _markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    head, rows = _full_columns(head, rows)
    ruler = "|" + "|".join("---" if k < 1 else "---:" for k in range(len(head))) + "|"
    return [f"| {' | '.join(head)} |", ruler, *(f"| {' | '.join(row)} |" for row in rows)]


# -- the page -----------------------------------------------------------------------------------


def _page(
    title: str, suites: list[Suite], of: dict[str, list[Run]], machines: list[str], data: Path | None
) -> str:
    body = [f"<h1>{escape(title)}</h1><p>{escape(NOTE)}</p>"]
    body += ["<ul class=machine>", *(f"<li>{escape(machine)}</li>" for machine in machines), "</ul>"]
    for suite in suites:
        body.append(f"<h2>{escape(suite.name)}: {escape(suite.title)}</h2>")
        body.append(_section(suite, of[suite.name], data))
    style = resources.files("neurocross.bench").joinpath("report.css").read_text()
    return (
        "<!doctype html>\n<html lang=en><meta charset=utf-8>"
        "<meta name=viewport content='width=device-width, initial-scale=1'>"
        f"<title>{escape(title)}</title><style>{style}</style><main>{''.join(body)}</main></html>\n"
    )


def _section(suite: Suite, runs: Sequence[Run], data: Path | None) -> str:
    if suite.measure == "rank":
        ks = list(paper.TOP_K)
        lines = {
            row[0]: [(k, float(hit) / 100) for k, hit in zip(ks, row[2:], strict=True)]
            for row in _top_k(runs)
        }
        chart = line_chart(lines, x_label="K", y_label="hits", log_x=True, percent=True)
        parts = [_html_table(TOP_K_HEAD, _top_k(runs)), _figure("Best pair among the first K", chart)]
    else:
        rows = rows_of(suite, runs)
        parts = []
        for caption, some in _summaries(runs):
            parts.append(f"<p>{escape(caption)}</p>" if caption else "")
            parts.append(_html_table(SUMMARY_HEAD, [_summary_cells(row) for row in summary_of(some)]))
        fair = played_by_all(runs)
        figures = [_over_time(fair), *_against_size(suite, rows_of(suite, fair))]
        parts += ["<div class=figures>", *figures, "</div>", _plans(suite, runs, data)]
        parts.append(
            _html_table(CASE_HEAD, [_case_cells(row) for row in rows], [_css(row, rows) for row in rows])
        )
    if marks := _marks(runs):
        parts.append("<h3>Marked</h3><ul>" + "".join(f"<li>{escape(mark)}</li>" for mark in marks) + "</ul>")
    return "".join(parts)


def _css(row: Row, rows: Sequence[Row]) -> str:
    """A line before each case, the paper's own rows pale, the best of a case bold."""
    first = next(r for r in rows if r.case == row.case) is row
    best = min((r.gap for r in rows if r.case == row.case and r.gap is not None), default=None)
    names = ["first"] if first else []
    names += ["quoted"] if row.quoted else []
    names += ["best"] if row.gap is not None and best is not None and row.gap <= best + 1e-9 else []
    return " ".join(names)


def _full_columns(
    head: Sequence[str], rows: Sequence[Sequence[str]]
) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """Without the columns in which no row says anything."""
    full = [c for c in range(len(head)) if any(row[c] for row in rows)]
    return [head[c] for c in full], [[row[c] for c in full] for row in rows]


def _html_table(head: Sequence[str], rows: Sequence[Sequence[str]], css: Sequence[str] = ()) -> str:
    head, rows = _full_columns(head, rows)

    def cells(tag: str, words: Sequence[str]) -> str:
        return "".join(f"<{tag}>{escape(word)}</{tag}>" for word in words)

    body = "".join(
        f"<tr class='{css[k] if css else ''}'>{cells('td', row)}</tr>" for k, row in enumerate(rows)
    )
    table = f"<table><thead><tr>{cells('th', head)}</tr></thead><tbody>{body}</tbody></table>"
    return f"<div class='scroll{' cases' if css else ''}'>{table}</div>"


def _figure(caption: str, svg: str) -> str:
    return f"<figure><figcaption>{escape(caption)}</figcaption>{svg}</figure>" if svg else ""


def _over_time(runs: Sequence[Run]) -> str:
    curves = gap_over_time(runs)
    if not curves:
        return ""
    # Early gaps are many times the late ones, where solvers differ: what is above is drawn along the edge.
    top = max(0.01, 1.5 * max(curve[-1][1] for curve in curves.values()))
    curves = {solver: [(t, min(gap, top)) for t, gap in curve] for solver, curve in curves.items()}
    svg = line_chart(
        curves, x_label="seconds", y_label="mean gap over time", log_x=True, percent=True, dots=False
    )
    return _figure(f"Mean gap over time, up to {100 * top:.3g} %", svg)


def _against_size(suite: Suite, rows: Sequence[Row]) -> list[str]:
    """Means by number of cities, for random cases of at least two sizes."""
    sizes = {case.name: case.source.cities for case in suite.cases if isinstance(case.source, RandomCase)}
    if len({sizes.get(row.case) for row in rows}) < 2 or not all(row.case in sizes for row in rows):
        return []
    figures = []
    for what, log in (("value", False), ("seconds", True)):
        caption = f"Mean {what} against cities"
        lines: dict[str, list[tuple[float, float]]] = {}
        for solver in dict.fromkeys(row.solver for row in rows if not row.quoted):
            found: dict[int, list[float]] = {}
            for row in rows:
                if row.solver == solver and (value := getattr(row, what)) is not None:
                    found.setdefault(sizes[row.case], []).append(value)
            lines[solver] = [(float(n), statistics.fmean(values)) for n, values in sorted(found.items())]
        svg = line_chart(lines, x_label="cities", y_label=caption, log_y=log)
        figures.append(_figure(caption, svg))
    return figures


def _plans(suite: Suite, runs: Sequence[Run], data: Path | None) -> str:
    """Plans side by side, for suites that keep them."""
    parts = []
    for case in suite.cases:
        drawn = []
        for run in runs:
            if run.case != case.name or run.tours is None:
                continue
            if isinstance(case.source, FileCase):
                if data is None:
                    continue
                problem = case.source.read(data)
            else:
                problem = case.source.problem(int(run.instance[-4:]))
            picture = route_picture(problem, Solution(problem, run.tours))
            drawn.append(_figure(f"{run.solver}: {_value(run.value)}", picture))
        if drawn:
            parts.append(f"<h3>{escape(case.name)}</h3><div class=figures>{''.join(drawn)}</div>")
    return "".join(parts)
