"""`spark-tuner submit` with a spark-submit that only writes down what it was given."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from tests.cli.conftest import Result
from tests.nightly import Spark
from tuner.history.store import Store
from tuner.history.url import VARIABLE
from tuner.loop.loop import JobToRun, Turn, prepare
from tuner.model.decision import Mode
from tuner.model.run import RunState
from tuner.steering.agent.spark_home import SparkAtHand
from tuner.steering.directives import Steering

pytestmark = pytest.mark.processes

Call = Callable[..., Result]


@pytest.fixture
def submitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """A Spark installation whose spark-submit notes its arguments and exits with $EXIT_CODE."""
    program = tmp_path / "spark" / "bin" / "spark-submit"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/arguments\nexit ${{EXIT_CODE:-0}}\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("SPARK_HOME", str(tmp_path / "spark"))
    return lambda: (tmp_path / "arguments").read_text().splitlines()


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> list[JobToRun]:
    """What the loop is told of each job, which is prepared as ever."""
    told: list[JobToRun] = []
    monkeypatch.delenv("SPARK_SUBMIT_OPTS")
    monkeypatch.setattr("tuner.cli.commands.submit.prepare", lambda job, url: told.append(job) or prepare(job, url))
    return told


def runs(tmp_path: Path) -> list[RunState]:
    with Store.open(f"sqlite:///{tmp_path}/history.db") as store:
        return [run.state for run in store.runs("nightly")]


def test_the_job_is_submitted_with_an_event_log_and_a_key(
    spark_tuner: Call, submitted: Callable[[], list[str]], tmp_path: Path
) -> None:
    result = spark_tuner("submit", "--cohort", "nightly", "--", "--master", "local[2]", "app.py", "--date", "today")
    arguments = submitted()
    assert result.code == 0
    assert arguments[-5:] == ["--master", "local[2]", "app.py", "--date", "today"]
    assert "spark.eventLog.enabled=true" in arguments
    assert any(a.startswith("spark.tuner.key=nightly/") for a in arguments)
    assert runs(tmp_path) == [RunState.LOST]
    assert "could not harvest the event log" in result.err


def test_its_exit_code_is_spark_submits(
    spark_tuner: Call, submitted: Callable[[], list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXIT_CODE", "7")
    assert spark_tuner("submit", "--cohort", "nightly", "--", "app.py").code == 7
    assert runs(tmp_path) == [RunState.FAILED]


def test_what_the_user_sets_wins(spark_tuner: Call, submitted: Callable[[], list[str]], tmp_path: Path) -> None:
    spark_tuner(
        "submit",
        "--cohort",
        "nightly",
        "--",
        "--conf",
        "spark.eventLog.enabled=false",
        "--conf=spark.eventLog.dir=/x",
        "a.py",
    )
    given = [a for a in submitted() if a.removeprefix("--conf=").startswith("spark.eventLog")]
    assert given == ["spark.eventLog.enabled=false", "--conf=spark.eventLog.dir=/x"]


def test_what_is_merged_with_the_users_own_comes_after_it_and_before_the_application(
    spark_tuner: Call, submitted: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def with_agent(job: JobToRun, url: str) -> Turn:
        turn = prepare(job, url)
        merged = {"spark.jars": "/own.jar,/agent.jar", "spark.sql.extensions": "a.A,b.B"}
        return replace(turn, directives=replace(turn.directives, merged=merged))

    monkeypatch.setattr("tuner.cli.commands.submit.prepare", with_agent)
    own = ["--jars", "/own.jar", "--conf", "spark.sql.extensions=a.A"]
    assert spark_tuner("submit", "--cohort", "nightly", "--", *own, "app.py", "--jars", "mine").code == 0
    merged = ["--jars", "/own.jar,/agent.jar", "--conf", "spark.sql.extensions=a.A,b.B"]
    assert submitted()[-11:] == [*own, *merged, "app.py", "--jars", "mine"]


def test_the_loop_is_told_how_the_job_is_submitted(
    spark_tuner: Call, submitted: Callable[[], list[str]], jobs: list[JobToRun], tmp_path: Path
) -> None:
    (tmp_path / "spark" / "jars").mkdir()
    (tmp_path / "spark" / "jars" / "spark-core_2.13-4.0.1.jar").touch()
    (tmp_path / "spark" / "conf").mkdir()
    (tmp_path / "spark" / "conf" / "spark-defaults.conf").write_text("spark.jars /default.jar\n")
    spark_tuner("submit", "--cohort", "nightly", "--", "--master", "yarn", "app.py")
    steered = ["--steering", "conf", "--agent-jar", "hdfs:///agent.jar"]
    spark_tuner("submit", "--cohort", "nightly", *steered, "--", "--deploy-mode=cluster", "app.py")
    first, second = jobs
    assert first.steering is Steering.AGENT
    assert first.submission.spark == SparkAtHand(tmp_path / "spark", "4.0.1", "2.13")
    assert first.submission.conf == {"spark.master": "yarn", "spark.jars": "/default.jar"}
    assert first.user_conf == {"spark.master": "yarn"}
    assert (second.steering, second.submission.agent_jar) == (Steering.CONF, "hdfs:///agent.jar")
    assert second.submission.in_cluster_mode


def test_variables_tell_all_commands_of_a_host(
    spark_tuner: Call, submitted: Callable[[], list[str]], jobs: list[JobToRun], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_TUNER_MODE", "observe")
    monkeypatch.setenv("SPARK_TUNER_MOST_SECONDS_BEFORE", "7.5")
    spark_tuner("submit", "--cohort", "nightly", "--", "app.py")
    own = ["--mode", "suggest", "--most-seconds-before", "3"]
    spark_tuner("submit", "--cohort", "nightly", *own, "--", "app.py")
    assert [job.mode for job in jobs] == [Mode.OBSERVE, Mode.SUGGEST]
    assert [job.most_seconds.before for job in jobs] == [7.5, 3]


def test_a_variable_that_says_nothing_known_fails_no_job(
    spark_tuner: Call, submitted: Callable[[], list[str]], jobs: list[JobToRun], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_TUNER_MODE", "off")
    monkeypatch.setenv("SPARK_TUNER_MOST_SECONDS_AFTER", "5s")
    result = spark_tuner("submit", "--cohort", "nightly", "--", "app.py")
    assert (result.code, submitted()[-1]) == (0, "app.py")
    assert "SPARK_TUNER_MODE='off' is none of its values, and taken for observe" in result.err
    assert "SPARK_TUNER_MOST_SECONDS_AFTER='5s' is none of its values, and taken for nothing" in result.err
    assert [(job.mode, job.most_seconds.after) for job in jobs] == [(Mode.OBSERVE, None)]


def test_a_base_for_event_logs_can_be_a_url(
    spark_tuner: Call, submitted: Callable[[], list[str]], jobs: list[JobToRun]
) -> None:
    base = "nosuch://bucket/events"
    result = spark_tuner(
        "submit", "--cohort", "nightly", "--event-log-base", base, "--", "--packages", "a:b:1", "app.py"
    )
    assert result.code == 0
    assert result.err.count("\n") == 1
    assert f"no event log can be had below {base} (" in result.err
    assert submitted() == ["--packages", "a:b:1", "app.py"]
    (job,) = jobs
    assert (job.event_log_base, job.base_is_shared) == (base, True)
    assert job.submission.conf == {"spark.jars.packages": "a:b:1"}


def test_without_a_store_the_job_still_runs(spark_tuner: Call, submitted: Callable[[], list[str]]) -> None:
    result = spark_tuner("submit", "--cohort", "nightly", "--db", "postgresql://u@127.0.0.1:1/x", "--", "app.py")
    assert result.code == 0
    assert submitted()[-1] == "app.py"
    assert "could not open the history store" in result.err


def program(tmp_path: Path, *arguments: str, store: str | None = None) -> tuple[list[str], dict[str, str]]:
    """A command line of spark-tuner, in a process of its own, and its environment."""
    environment = {**os.environ, VARIABLE: store or f"sqlite:///{tmp_path}/history.db"}
    return [sys.executable, "-m", "tuner.cli", "submit", "--cohort", "nightly", *arguments], environment


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this machine")
@pytest.mark.parametrize("exit_code", ["0", "7"])
def test_lines_that_cannot_be_written_change_nothing(
    submitted: Callable[[], list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exit_code: str
) -> None:
    """Standard error goes to a disk that is full."""
    monkeypatch.setenv("EXIT_CODE", exit_code)
    command, environment = program(tmp_path, "--", "app.py")
    with Path("/dev/full").open("w") as full:
        assert subprocess.run(command, env=environment, stderr=full, check=False).returncode == int(exit_code)
    assert submitted()[-1] == "app.py"
    assert runs(tmp_path) == [RunState.LOST if exit_code == "0" else RunState.FAILED]


def test_a_reader_of_its_lines_who_has_gone_changes_nothing(submitted: Callable[[], list[str]], tmp_path: Path) -> None:
    command, environment = program(tmp_path, "--", "app.py")
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE) as process:
        assert process.stderr
        process.stderr.close()
        assert process.wait(60) == 0
    assert submitted()[-1] == "app.py"


def test_without_a_home_directory_the_job_still_runs(
    spark_tuner: Call, submitted: Callable[[], list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nobodys() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", nobodys)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    result = spark_tuner("submit", "--cohort", "nightly", "--", "app.py")
    assert (result.code, submitted()[-1]) == (0, "app.py")
    assert runs(tmp_path) == [RunState.LOST]
    assert "nothing is named, and there is no home directory" in result.err
    assert not list((tmp_path / "here").iterdir()), "where it was started is nobody's place for logs"
    monkeypatch.delenv(VARIABLE)
    result = spark_tuner("submit", "--cohort", "nightly", "--", "other.py")
    assert (result.code, submitted()[-1]) == (0, "other.py")
    assert f"there is no place for a history store; name one with --db or {VARIABLE}" in result.err


def test_a_properties_file_that_can_be_read_once_is_read_by_both(
    tmp_path: Path, submitted: Callable[[], list[str]]
) -> None:
    """As bash gives one for ‹(…), or `--properties-file /dev/stdin`."""
    spark_submit = tmp_path / "spark" / "bin" / "spark-submit"
    spark_submit.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/arguments\n'
        f'while [ $# -gt 1 ]; do [ "$1" = --properties-file ] && cp "$2" {tmp_path}/read; shift; done\n'
    )
    command, environment = program(tmp_path, "--", "--properties-file", "/dev/stdin", "app.py")
    own = b"spark.x 1\nspark.sql.shuffle.partitions 7\n"
    assert subprocess.run(command, env=environment, input=own, check=False).returncode == 0
    assert (tmp_path / "read").read_bytes() == own
    given = submitted()
    assert given[-1] == "app.py" and "spark.eventLog.enabled=true" in given
    assert not Path(given[-2]).exists(), "the copy is gone once the job is over"


def test_sql_is_run_by_the_runner_that_ships(
    spark_tuner: Call, submitted: Callable[[], list[str]], tmp_path: Path
) -> None:
    (tmp_path / "job.sql").write_text("SELECT 1;\nSELECT ';';")
    assert spark_tuner("submit", "--cohort", "nightly", "--sql", tmp_path / "job.sql").code == 0
    assert submitted()[-2].endswith("sql_runner.py")


@pytest.mark.parametrize(
    ("own", "files"),
    [
        ([], ""),
        (["--files", "/own.ini"], "/own.ini,"),
        (["--conf", "spark.files=/own.ini"], "/own.ini,"),
        (["--properties-file", "job.properties"], "/own.ini,"),
    ],
)
def test_in_cluster_mode_the_statements_are_brought_to_the_driver(
    spark_tuner: Call,
    submitted: Callable[[], list[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    own: list[str],
    files: str,
) -> None:
    """Beside the files of the user's, which a flag takes the place of."""
    spark_submit = tmp_path / "spark" / "bin" / "spark-submit"
    keep = f'while [ $# -gt 1 ]; do [ "$1" = --files ] && cp "${{2##*,}}" {tmp_path}/brought; shift; done\n'
    spark_submit.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/arguments\n{keep}')
    (tmp_path / "job.properties").write_text("spark.files /own.ini\n")
    (tmp_path / "job.sql").write_text("SELECT 1;\nSELECT ';';")
    monkeypatch.chdir(tmp_path)
    cluster = ["--master", "yarn", "--deploy-mode", "cluster"]
    assert spark_tuner("submit", "--cohort", "nightly", "--sql", "job.sql", "--", *cluster, *own).code == 0
    *_, flag, shipped, runner, name = submitted()
    file = Path(shipped.removeprefix(files))
    assert (flag, runner.endswith("sql_runner.py"), name) == ("--files", True, file.name)
    assert json.loads((tmp_path / "brought").read_text()) == {"statements": ["SELECT 1", "SELECT ';'"]}
    assert not file.exists(), "it is gone once the job is over"


