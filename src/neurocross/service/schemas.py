"""What the service takes and answers, with examples for its OpenAPI document."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from neurocross.io import PROBLEM_FORMATS
from neurocross.io.options import PROBLEMS
from neurocross.objective import Objective
from neurocross.problem import ROUNDINGS
from neurocross.service.store import ENDED
from neurocross.solver import METHODS

MAX_SEED = 2**53 - 1
"""Whole numbers up to here survive JavaScript."""

STOPS = """id,kind,x,y
depot,depot,50,50
1,city,10,20
2,city,90,30
3,city,80,85
4,city,15,75
"""


SEARCHES = tuple(method for method in METHODS if method != "decompose")
"""Methods of a job: it has one process, and fewer cities than would need more."""


class _Schema(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class Options(_Schema):
    """What to solve and how; what is left out is as the file says, or as its problem implies."""

    problem: Annotated[
        Literal[PROBLEMS] | None,  # type: ignore[valid-type]
        Field(description="tsp, mtsp, mdvrp, fmdvrp or cvrp."),
    ] = None
    vehicles: Annotated[int | None, Field(ge=1, le=10_000, description="Number of vehicles.")] = None
    objective: Annotated[
        Literal["minmax", "minsum", "makespan", "min-max", "min-sum"] | None,
        Field(description="minmax (the longest route) or minsum (the total)."),
    ] = None
    capacity: Annotated[float | None, Field(ge=0, description="Load a vehicle may carry.")] = None
    max_length: Annotated[float | None, Field(ge=0, description="Longest route allowed.")] = None
    end: Annotated[
        str | None,
        Field(description="Where vehicles end: own, any, open, a depot's id, or ids with commas."),
    ] = None
    rounding: Annotated[
        Literal[ROUNDINGS] | None,  # type: ignore[valid-type]
        Field(description="How each distance is rounded."),
    ] = None
    format: Annotated[
        Literal[PROBLEM_FORMATS] | None,  # type: ignore[valid-type]
        Field(description="Format of the instance; told by its content if not given."),
    ] = None
    method: Annotated[
        Literal[SEARCHES] | None,  # type: ignore[valid-type]
        Field(description="The search; the default is the command's."),
    ] = None
    seconds: Annotated[float, Field(gt=0, description="Time for the search.")] = 10.0
    iterations: Annotated[
        int | None,
        Field(ge=0, le=MAX_SEED, description="Iterations at most; the same seed then gives the same plan."),
    ] = None
    seed: Annotated[int, Field(ge=0, le=MAX_SEED, description="Seed of the random generator.")] = 0


class StartRoute(_Schema):
    """One route of a plan to start from; length, load and ends are measured anew."""

    vehicle: Annotated[int, Field(ge=1)]
    stops: list[str]
    start: str | None = None
    end: str | None = None
    length: float | None = None
    load: float | None = None


class JobRequest(Options):
    """An instance with its options, in one document."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"instance": STOPS, "vehicles": 2, "seconds": 5, "seed": 1},
                {
                    "instance": {
                        "neurocross": 1,
                        "depots": [{"id": "north", "x": 0, "y": 9}, {"id": "south", "x": 0, "y": 0}],
                        "cities": [{"id": "1", "x": 3, "y": 4}, {"id": "2", "x": 5, "y": 1}],
                    },
                    "vehicles": 2,
                    "end": "any",
                    "seconds": 1,
                },
            ]
        }
    )

    instance: Annotated[
        str | dict[str, Any],
        Field(description="A file's text (CSV, TSPLIB, VRPLIB, Cordeau …), or our JSON, or VROOM's JSON."),
    ]
    start: Annotated[
        list[StartRoute] | None, Field(description="Routes to start from, as a solution lists them.")
    ] = None


class Route(_Schema):
    """One vehicle's route, nodes by their ids."""

    vehicle: int
    start: str
    end: Annotated[str | None, Field(description="The depot it ends at; null if the route is open.")]
    stops: list[str]
    length: float
    load: float


