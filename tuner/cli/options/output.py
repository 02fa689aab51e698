"""How facts are printed."""

from __future__ import annotations

from typing import Annotated

import typer

from tuner.cli.terminal.streams import utf8_stdout
from tuner.units import is_price


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


def _as_json(asked: bool) -> bool:
    if asked:
        utf8_stdout()
    return asked


AsJson = Annotated[bool, typer.Option("--json", callback=_as_json, help="Print JSON.")]
