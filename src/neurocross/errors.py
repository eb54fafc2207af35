"""What can go wrong, once, with the exit code of the command and the status of the service."""

from __future__ import annotations


class NeurocrossError(Exception):
    """Base of every error a user can cause; its text is one line that names the thing."""

    exit_code = 2


class InputError(NeurocrossError):
    """The input is wrong: a file, a line, a number, an option."""


class TooLargeError(InputError):
    """The input is sound, but more than the part that was asked for can take."""


class MissingDependencyError(NeurocrossError):
    """An optional part needs a package that is not installed; the text says which and how."""


def shown(value: object) -> str:
    """Whatever was given, in one short line of an error."""
    return " ".join(repr(value).split())[:60]
