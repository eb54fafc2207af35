"""What is run: every table of the paper, the public sets, the boards; all of it data."""

from __future__ import annotations

import csv
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from neurocross import InputError, Problem, random_problem, read_problem
from neurocross.bench import paper
from neurocross.bench.paper import Figures
from neurocross.io import ReadOptions

INSTANCE_SEED = 2022
"""Instance i of a random case is the same in every run and on every machine."""


@dataclass(frozen=True)
class RandomCase:
    """Instances with coordinates U(0,1)², all of one size."""

    kind: str
    cities: int
    depots: int = 1
    vehicles: int | None = None
    """None: an unlimited fleet."""

    @property
    def name(self) -> str:
        """As the paper writes sizes, for example `(50,6,5)`."""
        match self.kind:
            case "cvrp":
                return f"CVRP{self.cities}"
            case "mtsp":
                return f"({self.cities},{self.vehicles})"
            case _:
                return f"({self.cities},{self.depots},{self.vehicles})"

    def problem(self, number: int) -> Problem:
        """Instance `number`, from 0."""
        kind = zlib.crc32(self.kind.encode())
        rng = np.random.default_rng(
            [INSTANCE_SEED, kind, self.cities, self.depots, self.vehicles or 0, number]
        )
        return random_problem(
            self.kind, rng, cities=self.cities, depots=self.depots, vehicles=self.vehicles,
            name=f"{self.kind}-{self.cities}-{self.depots}-{self.vehicles or 'any'}-{number:04d}",
        )  # fmt: skip


@dataclass(frozen=True)
class TwoTours:
    """FMDVRP of U(10,100) cities, U(2,9) depots, two vehicles: what the network was measured on."""

    name: str = "two tours"

    def problem(self, number: int) -> Problem:
        """Instance `number`, from 0."""
        rng = np.random.default_rng([INSTANCE_SEED, number])
        cities, depots = int(rng.integers(10, 101)), int(rng.integers(2, 10))
        return random_problem(
            "fmdvrp", rng, cities=cities, depots=depots, vehicles=2, name=f"two-tours-{number:04d}"
        )


@dataclass(frozen=True)
class FileCase:
    """One public instance."""

    set: str
    """Directory below the data directory, and the `set` in its `best_known.csv`."""
    instance: str
    file: str
    vehicles: int | None = None
    """None: what the file says."""

    @property
    def name(self) -> str:
        """For example `eil51-3`."""
        return self.instance if self.vehicles is None else f"{self.instance}-{self.vehicles}"

    def read(self, data: Path) -> Problem:
        """The instance from the data directory."""
        path = data / self.set / self.file
        if not path.is_file():
            raise InputError(
                f"{path}: there is no such file; the public instances go into a directory given by --data, "
                "as docs/reproduction.md says"
            )
        options = ReadOptions()
        if self.vehicles is not None:
            options = replace(options, problem="mtsp", vehicles=self.vehicles)
        return read_problem(path, options=options)


@dataclass(frozen=True)
class Case:
    """One column of a table: instances alike, and what the paper reached on such."""

    source: RandomCase | TwoTours | FileCase
    paper: Figures = field(default_factory=dict)
    time: float | None = None
    """Seconds for solvers that run until a limit; the suite's where None."""
    solvers: tuple[str, ...] = ()
    """The suite's where empty."""
    row: str = ""
    """Row of a board that this case counts for."""
    label: str = ""
    """Told apart by this where a suite has cases of one size and several kinds."""

    @property
    def name(self) -> str:
        """What tables call it."""
        return self.label or self.source.name


@dataclass(frozen=True)
class Target:
    """A row of a board: what is to be reached, and against whom."""

    row: str
    target: str
    opponent: str
    """Who reached what; or a solver's name, measured in the same run."""


