"""What several commands take."""

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
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
