"""What a run was made on: machine, commit, versions."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("neurocross", "numpy", "ortools", "highspy", "pyvrp", "elkai")


def commit() -> str:
    """The commit of the source tree, with `+` if it has changes; empty outside a repository."""

    def git(*words: str) -> str:
        ran = subprocess.run(
            ["git", "-C", str(Path(__file__).parent), *words], capture_output=True, text=True, check=False
        )
        return ran.stdout.strip() if ran.returncode == 0 else ""

    try:
        head = git("rev-parse", "--short=10", "HEAD")
        return head + ("+" if head and git("status", "--porcelain", "--", "../..") else "")
    except OSError:
        return ""


def describe() -> dict[str, Any]:
    """Machine and versions, for a file beside the runs."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "packages": {name: found for name in PACKAGES if (found := _version(name))},
        "commit": commit(),
    }


def write_description(path: Path, command: dict[str, Any]) -> None:
    """Keep what the runs of a directory were made on; a run that is resumed elsewhere adds to the list."""
    try:
        known = json.loads(path.read_text())
        assert isinstance(known, list)
    except (OSError, ValueError, AssertionError):
        known = []
    entry = {**describe(), "command": command}
    if entry not in known:
        known.append(entry)
        beside = path.with_suffix(".new")
        beside.write_text(json.dumps(known, indent=2) + "\n")
        beside.replace(path)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
