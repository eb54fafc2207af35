"""Every file the package writes is written here, so that nothing is half lost.

A file that is written once is written beside its place, then renamed. A log grows by whole lines.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path

from neurocross.errors import InputError

StrPath = str | os.PathLike[str]


def write_bytes(path: StrPath, content: bytes) -> None:
    """Replace a file as a whole. A failure, Ctrl-C too, leaves what was there and nothing beside it."""
    try:
        _replace(Path(path), content)
    except FileNotFoundError:
        raise InputError(f"{os.fspath(path)}: cannot be written: its directory does not exist") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"{os.fspath(path)}: cannot be written: {reason}") from None


class Log:
    """Appends lines to a file, each on the disk before the next; a line that a kill cut short is dropped."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            _drop_half_line(path)
            self._file = path.open("ab", buffering=0)
        except OSError as error:
            raise self._failure(error) from None

    def write(self, line: str) -> None:
        """Append one line, or nothing at all where the disk is full."""
        content, written = f"{line}\n".encode(), 0
        try:
            while written < len(content):
                written += self._file.write(content[written:])
            if self._path.is_file():
                os.fsync(self._file.fileno())
        except OSError as error:
            with suppress(OSError):
                _drop_half_line(self._path)
            raise self._failure(error) from None

    def close(self) -> None:
        """Done."""
        self._file.close()

    def _failure(self, error: OSError) -> InputError:
        if isinstance(error, FileNotFoundError):
            return InputError(f"{self._path}: cannot be written: its directory does not exist")
        return InputError(f"{self._path}: cannot be written: {error.strerror}; the lines before are kept")


def _drop_half_line(path: Path) -> None:
    """Cut off what follows the last line break, looking at no more than the end of the file."""
    if not path.is_file():
        return
    with path.open("r+b") as file:
        end = whole = file.seek(0, os.SEEK_END)
        while whole > 0:
            start = max(0, whole - _BLOCK)
            file.seek(start)
            if (found := file.read(whole - start).rfind(b"\n")) >= 0:
                whole = start + found + 1
                break
            whole = start
        if whole < end:
            file.truncate(whole)


_BLOCK = 2**16


def _replace(path: Path, content: bytes) -> None:
    if path.exists() and not (path.is_file() or path.is_dir()):
        path.write_bytes(content)  # a pipe or a device: nothing to lose, and not ours to replace
        return
    target = path.resolve()  # through a link, to the file itself
    beside = target.with_name(f".{target.name}.{os.getpid()}-{threading.get_ident()}.part")
    try:
        beside.write_bytes(content)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
