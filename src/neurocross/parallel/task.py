"""One task where it runs: what it answers, in words that travel between processes and machines."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from neurocross.errors import NeurocrossError

Task = tuple[Callable[[Any], Any], Any]
"""A function that can be imported where the task runs, and its argument."""


@dataclass(frozen=True)
class Answer:
    """What became of a task."""

    status: Literal["value", "error", "lost", "dropped"]
    """`lost`: its worker died, it may be tried again; `dropped`: told to end, it had nothing to say."""
    content: Any = None
    """The value, the exception, or how it was lost."""


def attempt(task: Task) -> Answer:
    """Run a task; whatever it raises becomes its answer."""
    function, argument = task
    try:
        return Answer("value", function(argument))
    except KeyboardInterrupt:
        return Answer("dropped")
    except NeurocrossError as error:
        return Answer("error", error)
    except Exception as error:  # its class may be unknown where the answer goes: the text is not
        failure = RuntimeError(f"{type(error).__name__}: {error}")
        failure.add_note(traceback.format_exc())
        return Answer("error", failure)