@pytest.mark.parametrize("master", ["yarn", "k8s://https://api:443"])
def test_credentials_of_a_file_do_not_come_to_the_command_line_with_sql(
    spark_tuner: Call, submitted: Callable[[], list[str]], tmp_path: Path, master: str
) -> None:
    (tmp_path / "job.properties").write_text("spark.files https://etl:hunter2@host/own.ini\n")
    (tmp_path / "job.sql").write_text("SELECT 1")
    job = ["--master", master, "--deploy-mode", "cluster", "--properties-file", tmp_path / "job.properties"]
    result = spark_tuner("submit", "--cohort", "nightly", "--sql", tmp_path / "job.sql", "--", *job)
    if master == "yarn":
        assert (result.code, [a for a in submitted() if "hunter2" in a or a == "--files"]) == (0, [])
        assert any(a.startswith("spark.yarn.dist.files=/") for a in submitted())
        return
    assert (result.code, "spark.files names credentials" in result.err, "hunter2" in result.err) == (1, True, False)
    assert not (tmp_path / "arguments").exists(), "nothing has started"
    assert runs(tmp_path) == []


@pytest.mark.parametrize("arguments", [[], ["--cohort", "nightly"], ["--", "app.py"]])
def test_bad_usage(spark_tuner: Call, arguments: list[str]) -> None:
    assert spark_tuner("submit", *arguments).code == 2


