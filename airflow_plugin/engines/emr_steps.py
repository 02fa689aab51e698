"""Steps of an EMR cluster: EmrAddStepsOperator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from airflow_plugin.engines.aws import S3, api_call, is_aws_refusal, s3_access
from airflow_plugin.engines.engine import Additions, Ask, Call, Engine, Limits, Request, SparkJob
from tuner.spark.properties import MASTER
from tuner.spark.submit_arguments import SubmitArguments, as_arguments, conf_arguments, parse

_RUNNER, _COMMAND = "command-runner.jar", "spark-submit"
# Of a cluster's spark-defaults.conf.
_DEFAULTS = {MASTER: "yarn"}


@dataclass(frozen=True, slots=True)
class _Step:
    """A step that is a spark-submit: where it stands among the request's, and its command."""

    place: int
    name: str
    program: str
    given: SubmitArguments


class EmrSteps(Engine):
    """Steps whose command is a spark-submit; others of the same request are left alone."""

    title = "EMR"
    schemes = S3 | {"hdfs"}
    ends_as_spark_submit = True
    # All arguments of a step may have 10,280 characters.
    limits = Limits(characters=4_000)

    def calls(self, operator: Any) -> Sequence[Call]:
        return (api_call(operator, "emr", "AddJobFlowSteps"),)

    def read(self, operator: Any, request: Request) -> Sequence[SparkJob]:
        return [SparkJob(step.given.properties, _DEFAULTS, step.name) for step in _steps(request)]

    def changed(self, operator: Any, request: Request, additions: Sequence[Additions]) -> Request:
        steps = [dict(step) for step in request["Steps"]]
        for step, added in zip(_steps(request), additions, strict=True):
            given, merged = step.given, as_arguments(added.merged)
            command = [step.program, *conf_arguments(added.conf), *given.options, *merged, *given.application]
            steps[step.place]["HadoopJarStep"] = {**steps[step.place]["HadoopJarStep"], "Args": command}
        return {"Steps": steps}

    def is_refusal(self, error: Exception) -> bool:
        return is_aws_refusal(error)

    def waits(self, operator: Any) -> bool:
        return bool(operator.wait_for_completion or operator.deferrable)

    def ends_as_its_job(self, operator: Any) -> bool:
        return isinstance(operator.steps, list) and len(operator.steps) == 1

    def access(self, operator: Any, url: str) -> Ask | None:
        return s3_access(operator, url)


def _steps(request: Request) -> list[_Step]:
    return [found for place, step in enumerate(request["Steps"]) if (found := _step(place, step))]


def _step(place: int, step: Mapping[str, Any]) -> _Step | None:
    jar = step.get("HadoopJarStep", {})
    program, *arguments = jar.get("Args") or [""]
    is_spark = jar.get("Jar", "").rpartition("/")[2] == _RUNNER and program.rpartition("/")[2] == _COMMAND
    return _Step(place, str(step.get("Name", "")), program, parse(arguments)) if is_spark else None


ENGINE = EmrSteps()
