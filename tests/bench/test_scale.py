"""The measurements run, on little work, and say what they are about."""

from __future__ import annotations

import pytest

from neurocross.bench import scale


def cells(table: object) -> list[list[str]]:
    return [list(map(str, column.cells)) for column in table.columns]  # type: ignore[attr-defined]


def test_sizes_are_measured_in_processes_of_their_own() -> None:
    table = cells(scale.sizes_table((200,)))
    assert table[:3] == [["200"], ["2"], ["hybrid"]]
    assert all(column[0].split()[0].replace(".", "").isdigit() for column in table[3:])


def test_workers_are_measured_on_both_kinds_of_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scale, "ROW_ITERATIONS", 10)
    monkeypatch.setattr(scale, "SHARD", 2)
    monkeypatch.setattr("neurocross.train.shards.SHARD", 2)
    table = cells(scale.workers_table(rows=3, shards=2, backends=("local",)))
    assert table[0] == ["solve-batch", "label"]
    assert all(float(ratio) > 0 for ratio in table[4])


def test_a_table_that_is_none_is_refused() -> None:
    with pytest.raises(SystemExit, match="table 'size' is unknown: use some of sizes, large, workers"):
        scale.main(["size"])