class Figures(_Schema):
    """What a plan costs and what is proven about it."""

    seconds: Annotated[float, Field(description="Time of the search when it was found.")]
    iteration: int
    makespan: Annotated[float, Field(description="Length of the longest route.")]
    total: Annotated[float, Field(description="Length of all routes.")]
    lower_bound: Annotated[float, Field(description="No plan has a smaller value of the objective.")]
    gap: Annotated[float, Field(description="(value - lower bound) / value.")]
    optimal: bool
    feasible: bool
    violations: list[str]
    vehicles_used: int


class Best(Figures):
    """The data of a `best` event: a plan better than all before it."""

    routes: list[Route]


class About(_Schema):
    """A problem in figures."""

    name: str
    problem: str
    objective: Objective
    cities: int
    depots: int
    vehicles: int
    rounding: str


class Job(_Schema):
    """A job and how it stands."""

    id: str
    state: Literal["queued", "running", "finished", "stopped", "failed"]
    about: About
    options: Options
    best: Figures | None
    error: Annotated[str | None, Field(description="Why it failed.")]
    attempts: Annotated[
        int, Field(description="More than 1 where the service was killed and began it again from its best.")
    ]
    created: Annotated[float, Field(description="Seconds since 1970, as the next two.")]
    started: float | None
    ended: float | None
    links: dict[str, str]


class JobPage(_Schema):
    """Jobs, the newest first."""

    jobs: list[Job]
    next: Annotated[str | None, Field(description="The next page; null on the last.")]


class Problem(_Schema):
    """An upload as it was understood."""

    problem: Annotated[dict[str, Any], Field(description="The problem in our JSON.")]
    about: About


class Limits(_Schema):
    """What the service refuses."""

    cities: int
    seconds: float
    body: Annotated[int, Field(description="Bytes.")]
    queue: int
    jobs_at_once: int


class Info(_Schema):
    """What this service offers."""

    version: str
    methods: list[str]
    default_method: str
    solution_formats: list[str]
    limits: Limits
    tiles: Annotated[str, Field(description="Template of map tiles for the page; empty for none.")]


class Health(_Schema):
    """That the service runs, and how busy it is."""

    status: Literal["ok"] = "ok"
    version: str
    running: int
    queued: int


class Error(_Schema):
    """What is wrong, in a sentence."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"error": "upload:3: the id is empty"}]})

    error: str


class VroomError(Error):
    """The same with VROOM's code: 1 internal, 2 input."""

    code: Literal[1, 2]


class Pick(_Schema):
    """A start pair (a1, a2), the best exchange that begins there, and what it gains."""

    a1: int
    b1: int
    a2: int
    b2: int
    predicted: float | None
    gain: Annotated[float, Field(description="True cost decrement; positive is good.")]


class Inspection(_Schema):
    """What CROSS exchanges between two tours would gain, over all start pairs (a1, a2)."""

    first: Annotated[int, Field(description="Vehicle of tour 1, counting from 1.")]
    second: int
    cost: Annotated[float, Field(description="Of the two tours now.")]
    routes: list[Route]
    gains: Annotated[list[list[float]], Field(description="True decrements, row a1, column a2.")]
    predicted: Annotated[list[list[float]] | None, Field(description="The same, as the network sees them.")]
    unpredicted: Annotated[str | None, Field(description="Why the network sees nothing here.")]
    picks: Annotated[list[Pick], Field(description="The K start pairs with the highest prediction.")]
    best: Annotated[Pick | None, Field(description="The best of all exchanges; null if none gains.")]
    chosen: Annotated[Pick | None, Field(description="The best exchange at the pair asked for.")]


PLAN_FORMATS = ("json", "csv", "geojson", "sol", "svg")
PlanFormat = Literal[PLAN_FORMATS]  # type: ignore[valid-type]
JobState = Literal["queued", "running", *ENDED]  # type: ignore[valid-type]
