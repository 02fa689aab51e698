"""Which history store."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from tuner.errors import TunerError

if TYPE_CHECKING:
    from tuner.history.store import Store

Url = Annotated[
    str | None,
    typer.Option(
        "--db",
        help="SQLAlchemy URL of the store. [default: SPARK_TUNER_DB, else AIRFLOW__SPARK_TUNER__SQL_ALCHEMY_CONN, else a SQLite "
        "file]",
    ),
]


def store_url(url: str | None) -> str:
    """--db, else as the environment says, else the default SQLite file. StoreError where only Airflow can ask which it is."""
    from tuner.history.url import require_told, resolve

    if not url:
        require_told(os.environ)
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


def where_said(store: Store, url: str | None) -> list[str]:
    """Which store has what was said, where the command line did not name it."""
    return [] if url else [f"  store: {store.place}"]
