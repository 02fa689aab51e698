"""Which event logs are read, and how many at once."""

from __future__ import annotations

from typing import Annotated

import typer


def named_paths(paths: list[str] | None) -> list[str] | None:
    """Callback: a shell's variable that is not set names no path, nor the directory that the shell is in."""
    if not all(paths or ()):
        raise typer.BadParameter("one of them is empty; . is this directory")
    return paths


Paths = Annotated[
    list[str],
    typer.Argument(
        callback=named_paths,
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
