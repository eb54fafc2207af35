"""Tasks for the tests of parallel work, in a module that workers can import."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from neurocross.errors import InputError


def double(number: int) -> int:
    return 2 * number


def refuse(what: str) -> None:
    raise InputError(f"{what} is refused")


def break_down(what: str) -> None:
    raise LookupError(what)


def die(marks: Path) -> str:
    """Kill the worker, but for the time when so many marks as `marks.suffix` says have been left."""
    marks.touch()
    with marks.open("a") as file:
        file.write("x")
    if len(marks.read_text()) <= int(marks.suffix[1:]):
        os.kill(os.getpid(), signal.SIGKILL)
    return "alive"


def linger(marks: Path) -> str:
    """Take its time, and say so if it is not left to it; none where the name ends in .quick."""
    marks.write_text(str(os.getpid()))
    try:
        for _ in range(0 if marks.suffix == ".quick" else 1200):
            time.sleep(0.05)  # a search, too, looks up now and then
    except KeyboardInterrupt:
        return "interrupted"
    return "over"


def squared_slowly(number: int) -> int:
    time.sleep(0.25)
    return number * number


def place(_: int) -> tuple[int, str]:
    """Process, and what it prints is not an answer."""
    print("noise")
    return os.getpid(), os.environ["OMP_NUM_THREADS"]
