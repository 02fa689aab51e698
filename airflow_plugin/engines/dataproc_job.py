"""Jobs of a Dataproc cluster: DataprocSubmitJobOperator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from airflow_plugin.engines.dataproc_message import (
    PROPERTIES,
    field,
    spark_conf,
    spark_kind,
    with_additions,
    with_fields,
)
from airflow_plugin.engines.engine import Additions, Ask, Call, Engine, Request, SparkJob
from airflow_plugin.engines.google import GS, gs_access, is_google_refusal
from tuner.spark.run_tags import KEY


class DataprocJob(Engine):
    """A job of a cluster that is there already; what that sets for all its jobs is not seen.

    A job that starts from the triggerer (`start_from_trigger`) never passes here: it runs as its author wrote it.
    """

    title = "Dataproc"
    schemes = GS | {"hdfs"}

    def calls(self, operator: Any) -> Sequence[Call]:
        from airflow.providers.google.cloud.hooks.dataproc import DataprocHook

        return (Call(DataprocHook, "submit_job"),)

    def read(self, operator: Any, request: Request) -> Sequence[SparkJob]:
        return [SparkJob(conf_of(request["job"]))] if spark_kind(request["job"], "job") else []

    def changed(self, operator: Any, request: Request, additions: Sequence[Additions]) -> Request:
        (added,) = additions
        return {"job": job_with(request["job"], added)}

    def is_refusal(self, error: Exception) -> bool:
        return is_google_refusal(error)

    def names_its_job(self, operator: Any, request: Request) -> bool:
        return bool(request.get("request_id") or field(request["job"], "reference", "job_id"))

    def goes_on_with_another(self, request: Request, outcome: Any) -> bool:
        # A request id that was seen before is answered with the job that it belongs to.
        if isinstance(outcome, Exception) or not spark_kind(outcome, "job"):
            return False
        sent, key = conf_of(request["job"]).get(KEY), conf_of(outcome).get(KEY)
        return key not in (None, sent)

    def waits(self, operator: Any) -> bool:
        return bool(operator.deferrable or not operator.asynchronous)

    def access(self, operator: Any, url: str) -> Ask | None:
        return gs_access(operator, url)


def conf_of(job: Any) -> dict[str, str]:
    """The properties that a Spark job's author sets."""
    kind = spark_kind(job, "job")
    return spark_conf(job, kind, field(job, kind, PROPERTIES))


def job_with(job: Any, added: Additions) -> Any:
    """A copy of a Spark job with additions."""
    kind = spark_kind(job, "job")
    part, properties = with_additions(job, kind, field(job, kind, PROPERTIES), added)
    return with_fields(job, {kind: with_fields(part, {PROPERTIES: properties})})


ENGINE = DataprocJob()
