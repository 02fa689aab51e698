"""BashOperator with commands that leave event logs: the command stays as it is, its environment brings the properties."""

from __future__ import annotations

import copy
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from airflow.providers.standard.decorators.bash import bash_task
from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

import airflow_plugin
from airflow_plugin.engines.bash import ENGINE
from airflow_plugin.engines.engine import Additions
from airflow_plugin.enrol import task_policy
from airflow_plugin.steered_class import is_steered, steered
from airflow_plugin.tuned import tuned
from tests.airflow_plugin.conftest import TaskInstance
from tests.airflow_plugin.engines import spark_command
from tests.airflow_plugin.engines.standings import TRIED_THEN_PROVEN, standings
from tests.airflow_plugin.generations import AirflowSkipException
from tuner.model.run import Run, RunState
from tuner.spark.shell_user import UNTOLD_USER
from tuner.spark.submit_opts import properties_of

THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"
OPTS = "SPARK_SUBMIT_OPTS"
Stored = Callable[[], list[Run]]
Started = Callable[[], list[dict[str, str]]]


@pytest.fixture(autouse=True)
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Started:
    notes = spark_command.install(tmp_path / "bin")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin{os.pathsep}{os.environ['PATH']}")
    for name in (OPTS, "SPARK_DIST_CLASSPATH", "SPARK_HOME", "SPARK_CONF_DIR"):
        monkeypatch.delenv(name, raising=False)
    return lambda: spark_command.started(notes)


def bash(command: str = "spark-submit ok", **arguments: Any) -> Any:
    return tuned(BashOperator(task_id="nightly", bash_command=command, **arguments), steering="conf")


def enrolled(command: str, **arguments: Any) -> Any:
    """The task as a pattern of `enrol` has it steered."""
    operator = BashOperator(task_id="nightly", bash_command=command, **arguments)
    assert steered(operator)
    return operator


def run(op: Any, run_id: str = "r1", try_number: int = 1) -> TaskInstance:
    ti: Any = TaskInstance(run_id=run_id, try_number=try_number)
    op.execute({"ti": ti, "task_instance": ti})
    return ti


@pytest.mark.parametrize("make", [bash, enrolled], ids=["by its author", "by a pattern"])
@pytest.mark.parametrize(
    "command",
    [
        "spark-submit ok",
        "cd / && spark-submit \\\n  --conf spark.x='a b' ok | cat",
        "set -euo pipefail\n# it's nightly\nexport X=1\nexec timeout 60 spark-submit ok",
        "spark-sql -e 'SELECT 1' ok",
        "bash -c 'spark-submit ok'",
    ],
)
def test_the_second_run_is_steered_and_the_third_has_it_proven(
    make: Callable[..., Any], command: str, started: Started, stored: Stored
) -> None:
    for run_id in ("r1", "r2", "r3"):
        ti = run(make(command), run_id)
    assert [THRESHOLD in conf for conf in started()] == [False, True, True]
    assert standings(stored()) == TRIED_THEN_PROVEN
    assert {r.state for r in stored()} == {RunState.SUCCEEDED}
    assert ti.xcoms["spark_tuner"]["state"] == "succeeded"


@pytest.mark.parametrize(
    "options",
    [
        "--master spark://h:7077 --deploy-mode cluster",
        "--master yarn --deploy-mode cluster --conf spark.yarn.submit.waitAppCompletion=false",
    ],
)
@pytest.mark.parametrize(("how", "state"), [("ok", RunState.SUCCEEDED), ("fail", RunState.FAILED)])
def test_a_command_that_ends_before_its_application_is_harvested_at_the_next_decision(
    options: str, how: str, state: RunState, started: Started, stored: Stored
) -> None:
    run(bash(f"spark-submit {options} later"))
    assert [r.state for r in stored()] == [RunState.RUNNING]
    spark_command.leave_log(started()[0], how)
    run(bash(f"spark-submit {options} later"), "r2")
    assert [r.state for r in stored()] == [state, RunState.RUNNING]


