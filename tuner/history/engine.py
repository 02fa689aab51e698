"""Connections to the store's database, prepared so that many processes can write at once."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, SQLAlchemyError, StatementError

from tuner.errors import StoreError
from tuner.history.url import VARIABLE, shown
from tuner.own_files import make_directory, make_file

CONNECT_TIMEOUT_S = 5
BUSY_TIMEOUT_S = 30
# The first with INSERT … RETURNING.
OLDEST_SQLITE = (3, 35)

_WRITES = "spark_tuner_writes"


def open_engine(url: URL) -> Engine:
    """An engine for a URL from `parse`; connects to nothing yet. StoreError when the driver is not installed."""
    return _sqlite(url) if url.get_backend_name() == "sqlite" else _postgresql(url)


def make_place(url: URL) -> None:
    """The directory of an SQLite store's file, where it is missing, and the default file. StoreError where it cannot be made."""
    if url.get_backend_name() != "sqlite" or not url.database or url.database == ":memory:" or "uri" in url.query:
        return
    file = Path(url.database)
    try:
        make_directory(file.parent)
    except OSError as error:
        raise _unusable(url, f"cannot make its directory: {error.strerror}") from error
    with suppress(OSError):  # SQLite says what keeps it from being opened.
        make_file(file)


def writer(engine: Engine) -> Engine:
    """The same engine for transactions that write: SQLite takes the write lock at their start, and waits for it."""
    if _is_postgresql(engine):
        # Whatever the server's default: the stricter levels end a transaction that has waited for another.
        return engine.execution_options(isolation_level="READ COMMITTED")
    return engine.execution_options(**{_WRITES: True})


def reader(engine: Engine) -> Engine:
    """The same engine for transactions that read: each sees the database as it was at its first statement."""
    # As SQLite's do: PostgreSQL's would see, at each statement, what was committed meanwhile.
    return engine.execution_options(isolation_level="REPEATABLE READ") if _is_postgresql(engine) else engine


@contextmanager
def explained(url: URL) -> Iterator[None]:
    """Turns what the database says into a StoreError of one line, which names the store without its password."""
    try:
        yield
    except DBAPIError as error:
        raise _unusable(url, str(error.orig)) from error
    except StatementError as error:
        raise StoreError(f"history store {shown(url)}: a value cannot be stored: {error.orig}") from error
    except SQLAlchemyError as error:
        raise _unusable(url, str(error)) from error


def _unusable(url: URL, reason: str) -> StoreError:
    first_line = (reason.strip().splitlines() or ["no reason given"])[0]
    return StoreError(
        f"history store {shown(url)}: {first_line}; check that it can be reached and written to, "
        f"or name another with --db or {VARIABLE}"
    )


def _is_postgresql(engine: Engine) -> bool:
    return engine.dialect.name == "postgresql"


def _postgresql(url: URL) -> Engine:
    # A statement prepared on one connection is unknown on the next behind PgBouncer: prepare none.
    arguments: dict[str, Any] = {"prepare_threshold": None}
    if "connect_timeout" not in url.query:
        arguments["connect_timeout"] = CONNECT_TIMEOUT_S
    if "client_encoding" not in url.query:
        # Of a database in SQL_ASCII texts would come as bytes.
        arguments["client_encoding"] = "utf8"
    try:
        return create_engine(url, connect_args=arguments, pool_pre_ping=True, hide_parameters=True)
    except ImportError as error:
        raise StoreError(
            f"history store {shown(url)}: the PostgreSQL driver cannot be loaded; "
            "pip install 'airflow-spark-tuner[postgres]'"
        ) from error


def _sqlite(url: URL) -> Engine:
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        oldest = ".".join(map(str, OLDEST_SQLITE))
        raise StoreError(
            f"history store {shown(url)}: this Python has SQLite {sqlite3.sqlite_version}, and {oldest} or newer is needed; "
            f"use a Python that has it, or name a PostgreSQL database with --db or {VARIABLE}"
        )
    make_place(url)
    engine = create_engine(url, connect_args={"timeout": BUSY_TIMEOUT_S}, hide_parameters=True)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    # sqlite3 would begin transactions by itself, and only at the first write: too late to wait for the lock.
    connection.isolation_level = None
    # One text that another program wrote is to spoil no answer.
    connection.text_factory = _text
    _use_wal(connection)
    connection.execute("PRAGMA foreign_keys = ON")


def _text(stored: bytes) -> str:
    return stored.decode(errors="replace")


def _use_wal(connection: sqlite3.Connection) -> None:
    # SQLite refuses the switch at once while another process writes, whatever the busy timeout.
    deadline = time.monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
