"""The Spark that reads many logs, or that is measured."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

Master = Annotated[
    str | None, typer.Option("--spark", metavar="MASTER", help="Read on Spark, such as local[4]; needs --out.")
]
Out = Annotated[
    str | None, typer.Option("--out", metavar="DIR", help="Where Spark writes Parquet tables; only what is new.")
]
Conf = Annotated[list[str] | None, typer.Option("--conf", metavar="KEY=VALUE", help="A setting for Spark; repeatable.")]


def check_spark_options(
    master: str | None, out: str | None, conf: list[str] | None, processes: int | None = None
) -> None:
    """typer.BadParameter where they do not go together."""
    if (master is None) != (out is None):
        raise typer.BadParameter("--spark MASTER and --out DIR go together")
    if master is None and conf:
        raise typer.BadParameter("--conf is for Spark: give --spark MASTER and --out DIR too")
    if master is not None and processes is not None:
        raise typer.BadParameter(
            "on Spark the master says how many logs are read at once, as local[4] does: leave --processes out"
        )


def parse_conf(conf: Iterable[str] | None) -> dict[str, str]:
    """The settings of KEY=VALUE items. typer.BadParameter for one that is none."""
    return dict(map(_pair, conf or ()))


def _pair(item: str) -> tuple[str, str]:
    key, equals, value = item.partition("=")
    if not equals:
        raise typer.BadParameter(f"--conf {item}: write KEY=VALUE")
    return key, value
