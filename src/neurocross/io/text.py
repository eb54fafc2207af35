"""Text from disk and back: what every file format shares, and the errors that name file and line."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from neurocross.errors import InputError
from neurocross.files import StrPath, write_bytes

BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file, cut into words, that knows where it stands."""

    source: str
    number: int
    """Counting from 1."""
    words: list[str]

    def fail(self, message: str) -> InputError:
        """The error to raise about this line."""
        return InputError(f"{self.source}:{self.number}: {message}")

    def expect(self, count: int, meaning: str) -> None:
        """Refuse a line that has not exactly `count` words."""
        if len(self.words) != count:
            raise self.fail(f"expected {count} values ({meaning}), found {len(self.words)}")

    def real(self, k: int, what: str, least: float = -math.inf) -> float:
        """Word `k` as a finite number of at least `least`."""
        word = self.words[k]
        try:
            value = float(word) if word.isascii() and "_" not in word else math.nan
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise self.fail(f"{what} must be a finite number, not '{shown(word)}'")
        if value < least:
            raise self.fail(f"{what} must be at least {least:g}, not {word}")
        return value

    def whole(self, k: int, what: str, least: int | None = None) -> int:
        """Word `k` as a whole number of at least `least`."""
        word = self.words[k]
        if not (word.isascii() and word.removeprefix("-").isdigit() and len(word) < 19):
            raise self.fail(f"{what} must be a whole number, not '{shown(word)}'")
        if least is not None and int(word) < least:
            raise self.fail(f"{what} must be at least {least}, not {word}")
        return int(word)


def lines_of(text: str, source: str) -> Iterator[Line]:
    """The lines of a text that are not blank, cut at white space."""
    for number, line in enumerate(text.splitlines(), start=1):
        if words := line.split():
            yield Line(source, number, words)


def shown(word: str) -> str:
    """A word as an error message quotes it: on one line and not too long."""
    printable = "".join(c if c.isprintable() else "?" for c in word)
    return printable if len(printable) <= 40 else printable[:37] + "..."


def plain(value: float) -> int | float:
    """A number as people write it: without a point where it is whole."""
    return int(value) if float(value).is_integer() and abs(value) < 1e15 else float(value)


def read_text(path: StrPath) -> str:
    """The text of a file in UTF-8, with or without a byte order mark."""
    source = os.fspath(path)
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError(f"{source}: there is no such file") from None
    except IsADirectoryError:
        raise InputError(f"{source}: is a directory, a file is needed") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"{source}: cannot be read: {reason}") from None
    return decoded(data, source)


def decoded(data: bytes, source: str) -> str:
    """Bytes as the text they should be, or an error that says what they are instead."""
    if not data.strip():
        raise InputError(f"{source}: is empty")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{source}:{line}: is not text in UTF-8; save it in that encoding") from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise InputError(f"{source}:{line}: is a binary file, text is needed")
    return text


def write_text(path: StrPath, text: str) -> None:
    """Write a file in UTF-8."""
    write_bytes(path, text.encode("utf-8"))
