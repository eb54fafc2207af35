"""The built page, read into memory once: no path of a request ever reaches the file system."""

from __future__ import annotations

import mimetypes
from dataclasses import dataclass
from importlib.resources import files as package_files
from importlib.resources.abc import Traversable

NOT_BUILT = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>neurocross</title>
<h1>The service runs, its page is not built</h1>
<p>With Node.js 20 or newer: <code>make page</code>, then start the service again.
Installed packages have the page inside.</p>
<p>The service itself needs no page: see <a href="/openapi.json">/openapi.json</a>.</p>
</html>
"""


@dataclass(frozen=True)
class File:
    """One file of the page."""

    content: bytes
    media_type: str
    is_hashed: bool
    """Whether its name changes with its content, so that it may be kept for ever."""


def page() -> dict[str, File]:
    """The files by the path they are asked for; only a notice where the page was not built."""
    root = package_files("neurocross.service") / "page"
    found = dict(_walk(root, "")) if root.is_dir() else {}
    index = found.pop("/index.html", File(NOT_BUILT.encode(), "text/html; charset=utf-8", False))
    return {"/": index} | found


def _walk(directory: Traversable, prefix: str) -> list[tuple[str, File]]:
    found: list[tuple[str, File]] = []
    for entry in directory.iterdir():
        path = f"{prefix}/{entry.name}"
        if entry.is_dir():
            found += _walk(entry, path)
        else:
            kind = mimetypes.guess_type(entry.name)[0] or "application/octet-stream"
            charset = "; charset=utf-8" if kind.startswith("text/") else ""
            found.append((path, File(entry.read_bytes(), kind + charset, prefix == "/assets")))
    return found
