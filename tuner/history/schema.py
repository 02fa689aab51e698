"""The revision of the store's tables: which one a database has, and how it gets to this version's."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    func,
    insert,
    inspect,
    select,
)

from tuner.errors import StoreError
from tuner.history.engine import explained, open_engine, writer
from tuner.history.tables import Base
from tuner.history.url import parse, shown

if TYPE_CHECKING:
    from alembic.config import Config

# The newest file of migrations/versions, said here so that opening a store need not import Alembic.
HEAD = "0011"
VERSION_TABLE = "spark_tuner_alembic_version"

# As Alembic makes it.
_VERSIONS = Table(
    VERSION_TABLE,
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name=f"{VERSION_TABLE}_pkc"),
)

# A number that other users of the same PostgreSQL database are unlikely to lock: "tuner" in ASCII.
_ADVISORY_LOCK = 0x74756E6572

# Alembic keeps the migration under way in module globals.
_ONE_MIGRATION = threading.Lock()


def upgrade(url: str) -> str:
    """Migrates the database to this version's revision and returns it; safe to repeat, and from many processes at once.

    StoreError when the database cannot be reached or altered, or a newer version of the tuner has migrated it.
    """
    engine = open_engine(parse(url))
    try:
        with explained(engine.url):
            migrate(engine)
    finally:
        engine.dispose()
    return HEAD


def migrate(engine: Engine) -> None:
    """Migrates to HEAD in one transaction; does nothing, and takes no lock, when the database is there already."""
    with engine.begin() as connection:
        if _revision(connection) == HEAD:
            return
    with _ONE_MIGRATION, writer(engine).begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(select(func.pg_advisory_xact_lock(_ADVISORY_LOCK)))
        _upgrade(connection)


def require_head(engine: Engine) -> None:
    """StoreError unless the database is at HEAD; says how to get there."""
    with engine.begin() as connection:
        found = _revision(connection)
    if found == HEAD:
        return
    state = "has no tables yet"
    if found is not None:
        _refuse_newer(engine, found)
        state = f"has schema {found}, this version needs {HEAD}"
    raise StoreError(
        f"history store {shown(engine.url)} {state}; run `spark-tuner db upgrade --db {shown(engine.url)}`"
    )


def _upgrade(connection: Connection) -> None:
    found = _revision(connection)
    if found is None:
        _create(connection)
    elif found != HEAD:
        _refuse_newer(connection.engine, found)
        _apply_migrations(connection, found)


def _create(connection: Connection) -> None:
    """All tables at once: an empty database need not take each step since the first version, nor wait for Alembic's import."""
    Base.metadata.create_all(connection, checkfirst=False)
    _VERSIONS.create(connection, checkfirst=True)
    connection.execute(insert(_VERSIONS).values(version_num=HEAD))


def _apply_migrations(connection: Connection, found: str) -> None:
    from alembic import command
    from alembic.util import CommandError

    config = _alembic_config()
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, HEAD)
    except CommandError as error:
        place = shown(connection.engine.url)
        raise StoreError(
            f"history store {place} has schema {found}, which this version does not know; restore a backup of it, "
            "or install the version that made it"
        ) from error


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    return connection.scalar(select(_VERSIONS.c.version_num))


def _refuse_newer(engine: Engine, revision: str) -> None:
    # The scripts on disk may be of a version that was installed while this process ran; HEAD is of the code that runs.
    if revision > HEAD:
        raise StoreError(
            f"history store {shown(engine.url)} has schema {revision}, of a newer version than this one; "
            "install that version here, too, and restart what runs this one"
        )


def _alembic_config() -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "tuner.history:migrations")
    return config
