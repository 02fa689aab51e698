"""Why a person decides so."""

from __future__ import annotations

from typing import Annotated

import typer

Reason = Annotated[str, typer.Option("--reason", help="Why, for the record.")]
