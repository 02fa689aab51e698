"""What several commands take."""

from __future__ import annotations

from typing import Annotated

import typer

from tuner.units import is_price

Paths = Annotated[
    list[str],
    typer.Argument(
        help="Event logs: files, rolling directories, zip files, or directories that hold them; also URLs.",
        metavar="PATH...",
    ),
]


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
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
