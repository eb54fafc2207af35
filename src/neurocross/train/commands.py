"""The commands `label`, `train`, `evaluate` and `export`. Everything heavy is imported where it is used."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from neurocross.errors import InputError, MissingDependencyError

Problem = Annotated[str, typer.Option("--problem", help="fmdvrp or mtsp.")]


def label(
    output: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the shards.")],
    problem: Problem = "fmdvrp",
    instances: Annotated[int, typer.Option(help="Pairs of tours to label.")] = 50_000,
    seed: Annotated[int, typer.Option(help="Seed of the data.")] = 1,
    searched: Annotated[float, typer.Option(help="Share of pairs met along a search; the paper has 0.")] = 1
    / 3,
    processes: Annotated[int, typer.Option(help="Processes that label at once.")] = 1,
) -> None:
    """Make training data: pairs of tours and what every start pair gains. Goes on where it stopped."""
    from rich.console import Console
    from rich.progress import track

    from neurocross.train.data import DataConfig
    from neurocross.train.shards import SHARD, write_shards

    config = DataConfig(problem=problem, seed=seed, searched=searched)
    shards = write_shards(output, config, instances, processes)
    progress = track(shards, "labelling", -(-instances // SHARD), console=Console(stderr=True))
    examples, labels = map(sum, zip(*progress, strict=True))
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
    problem: Problem = "fmdvrp",
    searched: Annotated[
        float, typer.Option(help="Share of pairs met along a search; the paper has 0.")
    ] = 0.0,
    plot: Annotated[Path | None, typer.Option(help="Picture of predicted against true decrements.")] = None,
    compare: Annotated[
        int, typer.Option(help="Also compare with full search, on so many instances a size.")
    ] = 0,
    k: Annotated[int, typer.Option("--k", help="K of that comparison.")] = 10,
    brute: Annotated[bool, typer.Option("--brute", help="With the paper's O(n⁴) search in it.")] = False,
    times: Annotated[Path | None, typer.Option(help="Picture of the times of that comparison.")] = None,
    calls: Annotated[bool, typer.Option("--calls", help="Also time one call of each operator.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON alone.")] = False,
) -> None:
    """Print the top-K table of weights on fresh instances, beside the paper's."""
    from neurocross.predictor.model import load_predictor
    from neurocross.train import evaluation
    from neurocross.train.accuracy import KS, PAPER
    from neurocross.train.data import DataConfig

    if compare < 0 or (times and not compare):
        raise InputError("--times needs --compare N, the number of instances of the comparison")
    predictor = load_predictor(weights)
    found = evaluation.evaluate(
        predictor, DataConfig(problem=problem, seed=seed, searched=searched), instances
    )
    rows = (
        list(evaluation.compare(predictor, instances=compare, seed=seed, k=k, brute=brute)) if compare else []
    )
    single = list(evaluation.operator_times(predictor)) if calls else []
    if plot:
        evaluation.plot_predictions(found, plot)
    if times:
        evaluation.plot_times(rows, times)
    if as_json:
        more = {name: table for name, table in (("comparison", rows), ("calls", single)) if table}
        print(json.dumps({**found.table, **more}))
        return
    print("K            " + "".join(f"{k:>7}" for k in KS))
    print("here (%)     " + "".join(f"{value:7.1f}" for value in found.table["topk"].values()))
    print("paper (%)    " + "".join(f"{value:7.1f}" for value in PAPER))
    print(
        f"mean absolute error {found.table['mae']:.4f} of the bounding box; "
        f"{found.table['instances']} instances, "
        f"{found.table['ranked']} of them can be improved"
    )
    for row in rows:
        cost, per_call = row["cost"], row["milliseconds_per_call"]
        print(
            f"N_c {row['cities']:4d}: "
            + ", ".join(f"{name} {cost[name]:.4f} ({per_call[name]:.2f} ms a call)" for name in cost)
            + f"; nce is {row['above_ce_percent']:+.2f} % from ce"
        )
    for row in single:
        times_of = ", ".join(f"{name} {ms:.3f} ms" for name, ms in row["milliseconds"].items())
        print(f"two tours of {row['cities']:3d} cities: {times_of}")
