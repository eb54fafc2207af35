"""What runs inside a worker process: it takes tasks as lines of JSON and answers with lines of JSON.

A worker may be killed at any moment: whatever it found has been told before.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
import time as clock
import traceback
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
from pydantic import ValidationError

from neurocross import _core, bounds
from neurocross.errors import InputError, NeurocrossError
from neurocross.io import ReadOptions, format_problem, format_solution, parse_problem, parse_solution
from neurocross.io.document import parse_document
from neurocross.operators.construct import initial_solution
from neurocross.operators.cross import objective_code
from neurocross.predictor.model import Predictor, load_predictor
from neurocross.problem import Problem
from neurocross.result import Progress
from neurocross.service.schemas import JobRequest, Options
from neurocross.solution import Solution
from neurocross.solver import solve as run_search

Tell = Callable[[dict[str, Any]], None]

READ_KEYS = ("problem", "vehicles", "objective", "capacity", "max_length", "end", "rounding")
"""Options that belong to the instance; once it is read they are part of it."""

SHARE = 0.04
"""Part of a search's time that telling of it may take."""

LEAST_PAUSE = 0.02
"""Seconds between two bests that are told: no screen shows more, and early on thousands come in a second."""

PAUSE_GROWS = 0.01
"""Part of the time so far that a pause lasts at least, so that a long search fills no disk."""


# -- tasks --------------------------------------------------------------------------------------


def read(tell: Tell, *, body: str, query: dict[str, Any], max_cities: int) -> dict[str, Any]:
    """The job that an upload asks for: a JSON document with the key `instance`, or a file and a query."""
    given, instance, start = _request(body, query)
    if not _is_text(instance):
        raise InputError("upload: is no valid text: it holds half of a surrogate pair")
    options = Options.model_validate(given).model_dump(exclude_none=True)
    chosen = ReadOptions(**{key: options[key] for key in READ_KEYS if key in options})
    problem = parse_problem(instance, options.get("format"), "upload", chosen)
    if problem.n_cities > max_cities:
        raise InputError(f"upload: has {problem.n_cities} cities, this service takes {max_cities}")
    if problem.n_vehicles > max_cities:
        raise InputError(f"upload: has {problem.n_vehicles} vehicles, this service takes {max_cities}")
    return {
        "problem": format_problem(problem, "json"),
        "about": {
            "name": problem.name,
            "problem": problem.kind,
            "objective": str(problem.objective),
            "cities": problem.n_cities,
            "depots": problem.n_depots,
            "vehicles": problem.n_vehicles,
            "rounding": problem.rounding,
        },
        "options": options,
        "start": None if start is None else _plan(problem, start, "start").route_dicts(),
    }


def solve(
    tell: Tell, *, problem: str, options: dict[str, Any], start: list[Any] | None, spent: float
) -> dict[str, Any]:
    """Search; tells of every best plan that lasts, the first one at once. `spent`: seconds used before."""
    began = clock.perf_counter()
    task = parse_problem(problem, "json", "problem")
    plan = None if start is None else _plan(task, start, "start")
    first = plan or Solution(task, initial_solution(task, np.random.default_rng(options["seed"])))
    messenger = _Messenger(task, tell, spent)
    messenger.offer(Progress(0.0, 0, first, bounds.farthest_city_bound(task)))

    def on_best(best: Progress) -> None:
        messenger.offer(replace(best, seconds=clock.perf_counter() - began))

    result = run_search(
        task,
        time=max(0.0, options["seconds"] - spent - (clock.perf_counter() - began)),
        start=plan,
        on_best=on_best,
        **{key: options[key] for key in ("method", "seed", "iterations") if key in options},
    )
    if result.solution.tours != messenger.last:
        on_best(Progress(result.seconds, result.iterations, result.solution, result.lower_bound))
    return messenger.finish(result.lower_bound)


def export(tell: Tell, *, problem: str, routes: list[Any], format: str, lower_bound: float | None) -> str:
    """A plan as text in a format."""
    solution = _plan(parse_problem(problem, "json", "problem"), routes, "routes")
    if format != "svg":
        return format_solution(solution, format)
    from neurocross.plot import plot_solution

    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "plan.svg"
        plot_solution(solution, path, lower_bound=lower_bound)
        return path.read_text(encoding="utf-8")