@dataclass(frozen=True)
class Suite:
    """Cases, who plays them, and for how long."""

    name: str
    title: str
    cases: tuple[Case, ...]
    solvers: tuple[str, ...]
    time: float
    """Seconds; a limit for some solvers, a cap for those that end by themselves."""
    instances: int = 10
    """Of each random case, unless the command says otherwise; the paper has 100."""
    seeds: tuple[int, ...] = (1,)
    measure: str = "plan"
    """`plan`: the objective of a plan; `rank`: the place of the best exchange among the predicted."""
    keep_tours: bool = False
    """Whether rows keep the plan, to draw it."""
    targets: tuple[Target, ...] = ()

    @property
    def needs_data(self) -> bool:
        """Whether any case is a public instance."""
        return any(isinstance(case.source, FileCase) for case in self.cases)


ALGORITHM_1 = ("ce", "ce-brute", "nce")
LEARNED = ("nce", "nce:weights=mtsp")
"""The paper's NCE and NCE-mTSP: trained on FMDVRP, trained on mTSP."""
OPPONENTS = ("ortools", "pyvrp")


def _random(kind: str, figures: Mapping[tuple[int, int, int], Figures]) -> tuple[Case, ...]:
    return tuple(Case(RandomCase(kind, n, d, v or None), cells) for (n, d, v), cells in figures.items())


def _kinds(*sources: RandomCase) -> tuple[Case, ...]:
    """Cases of several kinds, each named with its kind."""
    return tuple(Case(s, label=s.name if s.kind == "cvrp" else f"{s.kind} {s.name}") for s in sources)


def _mtsp_file(folder: str, instance: str, vehicles: int, **rest: object) -> Case:
    return Case(FileCase(folder, instance, f"{instance}.tsp", vehicles), **rest)  # type: ignore[arg-type]


_HE_HAO = tuple(
    (name, m)
    for name, fleet in (
        ("mtsp51", (3, 5, 10)), ("mtsp100", (3, 5, 10, 20)), ("gtsp150", (3, 5, 10, 20, 30)),
        ("kroa200", (3, 5, 10, 20)), ("att532", (3, 5, 10, 20)), ("rat783", (3, 5, 10, 20)),
        ("nrw1379", (3, 5, 10, 20)), ("pr2392", (3, 5, 10, 20)), ("fnl4461", (3, 5, 10, 20)),
    )
    for m in fleet
)  # fmt: skip
_HE_HAO_NODES = {
    "mtsp51": 51, "mtsp100": 100, "gtsp150": 150, "kroa200": 200, "att532": 532, "rat783": 783,
    "nrw1379": 1379, "pr2392": 2392, "fnl4461": 4461,
}  # fmt: skip
_WANG = tuple(range(1, 44, 2))
_CORDEAU = tuple(f"p{k:02d}d" for k in (*range(1, 13), 15, 18, 21))
_X = (
    "X-n101-k25", "X-n110-k13", "X-n120-k6", "X-n139-k10", "X-n148-k46", "X-n162-k11", "X-n181-k23",
    "X-n204-k19", "X-n228-k23", "X-n261-k13", "X-n303-k21", "X-n401-k29", "X-n502-k39", "X-n701-k44",
    "X-n1001-k43",
)  # fmt: skip


def _wang(number: int, **rest: object) -> Case:
    return Case(FileCase("wang2015", f"md{number}", f"MS{number}d.txt"), **rest)  # type: ignore[arg-type]


def _x(instance: str, **rest: object) -> Case:
    return Case(FileCase("cvrp_x", instance, f"{instance}.vrp"), **rest)  # type: ignore[arg-type]


def _x_customers(instance: str) -> int:
    return int(instance.split("-")[1][1:]) - 1