def test_the_environment_is_what_the_author_gave_and_the_options(started: Started, monkeypatch: Any) -> None:
    monkeypatch.setenv("FROM_WORKER", "1")
    for given, there in (
        ({}, "1"),
        ({"env": {"MINE": "1"}, "append_env": True}, "1 1"),
        ({"env": {"MINE": "1", "PATH": os.environ["PATH"]}}, "1"),
    ):
        op = bash("spark-submit ok; echo $FROM_WORKER $MINE", **copy.deepcopy(given))
        ti: Any = TaskInstance(run_id=f"r{len(started())}")
        assert op.execute({"ti": ti, "task_instance": ti}) == there
        assert "spark.tuner.key" in started()[-1]
        assert (op.env or {}).get(OPTS) is None and op.append_env is given.get("append_env", False)
    assert OPTS not in os.environ


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        (f"spark-submit --conf {THRESHOLD}=7 ok", {}),
        (f"spark-sql -e 'SELECT 1' --conf {THRESHOLD}=7 ok", {}),
        ("spark-submit ok", {"env": {OPTS: f"-Dx=1 '-D{THRESHOLD}=7'"}, "append_env": True}),
        ("spark-submit ok", {"env": {"SPARK_CONF_DIR": "{}"}, "append_env": True}),
        ("spark-submit --properties-file {}/spark-defaults.conf ok", {}),
    ],
    ids=["conf", "conf behind SQL", "options", "defaults", "properties file"],
)
def test_the_authors_own_value_wins(
    command: str, arguments: dict[str, Any], started: Started, stored: Stored, tmp_path: Path
) -> None:
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / "spark-core_2.13-4.3.0.jar").touch()
    (tmp_path / "spark-defaults.conf").write_text(f"{THRESHOLD} 7\n")
    if "env" in arguments:
        arguments = {**arguments, "env": {k: v.format(tmp_path) for k, v in arguments["env"].items()}}
    for run_id in ("r1", "r2"):
        run(bash(command.format(tmp_path), **arguments), run_id)
    assert started()[-1].get(THRESHOLD, "7") == "7"
    assert not stored()[-1].decision.in_force


@pytest.mark.parametrize(
    "command",
    ["echo spark-submit", "ls", "command -v spark-submit", "spark-submit --status driver-1", "cat <<E\nspark\nE"],
)
def test_a_command_that_runs_no_spark_is_no_ones_business(command: str, stored: Stored, told_by: Any) -> None:
    op = enrolled(command)
    told = told_by(op)
    ti = run(op)
    assert stored() == [] and told == [] and ti.xcoms == {}


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("spark-submit ok; spark-submit ok", "it runs 2 Spark programs"),
        ("for day in 1 2; do spark-submit ok; done", "more than once"),
        ("load() { spark-submit ok; }; load; load", "more than once"),
        ("SPARK_SUBMIT_OPTS=-Dspark.x=1 spark-submit ok", "sets SPARK_SUBMIT_OPTS itself"),
        ('env -i PATH="$PATH" spark-submit ok', "hand no environment on"),
        ("spark-submit --remote sc://h ok", "Spark Connect"),
        ("true || spark-tuner submit --cohort x -- job.py", "steers its job itself"),
        ("cat <<E > /dev/null\nit's spark-submit\nE", "cannot be told apart"),
    ],
)
@pytest.mark.parametrize("make", [bash, enrolled], ids=["by its author", "by a pattern"])
def test_what_cannot_be_told_apart_is_left_alone_with_a_line_that_says_why(
    make: Any, command: str, why: str, started: Started, stored: Stored, told_by: Any
) -> None:
    op = make(command)
    told = told_by(op)
    run(op)
    assert stored() == [] and all("spark.tuner.key" not in conf for conf in started())
    if make is bash or "tuner" not in command:
        ((level, text),) = told
        assert level == "info" and why in text


def test_who_the_command_says_that_it_is_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    (job,) = ENGINE.read(bash("spark-submit --proxy-user etl --principal me@X ok"), {})
    assert (job.runs_as, job.conf["spark.kerberos.principal"]) == ("etl", "me@X")
    (job,) = ENGINE.read(bash(), {"env": {**os.environ, "HADOOP_USER_NAME": "etl"}})
    assert job.runs_as == "etl"
    monkeypatch.delenv("HADOOP_USER_NAME", raising=False)
    (job,) = ENGINE.read(bash(), {})
    assert job.runs_as == ""
    (job,) = ENGINE.read(bash("export HADOOP_USER_NAME=etl; spark-submit ok"), {"env": {"HADOOP_USER_NAME": "me"}})
    assert job.runs_as == "etl"
    (job,) = ENGINE.read(bash("kinit -kt etl.keytab && spark-submit ok"), {})
    assert job.runs_as == UNTOLD_USER


