"""SSHOperator against an SSH server that runs its commands in a shell."""

from __future__ import annotations

import os
import shutil
from base64 import b64decode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("airflow.providers.ssh", reason="it is of the dev group")

from airflow.providers.ssh.operators.ssh import SSHOperator

from airflow_plugin.engines.engine import Additions, LeftAloneError
from airflow_plugin.engines.ssh import ENGINE
from airflow_plugin.steered_class import steered
from airflow_plugin.tuned import tuned
from tests.airflow_plugin.conftest import TaskInstance, set_connection
from tests.airflow_plugin.engines import spark_command
from tests.airflow_plugin.engines.ssh_server import SshServer, ssh_server
from tests.airflow_plugin.engines.standings import TRIED_THEN_PROVEN, standings
from tuner.model.run import Run, RunState

pytestmark = pytest.mark.sockets

THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"
Stored = Callable[[], list[Run]]
Started = Callable[[], list[dict[str, str]]]


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SshServer]:
    with ssh_server() as server:
        server.environment["PATH"] = f"{tmp_path}/bin{os.pathsep}{server.environment['PATH']}"
        extra = {"no_host_key_check": True, "look_for_keys": False, "allow_agent": False}
        set_connection(
            monkeypatch,
            "ssh_default",
            conn_type="ssh",
            host="127.0.0.1",
            port=server.port,
            login="etl",
            password="x",
            extra=extra,
        )
        yield server


@pytest.fixture(autouse=True)
def started(tmp_path: Path) -> Started:
    notes = spark_command.install(tmp_path / "bin")
    return lambda: spark_command.started(notes)


def ssh(command: str = "spark-submit ok", **arguments: Any) -> Any:
    return tuned(
        SSHOperator(task_id="nightly", ssh_conn_id="ssh_default", command=command, cmd_timeout=60, **arguments)
    )


def run(op: Any, run_id: str = "r1", try_number: int = 1) -> TaskInstance:
    ti: Any = TaskInstance(run_id=run_id, try_number=try_number)
    op.execute({"ti": ti, "task_instance": ti})
    return ti


@pytest.mark.parametrize("shell", ["bash", "dash", "busybox", "zsh", "ksh"])
def test_the_second_run_is_steered_and_the_third_has_it_proven(
    shell: str, server: SshServer, started: Started, stored: Stored, tmp_path: Path
) -> None:
    found = shutil.which(shell)
    if not found:
        pytest.skip(f"no {shell} on this machine")
    (tmp_path / "login").mkdir()
    server.shell = str(tmp_path / "login" / "sh")
    Path(server.shell).symlink_to(found)
    command = "cd / && spark-submit --conf spark.x='a  b' ok | cat; echo \"it's  `echo done`\""
    for run_id in ("r1", "r2", "r3"):
        op = ssh(command)
        ti: Any = TaskInstance(run_id=run_id)
        said = op.execute({"ti": ti, "task_instance": ti})
    assert b64decode(said) == b"it's  done\n" and op.command == command
    assert [THRESHOLD in conf for conf in started()] == [False, True, True]
    assert started()[-1]["spark.x"] == "a  b"
    assert standings(stored()) == TRIED_THEN_PROVEN
    assert {r.state for r in stored()} == {RunState.SUCCEEDED} and ti.xcoms["ssh_exit"] == 0


class PicksItsMachine(SSHOperator):
    """Of a team that knows which machine is up when a task runs."""

    def execute(self, context: Any) -> Any:
        self.ssh_conn_id = "ssh_default"
        return super().execute(context)


def test_a_machine_that_the_operator_picks_as_it_runs_gets_the_command(server: SshServer, started: Started) -> None:
    for run_id in ("r1", "r2"):
        run(tuned(PicksItsMachine(task_id="nightly", ssh_conn_id="down", command="spark-submit ok")), run_id)
    assert [THRESHOLD in conf for conf in started()] == [False, True]


def test_what_the_machine_has_of_its_own_stays_and_wins(server: SshServer, started: Started) -> None:
    server.environment["SPARK_SUBMIT_OPTS"] = f"-Dspark.own='a  b' -D{THRESHOLD}=7"
    for run_id in ("r1", "r2"):
        run(ssh("set -u; spark-submit ok"), run_id)
    assert started()[-1][THRESHOLD] == "7" and started()[-1]["spark.own"] == "a  b"
    assert "spark.tuner.key" in started()[-1]


def test_the_authors_own_value_wins(server: SshServer, started: Started, stored: Stored) -> None:
    for run_id in ("r1", "r2"):
        run(ssh(f"spark-submit --conf {THRESHOLD}=7 ok", environment={"SPARK_SUBMIT_OPTS": "-Dspark.y=1"}), run_id)
    assert started()[-1][THRESHOLD] == "7" and not stored()[-1].decision.in_force


def test_a_shell_of_another_kind_runs_the_job_as_it_would(
    server: SshServer, started: Started, stored: Stored, tmp_path: Path
) -> None:
    for name in ("csh", "fish"):
        shell = tmp_path / name
        # As fish does, this one knows no backquotes.
        text = 'exec bash -c "$2"' if name == "csh" else "exec bash -c \"$(printf %s \"$2\" | tr '`' ' ')\""
        shell.write_text(f"#!/bin/bash\n{text}\n")
        shell.chmod(0o755)
        server.shell = str(shell)
        run(ssh(), name)
    assert started() == [{}, {}]
    assert [r.state for r in stored()] == [RunState.LOST, RunState.LOST]


