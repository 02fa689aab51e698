"""`[spark_tuner]` of airflow.cfg."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from airflow.providers_manager import ProvidersManager

from airflow_plugin.settings import Settings, core_hour_price, default_event_log_base, load
from airflow_plugin.store_url import store_url
from tuner.errors import TunerError
from tuner.model.decision import Mode
from tuner.model.objective import Objective
from tuner.model.size_change import Resources
from tuner.steering.directives import Steering

from .conftest import PATIENCE


@pytest.fixture(autouse=True)
def as_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PATIENCE:
        monkeypatch.delenv(name)


def test_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AIRFLOW__SPARK_TUNER__EVENT_LOG_BASE")
    assert load() == Settings(enabled=True, mode=Mode.AUTO, event_log_base="")
    assert load().sql_alchemy_conn == ""


def test_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__ENABLED", "false")
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__MODE", "Suggest")
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__SQL_ALCHEMY_CONN", "postgresql://db/history")
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__EVENT_LOG_BASE", "s3a://logs")
    assert load() == Settings(False, Mode.SUGGEST, "s3a://logs")
    assert load().sql_alchemy_conn == "postgresql://db/history"


def test_url_from_a_command_since_it_holds_a_password(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ProvidersManager().initialize_providers_configuration()  # as Airflow's commands do
    command = f"sh -c 'echo . >> {tmp_path}/asked; echo postgresql://me:secret@db/history'"
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__SQL_ALCHEMY_CONN_CMD", command)
    found = load()
    assert not (tmp_path / "asked").exists(), "a setting like any other would be asked for with each of them"
    assert found.sql_alchemy_conn == found.sql_alchemy_conn == "postgresql://me:secret@db/history"
    assert (tmp_path / "asked").read_text() == ".\n"


@pytest.mark.parametrize("option", ["enabled", "mode", "agent_jar"])
def test_a_percent_sign_that_stands_alone_is_said_without_what_follows_it(
    option: str, monkeypatch: pytest.MonkeyPatch, in_airflow_cfg: Callable[[str, str], None]
) -> None:
    monkeypatch.delenv(f"AIRFLOW__SPARK_TUNER__{option.upper()}", raising=False)
    in_airflow_cfg(option, "hun%40ter2")
    with pytest.raises(TunerError) as raised:
        load()
    assert str(raised.value) == f"airflow.cfg, [spark_tuner] {option}: a % stands alone; write each as %%"
    assert "ter2" not in "".join(traceback.format_exception(raised.value))


def test_doubled_percent_signs_are_a_url(
    monkeypatch: pytest.MonkeyPatch, in_airflow_cfg: Callable[[str, str], None]
) -> None:
    in_airflow_cfg("sql_alchemy_conn", "postgresql://me:hun%%40ter2@db/history")
    assert load().sql_alchemy_conn == "postgresql://me:hun%40ter2@db/history"


def test_unknown_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__MODE", "automatic")
    with pytest.raises(TunerError, match=r"\[spark_tuner\] mode: 'automatic' is not one"):
        load()


def test_objective(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load().objective is Objective.TIME
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__OBJECTIVE", "Cost")
    assert load().objective is Objective.COST
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__OBJECTIVE", "fun")
    with pytest.raises(TunerError, match=r"objective: 'fun' is not one; set it to one of time, cost, balanced"):
        load()


def test_a_price_that_is_none_keeps_no_job_from_being_tuned(monkeypatch: pytest.MonkeyPatch) -> None:
    assert core_hour_price() is None
    known = load()
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__CORE_HOUR_PRICE", "0.05")
    assert core_hour_price() == 0.05
    for wrong in ("cheap", "-1", "nan"):
        monkeypatch.setenv("AIRFLOW__SPARK_TUNER__CORE_HOUR_PRICE", wrong)
        assert load() == known
        with pytest.raises(TunerError, match=r"\[spark_tuner\] core_hour_price: '.*' is not a price; give a number"):
            core_hour_price()


def test_steering(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (load().steering, load().agent_jar) == (Steering.AGENT, "")
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__STEERING", "Conf")
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__AGENT_JAR", "hdfs:///agent.jar")
    assert (load().steering, load().agent_jar) == (Steering.CONF, "hdfs:///agent.jar")
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__STEERING", "wheel")
    with pytest.raises(TunerError, match=r"\[spark_tuner\] steering: 'wheel' is not one; set it to one of agent, c"):
        load()


def test_how_long_jobs_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (load().most_seconds_before, load().most_seconds_after) == (None, None)
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__MOST_SECONDS_BEFORE", "0.5")
    assert load().most_seconds_before == 0.5
    for unbounded in ("0", "nan", "inf", "soon"):
        monkeypatch.setenv("AIRFLOW__SPARK_TUNER__MOST_SECONDS_AFTER", unbounded)
        with pytest.raises(TunerError, match=rf"most_seconds_after: '{unbounded}' is not a number of seconds above 0"):
            load()


def test_resources(monkeypatch: pytest.MonkeyPatch) -> None:
    known = load()
    assert (known.resources, known.max_executor_memory, known.max_driver_memory) == (Resources.RAISE, None, None)
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__MAX_EXECUTOR_MEMORY", "24g")
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__MAX_DRIVER_MEMORY", "512")
    assert (load().max_executor_memory, load().max_driver_memory) == (24 << 30, 512 << 20)
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__MAX_DRIVER_MEMORY", "large")
    with pytest.raises(TunerError, match=r"max_driver_memory: 'large' is not a size; give one, such as 24g"):
        load()


def test_default_event_log_base() -> None:
    assert default_event_log_base({"AIRFLOW_HOME": "/opt/airflow"}) == "/opt/airflow/spark-tuner-events"
    assert default_event_log_base({}) == str(Path.home() / "airflow" / "spark-tuner-events")


class TestStoreUrl:
    @pytest.fixture
    def configured(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AIRFLOW__SPARK_TUNER__SQL_ALCHEMY_CONN", "postgresql://configured/history")

    @pytest.mark.usefixtures("configured")
    def test_connection_first(self) -> None:
        environ = {"SPARK_TUNER_DB": "sqlite:////environment.db"}
        connection = airflow_connection("postgresql://connection/history")
        assert store_url(Settings(), environ, connection) == "postgres://connection/history"

    @pytest.mark.usefixtures("configured")
    def test_environment_next(self) -> None:
        environ = {"SPARK_TUNER_DB": "sqlite:////environment.db"}
        assert store_url(Settings(), environ) == "sqlite:////environment.db"

    @pytest.mark.usefixtures("configured")
    def test_airflow_configuration_next(self) -> None:
        assert store_url(Settings(), {}) == "postgresql://configured/history"

    def test_a_file_at_last(self, tmp_path: Path) -> None:
        url = store_url(Settings(), {"HOME": str(tmp_path)})
        assert url.startswith(f"sqlite:///{tmp_path}/")

    @pytest.mark.parametrize(
        ("uri", "url"),
        [
            ("postgres://me:p%40ss@db:5433/history", "postgres://me:p%40ss@db:5433/history"),
            (
                "postgres://db/history?sslmode=require&cursor=dictcursor",
                "postgres://db/history?sslmode=require",
            ),
            ("sqlite:////var/lib/history.db", "sqlite:////var/lib/history.db"),
        ],
    )
    def test_of_a_connection(self, uri: str, url: str) -> None:
        assert store_url(Settings(), {}, airflow_connection(uri)) == url

    def test_is_one_the_store_can_read(self) -> None:
        from tuner.history.url import parse

        parsed = parse(store_url(Settings(), {}, airflow_connection("postgres://me:p%40ss@db:5433/history")))
        assert (parsed.drivername, parsed.password, parsed.host, parsed.database) == (
            "postgresql+psycopg",
            "p@ss",
            "db",
            "history",
        )


def airflow_connection(uri: str) -> Any:
    from airflow.sdk import Connection

    return Connection.from_uri(uri, conn_id="tuner")
