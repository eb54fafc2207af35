"""Runs the service on this machine: what `neurocross serve` does."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import uvicorn

from neurocross.errors import InputError
from neurocross.service.app import create_app
from neurocross.service.settings import Settings

PAGE_INDEX = Path(__file__).parent / "page" / "index.html"


def run(settings: Settings, port: int) -> None:
    """Serve until Ctrl-C or SIGTERM; port 0 takes a free one. The address is printed once it answers."""
    app = create_app(settings)
    listener = _listen(settings.host, port)
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    config = uvicorn.Config(app, log_level="warning", server_header=False, timeout_graceful_shutdown=2)
    server = _Server(config, f"http://{host}:{listener.getsockname()[1]}/")
    server.run(sockets=[listener])
    if not server.started:
        sys.exit(1)


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, address: str) -> None:
        super().__init__(config)
        self._address = address

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            print(f"neurocross serves {self._address} (Ctrl-C ends it)", flush=True)
            if not PAGE_INDEX.exists():
                print("The page is not built: run `make page` with Node.js 20 or newer.", file=sys.stderr)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio sends small answers at once; else each waits 40 ms for its neighbour.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        return listener
    except (OSError, OverflowError) as error:
        listener.close()
        raise InputError(f"cannot listen on {host} port {port}: {error}") from None