@pytest.mark.parametrize(
    ("command", "variables"),
    [
        ("spark-submit $SPARK_ARGS ok", {"SPARK_ARGS": "--deploy-mode cluster"}),
        ("spark-submit --deploy-mode ${MODE:-cluster} ok", {}),
        ("cd / && spark-submit --properties-file conf/prod.conf ok", {}),
        ("SPARK_CONF_DIR=/etc/spark/prod spark-submit ok", {}),
    ],
)
def test_a_driver_that_may_be_elsewhere_has_no_event_log_on_this_machine_alone(
    command: str,
    variables: dict[str, str],
    started: Started,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    told_by: Any,
) -> None:
    """Spark does not start where that directory is not."""
    monkeypatch.delenv("AIRFLOW__SPARK_TUNER__EVENT_LOG_BASE")
    monkeypatch.setenv("AIRFLOW_HOME", str(tmp_path))
    op = bash(command, env=variables, append_env=True)
    told = told_by(op)
    run(op)
    assert "spark.eventLog.dir" not in started()[0]
    assert any("the words of the command do not tell its deploy mode" in text for _, text in told)
    run(bash("spark-submit ok"), "r2")
    assert started()[1]["spark.eventLog.dir"].startswith(f"file://{tmp_path}/")


def test_a_script_counts_where_its_author_says_so(started: Started, stored: Stored, tmp_path: Path) -> None:
    script = tmp_path / "job.sh"
    script.write_text("spark-submit ok\n")
    run(enrolled(f"sh {script}"), "r1")
    assert stored() == []
    for run_id in ("r2", "r3"):
        run(bash(f"sh {script}"), run_id)
    assert [THRESHOLD in conf for conf in started()] == [False, False, True]


def test_a_script_that_starts_no_spark_is_a_lost_run(stored: Stored) -> None:
    run(bash("true"))
    assert [r.state for r in stored()] == [RunState.LOST]


def test_a_job_that_fails_in_a_trial_is_tried_without_it(started: Started, stored: Stored) -> None:
    run(bash(), "r1")
    with pytest.raises(Exception, match="non-zero exit code"):
        run(bash("spark-submit fail"), "r2")
    run(bash(), "r2", try_number=2)
    assert [THRESHOLD in conf for conf in started()] == [False, True, False]
    assert [r.state for r in stored()] == [RunState.SUCCEEDED, RunState.FAILED, RunState.SUCCEEDED]


def test_a_task_that_skips_itself_has_not_failed(stored: Stored) -> None:
    with pytest.raises(AirflowSkipException):
        run(bash("spark-submit ok; exit 99"))
    assert [r.state for r in stored()] == [RunState.SUCCEEDED]


