"""The command `neurocross`. Thin: it reads, calls, prints; everything heavy is imported where it is used.

Standard output carries the answer alone; progress and errors go to standard error.
Exit codes: 0 fine, 1 a bug, 2 bad input or usage, 3 infeasible.
"""

from __future__ import annotations

import inspect
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from neurocross.bench import cli as bench
from neurocross.errors import InputError, MissingDependencyError, NeurocrossError
from neurocross.parallel import options as share
from neurocross.train import commands

if TYPE_CHECKING:
    from neurocross.io import ReadOptions
    from neurocross.problem import Problem

INFEASIBLE = 3
BROKEN_PIPE = 141
"""As a shell names the end of a command by SIGPIPE."""

app = typer.Typer(
    name="neurocross",
    help="Routes for fleets whose longest route matters.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """Run the command; every error a user can cause is one line and a code."""
    try:
        try:
            app()
        finally:
            if sys.stdout:
                sys.stdout.flush()  # here, where a full disk can still be told of
    except NeurocrossError as error:
        _fail(str(error), error.exit_code)
    except MemoryError:
        _fail("there is not enough memory for a problem of this size", InputError.exit_code)
    except SystemExit as ended:
        if isinstance(ended.__context__, BrokenPipeError):  # typer's own way out has the code of a bug
            _end_as_a_pipe_does()
        raise
    except BrokenPipeError:
        _end_as_a_pipe_does()
    except OSError as error:
        if error.filename is not None:  # not the answer's way out: a file whose error nobody translated
            raise
        _close_standard_output()
        _fail(f"standard output cannot be written: {error.strerror}", InputError.exit_code)


def _end_as_a_pipe_does() -> NoReturn:
    """Quietly: whoever read our output has had enough."""
    _close_standard_output()
    sys.exit(BROKEN_PIPE)


def _close_standard_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # else the interpreter tries again as it ends


def _terminate_gently() -> None:
    """From here on SIGTERM is Ctrl-C: the search ends with its best."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def _fail(message: str, code: int) -> NoReturn:
    print(f"error: {message}", file=sys.stderr)
    sys.exit(code)


def _option(*names: str, help: str) -> Any:
    return typer.Option(*names, help=help, show_default=False)


def _read_options(
    problem: Annotated[
        str | None, _option(help="tsp, mtsp, mdvrp, fmdvrp or cvrp; what FILE says if not given.")
    ] = None,
    vehicles: Annotated[int | None, _option("--vehicles", "-m", help="Number of vehicles.")] = None,
    objective: Annotated[
        str | None, _option(help="minmax (the longest route) or minsum (the total).")
    ] = None,
    capacity: Annotated[float | None, _option(help="Load a vehicle may carry.")] = None,
    max_length: Annotated[float | None, _option(help="Longest route allowed.")] = None,
    end: Annotated[
        str | None, _option(help="Where vehicles end: own, any, open, a depot's id, or ids with commas.")
    ] = None,
    rounding: Annotated[
        str | None,
        _option("--round", help="Distances: none, nearest or ceil; CVRP files default to nearest."),
    ] = None,
    format: Annotated[str | None, _option(help="Format of FILE; told by its content if not given.")] = None,
) -> tuple[ReadOptions, str | None]:
    """The options of every command that reads problems, and the format if one is given."""
    from neurocross.io import ReadOptions

    options = ReadOptions(
        problem=problem, vehicles=vehicles, objective=objective, rounding=rounding, capacity=capacity,
        max_length=max_length, end=end,
    )  # fmt: skip
    return options, format


def _problem_in(file: Path, options: ReadOptions, format: str | None) -> Problem:
    from neurocross.io import read_problem

    task = read_problem(file, format=format, options=options)
    return task if task.name else task.with_(name=file.stem)


def _reading(
    source: Any, take: Callable[[Path, ReadOptions, str | None], Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command `source` and the options of reading in place of its first parameter, what they make."""
    unseen = dict.fromkeys(("Problem", "ReadOptions", "Instances"), Any)  # imported where they are used
    shared = inspect.signature(_read_options, eval_str=True, locals=unseen).parameters

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        _, *own = inspect.signature(command, eval_str=True, locals=unseen).parameters.values()
        arguments = [p for p in own if p.default is p.empty]
        file = inspect.Parameter("source", inspect.Parameter.KEYWORD_ONLY, annotation=source)

        def wrapper(**given: Any) -> None:
            path = given.pop("source")
            for target in (given.get("output"), given.get("plot")):
                if target and target.exists() and path.exists() and target.samefile(path):
                    raise InputError(f"{target}: is the problem's own file: give another to write to")
            options, format = _read_options(**{name: given.pop(name) for name in shared})
            command(take(path, options, format), **given)

        parameters = [file, *arguments, *shared.values(), *(p for p in own if p not in arguments)]
        as_keywords = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters]
        wrapper.__signature__ = inspect.Signature(as_keywords)  # type: ignore[attr-defined]
        wrapper.__annotations__ = {p.name: p.annotation for p in parameters}
        wrapper.__name__, wrapper.__doc__ = command.__name__, command.__doc__
        return wrapper

    return decorate


Instances = tuple["Path", "ReadOptions", str | None]

reads_problem = _reading(
    Annotated[Path, typer.Argument(metavar="FILE", help="TSPLIB, VRPLIB, Cordeau, CSV or JSON.")], _problem_in
)
reads_instances = _reading(
    Annotated[
        Path,
        typer.Argument(
            metavar="DIR|FILE.jsonl", help="A directory of problems, or a file with one JSON each line."
        ),
    ],
    lambda source, options, format: (source, options, format),
)

Method = Annotated[
    str,
    typer.Option(help="hybrid (the engine); Algorithm 1 with ce, ce-brute or nce (learned); exact (proves)."),
]
Time = Annotated[float | None, _option(help="Seconds; 10 for hybrid if no limit is given.")]
Iterations = Annotated[int | None, _option(help="Iterations; same seed, same answer.")]
NoImprovement = Annotated[int | None, _option(help="Iterations without a new best.")]
Target = Annotated[float | None, _option(help="A value that is good enough.")]
Seed = Annotated[int, typer.Option(help="Seed of the random generator.")]
Perturbations = Annotated[
    int | None,
    _option("--perturbations", "-p", help="Algorithm 1: the paper's p; 5 if no limit is given."),
]
Samples = Annotated[int | None, _option(help="Algorithm 1: starts, of which the best counts.")]
TopK = Annotated[int | None, _option("--k", help="nce, --learned: start pairs searched; 10 if not given.")]
Weights = Annotated[str | None, _option(help="nce, --learned: shipped weights (fmdvrp, mtsp) or a file.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]


@app.command()
@reads_problem
def solve(
    task: Problem,
    method: Annotated[
        str | None,
        _option(
            help="hybrid (the engine, default); decompose (the engine on parts, default for large problems); "
            "Algorithm 1 with ce, ce-brute or nce (learned); exact (proves)."
        ),
    ] = None,
    time: Time = None,
    iterations: Iterations = None,
    no_improvement: NoImprovement = None,
    target: Target = None,
    seed: Seed = 0,
    threads: Annotated[int | None, _option(help="hybrid: independent searches at once.")] = None,
    perturbations: Perturbations = None,
    select: Annotated[str | None, _option(help="Algorithm 1: sweep (default), max-min or random.")] = None,
    intra: Annotated[
        str | None, _option(help="Algorithm 1: 2opt+oropt (default), 2opt, elkai or ortools.")
    ] = None,
    accept: Annotated[
        str | None,
        _option(
            help="Algorithm 1: perturb the current tours (walk) or the best (better, default with --time)."
        ),
    ] = None,
    samples: Samples = None,
    learned: Annotated[
        bool, typer.Option("--learned", help="hybrid: polish with the learned operator, not the exact one.")
    ] = False,
    k: TopK = None,
    weights: Weights = None,
    start: Annotated[Path | None, _option(help="A solution to start from.")] = None,
    starts: Annotated[
        int | None, _option(help="Searches with seeds of their own, each with the limits; the best counts.")
    ] = None,
    processes: share.Processes = None,
    backend: share.Backend = "local",
    ray_address: share.RayAddress = None,
    output: Annotated[
        Path | None, _option("--output", "-o", help="Write the solution: .sol, .json, .csv or .geojson.")
    ] = None,
    plot: Annotated[Path | None, _option(help="Draw the routes: .svg, .png or .html.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
) -> None:
    """Plan routes for the stops in FILE."""
    from neurocross import report
    from neurocross.decompose import is_large
    from neurocross.io import read_solution, solution_format, write_solution
    from neurocross.multistart import solve_starts
    from neurocross.parallel import team
    from neurocross.plot import check_path, plot_solution
    from neurocross.solver import solve as run

    # What cannot be written is refused before the work, not after it.
    _refuse_missing_directories(output, plot)
    if output:
        solution_format(output)
    if plot:
        check_path(plot)
    plan = None if start is None else read_solution(start, task)
    _terminate_gently()
    if method is None:
        one_process = learned or (starts, threads, no_improvement) != (None,) * 3
        method = "decompose" if is_large(task) and not one_process else "hybrid"
    options: dict[str, Any] = {
        "method": method, "seed": seed, "time": time, "iterations": iterations, "target": target,
        "perturbations": perturbations, "no_improvement": no_improvement, "select": select, "intra": intra,
        "accept": accept, "threads": threads, "samples": samples, "learned": learned or None, "k": k,
        "weights": weights, "start": plan,
    }  # fmt: skip
    if starts is None and method != "decompose":
        if (processes, backend, ray_address) != (None, "local", None):
            raise InputError("processes, backend and ray-address go with --starts or --method decompose")
        with report.progress(time, quiet) as on_best:
            result = run(task, on_best=on_best, **options)
    else:
        if starts is not None and method == "decompose":
            raise InputError("--starts is not for method decompose, which needs all workers for one plan")
        with team(backend, processes, ray_address) as workers, report.progress(time, quiet) as on_best:
            if starts is None:
                result = run(task, on_best=on_best, workers=workers, **options)
            else:
                result = solve_starts(task, starts, workers, on_best=on_best, **options)
    if output:
        write_solution(result.solution, output)
    if plot:
        plot_solution(result.solution, plot, lower_bound=result.lower_bound)
    if as_json:
        print(json.dumps(result.to_dict(), allow_nan=False))
    else:
        report.print_result(result)
    for violation in result.violations:
        print(f"infeasible: {violation}", file=sys.stderr)
    if not result.feasible:
        raise typer.Exit(INFEASIBLE)


@app.command("solve-batch")
@reads_instances
def solve_batch(
    instances: Instances,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="A JSON line for each answer; gone on with if it is there.")
    ],
    method: Method = "hybrid",
    time: Time = None,
    iterations: Iterations = None,
    no_improvement: NoImprovement = None,
    target: Target = None,
    seed: Seed = 0,
    perturbations: Perturbations = None,
    samples: Samples = None,
    k: TopK = None,
    weights: Weights = None,
    processes: share.Processes = None,
    backend: share.Backend = "local",
    ray_address: share.RayAddress = None,
    quiet: Quiet = False,
) -> None:
    """Solve thousands of instances; limits hold for each. Goes on where it stopped."""
    from neurocross.batch import Options
    from neurocross.batch import solve_batch as run
    from neurocross.parallel import team
    from neurocross.progress import progress

    source, read, format = instances
    _refuse_missing_directories(output)
    options = Options(
        read=read, format=format,
        solve={
            "method": method, "time": time, "iterations": iterations, "no_improvement": no_improvement,
            "target": target, "seed": seed, "perturbations": perturbations, "samples": samples, "k": k,
            "weights": weights,
        },
    )  # fmt: skip
    with team(backend, processes, ray_address) as workers, progress("solving", quiet) as tell:
        rows = run(source, output, options, workers, tell)
    print(f"{rows.ok} solved, {rows.infeasible} infeasible, {rows.failed} failed in {output}")
    if rows.infeasible or rows.failed:
        raise typer.Exit(INFEASIBLE)


@app.command()
@reads_problem
def check(
    task: Problem,
    solution: Annotated[Path, typer.Argument(metavar="SOLUTION", help=".sol, .json, .csv or .geojson.")],
) -> None:
    """Check a solution of FILE: exit 0 if feasible, 3 if not, each violation on a line."""
    from neurocross.io import read_solution

    plan = read_solution(solution, task)
    for violation in plan.violations:
        print(violation)
    if not plan.feasible:
        raise typer.Exit(INFEASIBLE)
    print(f"feasible: makespan {plan.makespan:.10g}, total {plan.total:.10g}")


@app.command()
@reads_problem
def bound(
    task: Problem,
    time: Annotated[float, typer.Option(help="Seconds at most.")] = 10.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Prove a lower bound on the objective of FILE."""
    from dataclasses import asdict

    from neurocross.bounds import lower_bound

    if not time >= 0:
        raise InputError(f"time must be at least 0, not {time}")
    proven = lower_bound(task, time_limit=time)
    if as_json:
        print(json.dumps({"objective": str(task.objective), **asdict(proven)}, allow_nan=False))
    else:
        print(f"{task.objective} is at least {proven.value:.10g} ({proven.kind})")


@app.command()
def generate(
    problem: Annotated[str, typer.Argument(metavar="PROBLEM", help="tsp, mtsp, mdvrp, fmdvrp or cvrp.")],
    cities: Annotated[int, typer.Option(help="Cities of each instance.")] = 50,
    depots: Annotated[int, typer.Option(help="Depots of each instance.")] = 1,
    vehicles: Annotated[int | None, _option("--vehicles", "-m", help="Vehicles of each instance.")] = None,
    count: Annotated[int, typer.Option(help="Instances.")] = 1,
    seed: Annotated[int, typer.Option(help="Seed of the random generator.")] = 0,
    output: Annotated[Path, typer.Option("--output", "-o", help="Directory to write to.")] = Path(
        "instances"
    ),
) -> None:
    """Write random instances that `solve` takes without further options."""
    import numpy as np

    from neurocross.generate import random_problem
    from neurocross.io import write_problem

    if count < 1:
        raise InputError(f"count must be at least 1, not {count}")
    if seed < 0:
        raise InputError(f"seed must be at least 0, not {seed}")
    rng = np.random.default_rng(seed)
    for k in range(count):
        name = f"{problem}-{cities}-{depots}-{vehicles or 'any'}-seed{seed}-{k:04d}"
        task = random_problem(problem, rng, cities=cities, depots=depots, vehicles=vehicles, name=name)
        _make_directory(output)
        write_problem(task, output / f"{name}.json")
        print(output / f"{name}.json")


@app.command()
@reads_problem
def convert(
    task: Problem,
    output: Annotated[Path, typer.Argument(metavar="OUT", help="Its suffix says the format.")],
    solution: Annotated[Path | None, _option(help="Convert this solution of FILE, not the problem.")] = None,
    to: Annotated[str | None, _option(help="Format of OUT; told by its suffix if not given.")] = None,
) -> None:
    """Write the problem in FILE, or a solution of it, in another format."""
    from neurocross.io import read_solution, write_problem, write_solution

    _refuse_missing_directories(output)
    if solution is None:
        write_problem(task, output, format=to)
    else:
        write_solution(read_solution(solution, task), output, format=to)


@app.command()
@reads_problem
def plot(
    task: Problem,
    output: Annotated[Path, typer.Argument(metavar="OUT", help=".svg, .png or .html.")],
    solution: Annotated[Path | None, _option(help="Draw this solution of FILE, not only its places.")] = None,
) -> None:
    """Draw the problem in FILE, or a solution of it."""
    from neurocross.io import read_solution
    from neurocross.plot import plot_problem, plot_solution

    if solution is None:
        plot_problem(task, output)
    else:
        plot_solution(read_solution(solution, task), output)


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8000,
    database: Annotated[
        Path | None, _option(help="File of the jobs; in your state directory if not given.")
    ] = None,
    token_file: Annotated[
        Path | None, _option(help="File with the token requests must carry; needed beyond this machine.")
    ] = None,
    jobs_at_once: Annotated[
        int | None, _option(help="Searches at the same time; the cores if not given.")
    ] = None,
    max_queue: Annotated[int, typer.Option(help="Jobs that may wait.")] = 100,
    max_cities: Annotated[int, typer.Option(help="Cities of a job.")] = 5_000,
    max_seconds: Annotated[float, typer.Option(help="Seconds a job may ask for.")] = 600.0,
    max_body: Annotated[int, typer.Option(help="Bytes of a request.")] = 8_000_000,
    max_memory: Annotated[int, typer.Option(help="Megabytes a search may use.")] = 4_096,
    parse_seconds: Annotated[
        float, typer.Option(help="Seconds to read an upload or write an export.")
    ] = 10.0,
    keep_jobs: Annotated[int, typer.Option(help="Ended jobs that are kept.")] = 1_000,
    tiles: Annotated[
        str | None,
        _option(help="Template of map tiles for the page, '' for none; OpenStreetMap's if not given."),
    ] = None,
) -> None:
    """Start the HTTP service and its page."""
    try:
        from neurocross.service.server import run
        from neurocross.service.settings import Settings, read_token
    except ModuleNotFoundError as error:
        raise MissingDependencyError(f"serve needs {error.name}: pip install 'neurocross[serve]'") from None

    chosen: dict[str, Any] = {"database": database, "jobs_at_once": jobs_at_once, "tiles": tiles}
    given = {name: value for name, value in chosen.items() if value is not None}
    settings = Settings(
        host=host, token=None if token_file is None else read_token(token_file), max_queue=max_queue,
        max_cities=max_cities, max_seconds=max_seconds, max_body=max_body, max_memory=max_memory,
        parse_seconds=parse_seconds, keep_jobs=keep_jobs, **given,
    )  # fmt: skip
    run(settings, port)


@app.command()
@reads_problem
def pareto(
    task: Problem,
    points: Annotated[int, typer.Option(help="Plans at most.")] = 7,
    time: Annotated[float, typer.Option(help="Seconds, shared among the plans.")] = 20.0,
    seed: Annotated[int, typer.Option(help="Seed of the random generator.")] = 0,
    output: Annotated[
        Path | None, _option("--output", "-o", help="Directory for the plans, one .sol file each.")
    ] = None,
    plot: Annotated[Path | None, _option(help="Draw the trade-off: .svg or .png.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Show what a shorter longest route costs in total length."""
    from neurocross import report
    from neurocross.io import write_solution
    from neurocross.pareto import pareto as trade_off
    from neurocross.plot import CHART_SUFFIXES, check_path, plot_tradeoff

    _refuse_missing_directories(output, plot)
    if plot:
        check_path(plot, CHART_SUFFIXES)
    _terminate_gently()
    plans = trade_off(task, points=points, time=time, seed=seed, on_plan=None if quiet else report.print_plan)
    if not plans:
        for reason in task.infeasibilities() or ["no feasible plan was found"]:
            print(f"infeasible: {reason}", file=sys.stderr)
        raise typer.Exit(INFEASIBLE)
    if output:
        _make_directory(output)
        for k, plan in enumerate(plans, 1):
            write_solution(plan, output / f"plan-{k}.sol")
    if plot:
        plot_tradeoff(plans, plot)
    if as_json:
        print(json.dumps({"plans": [report.plan_dict(plan) for plan in plans]}, allow_nan=False))
    else:
        report.print_tradeoff(plans)


for _command in (commands.label, commands.train, commands.export, commands.evaluate):
    app.command()(_command)
app.add_typer(bench.app, name="bench")


def _refuse_missing_directories(*paths: Path | None) -> None:
    for path in paths:
        if path is not None and not path.absolute().parent.is_dir():
            raise InputError(f"{path}: there is no directory '{path.parent}' to write to")


def _make_directory(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path}: cannot make this directory: {error.strerror}") from None
