"""Every file of the public benchmark sets is read."""

from __future__ import annotations

import csv
from pathlib import Path

from neurocross.io import ReadOptions, read_problem

KINDS = {"mtsplib": "mtsp", "he_hao": "mtsp", "cvrp_x": "cvrp", "wang2015": "mdvrp", "cordeau_p": "mdvrp"}


def file_of(data: Path, group: str, instance: str) -> Path:
    name = f"MS{instance.removeprefix('md')}d" if group == "wang2015" else instance
    (path,) = (data / group).glob(f"{name}.*")
    return path


def test_every_instance_has_its_nodes_depots_and_vehicles(data):
    with (data / "best_known.csv").open() as table:
        cases = list(csv.DictReader(table))
    assert cases
    for case in cases:
        group, vehicles = case["set"], int(case["vehicles"])
        options = ReadOptions(vehicles=vehicles if KINDS[group] == "mtsp" else None)
        problem = read_problem(file_of(data, group, case["instance"]), options=options)
        assert problem.kind == KINDS[group], case
        assert (problem.n_nodes, problem.n_depots) == (int(case["n_nodes"]), int(case["depots"])), case
        if group == "cvrp_x":
            assert (problem.rounding, problem.fleet_is_bounded) == ("nearest", False), case
        else:
            assert (problem.rounding, problem.n_vehicles) == ("none", vehicles), case
        assert problem.metric == ("att" if case["instance"] == "att532" else "euclidean"), case