def test_an_environment_that_is_too_large_is_given_up(
    started: Started, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("airflow_plugin.engines.bash.added_options", lambda _: "-Dspark.x=" + "x" * (1 << 20))
    run(bash())
    assert started() == [{}] and [r.state for r in stored()] == [RunState.LOST]


def test_a_command_that_is_killed_is_left_for_the_next_decision(
    stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    op = bash("spark-submit ok; kill -9 $$")
    monkeypatch.setattr(type(op.subprocess_hook), "send_sigterm", lambda _: None)
    run_command = op.subprocess_hook.run_command

    def killed_meanwhile(**arguments: Any) -> Any:
        op.on_kill()
        return run_command(**arguments)

    monkeypatch.setattr(op.subprocess_hook, "run_command", killed_meanwhile, raising=False)
    with pytest.raises(Exception, match="Bash command failed"):
        op.execute({"ti": TaskInstance(), "task_instance": TaskInstance()})
    assert [r.state for r in stored()] == [RunState.RUNNING]
    run(bash(), "r2")
    assert [r.state for r in stored()] == [RunState.SUCCEEDED] * 2


def test_a_decorated_function_gives_the_command(started: Started) -> None:
    with DAG("sales"):

        @bash_task
        def nightly() -> str:
            return "spark-submit ok"

        op = nightly().operator
    assert steered(op)
    run(op)
    assert "spark.tuner.key" in started()[0]


def test_a_tuner_that_cannot_be_loaded_leaves_the_job_as_it_is(
    started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As while it is upgraded under a worker that runs."""
    monkeypatch.delattr(airflow_plugin, "turn", raising=False)
    monkeypatch.setitem(sys.modules, "airflow_plugin.turn", None)
    run(bash())
    assert started() == [{}]


def test_a_command_that_runs_no_spark_after_all_does_not_wait_for_what_decides_to_be_loaded(
    monkeypatch: pytest.MonkeyPatch, warnings_of: Callable[[Any], list[str]]
) -> None:
    """Those of a template may, so a pattern has them enrolled."""
    monkeypatch.delattr(airflow_plugin, "turn", raising=False)
    monkeypatch.setitem(sys.modules, "airflow_plugin.turn", None)
    op = enrolled("echo hi")
    said = warnings_of(op)
    run(op)
    assert said == []


def test_off_changes_nothing(started: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__ENABLED", "False")
    run(bash())
    assert started() == [{}]


@pytest.mark.parametrize(
    ("command", "is_enrolled"),
    [
        ("echo hi", False),
        ("spark-submit job.py", True),
        ("{{ params.command }}", True),
        ("./job.sh ", False),
        ("load.sh", True),
    ],
)
def test_a_pattern_leaves_tasks_that_run_no_spark_as_they_are(
    command: str, is_enrolled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__ENROL", "sales")
    with DAG("sales"):
        op = BashOperator(task_id="nightly", bash_command=command)
        mapped = BashOperator.partial(task_id="mapped", bash_command=command).expand(env=[{"a": "1"}])
        later = BashOperator.partial(task_id="later").expand(bash_command=[command])
    for task in (op, mapped, later):
        task_policy(task)
    assert is_steered(type(op)) is is_steered(mapped.operator_class) is is_enrolled
    assert is_steered(later.operator_class)


class Spark:
    """An installed Spark, with Hadoop among its jars or without."""

    def __init__(self, directory: Path, hadoop: bool) -> None:
        (directory / "jars").mkdir(parents=True)
        (directory / "bin").mkdir()
        (directory / "bin" / "spark-submit").touch(0o755)
        for jar in ["spark-core_2.13-4.3.0.jar", *(["hadoop-client-api-3.5.jar"] if hadoop else [])]:
            (directory / "jars" / jar).touch()
        self.command = f"{directory}/bin/spark-submit --conf spark.x=1 job.py"


@pytest.mark.parametrize(
    ("hadoop", "own", "class_path"),
    [
        (True, "", "/agent.jar"),
        (True, "/own/*", "/own/*:/agent.jar"),
        (False, "/own/*", "/own/*:/agent.jar"),
        (False, "", None),
    ],
)
def test_the_jar_is_added_to_the_class_path_where_that_hides_no_hadoop(
    hadoop: bool, own: str, class_path: str | None, tmp_path: Path
) -> None:
    op = bash(Spark(tmp_path / "spark", hadoop).command)
    request = {"command": [], "env": {"SPARK_DIST_CLASSPATH": own} if own else {}}
    as_written = copy.deepcopy(request)
    (job,) = ENGINE.read(op, request)
    assert ENGINE.submission(op, job, "s3://jars/agent.jar").takes_class_path is (class_path is not None)
    added = Additions({"spark.tuner.key": "k"}, {"spark.jars": "local:///agent.jar", "spark.sql.extensions": "A"})
    env = ENGINE.changed(op, request, [added])["env"]
    assert env.get("SPARK_DIST_CLASSPATH") == class_path
    assert properties_of(env[OPTS]) == {"spark.tuner.key": "k", "spark.sql.extensions": "A"}
    assert request == as_written


def test_no_jar_is_put_before_a_spark_that_is_not_known(tmp_path: Path) -> None:
    known = Spark(tmp_path / "spark", hadoop=True).command
    for command, takes in ((known, True), (f"export SPARK_HOME=/opt/spark-3; {known}", False)):
        op = bash(command)
        (job,) = ENGINE.read(op, {"env": {}})
        assert ENGINE.submission(op, job, "").takes_class_path is takes
