from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from neurocross.parallel import Team, team

# Under CI the examples are the same every time, so that what passed before passes again.
settings.register_profile(
    "default",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
    derandomize="CI" in os.environ,
)
settings.load_profile("default")

# A shell's background job ignores Ctrl-C, and so would every process a test starts to send it one.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _ctrl_c_is_an_exception() -> None:
    """Whatever a test before, or a library it started, has made of the signal."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def data() -> Path:
    """The directory of public benchmark instances."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    path = Path(os.environ.get("NEUROCROSS_DATA", beside))
    if not path.is_dir():
        pytest.skip("benchmark instances are not here: set NEUROCROSS_DATA to their directory")
    return path


@pytest.fixture(scope="session")
def workers() -> Iterator[Team]:
    """Two processes to share out work to."""
    with team(processes=2) as workers:
        yield workers
