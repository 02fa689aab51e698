"""Where the store is: its URL from the command line, the environment or the default file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from tuner.errors import NoHomeError, StoreError
from tuner.own_files import data_directory

VARIABLE = "SPARK_TUNER_DB"
# Airflow's for `[spark_tuner] sql_alchemy_conn`: it can be read without Airflow.
_OF_AIRFLOW = "AIRFLOW__SPARK_TUNER__SQL_ALCHEMY_CONN"
# These hold a command and the name of a secret, which only Airflow asks.
_ASKED_BY_AIRFLOW = (f"{_OF_AIRFLOW}_CMD", f"{_OF_AIRFLOW}_SECRET")

_FORMS = "sqlite:////path/to/history.db or postgresql://user:password@host/database"

# psycopg 3 is the driver the package installs; libpq's URLs and Airflow's habit (psycopg2) mean the same database.
_DRIVERS = {
    "sqlite": "sqlite",
    "sqlite+pysqlite": "sqlite",
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
    "postgresql+psycopg2": "postgresql+psycopg",
}

# A variable in another one's value: $NAME or ${NAME}.
_NAMED = re.compile(r"\$(?:(\w+)|\{([^{}]+)\})")

# libpq takes these in the query as well, where SQLAlchemy does not hide them.
_SECRETS = ("password", "sslpassword")


def resolve(url: str | None, environ: Mapping[str, str]) -> str:
    """The store's URL: the one given, else as the environment says, else the default file."""
    return url or default_url(environ)


def default_url(environ: Mapping[str, str]) -> str:
    """`SPARK_TUNER_DB`, else Airflow's variable, else an SQLite file in the user's data directory (XDG base directory
    specification)."""
    return _named(environ) or _default_file(environ)


def is_default_file(url: str, environ: Mapping[str, str]) -> bool:
    """Whether a store is the default file, and the environment names none."""
    try:
        return not _named(environ) and url == _default_file(environ)
    except StoreError:
        return False


def require_told(environ: Mapping[str, str]) -> None:
    """StoreError where the environment has only Airflow ask where the store is: the default file is another one."""
    asked = next((name for name in _ASKED_BY_AIRFLOW if environ.get(name)), None)
    if asked and not _named(environ):
        raise StoreError(f"{asked} tells Airflow alone where the history store is; name it with --db or {VARIABLE}")


def parse(url: str) -> URL:
    """The URL with the driver the store uses. StoreError, without the password, when it names no usable database."""
    if not url:
        raise StoreError(f"there is no place for a history store; name one with --db or {VARIABLE}")
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        # The reason quotes the URL, or a part of it that may be the password: it must not be chained either.
        raise StoreError(f"the history store's URL cannot be read; it looks like {_FORMS}") from None
    driver = _DRIVERS.get(parsed.drivername)
    if driver is None:
        raise StoreError(f"the history store cannot be a {parsed.drivername} database; use {_FORMS}")
    if "@" in (parsed.host or ""):
        raise StoreError("the history store's URL has more than one '@'; write one inside the password as %40")
    return parsed.set(drivername=driver)


def sqlite_file(url: str | URL) -> Path | None:
    """The file of an SQLite store; None where it is in memory, or no SQLite. StoreError as of `parse`."""
    parsed = parse(url) if isinstance(url, str) else url
    is_file = parsed.drivername == "sqlite" and parsed.database and not parsed.database.startswith((":", "file:"))
    return Path(parsed.database) if is_file and parsed.database else None


def shown(url: URL) -> str:
    """The URL for people: no password."""
    secrets = {name: "hidden" for name in _SECRETS if name in url.query}
    return url.update_query_dict(secrets).render_as_string(hide_password=True)


def _named(environ: Mapping[str, str]) -> str:
    return environ.get(VARIABLE) or _of_airflow(environ)


def _default_file(environ: Mapping[str, str]) -> str:
    try:
        path = data_directory(environ) / "history.db"
    except NoHomeError:
        raise StoreError(f"no home directory for the history store; name one with --db or {VARIABLE}") from None
    return URL.create("sqlite", database=str(path)).render_as_string(hide_password=False)


def _of_airflow(environ: Mapping[str, str]) -> str:
    """As Airflow reads it, with the variables in it."""
    return _NAMED.sub(lambda m: environ.get(m[1] or m[2], m[0]), environ.get(_OF_AIRFLOW, "").strip())
