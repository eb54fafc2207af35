"""The commands `label`, `train`, `evaluate` and `export`. Everything heavy is imported where it is used."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from neurocross.errors import InputError, MissingDependencyError
from neurocross.parallel import options

T = TypeVar("T")
Problem = Annotated[str, typer.Option("--problem", help="fmdvrp or mtsp.")]


def label(
    output: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the shards.")],
    problem: Problem = "fmdvrp",
    instances: Annotated[int, typer.Option(help="Pairs of tours to label.")] = 50_000,
    seed: Annotated[int, typer.Option(help="Seed of the data.")] = 1,
    searched: Annotated[float, typer.Option(help="Share of pairs met along a search; the paper has 0.")] = 1
    / 3,
    processes: Annotated[int, typer.Option(help="Processes that label at once.")] = 1,
    backend: options.Backend = "local",
    ray_address: options.RayAddress = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Make training data: pairs of tours and what every start pair gains. Goes on where it stopped."""
    from neurocross.parallel import team
    from neurocross.progress import progress
    from neurocross.train.data import DataConfig
    from neurocross.train.shards import SHARD, write_shards

    config = DataConfig(problem=problem, seed=seed, searched=searched)
    examples = labels = 0
    with team(backend, processes, ray_address) as workers, progress("labelling", quiet) as tell:
        for count, made in enumerate(write_shards(output, config, instances, workers), start=1):
            examples, labels = examples + made[0], labels + made[1]
            tell(count, -(-instances // SHARD), f"{examples} pairs of tours")
    print(f"{examples} pairs of tours with {labels} labels in {output}")


def train(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The run; its folder is training/NAME.")
    ] = "fmdvrp",
    configuration: Annotated[
        str | None,
        typer.Option(help="tours (default) or paper (the network as written).", show_default=False),
    ] = None,
    problem: Annotated[
        str | None, typer.Option(help="fmdvrp (default) or mtsp: what to train on.", show_default=False)
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="Shards of neurocross label; made as needed if not given.")
    ] = None,
    passes: Annotated[int | None, typer.Option(help="Graph passes in all.", show_default=False)] = None,
    every: Annotated[int | None, typer.Option(help="Passes between checkpoints.", show_default=False)] = None,
    validation: Annotated[
        int | None, typer.Option(help="Unseen instances of the running table.", show_default=False)
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the first weights.", show_default=False)] = None,
    seconds: Annotated[float, typer.Option(help="Stop after so long, with a checkpoint.")] = float("inf"),
    threads: Annotated[int, typer.Option(help="Threads of torch.")] = 1,
    compiled: Annotated[bool, typer.Option("--compile/--no-compile", help="Compile the network.")] = True,
    folder: Annotated[Path, typer.Option(help="Where the runs are.")] = Path("training"),
    tensorboard: Annotated[Path | None, typer.Option(help="Also write a TensorBoard log here.")] = None,
) -> None:
    """Train the prediction model, or go on with a run. Ctrl-C stops it with a checkpoint."""
    try:
        from neurocross.train import loop
    except ImportError as error:
        raise MissingDependencyError(
            f"training needs {error.name}: pip install 'neurocross[train]'"
        ) from None
    from neurocross.train.shards import Shards

    source = None if data is None else Shards(data)
    given: dict[str, Any] = {"passes": passes, "every": every, "seed": seed, "validation": validation}
    if source:
        given |= {"data": source.config, "instances": source.instances}
    config = loop.saved_configuration(folder / name, configuration, problem, **given)
    run = loop.train(
        folder / name, config, source=source, threads=threads, compiled=compiled, tensorboard=tensorboard,
        stop_after=seconds, say=lambda line: print(line, file=sys.stderr, flush=True),
    )  # fmt: skip
    if run.leads:
        print(json.dumps({"passes": run.passes, "of": config.passes, **run.table}))


def export(
    checkpoint: Annotated[Path, typer.Argument(metavar="CHECKPOINT", help="Of a training.")],
    output: Annotated[Path, typer.Argument(metavar="WEIGHTS", help="File to write (safetensors).")],
    instances: Annotated[int, typer.Option(help="Fresh instances for the top-K table in the header.")] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of those instances.")] = 4_000_000,
) -> None:
    """Make weights that `solve` takes from a checkpoint, with their top-K table inside."""
    from neurocross.train.data import DataConfig
    from neurocross.train.evaluation import evaluate as measure
    from neurocross.train.export import export as write
    from neurocross.train.export import predictor_of

    predictor = predictor_of(checkpoint)
    fresh = DataConfig(problem=predictor.about["config"]["data"]["problem"], seed=seed, searched=0.0)
    header = write(checkpoint, output, measure(predictor, fresh, instances).table)
    print(json.dumps({"weights": str(output), "graph_passes": header["graph_passes"], **header["table"]}))


def evaluate(
    weights: Annotated[str, typer.Option(help="Shipped weights by name, or a file.")] = "fmdvrp",
    instances: Annotated[int, typer.Option(help="Fresh instances.")] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the instances.")] = 5_000_000,
    problem: Annotated[
        str | None,
        typer.Option(help="fmdvrp or mtsp (default: what the weights were trained on).", show_default=False),
    ] = None,
    searched: Annotated[
        float, typer.Option(help="Share of pairs met along a search; the paper has 0.")
    ] = 0.0,
    plot: Annotated[Path | None, typer.Option(help="Picture of predicted against true decrements.")] = None,
    compare: Annotated[
        int, typer.Option(help="Also compare with full search, on so many instances a size.")
    ] = 0,
    k: Annotated[int, typer.Option("--k", help="K of that comparison.")] = 10,
    times: Annotated[Path | None, typer.Option(help="Picture of the times of that comparison.")] = None,
    calls: Annotated[
        bool, typer.Option("--calls", help="Also time one call of each operator, and one prediction.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON alone.")] = False,
) -> None:
    """Print the top-K table of weights on fresh instances, beside the paper's."""
    from neurocross.plot import CHART_SUFFIXES, check_path
    from neurocross.predictor.model import load_predictor
    from neurocross.train import evaluation
    from neurocross.train.accuracy import KS, PAPER
    from neurocross.train.data import DataConfig

    if compare < 0 or (times and not compare):
        raise InputError("--times needs --compare N, the number of instances of the comparison")
    for picture in filter(None, (plot, times)):
        check_path(picture, CHART_SUFFIXES)
    predictor = load_predictor(weights)
    if problem is None:
        problem = predictor.about.get("data", {}).get("problem", "fmdvrp")
    config = DataConfig(problem=problem, seed=seed, searched=searched)
    found = evaluation.evaluate(
        predictor, config, instances, lambda numbers: _progress(numbers, "predicting", instances)
    )
    rows, single, predictions = [], [], []
    if compare:
        compared = evaluation.compare(predictor, instances=compare, seed=seed, k=k)
        rows = list(_progress(compared, "comparing", len(evaluation.SIZES)))
    if calls:
        single = list(_progress(evaluation.operator_times(predictor), "timing", len(evaluation.TOUR_SIZES)))
        predictions = list(evaluation.prediction_times())
    if plot:
        evaluation.plot_predictions(found, plot)
    if times:
        evaluation.plot_times(rows, times)
    table = found.table
    if as_json:
        parts = (("comparison", rows), ("calls", single), ("predictions", predictions))
        more = {name: lines for name, lines in parts if lines}
        print(json.dumps({**table, **more}))
        return
    print("best start pair among K predicted, % of instances; best decrement reached by searching them, %")
    print("K            " + "".join(f"{k:>7}" for k in KS))
    print("here         " + "".join(f"{value:7.1f}" for value in table["topk"].values()))
    print("the paper    " + "".join(f"{value:7.1f}" for value in PAPER))
    print("reached      " + "".join(f"{value:7.1f}" for value in table["reached"].values()))
    print(
        f"error of a prediction, in sides of the bounding box: mean absolute {table['mae']:.4f}, "
        f"root mean square {table['rmse']:.4f}"
    )
    print(f"{table['instances']} instances, {table['ranked']} of them can be improved")
    if rows:
        print(f"\nNCE (K = {k}) against CE, {compare} instances a size, milliseconds of one core a descent")
        names = "".join(f"{name:>10}" for name in rows[0]["milliseconds"])
        print(f"N_c       CE      NCE   NCE - CE, %    missed, %{names}")
    for row in rows:
        cost = row["cost"]
        print(
            f"{row['cities']:3d}  {cost['ce']:7.4f}  {cost['nce']:7.4f}  "
            f"{row['above_ce_percent']:+6.2f} ± {row['standard_error']:.2f}    {row['missed_percent']:9.3f}"
            + "".join(f"{ms:10.2f}" for ms in row["milliseconds"].values())
        )
    if single:
        print("\nmilliseconds of one core a call")
        print("cities a tour" + "".join(f"{name:>13}" for name in single[0]["milliseconds"]))
    for row in single:
        print(f"{row['cities']:13d}" + "".join(f"{ms:13.3f}" for ms in row["milliseconds"].values()))
    for row in predictions:
        print(
            f"one prediction for two tours of {row['cities']} cities, form {row['form']}: "
            f"{row['core']:.1f} ms, eager torch {row['torch']:.1f} ms"
        )


def _progress(items: Iterable[T], what: str, total: int) -> Iterable[T]:
    """A bar on standard error."""
    from rich.console import Console
    from rich.progress import track

    return track(items, what, total, console=Console(stderr=True))