_TABLES = (
    Suite(
        "fmdvrp-small", "FMDVRP, small instances", _random("fmdvrp", paper.FMDVRP_SMALL),
        ("exact", *ALGORITHM_1, "hybrid@0.1", "ortools@1", "pyvrp@1"), time=60, instances=10,
    ),
    Suite(
        "fmdvrp-large", "FMDVRP, large instances", _random("fmdvrp", paper.FMDVRP_LARGE),
        (*ALGORITHM_1, "hybrid@1", "ce-restarts@5", "ortools@5", "pyvrp@5"), time=60, instances=3,
    ),
    Suite(
        "mdvrp-small", "MDVRP, small instances", _random("mdvrp", paper.MDVRP_SMALL),
        ("exact", *ALGORITHM_1, "hybrid@0.1", "ortools@1", "pyvrp@1"), time=60, instances=10,
    ),
    Suite(
        "mdvrp-large", "MDVRP, large instances", _random("mdvrp", paper.MDVRP_LARGE),
        (*ALGORITHM_1, "hybrid@1", "ce-restarts@5", "ortools@5", "pyvrp@5"), time=60, instances=3,
    ),
    Suite(
        "mtsp-random", "mTSP, random instances", _random("mtsp", paper.MTSP_RANDOM),
        ("ce", *LEARNED, "hybrid@2", "ce-restarts@5", "ortools@5", "pyvrp@5", "lkh@5"), time=60, instances=2,
    ),
    Suite(
        "mtsplib", "mTSPLib",
        tuple(_mtsp_file("mtsplib", *case, paper=cells) for case, cells in paper.MTSPLIB.items()),
        ("ce", *LEARNED, "hybrid@2", "ce-restarts@2", "ortools@2", "pyvrp@2", "lkh@2"), time=60,
    ),
    Suite(
        "cvrp", "CVRP, random instances", _random("cvrp", paper.CVRP),
        ("ce", "nce", "ce:samples=10", "nce:samples=10", "hybrid@2", "ortools@2", "pyvrp@2", "lkh@2"),
        time=60, instances=5,
    ),
    Suite(
        "ablation-k", "Candidates K of the learned operator", _random("fmdvrp", paper.ABLATION_K),
        tuple(f"nce:k={k}" for k in paper.CANDIDATES), time=60, instances=10,
    ),
    Suite(
        "ablation-intra", "IntraOperation", _random("fmdvrp", paper.ABLATION_INTRA),
        tuple(
            f"{method}:intra={intra}"
            for method in ("nce", "ce") for intra in ("2opt", "2opt+oropt", "ortools", "elkai")
        ),
        time=60, instances=5,
    ),
    Suite(
        "ablation-selection", "SelectTours", _random("fmdvrp", paper.ABLATION_SELECTION),
        tuple(f"{m}:select={s}" for m in ("nce", "ce") for s in ("random", "max-min", "sweep")),
        time=60, instances=10,
    ),
    Suite(
        "ablation-perturbation", "Perturbations p", _random("fmdvrp", paper.ABLATION_PERTURBATION),
        tuple(f"{m}:perturbations={p}" for m in ("nce", "ce") for p in paper.PERTURBATIONS),
        time=60, instances=10,
    ),
    Suite(
        "topk", "How often the best exchange is among the K predicted", (Case(TwoTours()),),
        ("nce", "random"), time=60, instances=200, measure="rank",
    ),
    Suite(
        "full-search", "The learned operator against the full search, one descent (p = 0)",
        _random("fmdvrp", paper.FULL_SEARCH),
        ("ce:perturbations=0", "ce-brute:perturbations=0", "nce:k=10,perturbations=0"),
        time=120, instances=10,
    ),
    Suite(
        "examples", "Examples: two plans side by side",
        (
            _mtsp_file("mtsplib", "rat99", 2),
            *_kinds(RandomCase("fmdvrp", 50, 6, 5), RandomCase("mdvrp", 50, 6, 5)),
        ),
        ("nce", "hybrid@5", "ortools@5"), time=60, instances=1, keep_tours=True,
    ),
)  # fmt: skip