def inspect(
    tell: Tell,
    *,
    problem: str,
    routes: list[Any] | None,
    seed: int,
    first: int | None,
    second: int | None,
    top: int,
    chosen: tuple[int, int] | None,
) -> dict[str, Any]:
    """All exchanges of two tours of a plan; without routes, of the first plan of a search with this seed."""
    task = parse_problem(problem, "json", "problem")
    if routes is None:
        solution = Solution(task, initial_solution(task, np.random.default_rng(seed)))
    else:
        solution = _plan(task, routes, "routes")
    known = {route["vehicle"]: route for route in solution.route_dicts()}
    v1, v2 = _pair(solution, list(known), first, second)
    t1, t2 = (np.array(solution.tours[v], np.int32) for v in (v1, v2))
    objective = objective_code(task)
    gains = _core.cross_labels(task.core, objective, v1, t1, v2, t2)
    predicted, unpredicted = None, None
    try:
        (predicted,) = _predictor()(task, [(v1, t1, v2, t2)])
    except InputError as error:  # what the network cannot see: only a matrix, an open route, too long a tour
        unpredicted = str(error)

    def pick(a1: int, a2: int) -> dict[str, Any]:
        x = _core.cross_from(task.core, objective, v1, t1, v2, t2, [(a1, a2)])
        place = (x.a1, x.b1, x.a2, x.b2) if x.moves else (a1, a1, a2, a2)
        seen = None if predicted is None else float(predicted[a1, a2])
        names = ("a1", "b1", "a2", "b2")
        return {**dict(zip(names, place, strict=True)), "predicted": seen, "gain": float(gains[a1, a2])}

    if chosen is not None and not (chosen[0] < gains.shape[0] and chosen[1] < gains.shape[1]):
        raise InputError(f"a1 must be below {gains.shape[0]} and a2 below {gains.shape[1]}")
    ranking = gains if predicted is None else predicted
    order = np.argsort(-ranking, axis=None, kind="stable")[:top]
    pairs = [divmod(int(k), gains.shape[1]) for k in order]
    top_pair = divmod(int(gains.argmax()), gains.shape[1])
    return {
        "first": v1 + 1,
        "second": v2 + 1,
        "cost": _pair_cost(solution, v1, v2),
        "routes": [known[v + 1] for v in (v1, v2)],
        "gains": gains.tolist(),
        "predicted": None if predicted is None else predicted.tolist(),
        "unpredicted": unpredicted,
        "picks": [pick(a1, a2) for a1, a2 in pairs],
        "best": pick(*top_pair) if gains[top_pair] > task.tolerance else None,
        "chosen": None if chosen is None else pick(*chosen),
    }


def ping(tell: Tell) -> None:
    """Nothing but an answer."""


TASKS: dict[str, Callable[..., Any]] = {task.__name__: task for task in (ping, read, solve, export, inspect)}


def _request(body: str, query: dict[str, Any]) -> tuple[dict[str, Any], str, list[Any] | None]:
    """Options, the instance's text and the routes to start from."""
    if body.lstrip().startswith("{"):
        document = parse_document(body, "upload").data
        if "instance" in document:
            request = JobRequest.model_validate(document).model_dump(exclude_unset=True)
            instance, start = request.pop("instance"), request.pop("start", None)
            text = instance if isinstance(instance, str) else json.dumps(instance)
            return query | request, text, start
    return query, body, None


def _pair(solution: Solution, known: list[int], first: int | None, second: int | None) -> tuple[int, int]:
    """Two of the known vehicles: those asked for, else the longest tour and the one it gains most with."""
    problem = solution.problem
    for vehicle in (first, second):
        if vehicle is not None and vehicle not in known:
            raise InputError(f"vehicle {vehicle} is not in this plan")
    if len(known) < 2 or (first is not None and first == second):
        raise InputError("an exchange needs two different vehicles")
    others = [vehicle - 1 for vehicle in known if vehicle != second]
    v1 = max(others, key=lambda v: solution.lengths[v]) if first is None else first - 1

    def gain(v2: int) -> float:
        t1, t2 = (np.array(solution.tours[v], np.int32) for v in (v1, v2))
        best = _core.cross_exact(problem.core, objective_code(problem), v1, t1, v2, t2)
        return _pair_cost(solution, v1, v2) - best.value if best.moves else 0.0

    if second is None:
        return v1, max((vehicle - 1 for vehicle in known if vehicle - 1 != v1), key=gain)
    return v1, second - 1


def _pair_cost(solution: Solution, v1: int, v2: int) -> float:
    l1, l2 = solution.lengths[v1], solution.lengths[v2]
    return solution.problem.objective.key(max(l1, l2), l1 + l2)[0]


def _is_text(words: str) -> bool:
    try:
        words.encode()
    except UnicodeEncodeError:
        return False
    return True


def _plan(problem: Problem, routes: list[Any], source: str) -> Solution:
    known = [{"vehicle": route["vehicle"], "stops": route["stops"]} for route in routes]
    return parse_solution(json.dumps({"routes": known}), problem, "json", source)


