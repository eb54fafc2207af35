"""Large problems in parts: every city once, the same answer whoever works, nothing quadratic."""

from __future__ import annotations

import math
import os
import signal
import threading
import tracemalloc
from itertools import pairwise

import numpy as np
import pytest

from neurocross import InputError, Problem, Vehicle, decompose, random_problem, solve
from neurocross.decompose import Loads, Part, _Search, _task, parts_of, regions
from neurocross.multistart import solve_starts
from neurocross.parallel import Done, LostError, Team, team
from neurocross.search import Limits
from neurocross.solution import Solution


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts so small that hundreds of cities are a large problem."""
    monkeypatch.setattr(decompose, "PART", 60)


class InProcess:
    """Solves every part here, in the order given backwards, but for those that are lost."""

    size = 2

    def __init__(self, lost: tuple[int, ...] = ()) -> None:
        self.lost, self.tasks = lost, []

    def map(self, function, tasks, **options):
        tasks = list(tasks)
        self.tasks.append(tasks)
        for number in reversed(range(len(tasks))):
            if number in self.lost:
                yield Done(number, tasks[number], None, LostError("the process ended with code -9"))
            else:
                yield Done(number, tasks[number], function(tasks[number]), None)


def searching(problem: Problem, workers: object = None) -> _Search:
    return _Search(problem, Limits(), workers or InProcess(), np.random.default_rng(0), None)


PROBLEMS = {
    "mtsp": lambda rng: random_problem("mtsp", rng, cities=300, vehicles=12),
    "mdvrp": lambda rng: random_problem("mdvrp", rng, cities=300, depots=4, vehicles=12),
    "fmdvrp": lambda rng: random_problem("fmdvrp", rng, cities=300, depots=4, vehicles=12),
    "cvrp": lambda rng: random_problem("cvrp", rng, cities=300),
    "tsp": lambda rng: random_problem("tsp", rng, cities=150),
    "few": lambda rng: random_problem("mtsp", rng, cities=5, vehicles=9),
    "none": lambda rng: random_problem("mtsp", rng, cities=0, vehicles=2),
    "one place": lambda rng: Problem.mtsp(np.zeros((200, 2)), vehicles=9),
    "a line": lambda rng: Problem.mtsp(np.c_[np.arange(200.0), np.zeros(200)], vehicles=9),
    "mixed": lambda rng: Problem(
        n_depots=3,
        vehicles=tuple(Vehicle(start=k % 3, end=("any", "open", (0, 2))[k % 3]) for k in range(11)),
        coords=rng.random((303, 2)),
        service=np.r_[np.zeros(3), rng.random(300)],
    ),
    "on earth": lambda rng: Problem.mdvrp(
        rng.uniform((46, 6), (47, 9), (302, 2)), n_depots=2, vehicles=12, metric="haversine"
    ),
}


@pytest.mark.parametrize("kind", PROBLEMS)
def test_every_kind_of_problem_gets_a_feasible_plan(kind: str, workers: Team) -> None:
    problem = PROBLEMS[kind](np.random.default_rng(4))
    result = solve(problem, method="decompose", iterations=20_000, seed=2, workers=workers)
    assert result.feasible and result.method == "decompose"
    values = [value for _, _, value in result.trace]
    assert values == sorted(values, reverse=True) and values[-1] == pytest.approx(result.cost)


def test_the_answer_does_not_depend_on_who_works() -> None:
    problem = PROBLEMS["mdvrp"](np.random.default_rng(4))
    found = solve(problem, method="decompose", iterations=9_000, seed=2, workers=InProcess())
    with team(processes=1) as one, team(processes=3) as three:
        for workers in (one, three):
            again = solve(problem, method="decompose", iterations=9_000, seed=2, workers=workers)
            assert again.solution.tours == found.solution.tours
    other = solve(problem, method="decompose", iterations=9_000, seed=3, workers=InProcess())
    assert other.solution.tours != found.solution.tours


def test_answers_of_parts_and_of_starts_do_not_depend_on_the_backend() -> None:
    pytest.importorskip("ray", reason="backend ray needs ray: pip install 'neurocross[ray]'")
    problem = PROBLEMS["mtsp"](np.random.default_rng(4))
    found = solve(problem, method="decompose", iterations=9_000, workers=InProcess())
    with team("ray", processes=2) as cluster:
        again = solve(problem, method="decompose", iterations=9_000, workers=cluster)
        best = solve_starts(problem, 3, cluster, iterations=500)
    assert again.solution.tours == found.solution.tours and again.iterations == found.iterations
    alone = [solve(problem, iterations=500, seed=seed) for seed in range(3)]
    assert best.solution.tours == min(alone, key=lambda one: one.solution.key).solution.tours


def test_a_partition_has_every_city_and_every_vehicle_once() -> None:
    for kind in PROBLEMS:
        problem = PROBLEMS[kind](np.random.default_rng(1))
        parts = searching(problem).partition(decompose._estimated_way(problem))
        assert sorted(c for part in parts for c in part.cities.tolist()) == list(problem.cities)
        assert sorted(k for part in parts for k in part.vehicles) == list(range(problem.n_vehicles))


def test_a_partition_gives_vehicles_their_share_of_the_way() -> None:
    problem = random_problem("mtsp", np.random.default_rng(8), cities=4000, vehicles=64)
    way = np.random.default_rng(2).random(problem.n_nodes)
    cities, vehicles = np.arange(1, 4001, dtype=np.int32), np.arange(64, dtype=np.int32)
    loads = Loads(way, np.ones(64))
    parts = parts_of(problem, regions(problem, cities, vehicles, loads), cities, loads)
    shares = [way[part.cities].sum() / len(part.vehicles) for part in parts]
    assert len(shares) > 8 and max(shares) < 1.05 * min(shares)


def test_parts_of_one_depot_are_sectors_around_it() -> None:
    problem = random_problem("mtsp", np.random.default_rng(8), cities=400, vehicles=32)
    x, y = (problem.coords - problem.coords[0]).T
    angle = np.arctan2(y, x)
    parts = searching(problem).partition(decompose._estimated_way(problem))
    spans = sorted((angle[part.cities].min(), angle[part.cities].max()) for part in parts)
    assert len(spans) > 4
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


def test_a_part_is_measured_as_the_whole_measures_it() -> None:
    problem = PROBLEMS["mixed"](np.random.default_rng(9))
    plan = solve(problem, iterations=100).solution
    search = searching(problem)
    search.tours = [np.array(tour, np.int32) for tour in plan.tours]
    for part in search.groups():
        task = _task(problem, part, seed=0, seconds=None, iterations=0, target=None)
        own = Solution(task.problem, task.tours)
        assert own.lengths == pytest.approx([plan.lengths[k] for k in part.vehicles])
        nodes = decompose._nodes(problem, part)
        assert [tuple(nodes[list(tour)].tolist()) for tour in own.tours] == [
            plan.tours[k] for k in part.vehicles
        ]


def test_the_longest_route_chooses_its_neighbours_first() -> None:
    problem = PROBLEMS["mtsp"](np.random.default_rng(4))
    plan = solve(problem, iterations=50).solution
    search = searching(problem)
    search.tours = [np.array(tour, np.int32) for tour in plan.tours]
    groups = search.groups()
    assert int(np.argmax(plan.lengths)) in groups[0].vehicles
    assert sorted(k for group in groups for k in group.vehicles) == list(range(12))
    assert all(len(group.vehicles) >= decompose.LEAST_VEHICLES for group in groups[:-1])


def test_a_given_plan_is_never_made_worse(workers: Team) -> None:
    problem = PROBLEMS["mdvrp"](np.random.default_rng(4))
    plan = solve(problem, iterations=3_000).solution
    result = solve(problem, method="decompose", start=plan, iterations=500, workers=workers)
    assert result.solution.key <= plan.key and result.feasible


def test_more_iterations_shorten_the_longest_route() -> None:
    problem = PROBLEMS["mdvrp"](np.random.default_rng(4))
    few, many = (
        solve(problem, method="decompose", iterations=n, workers=InProcess()) for n in (3_000, 60_000)
    )
    assert many.cost < few.cost


def test_a_part_whose_workers_died_stays_as_it_was_and_the_rest_goes_on() -> None:
    problem = PROBLEMS["mtsp"](np.random.default_rng(4))
    result = solve(problem, method="decompose", iterations=9_000, workers=InProcess(lost=(1,)))
    assert result.feasible


def test_work_of_a_timed_round_fits_into_its_time() -> None:
    problem = random_problem("mtsp", np.random.default_rng(4), cities=300, vehicles=40)
    workers = InProcess()
    search = _Search(problem, Limits(seconds=100.0), workers, np.random.default_rng(0), None)
    parts = search.partition(decompose._estimated_way(problem))
    tasks = list(search._tasks(parts, 10.0, math.inf))
    busy = [0.0, 0.0]
    for task in tasks:
        busy[busy.index(min(busy))] += task.seconds
    assert len(parts) > 4 and 9.0 < max(busy) <= 10.0


def test_a_good_enough_plan_ends_the_search() -> None:
    problem = PROBLEMS["mtsp"](np.random.default_rng(4))
    workers = InProcess()
    result = solve(problem, method="decompose", target=1e9, workers=workers)
    assert result.feasible and len(workers.tasks) == 1


def test_time_goes_to_the_parts_that_decide_the_longest_route() -> None:
    problem = PROBLEMS["mtsp"](np.random.default_rng(4))
    plan = solve(problem, iterations=50).solution
    target = sorted(plan.lengths)[-2]  # one route alone is longer
    workers = InProcess()
    search = _Search(problem, Limits(iterations=900, target=target), workers, np.random.default_rng(0), None)
    search.tours = [np.array(tour, np.int32) for tour in plan.tours]
    search.solve(search.groups(), 1.0)
    ((task,),) = workers.tasks
    assert max(Solution(task.problem, task.tours).lengths) == pytest.approx(plan.makespan)
    assert task.iterations == 900


def test_ctrl_c_gives_the_best_so_far(workers: Team) -> None:
    problem = PROBLEMS["mtsp"](np.random.default_rng(4))
    threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    result = solve(problem, method="decompose", time=60, workers=workers)
    assert result.interrupted and result.feasible and result.seconds < 50


def test_a_matrix_is_sent_to_the_engine() -> None:
    with pytest.raises(InputError, match="needs coordinates, this problem has a matrix: use method hybrid"):
        solve(Problem.mtsp(matrix=1.0 - np.eye(5), vehicles=2), method="decompose", workers=InProcess())


def test_memory_grows_with_the_number_of_cities_not_with_its_square(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decompose, "PART", 2_000)
    peaks = []
    for cities in (4_000, 16_000):
        problem = random_problem("mtsp", np.random.default_rng(4), cities=cities, vehicles=40)
        search = searching(problem)
        tracemalloc.start()
        parts = search.partition(decompose._estimated_way(problem))
        list(search._tasks(parts, math.inf, 0.0))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 6 * peaks[0]
    assert isinstance(parts[0], Part)