def test_a_log_directory_that_the_machine_does_not_have_keeps_no_job_from_starting(
    server: SshServer, started: Started, stored: Stored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = server.run

    def run_elsewhere(command: str) -> Any:
        (tmp_path / "events").rename(tmp_path / "not-mounted")
        return elsewhere(command)

    monkeypatch.setattr(server, "run", run_elsewhere)
    run(ssh())
    assert started() == [{}] and [r.state for r in stored()] == [RunState.LOST]


def test_a_place_that_only_this_machine_has_is_none(
    server: SshServer, started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AIRFLOW__SPARK_TUNER__EVENT_LOG_BASE")
    run(ssh())
    assert "spark.eventLog.dir" not in started()[0]


@pytest.mark.parametrize("command", ["uptime", "echo spark-submit", "python job.py"])
def test_a_command_that_runs_no_spark_is_sent_as_it_is(
    command: str, server: SshServer, stored: Stored, told_by: Any
) -> None:
    op = SSHOperator(task_id="nightly", ssh_conn_id="ssh_default", command=f"{command} || true")
    assert steered(op)
    told = told_by(op)
    run(op)
    assert server.commands == [f"{command} || true"] and stored() == [] and told == []


def test_what_is_not_one_spark_job_is_sent_as_it_is(server: SshServer, stored: Stored) -> None:
    for command in (
        "spark-submit ok; spark-submit ok",
        "sudo -n spark-submit ok || true",
        "env -i spark-submit ok || true",
    ):
        run(ssh(command))
        assert server.commands[-1] == command
    assert stored() == []


@pytest.mark.parametrize(
    "options",
    [
        "--master spark://h:7077 --deploy-mode cluster",
        "--master yarn --deploy-mode cluster --conf spark.yarn.submit.waitAppCompletion=false",
    ],
)
def test_a_command_that_ends_before_its_application_is_harvested_at_the_next_decision(
    options: str, server: SshServer, started: Started, stored: Stored
) -> None:
    run(ssh(f"spark-submit {options} later"))
    assert [r.state for r in stored()] == [RunState.RUNNING]
    spark_command.leave_log(started()[0])
    run(ssh(f"spark-submit {options} later"), "r2")
    assert [r.state for r in stored()] == [RunState.SUCCEEDED, RunState.RUNNING]


def test_a_job_that_fails_in_a_trial_is_tried_without_it(server: SshServer, started: Started, stored: Stored) -> None:
    run(ssh(), "r1")
    with pytest.raises(Exception, match="exit status = 1"):
        run(ssh("spark-submit fail"), "r2")
    run(ssh(), "r2", try_number=2)
    assert [THRESHOLD in conf for conf in started()] == [False, True, False]
    assert [r.state for r in stored()] == [RunState.SUCCEEDED, RunState.FAILED, RunState.SUCCEEDED]


def test_a_job_that_outlasts_its_time_in_a_trial_is_tried_without_it(
    server: SshServer, started: Started, stored: Stored
) -> None:
    """The call that submits it raises what comes of the job."""
    run(ssh("spark-submit ok"))
    slow = tuned(
        SSHOperator(task_id="nightly", ssh_conn_id="ssh_default", command="spark-submit ok; sleep 20", cmd_timeout=3)
    )
    with pytest.raises(Exception, match="timed out"):
        run(slow, "r2")
    run(ssh("spark-submit ok"), "r2", try_number=2)
    assert [THRESHOLD in conf for conf in started()] == [False, True, False]
    assert [one.state for one in stored()] == [RunState.SUCCEEDED, RunState.FAILED, RunState.SUCCEEDED]


def test_a_pseudo_terminal_changes_nothing(server: SshServer, started: Started) -> None:
    run(ssh(get_pty=True))
    assert "spark.tuner.key" in started()[0]


def test_a_server_that_is_not_there_is_the_tasks_own_to_tell(
    server: SshServer, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_connection(monkeypatch, "ssh_default", conn_type="ssh", host="127.0.0.1", port=1, extra={"conn_timeout": 1})
    with pytest.raises(Exception, match=r"Unable to connect|refused|denied"):
        run(ssh())
    assert stored() == [] and server.commands == []


def test_nothing_of_this_machine_is_read(tmp_path: Path) -> None:
    file = tmp_path / "job.properties"
    file.write_text(f"{THRESHOLD} 7\n")
    (job,) = ENGINE.read(ssh(), {"command": f"spark-submit --properties-file {file} job.py"})
    assert job.conf == {}
    assert ENGINE.submission(None, job, "").spark is None


@pytest.mark.parametrize(("sometimes", "is_sent"), [("{'$`!\\n", True), ("'" * 200, False)])
def test_the_longest_directives_fit_into_a_packet(
    sometimes: str, is_sent: bool, server: SshServer, started: Started
) -> None:
    request = {"command": "spark-submit ok"}
    most = ENGINE.submission(None, ENGINE.read(ssh(), request)[0], "").most_characters
    text = (f'{{"a":["\\u0024", 1.5]}}{" " * 60}{sometimes}' * most)[:most]
    additions = [Additions({"spark.tuner.directives": text})]
    if is_sent:
        command = ENGINE.changed(None, request, additions)["command"]
        assert len(command) < 1 << 15 and server.run(command).returncode == 0
        assert started() == [{"spark.tuner.directives": text}]
    else:
        with pytest.raises(LeftAloneError, match="too long"):
            ENGINE.changed(None, request, additions)
