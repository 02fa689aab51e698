"""A command of another machine: SSHOperator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from airflow_plugin.engines.command_environment import added_options, given_to, own_properties, require_no_server
from airflow_plugin.engines.engine import Additions, Call, Engine, LeftAloneError, Request, SparkJob, is_own
from airflow_plugin.engines.shell_prologue import with_prologue
from tuner.spark.shell_command import spark_programs
from tuner.spark.submit_opts import VARIABLE
from tuner.steering.agent.submission import Submission
from tuner.steering.submit_conf import EVENT_LOG_DIR

# Every server takes packets of 32,768 bytes (RFC 4253). Directives become longer by quotes and base64.
_MOST_CHARACTERS = 16_000
_MOST_ADDED = 32_000


class Ssh(Engine):
    """Nothing of this machine is there: no jar, no properties file, no spark-defaults.conf. What they set wins all the same."""

    title = "the machine behind SSH"
    ends_as_spark_submit = True
    call_lasts = True

    def calls(self, operator: Any) -> Sequence[Call]:
        from airflow.providers.ssh.hooks.ssh import SSHHook

        return (Call(SSHHook, "exec_ssh_client_command", is_own(operator, "ssh_hook")),)

    def read(self, operator: Any, request: Request) -> Sequence[SparkJob]:
        given = given_to(operator, spark_programs(request["command"]))
        if given is None:
            return ()
        own = own_properties((request.get("environment") or {}).get(VARIABLE))
        conf = {**own, **given.properties_but_file}
        require_no_server(conf)
        return (SparkJob(conf, runs_as=given.proxy_user),)

    def changed(self, operator: Any, request: Request, additions: Sequence[Additions]) -> Request:
        (added,) = additions
        directory = added.conf.get(EVENT_LOG_DIR, "")
        command = with_prologue(request["command"], added_options(added), directory)
        if len(command) - len(request["command"]) > _MOST_ADDED:
            raise LeftAloneError("what would be added is too long for a command")
        return {"command": command}

    def submission(self, operator: Any, job: SparkJob, agent_jar: str) -> Submission:
        return Submission(None, job.conf, agent_jar, self.title, most_characters=_MOST_CHARACTERS, by_environment=True)


ENGINE = Ssh()
