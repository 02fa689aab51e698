"""Which event logs are read, and how many at once."""

from __future__ import annotations

from typing import Annotated

import typer

Paths = Annotated[
    list[str],
    typer.Argument(
        help="Event logs: files, rolling directories, zip files, or directories that hold them; also URLs.",
        metavar="PATH...",
    ),
]
Processes = Annotated[
    int | None,
    typer.Option(
        min=1, help="How many logs to read at once, each in a process of its own. [default: as many as cores]"
    ),
]
