"""The connection type `spark_tuner`."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_plugin.hook import HistoryStoreHook
from tuner.history.url import parse

from .conftest import set_connection


def test_with_a_host_it_is_postgresql(monkeypatch: pytest.MonkeyPatch) -> None:
    extra = {"sslmode": "require", "target_session_attrs": "read-write"}
    fields = {"host": "db", "port": 5433, "login": "me", "password": "p@ss", "schema": "history"}
    set_connection(monkeypatch, "history", conn_type="spark_tuner", **fields, extra=extra | {"x": 1})
    url = parse(HistoryStoreHook("history").url())
    assert (url.drivername, url.host, url.port, url.username, url.password, url.database) == (
        "postgresql+psycopg",
        "db",
        5433,
        "me",
        "p@ss",
        "history",
    )
    assert url.query == extra


def test_without_one_it_is_a_sqlite_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    set_connection(monkeypatch, "spark_tuner_default", conn_type="spark_tuner", schema=f"{tmp_path}/history.db")
    assert HistoryStoreHook().url() == f"sqlite:///{tmp_path}/history.db"
    with HistoryStoreHook().get_conn() as store:
        assert store.cohorts() == []


def test_button_says_what_is_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    set_connection(monkeypatch, "history", conn_type="spark_tuner", schema=f"{tmp_path}/history.db")
    assert HistoryStoreHook("history").test_connection() == (True, "The history store is there; cohorts in it: 0")


def test_button_says_what_is_wrong_and_no_password(monkeypatch: pytest.MonkeyPatch) -> None:
    fields = {"host": "127.0.0.1", "port": 1, "login": "me", "password": "hunter2", "schema": "history"}
    set_connection(monkeypatch, "history", conn_type="spark_tuner", **fields)
    good, message = HistoryStoreHook("history").test_connection()
    assert not good
    assert "127.0.0.1" in message
    assert "hunter2" not in message
