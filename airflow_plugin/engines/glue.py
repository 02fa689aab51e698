"""AWS Glue: GlueJobOperator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from airflow_plugin.engines.aws import S3, api_call, is_aws_refusal, s3_access
from airflow_plugin.engines.engine import Additions, Ask, Call, Engine, Request, SparkJob, runtime_of
from tuner.spark.properties import FILES, JARS
from tuner.steering.agent.submission import Submission
from tuner.steering.submit_conf import EVENT_LOG_DIR, EVENT_LOG_ENABLED

_CONF, _SEPARATOR = "--conf", " --conf "
# What the job itself has for arguments, and what runs it: others than these are a Python shell and Ray.
_DEFAULTS, _COMMAND, _RUNTIME = "default arguments", "command", "runtime"
_SPARK = frozenset({"glueetl", "gluestreaming"})
_LOG_ENABLED, _LOG_DIR = "--enable-spark-ui", "--spark-event-logs-path"
# Has the log laid out as Spark does and a history server reads it, beside the console's layout or, alone, instead of that.
_AS_SPARK_DOES = "--enable-spark-ui-legacy-path"
# Glue's own arguments for properties that its --conf does not take.
_ARGUMENTS = {JARS: "--extra-jars", FILES: "--extra-files", EVENT_LOG_ENABLED: _LOG_ENABLED, EVENT_LOG_DIR: _LOG_DIR}


class Glue(Engine):
    """A job run's arguments: all properties are one string, in which blanks end a value; Glue copies the event log as it grows.

    A run's argument takes the place of the job's own default of that name, so that is read from the job. What has blanks is
    written with `_` for them, where it is for people to read; directives go as a file.
    """

    title = "Glue"
    schemes = S3
    log_lands_late = True

    def calls(self, operator: Any) -> Sequence[Call]:
        return (api_call(operator, "glue", "StartJobRun"),)

    def look_up(self, operator: Any, request: Request, event_log_base: str) -> Ask:
        client = operator.hook.conn

        def ask() -> Mapping[str, Any]:
            job = client.get_job(JobName=request["JobName"])["Job"]
            return {
                _DEFAULTS: job.get("DefaultArguments", {}),
                _COMMAND: job.get("Command", {}).get("Name"),
                _RUNTIME: _runtime({**job, **request}),
            }

        return ask

    def read(self, operator: Any, request: Request) -> Sequence[SparkJob]:
        if request[_COMMAND] not in _SPARK:
            return ()
        arguments = _arguments(request)
        named = {name: arguments[argument] for name, argument in _ARGUMENTS.items() if arguments.get(argument)}
        if arguments.get(_AS_SPARK_DOES) == "true":
            named[EVENT_LOG_ENABLED] = "true"
        return (SparkJob({**_properties(arguments.get(_CONF, "")), **named}, runtime=request[_RUNTIME]),)

    def changed(self, operator: Any, request: Request, additions: Sequence[Additions]) -> Request:
        (added,) = additions
        arguments = _arguments(request)
        properties = {name: value for name, value in added.properties.items() if name not in _ARGUMENTS}
        conf = [f"{name}={'_'.join(value.split())}" for name, value in properties.items()]
        named = {_ARGUMENTS[name]: value for name, value in added.properties.items() if name in _ARGUMENTS}
        if _LOG_DIR in named:
            named[_LOG_DIR] = named[_LOG_DIR].rstrip("/") + "/"
            named[_AS_SPARK_DOES] = arguments.get(_AS_SPARK_DOES, "true")
        own = arguments.get(_CONF)
        return {
            "Arguments": {**request["Arguments"], **named, _CONF: _SEPARATOR.join([*([own] if own else []), *conf])}
        }

    def submission(self, operator: Any, job: SparkJob, agent_jar: str) -> Submission:
        return Submission(
            None, job.conf, agent_jar, self.title, self.schemes, most_characters=0, told_runtime=job.runtime
        )

    def is_refusal(self, error: Exception) -> bool:
        return is_aws_refusal(error)

    def waits(self, operator: Any) -> bool:
        return bool(operator.wait_for_completion or operator.deferrable)

    def access(self, operator: Any, url: str) -> Ask | None:
        return s3_access(operator, url)


def _arguments(request: Request) -> dict[str, str]:
    """A run's arguments over the defaults of its job."""
    return {**request[_DEFAULTS], **request["Arguments"]}


def _runtime(job: Mapping[str, Any]) -> str:
    version = job.get("GlueVersion")
    return runtime_of(version and f"Glue {version}", job.get("WorkerType"))


def _properties(conf: str) -> dict[str, str]:
    """The properties in a value of --conf."""
    return dict(_pairs(conf))


def _pairs(conf: str) -> Iterator[tuple[str, str]]:
    for part in conf.split(_SEPARATOR.strip()):
        name, equals, value = part.strip().partition("=")
        if equals:
            yield name, value


ENGINE = Glue()