@cache
def _predictor() -> Predictor:
    return load_predictor()


# -- telling ------------------------------------------------------------------------------------


class _Messenger:
    """Tells of bests from a thread of its own, so that the search need not wait.

    A best that is overtaken before its turn is left out; the last one never is.
    """

    def __init__(self, problem: Problem, tell: Tell, spent: float) -> None:
        self._problem, self._tell, self._spent = problem, tell, spent
        self._infeasibilities = problem.infeasibilities()
        self._best: Progress | None = None
        self._to_beat: tuple[float, float] | None = None
        self._over = threading.Event()
        self._waiting = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def offer(self, best: Progress) -> None:
        """The first plan, or a new best of the search, which begins at a plan of its own."""
        if self._best is None:
            self._to_beat = best.solution.key if best.solution.feasible else None
        elif self._to_beat is not None:
            if best.solution.key > self._to_beat:
                return
            self._to_beat = None
        self._best = best
        self._waiting.set()

    @property
    def last(self) -> tuple[tuple[int, ...], ...] | None:
        """The tours of the last best."""
        return None if self._best is None else self._best.solution.tours

    def finish(self, bound: float) -> dict[str, Any]:
        """Tell of the last best, and give its figures under the last bound."""
        self._over.set()
        self._waiting.set()
        self._thread.join()
        assert self._best is not None
        return self._figures(replace(self._best, lower_bound=bound))

    def _run(self) -> None:
        told: Progress | None = None
        while not self._over.is_set() or told is not self._best:
            self._waiting.wait()
            self._waiting.clear()
            if (best := self._best) is None or best is told:
                continue
            began = clock.perf_counter()
            if told is None or best.solution.tours != told.solution.tours:
                routes = best.solution.route_dicts()
                self._tell({"kind": "best", "data": self._figures(best) | {"routes": routes}})
            told = best
            if not self._over.is_set():
                cost = clock.perf_counter() - began
                self._over.wait(max(LEAST_PAUSE, cost / SHARE, PAUSE_GROWS * best.seconds))

    def _figures(self, best: Progress) -> dict[str, Any]:
        solution, bound = best.solution, best.lower_bound
        violations = [*self._infeasibilities, *solution.violations]
        is_optimal = bounds.is_optimal(solution.cost, bound, self._problem.tolerance)
        return {
            "seconds": self._spent + best.seconds,
            "iteration": best.iteration,
            "makespan": solution.makespan,
            "total": solution.total,
            "lower_bound": bound,
            "gap": bounds.gap(solution.cost, bound),
            "optimal": is_optimal and not violations,
            "feasible": not violations,
            "violations": violations,
            "vehicles_used": sum(1 for tour in solution.tours if tour),
        }


# -- the process --------------------------------------------------------------------------------


def main() -> None:
    """Work until standard input ends, which it does when the service is gone, however it went."""
    _limit_memory(int(sys.argv[1]))
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)  # what a library prints must not look like an answer
    lock = threading.Lock()

    def tell(message: dict[str, Any]) -> None:
        line = json.dumps(message, allow_nan=False)
        with lock:
            answers.write(line + "\n")
            answers.flush()

    tasks: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_listen, args=(tasks,), daemon=True).start()
    tell({"kind": "ready"})
    while True:
        task = json.loads(tasks.get())
        tell(_outcome(task["task"], task["arguments"], tell))


def _limit_memory(megabytes: int) -> None:
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (megabytes * 2**20, megabytes * 2**20))


def _listen(tasks: SimpleQueue[str]) -> None:
    for line in sys.stdin:
        tasks.put(line)
    os._exit(0)


def _outcome(task: str, arguments: dict[str, Any], tell: Tell) -> dict[str, Any]:
    try:
        return {"kind": "done", "value": TASKS[task](tell, **arguments)}
    except NeurocrossError as error:
        return {"kind": "refused", "reason": str(error)}
    except ValidationError as error:
        return {"kind": "refused", "reason": in_a_sentence(error.errors()[0])}
    except MemoryError:
        return {"kind": "refused", "reason": "this needs more memory than the service gives (--max-memory)"}
    except Exception as error:
        traceback.print_exc()
        return {"kind": "failed", "reason": f"{type(error).__name__}: {error}"}


def in_a_sentence(error: Any) -> str:
    """The first thing pydantic found wrong, as our own errors are written."""
    place = ".".join(str(part) for part in error["loc"]) or "the request"
    message = str(error["msg"])
    return f"{place}: {message[:1].lower()}{message[1:]}"


if __name__ == "__main__":
    main()
