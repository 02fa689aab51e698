"""Workflows of Dataproc that a request spells out: DataprocInstantiateInlineWorkflowTemplateOperator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from airflow_plugin.engines.dataproc_job import conf_of, job_with
from airflow_plugin.engines.dataproc_message import PROPERTIES, field, spark_kind, with_fields
from airflow_plugin.engines.engine import Additions, Ask, Call, Engine, Request, SparkJob, runtime_of
from airflow_plugin.engines.google import GS, gs_access, is_google_refusal
from tuner.spark.property_text import spark_texts

_CLUSTER = ("placement", "managed_cluster", "config")
_SOFTWARE = (*_CLUSTER, "software_config", PROPERTIES)
_RUNTIME = (
    ("software_config", "image_version"),
    ("worker_config", "machine_type_uri"),
    ("master_config", "machine_type_uri"),
)
# How the cluster's properties name the file that they go to: spark-defaults.conf.
_SPARK_DEFAULTS = "spark:"


class DataprocWorkflow(Engine):
    """Its steps that are jobs of Spark; others of the same workflow are left alone."""

    title = "Dataproc"
    schemes = GS | {"hdfs"}

    def calls(self, operator: Any) -> Sequence[Call]:
        from airflow.providers.google.cloud.hooks.dataproc import DataprocHook

        return (Call(DataprocHook, "instantiate_inline_workflow_template"),)

    def read(self, operator: Any, request: Request) -> Sequence[SparkJob]:
        template = request["template"]
        properties = spark_texts(field(template, *_SOFTWARE) or {})
        own = {n.removeprefix(_SPARK_DEFAULTS): v for n, v in properties.items() if n.startswith(_SPARK_DEFAULTS)}
        steps = [step for step in field(template, "jobs") or [] if spark_kind(step, "job")]
        runtime = runtime_of(*(field(template, *_CLUSTER, *path) for path in _RUNTIME))
        return [
            SparkJob({**own, **conf_of(step)}, name=str(field(step, "step_id") or ""), runtime=runtime)
            for step in steps
        ]

    def changed(self, operator: Any, request: Request, additions: Sequence[Additions]) -> Request:
        remaining = iter(additions)
        steps = field(request["template"], "jobs")
        changed = [job_with(step, next(remaining)) if spark_kind(step, "job") else step for step in steps]
        return {"template": with_fields(request["template"], {"jobs": changed})}

    def is_refusal(self, error: Exception) -> bool:
        return is_google_refusal(error)

    def names_its_job(self, operator: Any, request: Request) -> bool:
        return bool(request.get("request_id"))

    def ends_as_its_job(self, operator: Any) -> bool:
        return len(field(operator.template, "jobs") or []) == 1

    def access(self, operator: Any, url: str) -> Ask | None:
        return gs_access(operator, url)


ENGINE = DataprocWorkflow()