_SETS = (
    Suite(
        "he_hao", "min-max mTSP, the set of He and Hao",
        tuple(_mtsp_file("he_hao", *case) for case in _HE_HAO), ("hybrid", "ce-restarts"), time=10,
    ),
    Suite(
        "wang2015", "min-max MDVRP, the set of Wang",
        tuple(_wang(number) for number in _WANG), ("hybrid", "ce-restarts"), time=15,
    ),
    Suite(
        "cordeau", "min-max MDVRP on Cordeau's places",
        tuple(Case(FileCase("cordeau_p", name, f"{name}.txt")) for name in _CORDEAU),
        ("hybrid", "ce-restarts"), time=15,
    ),
    Suite(
        "cvrp-x", "CVRP, set X", tuple(_x(name) for name in _X), ("hybrid", "pyvrp"), time=30,
    ),
    Suite(
        "anytime", "Value over time against opponents",
        _kinds(
            RandomCase("mtsp", 100, 1, 5), RandomCase("mdvrp", 100, 8, 5),
            RandomCase("fmdvrp", 100, 8, 5), RandomCase("cvrp", 100),
        ),
        ("hybrid", "ce-restarts", *OPPONENTS), time=20, instances=2,
    ),
    Suite(
        "exact-solvers", "Three exact solvers until their proof",
        _kinds(
            RandomCase("mtsp", 7, 1, 2), RandomCase("mdvrp", 7, 2, 3),
            RandomCase("fmdvrp", 7, 2, 3), RandomCase("fmdvrp", 10, 2, 2),
            RandomCase("fmdvrp", 10, 2, 3),
        ),
        ("exact", "exact-strengthened", "exact-appendix@60"), time=60, instances=3,
    ),
    Suite(
        "smoke", "The smallest: does everything run", (Case(RandomCase("fmdvrp", 7, 2, 2)),),
        ("exact", "ce", "hybrid@0.1"), time=10, instances=3,
    ),
)  # fmt: skip

_ANCHORS = (
    Target("mtsplib", "<= 0.01 %", "NCE 3.2 %, NCE-mTSP 1.5 % (paper); HGA 0.34 % at 1-13 s (published)"),
    Target("he_hao, n <= 200", "<= 0.05 %", "MILS 0.07 %, LKH-3 0.16 % at 2.4 n s (published, best of 20)"),
    Target("he_hao, att532 and rat783", "<= 0.5 %", "MILS 0.07 %, LKH-3 0.16 % at 2.4 n s (published)"),
    Target("he_hao, n >= 1379", "<= 2 %", "MILS 0.30 %, LKH-3 0.84 % at 2.4 n s (published)"),
    Target("he_hao, n <= 783, long", "<= 0 %", "MILS 0.07 % at 2.4 n s (published, best of 20)"),
    Target("wang2015", "<= 0.5 %", "MA 6.13 %, GAMI 4.44 % at 15 s (published)"),
    Target("wang2015, 60 s", "<= 0 %", "MA 2.93 %, GAMI 2.81 % at 60 s (published)"),
    Target("fmdvrp (50,6,5)", "< 0 % against PyVRP", "pyvrp@5"),
    Target("fmdvrp (100,8,5)", "<= -1 % against PyVRP", "pyvrp@10"),
    Target("cvrp random, N = 100", "<= 0 % against PyVRP", "pyvrp@2"),
    Target("cvrp_x, n <= 303", "<= 0.5 %", "PyVRP in the same run; HGS 0.11 % at 2.4 n s (published)"),
)


def _targets(*rows: str) -> tuple[Target, ...]:
    return tuple(target for target in _ANCHORS if target.row in rows)


def _random_board() -> tuple[Case, ...]:
    return (
        Case(RandomCase("fmdvrp", 50, 6, 5), solvers=("hybrid@0.2", "pyvrp@5"), row="fmdvrp (50,6,5)"),
        Case(RandomCase("fmdvrp", 100, 8, 5), solvers=("hybrid@1", "pyvrp@10"), row="fmdvrp (100,8,5)"),
        Case(RandomCase("cvrp", 100), solvers=("hybrid@2", "pyvrp@2"), row="cvrp random, N = 100"),
    )


def _he_hao_row(instance: str) -> tuple[str, float]:
    nodes = _HE_HAO_NODES[instance]
    if nodes <= 200:
        return "he_hao, n <= 200", 10
    return ("he_hao, att532 and rat783", 60) if nodes <= 783 else ("he_hao, n >= 1379", 120)


