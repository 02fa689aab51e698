"""The Spark session of a command that reads many logs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

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


@contextmanager
def spark_session(master: str, conf: Iterable[str], name: str) -> Iterator[Any]:
    """A session with the settings given (KEY=VALUE), stopped at the end. ImportError without PySpark."""
    from pyspark.sql import SparkSession

    settings = parse_conf(conf)
    # Workers need the tuner, so by default they get the Python that has it here. PySpark reads this variable only.
    os.environ["PYSPARK_PYTHON"] = settings.get("spark.pyspark.python") or os.environ.get(
        "PYSPARK_PYTHON", sys.executable
    )
    builder = SparkSession.builder.master(master).appName(name)
    quiet = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": str(sys.stderr.isatty()).lower(),
        "spark.log.level": "ERROR",
    }
    for key, value in (quiet | settings).items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()


def _pair(item: str) -> tuple[str, str]:
    key, equals, value = item.partition("=")
    if not equals:
        raise typer.BadParameter(f"--conf {item}: write KEY=VALUE")
    return key, value
