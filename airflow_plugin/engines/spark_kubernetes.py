"""The Spark operator of Kubernetes: SparkKubernetesOperator."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from airflow_plugin.engines.engine import Additions, Call, Engine, Request, SparkJob, is_own, runtime_of
from airflow_plugin.engines.kubernetes_refusal import is_kubernetes_refusal
from tuner.spark import knobs
from tuner.spark.container import KUBERNETES_OVERHEAD_FACTOR
from tuner.spark.properties import FILES, JARS
from tuner.spark.property_text import spark_text, spark_texts
from tuner.steering.agent.submission import Submission

# Fields of a SparkApplication that the Spark operator gives spark-submit after sparkConf, so that they beat it.
_FIELDS = {
    ("driver", "cores"): knobs.DRIVER_CORES.property,
    ("driver", "memory"): knobs.DRIVER_MEMORY.property,
    ("driver", "memoryOverhead"): knobs.DRIVER_MEMORY_OVERHEAD.property,
    ("executor", "cores"): knobs.EXECUTOR_CORES.property,
    ("executor", "memory"): knobs.EXECUTOR_MEMORY.property,
    ("executor", "memoryOverhead"): knobs.EXECUTOR_MEMORY_OVERHEAD.property,
    ("executor", "instances"): knobs.EXECUTOR_INSTANCES.property,
    ("dynamicAllocation", "enabled"): knobs.DYNAMIC_ALLOCATION.property,
    ("dynamicAllocation", "minExecutors"): knobs.DYNAMIC_ALLOCATION_MIN.property,
    ("dynamicAllocation", "maxExecutors"): knobs.DYNAMIC_ALLOCATION_MAX.property,
    ("dynamicAllocation", "initialExecutors"): knobs.DYNAMIC_ALLOCATION_INITIAL.property,
}
_LISTS = {"jars": JARS, "files": FILES, "packages": "spark.jars.packages"}


class SparkKubernetes(Engine):
    """A SparkApplication, as it is created: what a try goes on with that found it there already is not."""

    title = "the Spark operator"
    sets_sizes = True

    def calls(self, operator: Any) -> Sequence[Call]:
        from kubernetes.client import CustomObjectsApi

        return (Call(CustomObjectsApi, "create_namespaced_custom_object", is_own(operator, "custom_obj_api")),)

    def read(self, operator: Any, request: Request) -> Sequence[SparkJob]:
        spec = request["body"]["spec"]
        fields = {name: (spec.get(part) or {}).get(field) for (part, field), name in _FIELDS.items()}
        fields[KUBERNETES_OVERHEAD_FACTOR] = spec.get("memoryOverheadFactor")
        lists = {name: (spec.get("deps") or {}).get(field) for field, name in _LISTS.items()}
        return (
            SparkJob(
                {
                    **spark_texts(spec.get("sparkConf") or {}),
                    **{name: spark_text(value) for name, value in fields.items() if value is not None},
                    **{name: ",".join(value) for name, value in lists.items() if value},
                },
                {**_hadoop_conf(spec), **_mounts(spec.get("driver") or {})},
                # A pod whose limit is below what it asks for is refused.
                sets_sizes=not any((spec.get(part) or {}).get("memoryLimit") for part in ("driver", "executor")),
                runtime=runtime_of(spec.get("sparkVersion") and f"Spark {spec['sparkVersion']}"),
            ),
        )

    def changed(self, operator: Any, request: Request, additions: Sequence[Additions]) -> Request:
        (added,) = additions
        body = copy.deepcopy(request["body"])
        spec, properties = body["spec"], added.properties
        lists = {field: properties.pop(name).split(",") for field, name in _LISTS.items() if name in properties}
        for (part, field), name in _FIELDS.items():
            # The operator reads no field of dynamic allocation that is not switched on there.
            is_read = part != "dynamicAllocation" or (spec.get(part) or {}).get("enabled")
            if name in properties and is_read:
                value = properties.pop(name)
                spec[part] = {**(spec.get(part) or {}), field: int(value) if value.isdecimal() else value}
        spec["sparkConf"] = {**(spec.get("sparkConf") or {}), **properties}
        if lists:
            spec["deps"] = {**(spec.get("deps") or {}), **lists}
        return {"body": body}

    def is_refusal(self, error: Exception) -> bool:
        return is_kubernetes_refusal(error)

    def submission(self, operator: Any, job: SparkJob, agent_jar: str) -> Submission:
        return replace(super().submission(operator, job, agent_jar), makes_pod=True)


def _hadoop_conf(spec: Mapping[str, Any]) -> dict[str, str]:
    return {f"spark.hadoop.{name}": value for name, value in spark_texts(spec.get("hadoopConf") or {}).items()}


def _mounts(driver: Mapping[str, Any]) -> dict[str, str]:
    """Where volumes are mounted for the driver, as spark-submit would be told of it."""
    template = (driver.get("template") or {}).get("spec") or {}
    containers = [driver, *(template.get("containers") or [])]
    mounts = [mount for one in containers for mount in one.get("volumeMounts") or []]
    properties: dict[str, str] = {}
    for number, mount in enumerate(mounts):
        name = f"spark.kubernetes.driver.volumes.mounted.{number}.mount"
        properties[f"{name}.path"] = str(mount["mountPath"])
        properties[f"{name}.readOnly"] = spark_text(bool(mount.get("readOnly")))
    return properties


ENGINE = SparkKubernetes()
