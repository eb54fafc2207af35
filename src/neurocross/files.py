"""Every file the package writes is written here: beside its place, then renamed, so nothing is half lost."""

from __future__ import annotations

import os
import threading
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
