"""Which history store."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from tuner.errors import TunerError

Url = Annotated[
    str | None, typer.Option("--db", help="SQLAlchemy URL of the store. [default: SPARK_TUNER_DB, else a SQLite file]")
]


def store_url(url: str | None) -> str:
    """--db, else SPARK_TUNER_DB, else the default SQLite file."""
    from tuner.history.url import resolve

    return resolve(url, os.environ)


def stored_url(url: str | None) -> str:
    """The same, for what reads a store.

    TunerError where --db names a file that is not there, which SQLite would make, and where the URL names no database.
    """
    from tuner.history.url import sqlite_file

    found = store_url(url)
    file = sqlite_file(found)
    if url and file is not None and not file.exists():
        raise TunerError(
            f"{file}: there is no history store; check --db (spark-tuner db upgrade --db URL makes a new one)"
        )
    return found
