"""The schema of a database: how it gets to head, and what is said when it is not."""

from __future__ import annotations

import logging
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, inspect, text

from tuner.errors import StoreError
from tuner.history import schema
from tuner.history.engine import open_engine
from tuner.history.schema import HEAD, VERSION_TABLE, upgrade
from tuner.history.store import Store
from tuner.history.tables import Base
from tuner.history.url import parse

from .migrate import alembic_config, migrate
from .samples import running


@pytest.fixture
def engine(empty_url: str) -> Iterator[Engine]:
    engine = open_engine(parse(empty_url))
    yield engine
    engine.dispose()


def described(engine: Engine) -> dict[str, tuple[object, ...]]:
    """Each table as the database tells of it, its columns in no order."""
    found = inspect(engine)
    return {
        table: (
            sorted((c["name"], str(c["type"]), c["nullable"], c["default"]) for c in found.get_columns(table)),
            found.get_pk_constraint(table),
            sorted(found.get_indexes(table), key=lambda index: str(index["name"])),
            found.get_unique_constraints(table),
            found.get_foreign_keys(table),
        )
        for table in found.get_table_names()
    }


def test_head_is_the_newest_migration() -> None:
    scripts = ScriptDirectory.from_config(alembic_config())
    assert scripts.get_heads() == [HEAD]
    newest_first = [script.revision for script in scripts.walk_revisions()]
    assert newest_first == sorted(newest_first, reverse=True)


def test_a_new_database_is_as_one_that_took_every_step(empty_url: str, engine: Engine) -> None:
    upgrade(empty_url)
    at_once = described(engine)
    with engine.begin() as connection:
        for table in at_once:
            connection.execute(text(f"DROP TABLE {table}"))
    migrate(engine, command.upgrade, HEAD)
    assert at_once == described(engine)
    with engine.connect() as connection:
        assert connection.scalar(text(f"SELECT version_num FROM {VERSION_TABLE}")) == HEAD


@pytest.mark.processes
def test_a_new_database_needs_no_alembic(tmp_path: Path) -> None:
    opens = f"from tuner.history.store import Store; Store.open('sqlite:///{tmp_path}/new.db').close()"
    shows = "import sys; print([name for name in sys.modules if name.startswith('alembic')])"
    done = subprocess.run([sys.executable, "-c", f"{opens}; {shows}"], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_upgrade_builds_the_tables_and_can_be_repeated(empty_url: str, engine: Engine) -> None:
    assert upgrade(empty_url) == HEAD
    with Store.open(empty_url) as store:
        store.begin(running())
    assert upgrade(empty_url) == HEAD
    assert set(inspect(engine).get_table_names()) == {*Base.metadata.tables, VERSION_TABLE}
    with Store.open(empty_url) as store:
        assert store.runs(running().cohort) == [running()]


def test_migrations_lead_to_the_models(engine: Engine) -> None:
    migrate(engine, command.upgrade, HEAD)
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection,
            opts={"version_table": VERSION_TABLE, "compare_type": True, "compare_server_default": True},
        )
        assert compare_metadata(context, Base.metadata) == []


@pytest.mark.postgres
def test_keys_sort_by_code_point_on_postgresql(postgres_url: str) -> None:
    upgrade(postgres_url)
    engine = open_engine(parse(postgres_url))
    with engine.connect() as connection:
        found = connection.execute(
            text(
                "SELECT column_name, collation_name FROM information_schema.columns "
                "WHERE table_name = 'spark_tuner_runs' AND column_name IN ('key', 'cohort')"
            )
        )
        assert {row.column_name: row.collation_name for row in found} == {"key": "C", "cohort": "C"}
    engine.dispose()


def test_a_failed_migration_leaves_nothing_behind(
    empty_url: str, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE spark_tuner_verdicts (other INTEGER)"))
    with pytest.raises(StoreError, match="spark_tuner_verdicts.*already exists"):
        upgrade(empty_url)
    assert inspect(engine).get_table_names() == ["spark_tuner_verdicts"]


@pytest.mark.postgres
def test_an_open_store_on_postgresql_is_not_migrated_by_itself(postgres_url: str) -> None:
    with pytest.raises(StoreError) as raised:
        Store.open(postgres_url)
    shown = parse(postgres_url).render_as_string(hide_password=True)
    assert "has no tables yet" in str(raised.value)
    assert f"run `spark-tuner db upgrade --db {shown}`" in str(raised.value)
    assert "hunter2" not in str(raised.value)
    with Store.open(postgres_url, migrate=True) as store:
        assert store.cohorts() == []


def test_sqlite_is_migrated_unless_told_not_to(sqlite_url: str) -> None:
    with pytest.raises(StoreError, match="has no tables yet; run `spark-tuner db upgrade --db sqlite:///"):
        Store.open(sqlite_url, migrate=False)
    with Store.open(sqlite_url) as store:
        assert store.cohorts() == []


def test_a_schema_of_a_newer_version_is_left_alone(url: str) -> None:
    engine = open_engine(parse(url))
    with engine.begin() as connection:
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'"))
    engine.dispose()
    newer = re.compile("has schema 9999, of a newer version than this one; install that version here")
    for opens in (lambda: Store.open(url, migrate=True), lambda: Store.open(url, migrate=False), lambda: upgrade(url)):
        with pytest.raises(StoreError, match=newer):
            opens()


def test_a_schema_that_no_version_has_is_left_alone(url: str) -> None:
    engine = open_engine(parse(url))
    with engine.begin() as connection:
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '0009a'"))
    for opens in (lambda: Store.open(url, migrate=True), lambda: upgrade(url)):
        with pytest.raises(StoreError, match="has schema 0009a, which this version does not know; restore a backup"):
            opens()
    with engine.connect() as connection:
        assert connection.scalar(text(f"SELECT version_num FROM {VERSION_TABLE}")) == "0009a"
    engine.dispose()


def test_a_process_that_still_runs_older_code_leaves_the_schema_alone_whatever_scripts_are_installed_by_now(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "HEAD", "0010")
    newer = re.compile(f"has schema {HEAD}, of a newer version than this one; install that version here")
    for opens in (lambda: Store.open(url, migrate=True), lambda: Store.open(url, migrate=False), lambda: upgrade(url)):
        with pytest.raises(StoreError, match=newer):
            opens()


def test_upgrade_leaves_logging_and_output_as_they_were(sqlite_url: str, capfd: pytest.CaptureFixture[str]) -> None:
    root = logging.getLogger()
    before = (root.level, list(root.handlers), root.disabled, logging.getLogger("tuner").disabled)
    upgrade(sqlite_url)
    assert (root.level, list(root.handlers), root.disabled, logging.getLogger("tuner").disabled) == before
    assert capfd.readouterr() == ("", "")
