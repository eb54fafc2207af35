from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from serving import Service


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service on loopback for the tests that neither kill it nor change its settings."""
    with Service(tmp_path_factory.mktemp("service") / "jobs.sqlite3") as running:
        yield running


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Service]]:
    """Start services of one's own: `serve("--max-cities", 5)`; the same database each time."""
    with ExitStack() as stack:
        yield lambda *options: stack.enter_context(Service(tmp_path / "jobs.sqlite3", *options))
