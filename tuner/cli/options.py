"""What several commands take."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan
from typing import Annotated

import typer

from tuner.cli.streams import utf8_stdout
from tuner.units import is_price

Paths = Annotated[
    list[str],
    typer.Argument(
        help="Event logs: files, rolling directories, zip files, or directories that hold them; also URLs.",
        metavar="PATH...",
    ),
]


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


def _price(price: float | None) -> float | None:
    if price is not None and not is_price(price):
        raise typer.BadParameter(f"{price:g} is not a price; give a number, such as 0.05")
    return price


CoreHourPrice = Annotated[
    float | None,
    typer.Option(
        "--core-hour-price",
        metavar="PRICE",
        envvar="SPARK_TUNER_CORE_HOUR_PRICE",
        callback=_price,
        help="What an hour of an executor's core costs, in any currency: shows what runs cost.",
    ),
]
Processes = Annotated[
    int | None,
    typer.Option(
        min=1, help="How many logs to read at once, each in a process of its own. [default: as many as cores]"
    ),
]


def _as_json(asked: bool) -> bool:
    if asked:
        utf8_stdout()
    return asked


AsJson = Annotated[bool, typer.Option("--json", callback=_as_json, help="Print JSON.")]
