"""A shell command of this machine: BashOperator, `@task.bash`."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from airflow_plugin.engines.command_environment import CLASS_PATH, added_options, given_to, require_no_server
from airflow_plugin.engines.engine import Additions, Call, Engine, Request, SparkJob
from tuner.eventlog.location import local_path, scheme_of
from tuner.spark.properties import HADOOP_USER
from tuner.spark.shell_command import python_of, spark_programs
from tuner.spark.submit_opts import VARIABLE, joined
from tuner.steering.agent.route import ON_EACH_NODE
from tuner.steering.agent.spark_home import SparkAtHand
from tuner.steering.agent.submission import Submission, submission
from tuner.steering.hadoop_scheme import brings_hadoop


class Bash(Engine):
    """The environment of the command is changed, the command is not.

    spark-defaults.conf beats what comes that way, so it counts as the author's own.
    """

    title = "the shell command"
    ends_as_spark_submit = True

    def calls(self, operator: Any) -> Sequence[Call]:
        return (Call(operator.subprocess_hook, "run_command"),)

    def read(self, operator: Any, request: Request) -> Sequence[SparkJob]:
        command, environ = str(operator.bash_command), _environment(request)
        programs = spark_programs(command)
        given = given_to(operator, programs)
        if given is None:
            return ()
        program = programs.found[0].program if programs.found else _spark_submit_beside(python_of(command))
        left = programs.left
        properties = given.properties_but_file if left.properties_file else given.properties
        found = submission(program, properties, environ=environ, with_defaults=given.with_defaults)
        conf = found.conf
        require_no_server(conf)
        by = Submission(
            found.spark,
            conf,
            by_environment=True,
            # Its jar is made for one Spark.
            takes_class_path=not left.spark and _takes_class_path(found.spark, environ),
            tells_deploy_mode=not left.deploy_mode,
        )
        runs_as = given.proxy_user or programs.user or environ.get(HADOOP_USER) or ""
        return (SparkJob(conf, submission=by, runs_as=runs_as),)

    def changed(self, operator: Any, request: Request, additions: Sequence[Additions]) -> Request:
        (added,) = additions
        (job,) = self.read(operator, request)
        environ = dict(_environment(request))
        environ[VARIABLE] = joined(added_options(added), environ.get(VARIABLE, ""))
        if added.jars and job.submission and job.submission.takes_class_path:
            own = environ.get(CLASS_PATH)
            environ[CLASS_PATH] = os.pathsep.join([*([own] if own else []), _path(added.jars[0])])
        return {"env": environ}

    def submission(self, operator: Any, job: SparkJob, agent_jar: str) -> Submission:
        # One that is deployed elsewhere cannot be on a class path: one is built for the Spark at hand.
        jar = agent_jar if scheme_of(agent_jar) == ON_EACH_NODE or local_path(agent_jar) is not None else ""
        return replace(job.submission or Submission(by_environment=True), agent_jar=jar)

    def is_refusal(self, error: Exception) -> bool:
        return isinstance(error, OSError) and error.errno == errno.E2BIG


def _environment(request: Request) -> Mapping[str, str]:
    """As SubprocessHook has it."""
    given: Mapping[str, str] | None = request.get("env")
    return os.environ if given is None else given


def _spark_submit_beside(python: str) -> str:
    return str(Path(python).parent / "spark-submit") if python else "spark-submit"


def _takes_class_path(spark: SparkAtHand | None, environ: Mapping[str, str]) -> bool:
    """Not where Spark may set the variable itself only as long as it is empty, to find Hadoop by it."""
    return bool(environ.get(CLASS_PATH)) or (spark is not None and brings_hadoop(spark))


def _path(jar: str) -> str:
    return str(local_path(jar.removeprefix(f"{ON_EACH_NODE}:")) or jar)


ENGINE = Bash()
