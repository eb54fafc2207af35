"""Training: graph passes in order, a checkpoint from which it goes on to the last bit, a table as it runs.

Example number p of the data depends on p alone and nothing else is drawn at random after the weights are
made, so the number of passes done, the weights and the optimiser's moments are the whole state.
"""

from __future__ import annotations

import copy
import json
import math
import os
import signal
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from neurocross.errors import InputError
from neurocross.files import write_bytes
from neurocross.predictor.features import pair_graph
from neurocross.predictor.spec import ARCHITECTURES, Architecture
from neurocross.predictor.tensorfile import Tensors, write_tensors
from neurocross.train.accuracy import Accuracy
from neurocross.train.data import DataConfig, Example, make_example
from neurocross.train.export import CHECKPOINT, read_checkpoint
from neurocross.train.network import Network


@dataclass(frozen=True)
class TrainConfig:
    """One training run. The defaults are those of the shipped weights."""

    architecture: Architecture = ARCHITECTURES["tours"]
    data: DataConfig = field(default_factory=DataConfig)
    instances: int = 150_000
    """Different examples; after so many they come again."""
    passes: int = 150_000
    """Graph passes in all; the paper's three epochs over 50,000 instances."""
    batch: int = 2
    """Graphs an optimiser step."""
    seed: int = 1
    """Of the first weights; `data.seed` is that of the data."""
    learning_rate: float = 1e-3
    warm_up: int = 500
    """Steps over which the learning rate rises from 0."""
    decay: float = 0.2
    """Share of the passes, the last ones, over which it falls to 0 in a straight line."""
    weight_decay: float = 0.01
    clip: float = 1.0
    """Largest norm of the gradient."""
    average: float = 0.999
    """Decay of the running mean of the weights that is validated and exported; 0: the weights themselves."""
    huber: float = 0.02
    """Where the Huber loss turns from square to linear, in units of the bounding box."""
    ranking: float = 0.5
    """Weight of the ranking term; 0: the Huber loss alone."""
    temperature: float = 0.02
    """Differences of y* that the ranking term tells apart, in units of the bounding box."""
    validation: int = 300
    """Unseen raw instances of the running top-K table."""
    every: int = 4_000
    """Passes between two checkpoints."""

    def __post_init__(self) -> None:
        for name in ("instances", "passes", "batch", "every"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in ("learning_rate", "huber", "temperature", "clip"):
            if not getattr(self, name) > 0:
                raise InputError(f"{name} must be above 0, not {getattr(self, name)}")

    def to_dict(self) -> dict[str, Any]:
        """As saved beside the weights."""
        return json.loads(json.dumps({**asdict(self), "architecture": self.architecture.to_dict()}))

    @classmethod
    def from_dict(cls, values: dict[str, Any], source: str) -> TrainConfig:
        """As read from `source`."""
        values = dict(values)
        try:
            arch = Architecture.from_dict(values.pop("architecture"), source)
            return cls(architecture=arch, data=DataConfig.from_dict(values.pop("data")), **values)
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{source} holds no configuration of a training: {error}") from None


def saved_configuration(folder: Path, name: str | None, problem: str | None, **changes: Any) -> TrainConfig:
    """What a folder was trained with; a new run's is the named one. What is given must be the same."""
    if name is None and problem is None and (folder / "config.json").exists():
        try:
            saved = json.loads((folder / "config.json").read_text())
            return replace(TrainConfig.from_dict(saved, str(folder)), **_given(changes))
        except ValueError:
            raise InputError(f"{folder / 'config.json'} is damaged: it is no JSON") from None
    return configuration(name or "tours", problem or "fmdvrp", **changes)


def _given(changes: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in changes.items() if value is not None}


def configuration(name: str, problem: str = "fmdvrp", **changes: Any) -> TrainConfig:
    """The named run: `tours`, the default, or `paper`, as written there."""
    if name not in ARCHITECTURES:
        raise InputError(f"configuration '{name}' is unknown: use one of {', '.join(ARCHITECTURES)}")
    config = TrainConfig(architecture=ARCHITECTURES[name], data=DataConfig(problem=problem))
    if name == "paper":
        config = replace(
            config,
            data=DataConfig(problem=problem, searched=0.0),
            instances=50_000,
            learning_rate=5e-4,
            warm_up=0,
            decay=0.0,
            average=0.0,
            huber=1.0,
            ranking=0.0,
        )
    return replace(config, **_given(changes))


# -- one graph --------------------------------------------------------------------------------------


def tensors_of(arch: Architecture, example: Example) -> tuple[Tensor, Tensor, int, Tensor]:
    """x_i, x_ij, nodes of tour 1, the longer one, and y* for the objectives in units of the box."""
    graph = pair_graph(arch.features, example.problem, 0, example.t1, 1, example.t2)
    labels = example.labels.transpose(1, 0, 2) if graph.swapped else example.labels
    chosen = labels[..., [("minmax", "minsum").index(name) for name in arch.objectives]]
    return (
        torch.from_numpy(graph.nodes),
        torch.from_numpy(graph.edges),
        graph.n1 + 2,
        torch.from_numpy((chosen / graph.unit).astype(np.float32)),
    )


def losses(config: TrainConfig, predicted: Tensor, true: Tensor) -> tuple[Tensor, Tensor]:
    """Huber loss, and how far the order of the best pairs is off, for all start pairs of one graph.

    The second compares softmax(ŷ/T) with softmax(y/T) over the pairs: only those near the best have weight.
    """
    huber = torch.nn.functional.huber_loss(predicted, true, delta=config.huber) / config.huber**2
    p, y = predicted.flatten(0, 1) / config.temperature, true.flatten(0, 1) / config.temperature
    gap = torch.log_softmax(y, dim=0) - torch.log_softmax(p, dim=0)
    return huber, (torch.softmax(y, dim=0) * gap).sum(dim=0).mean()


def validate(network: Network, config: TrainConfig, examples: list[Example]) -> dict[str, Any]:
    """Top-K table of the first objective."""
    accuracy = Accuracy()
    with torch.no_grad():
        for example in examples:
            nodes, edges, N1, true = tensors_of(config.architecture, example)
            accuracy.add(network(nodes, edges, N1)[..., 0].double().numpy(), true[..., 0].double().numpy())
    return accuracy.table()


# -- the run ----------------------------------------------------------------------------------------


class Run:
    """A training run in a folder: `checkpoint.safetensors`, `config.json`, `log.jsonl`."""

    def __init__(self, folder: Path, config: TrainConfig) -> None:
        self.folder, self.config = folder, config
        self.checkpoint, self.log = folder / "checkpoint.safetensors", folder / "log.jsonl"
        torch.manual_seed(config.seed)
        self.network = Network(config.architecture)
        self.averaged = copy.deepcopy(self.network)
        self.optimiser = torch.optim.AdamW(
            self.network.parameters(), config.learning_rate, weight_decay=config.weight_decay
        )
        self.passes, self.seconds = 0, 0.0
        self.leads = True
        """Whether this process, of several, is the one that validates and writes."""
        self.table: dict[str, Any] = {}
        if self.checkpoint.exists():
            self._load()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{folder} cannot be made: {error.strerror}") from None

    def _states(self) -> dict[str, dict[str, Tensor]]:
        """Everything that changes, by kind and parameter."""
        names = dict(self.network.named_parameters())
        moments = {name: self.optimiser.state.get(p, {}) for name, p in names.items()}
        return {
            "weights": {name: p.detach() for name, p in names.items()},
            "average": {name: p.detach() for name, p in self.averaged.named_parameters()},
            "mean": {name: m.get("exp_avg", torch.zeros_like(names[name])) for name, m in moments.items()},
            "square": {
                name: m.get("exp_avg_sq", torch.zeros_like(names[name])) for name, m in moments.items()
            },
        }

    def save(self, line: dict[str, Any]) -> None:
        """Write the checkpoint, then the line of the log that belongs to it."""
        tensors: Tensors = {
            f"{kind}/{name}": tensor.numpy()
            for kind, state in self._states().items()
            for name, tensor in state.items()
        }
        write_tensors(
            self.checkpoint,
            tensors,
            {
                "kind": CHECKPOINT,
                "config": self.config.to_dict(),
                "passes": self.passes,
                "seconds": self.seconds,
                "table": self.table,
            },
        )
        write_bytes(
            self.folder / "config.json", (json.dumps(self.config.to_dict(), indent=2) + "\n").encode()
        )
        with self.log.open("a") as log:
            log.write(json.dumps(line) + "\n")

    def _load(self) -> None:
        tensors, about = read_checkpoint(self.checkpoint)
        ours, theirs = self.config.to_dict(), about["config"]
        for key in ours:
            if ours[key] != theirs.get(key):
                raise InputError(
                    f"{self.checkpoint} is of another configuration: {key} is {theirs.get(key)} there, "
                    f"{ours[key]} here; give the same, or train into another folder"
                )
        self.passes, self.seconds, self.table = about["passes"], about["seconds"], about["table"]
        self._make_moments()
        for name, p in self.network.named_parameters():
            if f"weights/{name}" not in tensors or tensors[f"weights/{name}"].shape != tuple(p.shape):
                raise InputError(f"{self.checkpoint} lacks the weights '{name}', or they have another shape")
        for kind, state in self._states().items():
            for name, tensor in state.items():
                tensor.copy_(torch.from_numpy(tensors[f"{kind}/{name}"]))
        if self.log.exists():  # lines of passes that the checkpoint does not know
            lines = [t for t in self.log.read_text().splitlines() if json.loads(t)["passes"] <= self.passes]
            write_bytes(self.log, "".join(f"{t}\n" for t in lines).encode())

    def _make_moments(self) -> None:
        """The optimiser's memory, to be filled, as after the passes done."""
        step = torch.tensor(float(self.passes // self.config.batch))
        for p in self.network.parameters():
            self.optimiser.state[p] = {
                "step": step.clone(),
                "exp_avg": torch.zeros_like(p),
                "exp_avg_sq": torch.zeros_like(p),
            }

    def follow_first(self) -> None:
        """Go on from where the first process stands: only its machine needs the folder."""
        passes = torch.tensor(self.passes)
        torch.distributed.broadcast(passes, 0)
        self.passes = int(passes)
        if not self.passes:
            return  # all begin with the same weights, made from the seed
        if not self.leads:
            self._make_moments()
        for state in self._states().values():
            for tensor in state.values():
                torch.distributed.broadcast(tensor, 0)

    def rate(self) -> float:
        """Learning rate of the next step."""
        config, left = self.config, 1 - self.passes / self.config.passes
        rise = min(1.0, (self.passes // config.batch + 1) / config.warm_up) if config.warm_up else 1.0
        return config.learning_rate * rise * (min(1.0, left / config.decay) if config.decay else 1.0)

    def step(self, example: Callable[[int], Example], rank: int = 0, world: int = 1) -> tuple[float, float]:
        """One optimiser step on the next `batch` graphs; process `rank` of `world` takes every world-th."""
        config, total = self.config, torch.zeros(2)
        for k in range(rank, config.batch, world):
            nodes, edges, N1, true = tensors_of(
                config.architecture, example((self.passes + k) % config.instances)
            )
            huber, order = losses(config, self.network(nodes, edges, N1), true)
            ((huber + config.ranking * order) / config.batch).backward()
            total += torch.stack([huber, order]).detach() / config.batch
        if world > 1:
            for gradient in (*(p.grad for p in self.network.parameters()), total):
                torch.distributed.all_reduce(gradient)
        for group in self.optimiser.param_groups:
            group["lr"] = self.rate()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), config.clip)
        self.optimiser.step()
        self.optimiser.zero_grad()
        self.passes += config.batch
        step = (
            self.passes // config.batch
        )  # the mean is short at first, so that the random start is soon forgotten
        keep = min(config.average, (step + 1) / (step + 10))
        with torch.no_grad():
            for mean, p in zip(self.averaged.parameters(), self.network.parameters(), strict=True):
                mean.lerp_(p, 1 - keep)
        return float(total[0]), float(total[1])


def train(
    folder: Path,
    config: TrainConfig,
    *,
    source: Callable[[int], Example] | None = None,
    threads: int = 1,
    compiled: bool = True,
    tensorboard: Path | None = None,
    stop_after: float = math.inf,
    say: Callable[[str], None] = print,
) -> Run:
    """Train, or go on, until all passes are done, `stop_after` seconds are over or a signal asks to stop.

    `source` gives the examples by number (shards); without it they are made as they are needed.
    Under `torchrun` the graphs of a batch are shared among the processes; the first one writes.
    """
    torch.set_num_threads(threads)
    rank, world = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    if world > config.batch:
        raise InputError(f"{world} processes have only the {config.batch} graphs of a batch to share")
    if world > 1 and not torch.distributed.is_initialized():
        torch.distributed.init_process_group("gloo")
    example = source or (lambda number: make_example(config.data, number))
    run = Run(folder, config)
    run.leads = rank == 0
    if world > 1:
        run.follow_first()
    if compiled:
        run.network.prepare_training()
    unseen = replace(config.data, seed=config.data.seed + 1_000_000, searched=0.0)
    validation = [make_example(unseen, number) for number in range(config.validation)] if rank == 0 else []
    writer = _tensorboard(tensorboard) if tensorboard and rank == 0 else None
    stopping = _Stopping()
    begun, earlier, recent = time.monotonic(), run.seconds, []
    while run.passes < config.passes:
        recent.append(run.step(example, rank, world))
        run.seconds = earlier + time.monotonic() - begun
        stop = stopping.agreed(time.monotonic() - begun > stop_after, world)
        done = run.passes >= config.passes or stop
        if done or run.passes // config.every > (run.passes - config.batch) // config.every:
            if rank == 0:
                run.table = validate(run.averaged if config.average else run.network, config, validation)
                huber, order = np.mean(recent, axis=0)
                line = {
                    "passes": run.passes,
                    "seconds": round(run.seconds),
                    "rate": run.rate(),
                    "huber": round(float(huber), 6),
                    "order": round(float(order), 6),
                    **run.table,
                }
                run.save(line)
                say(json.dumps(line))
                if writer:
                    for key, value in {
                        "huber": huber,
                        "order": order,
                        "mae": run.table["mae"],
                        **{f"top{k}": v for k, v in run.table["topk"].items()},
                    }.items():
                        writer.add_scalar(key, value, run.passes)
            recent = []
        if stop:
            break
    if world > 1:
        torch.distributed.barrier()  # the first process may still validate and write
        torch.distributed.destroy_process_group()
    return run


class _Stopping:
    """A signal to stop is obeyed after the step, when a checkpoint can be written."""

    def __init__(self) -> None:
        self.asked = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._ask)

    def _ask(self, *_: object) -> None:
        self.asked = True

    def agreed(self, over: bool, world: int) -> bool:
        """Whether any process has been asked or is out of time: all stop at the same step."""
        votes = torch.tensor(float(self.asked or over))
        if world > 1:
            torch.distributed.all_reduce(votes)
        return bool(votes > 0)


def _tensorboard(folder: Path) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise InputError(
            "--tensorboard needs the package tensorboard: pip install 'neurocross[train]'"
        ) from None
    return SummaryWriter(folder)
