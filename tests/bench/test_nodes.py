"""The calculation, on cases that can be done by hand."""

from __future__ import annotations

import pytest

from neurocross.bench.nodes import Expected, Measured, batch, duration, large, main
from neurocross.decompose import PART

EASY = Measured(row=0.01, iteration=0.001, city=0.0001)


def test_a_batch_is_as_fast_as_its_workers_until_the_command_is_the_slowest() -> None:
    assert batch(1000, 1.0, 10, EASY) == Expected(100.0, 1.0)
    assert batch(1000, 1.0, 400, EASY) == Expected(10.0, 0.25)


def test_a_large_problem_keeps_no_more_cores_busy_than_it_has_parts() -> None:
    cities = 4 * PART
    work, alone = cities * 0.002, cities * 0.0001
    assert large(cities, 2, 1, EASY).seconds == pytest.approx(work + alone)
    assert large(cities, 2, 3, EASY).seconds == pytest.approx(work / 2 + alone)  # two waves of parts
    assert large(cities, 2, 400, EASY).seconds == pytest.approx(work / 4 + alone)


def test_tables_are_printed_and_a_price_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    main(["0.1"])
    assert "a million instances" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="'cheap' is no price"):
        main(["cheap"])
    assert [duration(s) for s in (97, 3120, 125_000)] == ["97 s", "52 min", "34.7 h"]
