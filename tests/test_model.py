"""The builder in PyVRP's words."""

from __future__ import annotations

import pytest

from neurocross import InputError, MaxIterations, MaxRuntime, Model, MultipleCriteria, NoImprovement


def two_depots() -> tuple[Model, list]:
    model = Model()
    depots = [model.add_depot(0, 0, name="west"), model.add_depot(10, 0, name="east")]
    for x in (3, 7):
        model.add_client(x, 0, delivery=2, service_duration=1)
    return model, depots


def test_a_vehicle_may_end_at_any_depot() -> None:
    model, (west, _) = two_depots()
    model.add_vehicle_type(1, start_depot=west, end_depot="any")
    result = model.solve(MaxIterations(100), method="ce")
    (route,) = result.solution.routes
    assert route.end == 1 and result.makespan == pytest.approx(12.0)


def test_a_named_depot_a_list_and_an_open_end_are_kept() -> None:
    model, (west, east) = two_depots()
    for end in (east, [west, east], "open", None):
        model.add_vehicle_type(1, end_depot=end)
    ends = [vehicle.end for vehicle in model.problem().vehicles]
    assert ends == [1, (0, 1), "open", "own"]


def test_edges_replace_the_coordinates_distances() -> None:
    model, _ = two_depots()
    model.add_vehicle_type(2)
    places = [*model._depots, *model._clients]
    for u in places:
        for v in places:
            if u is not v:
                model.add_edge(u, v, 1)
    assert model.solve(MaxIterations(50), method="ce").makespan == 3  # two arcs and one service


def test_a_missing_edge_is_named() -> None:
    model, (west, east) = two_depots()
    model.add_vehicle_type(1)
    model.add_edge(west, east, 4.0)
    with pytest.raises(InputError, match="no edge from"):
        model.problem()


def test_vehicles_before_a_depot_are_refused() -> None:
    with pytest.raises(InputError, match="add a depot before"):
        Model().add_vehicle_type(1)


def test_the_first_of_several_criteria_counts() -> None:
    stop = MultipleCriteria([MaxRuntime(3), MaxRuntime(1), NoImprovement(9), MaxIterations(70)])
    assert stop.limits() == {"time": 1, "no_improvement": 9, "iterations": 70}