@pytest.mark.parametrize("application", [["app.py"], ["--master", "local", "my.jar"]])
def test_an_application_beside_sql_is_bad_usage(
    spark_tuner: Call, submitted: Callable[[], list[str]], tmp_path: Path, application: list[str]
) -> None:
    (tmp_path / "job.sql").write_text("SELECT 1")
    result = spark_tuner("submit", "--cohort", "nightly", "--sql", tmp_path / "job.sql", "--", *application)
    assert result.code == 2
    assert "give an application or --sql, not both" in result.err
    assert not (tmp_path / "arguments").exists(), "nothing has started"


def test_sql_that_is_not_utf8_is_told_in_a_line(
    spark_tuner: Call, submitted: Callable[[], list[str]], tmp_path: Path
) -> None:
    (tmp_path / "job.sql").write_bytes("SELECT 'gr\u00fcn'".encode("latin-1"))
    result = spark_tuner("submit", "--cohort", "nightly", "--sql", tmp_path / "job.sql")
    assert (result.code, result.err) == (1, f"spark-tuner: {tmp_path}/job.sql: not UTF-8 text; give a .sql file\n")


def test_no_such_sql_file(spark_tuner: Call, submitted: Callable[[], list[str]], tmp_path: Path) -> None:
    result = spark_tuner("submit", "--cohort", "nightly", "--sql", tmp_path / "no.sql")
    assert (result.code, result.err) == (
        1,
        f"spark-tuner: {tmp_path}/no.sql: No such file or directory; give a readable .sql file\n",
    )


