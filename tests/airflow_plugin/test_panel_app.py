"""The panel's app in Airflow: whose store it reads, and what it answers where there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from airflow_plugin import settings
from airflow_plugin.panel_app import configured_store, panel_app
from airflow_plugin.viewer import airflow_viewer
from tests.airflow_plugin.panel_history import DAGS, OF_DAGS, SHARED, fill
from tests.airflow_plugin.panel_routes import listed
from tuner.errors import StoreError
from tuner.history.schema import upgrade
from tuner.words.decisions import SWITCHED_OFF


class Reader:
    """May read all of the history's DAGs."""

    name = "ann"

    def readable_dags(self) -> frozenset[str]:
        return frozenset(DAGS)

    def may_act_on(self, dag_ids: frozenset[str]) -> bool:
        return False

    def may_read_code_of(self, dag_ids: frozenset[str]) -> bool:
        return False


@pytest.fixture
def app() -> FastAPI:
    return panel_app()


@pytest.fixture
def reader(app: FastAPI) -> Iterator[TestClient]:
    """Below the path where Airflow mounts the app."""
    app.dependency_overrides[airflow_viewer] = Reader
    airflow = FastAPI()
    airflow.mount("/spark-tuner", app)
    with TestClient(airflow) as client:
        yield client


def test_no_route_answers_who_is_not_signed_in(app: FastAPI) -> None:
    routes = [(method, route.path) for route in app.routes if isinstance(route, APIRoute) for method in route.methods]
    with TestClient(app) as nobody:
        answers = {nobody.request(method, path, json={}).status_code for method, path in routes}
    assert len(routes) > 10
    assert answers == {401}


@pytest.mark.parametrize("setting", ["SPARK_TUNER_DB", "AIRFLOW__SPARK_TUNER__SQL_ALCHEMY_CONN"])
def test_reads_the_store_of_the_operators(
    setting: str, reader: TestClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path}/panel.db"
    monkeypatch.delenv("SPARK_TUNER_DB")
    monkeypatch.setenv(setting, url)
    fill(url)
    assert set(listed(reader)) == {*OF_DAGS, SHARED}


@pytest.mark.postgres
def test_reads_postgresql_and_outlives_it(reader: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install airflow-spark-tuner[postgres]")
    from tests.history.postgres import programs, serve

    bin_dir = programs()
    if bin_dir is None:
        pytest.skip("no PostgreSQL server: neither initdb on PATH nor /usr/lib/postgresql/*/bin")
    with serve(bin_dir) as server:
        url = server.database()
        monkeypatch.setenv("SPARK_TUNER_DB", url)
        upgrade(url)
        fill(url)
        assert set(listed(reader)) == {*OF_DAGS, SHARED}
    assert reader.get("/spark-tuner/api/cohorts").status_code == 503
    assert reader.get("/spark-tuner/api/session").status_code == 200


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("SPARK_TUNER_DB", "postgresql://tuner:hunter2@127.0.0.1:1/history"),
        ("SPARK_TUNER_DB", "sqlite:////proc/nowhere/history.db"),
        ("SPARK_TUNER_DB", "mysql://tuner:hunter2@db/history"),
        ("AIRFLOW__SPARK_TUNER__MODE", "hunter2"),
        ("AIRFLOW__SPARK_TUNER__ENABLED", "hunter2"),
    ],
)
def test_a_store_that_cannot_be_used_is_a_503_that_names_no_host(
    setting: str, value: str, reader: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(setting, value)
    answer = reader.get("/spark-tuner/api/cohorts")
    assert answer.status_code == 503
    assert "history store" in answer.json()["detail"]
    assert not any(secret in answer.text for secret in ("hunter2", "127.0.0.1", "nowhere"))
    assert "tuner:hunter2" not in caplog.text


def test_a_percent_sign_that_stands_alone_puts_nothing_of_a_password_into_the_log(
    reader: TestClient,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    in_airflow_cfg: Callable[[str, str], None],
) -> None:
    monkeypatch.delenv("SPARK_TUNER_DB")
    in_airflow_cfg("sql_alchemy_conn", "postgresql://me:hun%40ter2@db/history")
    answer = reader.get("/spark-tuner/api/cohorts")
    assert answer.status_code == 503
    assert "ter2" not in answer.text + caplog.text
    with pytest.raises(StoreError, match=r"^airflow.cfg, \[spark_tuner\] sql_alchemy_conn: a % stands alone"):
        configured_store()


def test_any_failure_to_open_it_is_the_stores(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise RuntimeError("hunter2")

    monkeypatch.setattr(settings, "load", broken)
    with pytest.raises(StoreError, match=r"^the history store could not be opened \(RuntimeError\)$"):
        configured_store()


@pytest.mark.parametrize(("enabled", "off"), [("False", SWITCHED_OFF), ("True", "")])
def test_it_says_where_the_tuner_is_switched_off(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, enabled: str, off: str
) -> None:
    url = f"sqlite:///{tmp_path}/panel.db"
    monkeypatch.setenv("SPARK_TUNER_DB", url)
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__ENABLED", enabled)
    fill(url)
    app = panel_app()
    app.dependency_overrides[airflow_viewer] = Reader
    with TestClient(app) as client:
        assert client.get("/api/cohorts").json()["off"] == off


def test_settings_that_cannot_be_read_are_answered_and_end_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__ENABLED", "perhaps")
    app = panel_app()
    app.dependency_overrides[airflow_viewer] = Reader
    with TestClient(app, raise_server_exceptions=False) as client:
        assert client.get("/api/cohorts").status_code == 503


def test_making_the_app_opens_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SPARK_TUNER_DB", f"sqlite:///{tmp_path}/share/history.db")
    panel_app()
    assert not (tmp_path / "share").exists()
