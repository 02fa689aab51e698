"""StartJobRun of EMR Serverless and of EMR on EKS: a command line of spark-submit's options, and spark-defaults beside it."""

from __future__ import annotations

import copy
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from airflow_plugin.engines.aws import S3, api_call, is_aws_refusal, s3_access
from airflow_plugin.engines.engine import (
    Additions,
    Ask,
    Call,
    Engine,
    LeftAloneError,
    Limits,
    Request,
    SparkJob,
    runtime_of,
)
from tuner.spark.property_text import spark_texts
from tuner.spark.submit_arguments import as_arguments, parse

_DEFAULTS = "spark-defaults"
_PARAMETERS = "sparkSubmitParameters"


class EmrRequest(Engine):
    """`service` is what botocore calls the service, `driver` what the request calls a job of Spark. spark-submit's options beat
    spark-defaults.

    A request with a client token of its author's is left as it is: AWS answers the next one with that token with the job of the
    first only if both are the same, and refuses it otherwise. Those of two tries differ in their keys and their event logs.
    """

    service: ClassVar[str]
    driver: ClassVar[str]
    sets_sizes = True
    schemes = S3 | {"hdfs"}
    # Of botocore's models: SensitivePropertiesMap of both services, which spark-defaults is. Options take 102,400 characters.
    limits = Limits(characters=1024, properties=100)

    def calls(self, operator: Any) -> Sequence[Call]:
        return (api_call(operator, self.service, "StartJobRun"),)

    def read(self, operator: Any, request: Request) -> Sequence[SparkJob]:
        job = request.get("jobDriver", {}).get(self.driver)
        if job is None:  # Hive.
            return ()
        if self.has_token(operator):
            raise LeftAloneError(
                "it has a client_request_token, with which AWS takes a retry only if that is the same request; leave it out to "
                "have the task tuned"
            )
        defaults = spark_texts(_defaults(request.get("configurationOverrides") or {}).get("properties", {}))
        options = _given(job)
        # An application of EMR Serverless has its release from when it was made.
        runtime = runtime_of(request.get("releaseLabel"))
        return (SparkJob({**defaults, **options}, runtime=runtime, unlimited=frozenset(options)),)

    def changed(self, operator: Any, request: Request, additions: Sequence[Additions]) -> Request:
        (added,) = additions
        driver = copy.deepcopy(request["jobDriver"])
        job = driver[self.driver]
        given = _given(job)
        as_options = {name: value for name, value in added.properties.items() if name in given}
        if as_options:
            job[_PARAMETERS] = f"{job[_PARAMETERS]} {shlex.join(as_arguments(as_options))}"
        as_defaults = {name: value for name, value in added.properties.items() if name not in given}
        overrides = with_defaults(request.get("configurationOverrides"), as_defaults)
        return {"jobDriver": driver, "configurationOverrides": overrides}

    def has_token(self, operator: Any) -> bool:
        """Whether the operator's author gave a client token: the operator makes one for each request where he did not."""
        return bool(operator.client_request_token)

    def is_refusal(self, error: Exception) -> bool:
        return is_aws_refusal(error)

    def waits(self, operator: Any) -> bool:
        return bool(operator.wait_for_completion)

    def access(self, operator: Any, url: str) -> Ask | None:
        return s3_access(operator, url)


def with_defaults(overrides: Mapping[str, Any] | None, properties: Mapping[str, str]) -> dict[str, Any]:
    """Overrides of an EMR job with these properties in their spark-defaults, on a copy."""
    changed: dict[str, Any] = copy.deepcopy(dict(overrides or {}))
    found = _defaults(changed)
    if not found:
        found = {"classification": _DEFAULTS}
        changed.setdefault("applicationConfiguration", []).append(found)
    found["properties"] = {**found.get("properties", {}), **properties}
    return changed


def _defaults(overrides: Mapping[str, Any]) -> dict[str, Any]:
    """The classification spark-defaults; {} where there is none."""
    named = (c for c in overrides.get("applicationConfiguration") or [] if c.get("classification") == _DEFAULTS)
    return next(named, {})


def _given(job: Mapping[str, Any]) -> dict[str, str]:
    """What the job's own options set."""
    return parse(shlex.split(job.get(_PARAMETERS) or "")).properties
