"""`neurocross bench`: list, run, report, board. Thin; what is heavy is imported where it is used."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from neurocross.parallel import options

app = typer.Typer(
    help="Every table of the paper, beside honest opponents and exact optima.", no_args_is_help=True
)


def _option(*names: str, help: str) -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(*names, help=help, show_default=False)
    return option


@app.command("list")
def list_() -> None:
    """Suites and solvers."""
    from rich.console import Console
    from rich.table import Table

    from neurocross.bench.solvers import SOLVERS
    from neurocross.bench.suites import SUITES

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("suite", "what", "cases", "instances", "seconds", "data", "solvers"):
        table.add_column(column, no_wrap=column == "suite")
    for suite in SUITES.values():
        table.add_row(
            suite.name, suite.title, str(len(suite.cases)), str(suite.instances), f"{suite.time:g}",
            "--data" if suite.needs_data else "", " ".join(suite.solvers),
        )  # fmt: skip
    console = Console(width=None if Console().is_terminal else 140)
    console.print(table, highlight=False)
    print(f"\nsolvers: {' '.join(SOLVERS)}; name@seconds gives one its own limit, name:option=value options")


@app.command()
def run(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="One of `bench list`.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Directory of the results.")],
    solvers: Annotated[str | None, _option(help="Instead of the suite's; a space or ; between them.")] = None,
    time: Annotated[float | None, _option(help="Seconds, instead of the suite's.")] = None,
    instances: Annotated[int | None, _option(help="Of each random case; the paper has 100.")] = None,
    seeds: Annotated[str | None, _option(help="For example 1,2,3.")] = None,
    cases: Annotated[str | None, _option(help="Only these, with ; between them.")] = None,
    data: Annotated[Path | None, _option(help="Directory of the public instances.")] = None,
    lkh: Annotated[Path | None, _option(help="The binary of LKH-3.")] = None,
    processes: Annotated[
        int, typer.Option(help="Runs at once; more than one only where cores are idle.")
    ] = 1,
    backend: options.Backend = "local",
    ray_address: options.RayAddress = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Run SUITE; what is in the directory already is not run again."""
    from neurocross.bench.records import Run
    from neurocross.bench.runner import Plan
    from neurocross.bench.runner import run as run_plan
    from neurocross.bench.suites import suite_named
    from neurocross.parallel import team
    from neurocross.progress import progress

    plan = Plan(
        suite_named(suite), solvers=tuple((solvers or "").replace(";", " ").split()), time=time,
        instances=instances, seeds=_numbers(seeds), data=data, lkh=None if lkh is None else str(lkh),
        cases=tuple(case.strip() for case in cases.split(";")) if cases else (),
    )  # fmt: skip
    with team(backend, processes, ray_address) as workers, progress(suite, quiet) as tell:

        def on_run(done: int, total: int, run: Run | None) -> None:
            tell(done, total, "" if run is None else run.describe())

        run_plan(plan, output, workers, on_run)


@app.command()
def report(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Results of `bench run`.")],
    data: Annotated[Path | None, _option(help="Public instances, to draw plans of them.")] = None,
) -> None:
    """Write report.md and report.html into DIR."""
    from neurocross.bench.report import write_report

    for path in write_report(directory, data):
        print(path)


@app.command()
def board(
    results: Annotated[Path, typer.Argument(metavar="RESULTS", help="Holds a directory for each board.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The page to write.")],
    records: Annotated[Path | None, _option(help="Directory of the plans below best-known values.")] = None,
) -> None:
    """Write the scoreboard: every target row, `not run` where it was not."""
    from neurocross.bench.board import write_board, write_records

    write_board(results, output)
    for path in (output, *(write_records(results, records) if records else ())):
        print(path)


def _numbers(text: str | None) -> tuple[int, ...]:
    from neurocross import InputError

    try:
        return tuple(int(word) for word in text.split(",")) if text else ()
    except ValueError:
        raise InputError(f"seeds must be whole numbers with commas, not '{text}'") from None
