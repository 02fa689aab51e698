"""Batches of Dataproc Serverless: DataprocCreateBatchOperator."""

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
from airflow_plugin.engines.engine import Additions, Ask, Call, Engine, Request, SparkJob, runtime_of
from airflow_plugin.engines.google import GS, gs_access, is_google_refusal
from tuner.steering.submit_conf import EVENT_LOG_DIR

_CONFIG = "runtime_config"
_HISTORY_SERVER = ("environment_config", "peripherals_config", "spark_history_server_config", "dataproc_cluster")


class DataprocBatch(Engine):
    """A batch, as it is created: where one of its id is there already, the operator goes on with that.

    Its event log goes where its history server reads it, which the batch does not tell: there it stays.
    """

    title = "Dataproc Serverless"
    schemes = GS
    sends_again = True

    def calls(self, operator: Any) -> Sequence[Call]:
        from airflow.providers.google.cloud.hooks.dataproc import DataprocHook

        return (Call(DataprocHook, "create_batch"),)

    def read(self, operator: Any, request: Request) -> Sequence[SparkJob]:
        """Raises ValueError where the event log goes to a place that is not known."""
        batch = request["batch"]
        kind = spark_kind(batch, "batch")
        if not kind:
            return ()
        conf = spark_conf(batch, kind, field(batch, _CONFIG, PROPERTIES))
        if field(batch, *_HISTORY_SERVER) and EVENT_LOG_DIR not in conf:
            raise ValueError(f"the batch has a history server; set {EVENT_LOG_DIR} to where that reads event logs")
        return (SparkJob(conf, runtime=runtime_of(field(batch, _CONFIG, "version"))),)

    def changed(self, operator: Any, request: Request, additions: Sequence[Additions]) -> Request:
        (added,) = additions
        batch = request["batch"]
        kind = spark_kind(batch, "batch")
        part, properties = with_additions(batch, kind, field(batch, _CONFIG, PROPERTIES), added)
        config = with_fields(field(batch, _CONFIG) or {}, {PROPERTIES: properties})
        return {"batch": with_fields(batch, {kind: part, _CONFIG: config})}

    def is_refusal(self, error: Exception) -> bool:
        return is_google_refusal(error)

    def names_its_job(self, operator: Any, request: Request) -> bool:
        return bool(operator.batch_id or operator.request_id)  # A prefix makes an id for each try.

    def goes_on_with_another(self, request: Request, outcome: Any) -> bool:
        from airflow.providers.google.cloud.operators.dataproc import AlreadyExists  # The one that it catches.

        return isinstance(outcome, AlreadyExists)

    def waits(self, operator: Any) -> bool:
        return not operator.asynchronous

    def access(self, operator: Any, url: str) -> Ask | None:
        return gs_access(operator, url)


ENGINE = DataprocBatch()
