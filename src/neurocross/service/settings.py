"""Everything about the service that can be chosen, with its defaults."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

from neurocross.errors import InputError

TILES = "https://tile.openstreetmap.org/{z}/{x}/{y}.png"
"""Where the page fetches map tiles once a user has switched them on."""


def default_database() -> Path:
    """The file of the jobs where none is named: in the user's own state directory."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "neurocross" / "jobs.sqlite3"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How the service runs and what it refuses."""

    database: Path = field(default_factory=default_database)
    host: str = "127.0.0.1"
    token: str | None = None
    """What requests must carry as `Authorization: Bearer …`; None asks for nothing."""
    jobs_at_once: int = field(default_factory=lambda: max(2, os.cpu_count() or 1))
    """Solves that run at the same time, each in its own process."""
    max_queue: int = 100
    """Jobs that wait for a process at most."""
    max_cities: int = 5_000
    max_seconds: float = 600.0
    """Longest time a job may ask for."""
    max_body: int = 8_000_000
    """Bytes of a request at most."""
    max_memory: int = 4_096
    """Megabytes a worker process may use; needs Linux or another Unix."""
    parse_seconds: float = 10.0
    """Time to read an upload, write an export or inspect an exchange."""
    keep_jobs: int = 1_000
    """Ended jobs that are kept; the oldest go first."""
    tiles: str = TILES
    """Template of map tiles for the page; empty for none."""

    def __post_init__(self) -> None:
        for name in (
            "jobs_at_once",
            "max_cities",
            "max_seconds",
            "max_body",
            "max_memory",
            "parse_seconds",
            "keep_jobs",
        ):
            if not getattr(self, name) > 0:
                flag = name.replace("_", "-")
                raise InputError(f"--{flag} must be more than 0, not {getattr(self, name)}")
        if self.max_queue < 0:
            raise InputError(f"--max-queue must be at least 0, not {self.max_queue}")
        if self.token is None and not self.is_local:
            raise InputError(
                f"--host {self.host} can be reached from other machines: give --token-file, or use 127.0.0.1"
            )

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the service."""
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False


def read_token(path: Path) -> str:
    """The token in a file, on its only line."""
    try:
        token = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: the token cannot be read: {error}") from None
    if len(token) < 16 or not token.isascii() or any(c.isspace() for c in token):
        raise InputError(
            f"{path}: a token is one line of at least 16 ASCII characters without spaces "
            "(python3 -c 'import secrets; print(secrets.token_urlsafe(32))')"
        )
    return token
