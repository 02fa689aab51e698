"""`spark-tuner db`: the history store's schema."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from tuner.cli.console import console
from tuner.cli.print_lines import print_lines
from tuner.errors import TunerError

db = typer.Typer(help="The history store.", no_args_is_help=True)

Url = Annotated[
    str | None, typer.Option("--db", help="SQLAlchemy URL of the store. [default: SPARK_TUNER_DB, else a SQLite file]")
]


@db.callback()
def _group() -> None:
    """The history store."""


@db.command()
def upgrade(url: Url = None) -> None:
    """Bring the store's schema to this version."""
    from tuner.history.schema import upgrade as upgrade_schema
    from tuner.history.url import parse, shown

    store = store_url(url)
    print_lines(console(), [f"{shown(parse(store))}: schema at {upgrade_schema(store)}"])


def store_url(url: str | None) -> str:
    """--db, else SPARK_TUNER_DB, else the default SQLite file."""
    from tuner.history.url import resolve

    return resolve(url, os.environ)


def stored_url(url: str | None) -> str:
    """The same, for what reads a store: TunerError where --db names a file that is not there, which SQLite would make."""
    from tuner.history.url import sqlite_file

    found = store_url(url)
    if url and (file := sqlite_file(found)) is not None and not file.exists():
        raise TunerError(
            f"{file}: there is no history store; check --db (spark-tuner db upgrade --db URL makes a new one)"
        )
    return found
