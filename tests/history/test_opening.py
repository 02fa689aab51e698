"""Opening a store that is not there, or not as it should be: one clear line, soon, without the password."""

from __future__ import annotations

import os
import re
import socket
import sqlite3
import stat
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tuner.errors import StoreError
from tuner.history import engine
from tuner.history.schema import upgrade
from tuner.history.store import Store

from .postgres import Server
from .samples import running


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


@pytest.fixture
def read_only_dir() -> Iterator[Path]:
    """A directory this process can read and not write, even if the tests run as root."""
    directory = Path(tempfile.mkdtemp(prefix="tuner-ro-"))
    directory.chmod(stat.S_IRUSR | stat.S_IXUSR | stat.S_IROTH | stat.S_IXOTH)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    yield directory
    if root:
        os.seteuid(0)
    directory.rmdir()


def refusal(url: str) -> str:
    """What opening a store at the URL says; it must be one line without the password."""
    with pytest.raises(StoreError) as raised:
        Store.open(url)
    message = str(raised.value)
    assert "\n" not in message and "hunter2" not in message
    return message


def test_a_server_that_is_not_there(closed_port: int) -> None:
    message = refusal(f"postgresql://ann:hunter2@127.0.0.1:{closed_port}/db")
    assert message.startswith(f"history store postgresql+psycopg://ann:***@127.0.0.1:{closed_port}/db: ")
    assert "refused" in message
    assert message.endswith("or name another with --db or SPARK_TUNER_DB")


def test_a_password_in_the_query_is_not_shown_either(closed_port: int) -> None:
    message = refusal(f"postgresql://127.0.0.1:{closed_port}/db?user=ann&password=hunter2")
    assert "user=ann" in message


@pytest.mark.sockets
def test_a_server_that_does_not_answer(silent_port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert engine.CONNECT_TIMEOUT_S == 5
    monkeypatch.setattr(engine, "CONNECT_TIMEOUT_S", 2)
    started = time.monotonic()
    assert "timeout" in refusal(f"postgresql://ann:hunter2@127.0.0.1:{silent_port}/db")
    assert time.monotonic() - started < 4


def test_upgrade_says_the_same(closed_port: int) -> None:
    with pytest.raises(StoreError, match="refused") as raised:
        upgrade(f"postgresql://ann:hunter2@127.0.0.1:{closed_port}/db")
    assert "hunter2" not in str(raised.value)


@pytest.mark.postgres
def test_a_database_that_does_not_exist(postgres_url: str) -> None:
    assert 'database "nope" does not exist' in refusal(re.sub(r"/test_\d+", "/nope", postgres_url))


def test_a_database_without_an_encoding_keeps_what_is_written(postgres_server: Server) -> None:
    """As one that was made in the locale C has."""
    url = postgres_server.database(encoding="SQL_ASCII")
    upgrade(url)
    with Store.open(url) as store:
        store.begin(running("Umsätze/売上"))
        assert store.run("Umsätze/売上") == running("Umsätze/売上")


def test_a_python_whose_sqlite_is_too_old(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 34, 1))
    assert "and 3.35 or newer is needed; use a Python that has it, or name a PostgreSQL database" in refusal(sqlite_url)


def test_a_directory_that_cannot_be_written(read_only_dir: Path) -> None:
    assert "unable to open database file" in refusal(f"sqlite:///{read_only_dir}/history.db")
    assert "cannot make its directory: Permission denied" in refusal(f"sqlite:///{read_only_dir}/deeper/history.db")


def test_a_path_that_is_a_directory(tmp_path: Path) -> None:
    assert "unable to open database file" in refusal(f"sqlite:///{tmp_path}")


def test_a_path_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "cannot make its directory" in refusal(f"sqlite:///{tmp_path}/file/deeper/history.db")


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, and long enough not to be taken for an empty one\n" * 20)
    assert "file is not a database" in refusal(f"sqlite:///{path}")


def test_sqlite_waits_for_a_writer_and_then_gives_up(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "BUSY_TIMEOUT_S", 0.2)
    with Store.open(sqlite_url) as store:
        store.begin(running())
        blocker = sqlite3.connect(sqlite_url.removeprefix("sqlite:///"), isolation_level=None)
        blocker.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="database is locked"):
            store.begin(running("other"))
        assert store.runs("etl.load") == [running()], "reading waits for nobody"
        blocker.execute("COMMIT")
        blocker.close()
        store.begin(running("other"))
        assert len(store.runs("etl.load")) == 2


def test_sqlite_is_in_wal_mode_with_foreign_keys_and_a_long_patience(sqlite_url: str) -> None:
    with Store.open(sqlite_url) as store, store._engine.connect() as connection:
        pragmas = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "foreign_keys", "busy_timeout")
        }
    assert pragmas == {"journal_mode": "wal", "foreign_keys": 1, "busy_timeout": 30_000}


def test_the_switch_to_wal_waits_for_a_writer(sqlite_url: str) -> None:
    path = Path(sqlite_url.removeprefix("sqlite:///"))
    path.parent.mkdir(parents=True)
    blocker = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    blocker.execute("CREATE TABLE not_wal_yet (x)")
    blocker.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.3, blocker.execute, ["COMMIT"])
    release.start()
    with Store.open(sqlite_url) as store:
        store.begin(running())
        assert store.runs("etl.load") == [running()]
    release.join()
    blocker.close()
