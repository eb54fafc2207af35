"""The options of every command that shares out work, once."""

from __future__ import annotations

from typing import Annotated

import typer

Backend = Annotated[
    str, typer.Option(help="local (processes of this machine) or ray (a cluster; pip install '.[ray]').")
]
RayAddress = Annotated[
    str | None,
    typer.Option(
        help="ray: the cluster, HOST:PORT or auto; if not given, one is started here and stopped.",
        show_default=False,
    ),
]
Processes = Annotated[
    int | None, typer.Option(help="Tasks at once; all cores if not given.", show_default=False)
]
