"""SparkTunedOperator around SQL."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from airflow.sdk import DAG

from airflow_plugin import sql_job
from airflow_plugin.operator import SparkTunedOperator
from tuner.errors import TunerError

from .conftest import set_connection
from .generations import NOT_DURABLE

CREDENTIALS = "https://etl:hunter2@host/own.ini"


@pytest.fixture(autouse=True)
def runner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("airflow_plugin.sql_job.runner_path", lambda: "/core/sql_runner.py")


@pytest.fixture
def properties_file(tmp_path: Path) -> str:
    file = tmp_path / "job.properties"
    file.write_text(f"spark.files {CREDENTIALS}\n")
    return str(file)


def operator(sql: str, **arguments: Any) -> SparkTunedOperator:
    return SparkTunedOperator(**{"task_id": "nightly", "sql": sql} | arguments)


def run(op: SparkTunedOperator, ti: Any) -> None:
    op.execute({"ti": ti})


class TestStatements:
    def test_reach_the_runner_in_client_mode(self, submit: Any, loop: Any, ti: Any) -> None:
        run(operator("INSERT INTO a SELECT 1; INSERT INTO b SELECT 2;"), ti)
        assert submit.command[-2:] == ["/core/sql_runner.py", submit.statements_file]
        assert submit.statements == ["INSERT INTO a SELECT 1", "INSERT INTO b SELECT 2"]
        assert loop.job.statements == ("INSERT INTO a SELECT 1", "INSERT INTO b SELECT 2")

    def test_are_cleared_away_after_success_and_failure(self, submit: Any, loop: Any, ti: Any) -> None:
        run(operator("SELECT 1"), ti)
        assert not Path(submit.statements_file).exists()
        submit.returncode = 1
        with pytest.raises(Exception, match="Error code is: 1"):
            run(operator("SELECT 1"), ti)
        assert not Path(submit.statements_file).parent.exists()

    def test_rewritten_are_run_and_shown(self, submit: Any, loop: Any, ti: Any) -> None:
        loop.statements = ("SELECT /*+ BROADCAST(b) */ 1", "SELECT 2")
        op = operator("SELECT 1; SELECT 2")
        run(op, ti)
        assert submit.statements == ["SELECT /*+ BROADCAST(b) */ 1", "SELECT 2"]
        assert op.sql == "SELECT /*+ BROADCAST(b) */ 1;\n\nSELECT 2"

    def test_are_the_users_where_the_tuner_fails(self, submit: Any, loop: Any, ti: Any) -> None:
        loop.prepare_error = RuntimeError("no store")
        run(operator("SELECT 1; SELECT 2"), ti)
        assert submit.statements == ["SELECT 1", "SELECT 2"]

    def test_are_run_where_the_tuner_is_disabled(
        self, submit: Any, loop: Any, ti: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("AIRFLOW__SPARK_TUNER__ENABLED", "False")
        run(operator("SELECT 1"), ti)
        assert submit.statements == ["SELECT 1"]
        assert loop.prepared == []

    def test_that_cannot_be_split_are_left_to_spark_to_refuse(self, submit: Any, loop: Any, ti: Any) -> None:
        run(operator("SELECT 1; SELECT 'open"), ti)
        assert submit.statements == ["SELECT 1; SELECT 'open"]

    def test_are_run_as_one_without_the_splitter(
        self, submit: Any, loop: Any, ti: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "tuner.steering.sql_script", None)
        run(operator("SELECT 1"), ti)
        assert submit.statements == ["SELECT 1"]

    @pytest.mark.parametrize("sql", [" ", " ; ", "-- nothing today"])
    def test_none_at_all_is_the_users_error(self, sql: str, submit: Any, loop: Any, ti: Any) -> None:
        with pytest.raises(ValueError, match="nightly: sql= holds no statement"):
            run(operator(sql), ti)
        assert (loop.prepared, submit.command) == ([], [])


@pytest.mark.usefixtures("cluster_mode")
class TestClusterMode:
    def test_ships_the_file_and_names_it_bare(self, submit: Any, loop: Any, ti: Any) -> None:
        run(operator("SELECT 1", **NOT_DURABLE), ti)
        assert submit.flag("--files") == submit.statements_file
        assert submit.command[-2:] == ["/core/sql_runner.py", Path(submit.statements_file).name]

    def test_keeps_the_users_files(self, submit: Any, loop: Any, ti: Any) -> None:
        run(operator("SELECT 1", **NOT_DURABLE, files="/etc/a.conf,/etc/b.conf"), ti)
        assert submit.flag("--files") == f"/etc/a.conf,/etc/b.conf,{submit.statements_file}"

    def test_brings_no_credentials_of_a_file_to_the_command_line(
        self, submit: Any, loop: Any, ti: Any, properties_file: str
    ) -> None:
        run(operator("SELECT 1", **NOT_DURABLE, properties_file=properties_file), ti)
        assert "hunter2" not in " ".join(submit.command) and "--files" not in submit.command
        assert submit.conf["spark.yarn.dist.files"] == submit.statements_file
        assert submit.statements == ["SELECT 1"]

    def test_refuses_them_where_there_is_but_one_list(
        self, submit: Any, loop: Any, ti: Any, properties_file: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        master = {"host": "k8s://https://api:443", "extra": {"deploy-mode": "cluster"}}
        set_connection(monkeypatch, "spark_default", conn_type="spark", **master)
        with pytest.raises(TunerError, match=r"spark\.files names credentials") as refused:
            run(operator("SELECT 1", properties_file=properties_file), ti)
        assert submit.command == [] and "hunter2" not in str(refused.value)

    @pytest.mark.parametrize("own", [{"files": CREDENTIALS}, {"conf": {"spark.files": CREDENTIALS}}])
    def test_repeats_those_that_stand_there(self, submit: Any, loop: Any, ti: Any, own: dict[str, Any]) -> None:
        run(operator("SELECT 1", **NOT_DURABLE, **own), ti)
        assert submit.flag("--files") == f"{CREDENTIALS},{submit.statements_file}"


def test_client_mode_of_the_task_wins_over_the_connections(submit: Any, loop: Any, ti: Any, cluster_mode: None) -> None:
    run(operator("SELECT 1", deploy_mode="client"), ti)
    assert "--files" not in submit.command
    assert submit.command[-1] == submit.statements_file


def test_cluster_mode_by_conf(submit: Any, loop: Any, ti: Any) -> None:
    run(operator("SELECT 1", conf={"spark.submit.deployMode": "cluster"}), ti)
    assert submit.flag("--files") == submit.statements_file


def test_cluster_mode_and_files_of_the_sparks_own_defaults(
    submit: Any, loop: Any, ti: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / "spark-core_2.13-4.3.0.jar").touch()
    (tmp_path / "conf").mkdir()
    defaults = "spark.submit.deployMode cluster\nspark.files /etc/hive-site.xml\n"
    (tmp_path / "conf" / "spark-defaults.conf").write_text(defaults)
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    run(operator("SELECT 1"), ti)
    assert submit.flag("--files") == f"/etc/hive-site.xml,{submit.statements_file}"
    assert submit.command[-1] == Path(submit.statements_file).name


class TestFile:
    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        path = tmp_path / "queries" / "sales.sql"
        path.parent.mkdir()
        path.write_text("SELECT '{{ ds }}' -- of\nFROM sales\n")
        return path

    def render(self, op: SparkTunedOperator) -> None:
        op.render_template_fields({"ds": "2026-01-02", "params": {"name": "sales"}})

    def test_in_the_template_search_path(self, file: Path) -> None:
        with DAG("sales", template_searchpath=str(file.parents[1])):
            op = operator("queries/sales.sql")
        self.render(op)
        assert op.sql == "SELECT '2026-01-02' -- of\nFROM sales"

    def test_absolute(self, file: Path) -> None:
        op = operator(str(file))
        self.render(op)
        assert op.sql == "SELECT '2026-01-02' -- of\nFROM sales"

    def test_whose_path_is_a_template(self, file: Path) -> None:
        op = operator(str(file.parent) + "/{{ params.name }}.sql")
        op.resolve_template_files()
        self.render(op)
        assert op.sql == "SELECT '2026-01-02' -- of\nFROM sales"

    def test_is_shown_from_parsing_on(self, file: Path) -> None:
        with DAG("sales", template_searchpath=str(file.parents[1])) as dag:
            op = operator("queries/sales.sql")
        dag.resolve_template_files()  # type: ignore[no-untyped-call]
        assert op.sql == "SELECT '{{ ds }}' -- of\nFROM sales\n"

    def test_missing_is_said_with_the_places_looked_in(self, tmp_path: Path) -> None:
        with DAG("sales", template_searchpath=str(tmp_path)):
            op = operator("nowhere.sql")
        op.resolve_template_files()
        with pytest.raises(FileNotFoundError, match=rf"sql='nowhere.sql': no such file.*{tmp_path}"):
            self.render(op)

    @pytest.mark.parametrize("is_absolute", [True, False])
    def test_one_that_is_not_utf8_fails_its_task_and_not_its_dag(self, is_absolute: bool, tmp_path: Path) -> None:
        (tmp_path / "old.sql").write_bytes("SELECT 'é'".encode("latin-1"))
        with DAG("sales", template_searchpath=str(tmp_path)) as dag:
            op = operator(str(tmp_path / "old.sql") if is_absolute else "old.sql")
        dag.resolve_template_files()  # type: ignore[no-untyped-call]
        with pytest.raises(ValueError, match=r"old.sql': not UTF-8 \(.* at byte 8\); save it as UTF-8"):
            self.render(op)

    def test_text_that_ends_like_a_path_is_text(self) -> None:
        op = operator("SELECT 1\n-- from old.sql")
        self.render(op)
        assert op.sql == "SELECT 1\n-- from old.sql"


def test_runner_is_found_without_importing_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.delitem(sys.modules, "tuner.steering.sql_runner", raising=False)
    path = Path(sql_job.runner_path())
    assert path.is_file()
    assert path.name == "sql_runner.py"
    assert "tuner.steering.sql_runner" not in sys.modules
