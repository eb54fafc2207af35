"""LKH-3, when the user has its binary: mTSP with MTSP_OBJECTIVE = MINMAX, and CVRP.

LKH-3 is for academic, non-commercial use; it is called as a program and never part of this package.
"""

from __future__ import annotations

import math
import subprocess
import tempfile
import time
from pathlib import Path

from neurocross import InputError, Problem
from neurocross.bench.adapter import Report, Tours, integers
from neurocross.bench.opponents.network import Network, network_of

SPARE_VEHICLES = 1.1
"""Vehicles offered to an unlimited fleet, against what the demand needs."""


def solve(problem: Problem, seed: int, seconds: float, report: Report, binary: str) -> Tours:
    """One run of LKH-3 until the time is over."""
    began = time.perf_counter()
    if problem.n_depots > 1 or len(set(problem.vehicles)) > 1 or problem.ends_of(0) != (0,):
        raise InputError("LKH-3 plays mtsp and cvrp: one depot, equal vehicles that return to it")
    network = network_of(problem)
    vehicles = _vehicles(problem)
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder)
        (directory / "problem").write_text(_problem_file(problem, network))
        left = max(0.1, seconds - (time.perf_counter() - began))
        (directory / "parameters").write_text(_parameter_file(problem, vehicles, seed, left))
        try:
            subprocess.run(
                [binary, "parameters"],
                cwd=directory,
                check=True,
                capture_output=True,
                stdin=subprocess.DEVNULL,
            )
        except OSError as error:
            raise InputError(f"{binary}: cannot run LKH-3: {error.strerror}") from None
        except subprocess.CalledProcessError as error:
            raise InputError(f"{binary}: LKH-3 ended with code {error.returncode}") from None
        tour_file = directory / "tour"
        if not tour_file.is_file():
            raise InputError(f"{binary}: LKH-3 wrote no tour")
        tours = parse_tour(tour_file.read_text(), problem)
    report(tours)
    return tours


def _vehicles(problem: Problem) -> int:
    if problem.fleet_is_bounded:
        return problem.n_vehicles
    assert problem.demand is not None
    needed = float(problem.demand.sum()) / problem.vehicles[0].capacity
    return min(problem.n_vehicles, math.ceil(SPARE_VEHICLES * needed) + 1)


def _problem_file(problem: Problem, network: Network) -> str:
    """LKH counts nodes from 1, the depot first."""
    n = problem.n_nodes
    matrix = network.matrix[:n, :n].copy()
    matrix[:, 0] = network.matrix[:n, n]
    demand, capacity = integers(problem)
    capacitated = math.isfinite(problem.vehicles[0].capacity)
    symmetric = bool((matrix == matrix.T).all())
    kind = "CVRP" if capacitated else ("TSP" if symmetric else "ATSP")
    lines = [f"NAME : problem\nTYPE : {kind}\nDIMENSION : {n}"]
    if capacitated:
        lines.append(f"CAPACITY : {capacity[0]}")
    lines += ["EDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : FULL_MATRIX\nEDGE_WEIGHT_SECTION"]
    lines += [" ".join(map(str, row)) for row in matrix.tolist()]
    if capacitated:
        lines += ["DEMAND_SECTION", *(f"{node + 1} {load}" for node, load in enumerate(demand))]
    return "\n".join([*lines, "DEPOT_SECTION\n1\n-1\nEOF\n"])


def _parameter_file(problem: Problem, vehicles: int, seed: int, seconds: float) -> str:
    objective = "MINMAX" if problem.objective == "minmax" else "MINSUM"
    return (
        "SPECIAL\nPROBLEM_FILE = problem\nTOUR_FILE = tour\n"
        f"SALESMEN = {vehicles}\nDEPOT = 1\nMTSP_MIN_SIZE = 0\nMTSP_OBJECTIVE = {objective}\n"
        f"RUNS = 1\nSEED = {seed}\nTIME_LIMIT = {seconds:.2f}\nTRACE_LEVEL = 0\n"
    )


def parse_tour(text: str, problem: Problem) -> Tours:
    """One long tour over the cities, the depot and copies of it (numbers above the nodes), cut at these."""
    words = text.split()
    if "TOUR_SECTION" not in words:
        raise InputError("LKH-3 wrote a tour file without TOUR_SECTION")
    visits = []
    for word in words[words.index("TOUR_SECTION") + 1 :]:
        if word in ("-1", "EOF"):
            break
        visits.append(int(word) - 1)
    depots = [place for place, node in enumerate(visits) if node == 0 or node >= problem.n_nodes]
    if not depots:
        raise InputError("LKH-3 wrote a tour without the depot")
    turned = visits[depots[0] :] + visits[: depots[0]]
    tours: list[list[int]] = []
    for node in turned:
        if node == 0 or node >= problem.n_nodes:
            tours.append([])
        else:
            tours[-1].append(node)
    used = [tour for tour in tours if tour]
    return [*used, *([] for _ in range(problem.n_vehicles - len(used)))]
