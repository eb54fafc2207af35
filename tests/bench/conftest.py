from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def fake_lkh(tmp_path: Path) -> Callable[[str], Path]:
    """A program that stands for LKH-3: a shell script started as LKH-3 is, beside its files."""

    def make(script: str) -> Path:
        path = tmp_path / "LKH"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    return make
