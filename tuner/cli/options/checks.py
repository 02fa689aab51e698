"""What options are checked for that typer does not know."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan

import typer


def require_none_typed(ctx: typer.Context, options: Mapping[str, str], do: str) -> None:
    """typer.BadParameter where one of these is on the command line, by parameter, that would be ignored; `do` is a way out."""
    given = [option for name, option in options.items() if _is_typed(ctx, name)]
    if given:
        raise typer.BadParameter(f"alone it changes nothing: {do}, or leave it out", param_hint=" and ".join(given))


def _is_typed(ctx: typer.Context, name: str) -> bool:
    """Defaults and variables of the environment are not."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def some_number(value: float | None) -> float | None:
    """The value of an option with bounds: nan is within all of them. typer.BadParameter for that."""
    if value is not None and isnan(value):
        raise typer.BadParameter(f"{value:g} is not a number")
    return value