_BOARDS = (
    Suite(
        "board-quick", "Board: a dozen cases that tell solvers apart, shortest limits",
        (
            *(
                _mtsp_file("mtsplib", name, m, row="mtsplib", time=2)
                for name, m in (("eil51", 3), ("eil76", 3), ("eil76", 5), ("rat99", 3), ("rat99", 5))
            ),
            *(
                _mtsp_file("he_hao", name, m, row="he_hao, n <= 200", time=10)
                for name, m in (("mtsp100", 3), ("gtsp150", 5), ("kroa200", 3))
            ),
            *(_wang(number, row="wang2015", time=15) for number in (3, 21)),
            *_random_board(),
        ),
        ("hybrid",), time=10, instances=5, seeds=(1, 2),
        targets=_targets(
            "mtsplib", "he_hao, n <= 200", "wang2015", "fmdvrp (50,6,5)", "fmdvrp (100,8,5)",
            "cvrp random, N = 100",
        ),
    ),
    Suite(
        "board-full", "Board: every target, five seeds",
        (
            *(_mtsp_file("mtsplib", *case, row="mtsplib", time=2) for case in paper.MTSPLIB_CASES),
            *(
                _mtsp_file("he_hao", *case, row=_he_hao_row(case[0])[0], time=_he_hao_row(case[0])[1])
                for case in _HE_HAO
            ),
            *(_wang(number, row="wang2015", time=15) for number in _WANG),
            *(
                _wang(number, row="wang2015, 60 s", time=60, label=f"md{number} at 60 s")
                for number in _WANG
            ),
            *_random_board(),
            *(
                _x(name, row="cvrp_x, n <= 303", time=30, solvers=("hybrid", "pyvrp"))
                for name in _X if _x_customers(name) <= 303
            ),
        ),
        ("hybrid",), time=10, instances=20, seeds=(1, 2, 3, 4, 5),
        targets=tuple(target for target in _ANCHORS if not target.row.endswith("long")),
    ),
    Suite(
        "board-long", "Board: 2.4 n seconds, one seed",
        tuple(
            _mtsp_file("he_hao", *case, row="he_hao, n <= 783, long", time=2.4 * _HE_HAO_NODES[case[0]])
            for case in _HE_HAO if _HE_HAO_NODES[case[0]] <= 783
        ),
        ("hybrid",), time=10, targets=_targets("he_hao, n <= 783, long"),
    ),
)  # fmt: skip

SUITES: Mapping[str, Suite] = {suite.name: suite for suite in (*_TABLES, *_SETS, *_BOARDS)}


def suite_named(name: str) -> Suite:
    """A suite by its name."""
    if name not in SUITES:
        raise InputError(f"suite '{name}' is unknown: use one of {', '.join(SUITES)}")
    return SUITES[name]


def instances(case: Case, count: int, data: Path | None) -> Iterator[Problem]:
    """The problems of a case, each with its name; `count` of a random case."""
    if not isinstance(case.source, FileCase):
        yield from (case.source.problem(number) for number in range(count))
    elif data is None:
        raise InputError(
            f"{case.name} is a public instance: give the directory it is in with --data, "
            "as docs/reproduction.md says"
        )
    else:
        yield case.source.read(data).with_(name=case.name)


def best_known(data: Path | None) -> dict[tuple[str, str], float]:
    """Best-known values by set and case name, from `best_known.csv` of the data directory if it is there."""
    path = None if data is None else data / "best_known.csv"
    if path is None or not path.is_file():
        return {}
    found = {}
    for number, row in enumerate(csv.DictReader(path.read_text().splitlines()), start=2):
        try:
            value = float(row["best_known"])
            found[row["set"], row["instance"]] = value
            found[row["set"], f"{row['instance']}-{row['vehicles']}"] = value
        except (KeyError, TypeError, ValueError):
            raise InputError(
                f"{path}:{number}: expected the columns set, instance, vehicles, best_known"
            ) from None
    return found