def test_no_spark(spark_tuner: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    result = spark_tuner("submit", "--cohort", "nightly", "--", "app.py")
    assert result.code == 1
    assert "no bin/spark-submit there" in result.err


def test_only_sql_needs_a_place_for_files(
    spark_tuner: Call, submitted: Callable[[], list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    genuine = tempfile.TemporaryDirectory

    def only_where_told(dir: object = None, **given: object) -> object:
        if dir is None:
            raise FileNotFoundError(2, "No usable temporary directory found")
        return genuine(dir=dir, **given)

    sql = tmp_path / "etl.sql"
    sql.write_text("SELECT 1")
    monkeypatch.setattr("tempfile.TemporaryDirectory", only_where_told)
    assert spark_tuner("submit", "--cohort", "nightly", "--", "app.py").code == 0
    assert submitted()[-1] == "app.py"
    assert spark_tuner("submit", "--cohort", "nightly", "--sql", sql).code == 0
    assert submitted()[-1].startswith(str(tmp_path / "data" / "spark-tuner" / "sql"))
    (tmp_path / "arguments").unlink()
    monkeypatch.setenv("XDG_DATA_HOME", str(sql))
    before = runs(tmp_path)
    result = spark_tuner("submit", "--cohort", "nightly", "--event-log-base", tmp_path, "--sql", sql)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("spark-tuner: the SQL of this job can be written neither to a temporary directory nor")
    assert len(result.err.splitlines()) == 1
    assert not (tmp_path / "arguments").exists(), "nothing has started"
    assert runs(tmp_path) == before


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "soon"])
def test_limits_of_waiting_are_seconds(spark_tuner: Call, seconds: str) -> None:
    result = spark_tuner("submit", "--cohort", "nightly", f"--most-seconds-before={seconds}", "--", "app.py")
    assert result.code == 2
    assert "most-seconds-before" in result.err


@pytest.mark.parametrize(
    ("given", "state"),
    [
        (["--master", "yarn", "--conf", "spark.yarn.submit.waitAppCompletion=false"], RunState.SUCCEEDED),
        (["--master", "spark://here:7077"], RunState.SUCCEEDED),
        (["--master", "spark://here:7077"], RunState.FAILED),
        (["--master", "spark://here:7077", "--conf", "spark.standalone.submit.waitAppCompletion=true"], RunState.LOST),
        (["--master", "yarn"], RunState.LOST),
    ],
)
def test_a_job_that_spark_submit_does_not_wait_for_is_harvested_at_the_next_decision(
    spark_tuner: Call, submitted: Callable[[], list[str]], tmp_path: Path, given: list[str], state: RunState
) -> None:
    command = ["submit", "--cohort", "nightly", "--event-log-base", str(tmp_path / "shared"), "--", *given]
    command += ["--deploy-mode", "cluster", "app.py"]
    assert spark_tuner(*command).code == 0
    assert runs(tmp_path) == [RunState.LOST if state is RunState.LOST else RunState.RUNNING]
    conf = dict(word.split("=", 1) for flag, word in pairwise(submitted()) if flag == "--conf")
    Spark(error="boom" if state is RunState.FAILED else None).write(conf)
    spark_tuner(*command)
    assert runs(tmp_path)[0] is state
