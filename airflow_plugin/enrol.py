"""Tunes SparkSubmitOperator tasks as they are, where `[spark_tuner] enrol` names them: a cluster policy, off by default.

Airflow calls it for every task that it parses, in the DAG processor and again in the worker that runs the task. Every
`import airflow` loads this module: what costs time is imported where a task is enrolled.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import cache, lru_cache, wraps
from types import new_class
from typing import Any

from pluggy import HookimplMarker

hookimpl = HookimplMarker("airflow.policy")
_SUBMIT_MODULE = "airflow.providers.apache.spark.operators.spark_submit"
# Subclasses of SparkSubmitOperator in the provider whose execute() never calls that of SparkSubmitOperator.
_OWN_WAY = frozenset({"airflow.providers.apache.spark.operators.spark_jdbc.SparkJDBCOperator"})

log = logging.getLogger(__name__)


@hookimpl
def task_policy(task: Any) -> None:
    """Enrol the task where the configuration says so. Raises nothing: the task is left as it is."""
    spark = sys.modules.get(_SUBMIT_MODULE)
    if spark is None:  # No DAG has imported SparkSubmitOperator: no task is one.
        return
    from airflow_plugin.fail_open import failing_open

    with failing_open(log, f"enrol task {getattr(task, 'task_id', '')} (DAG {getattr(task, 'dag_id', '')})"):
        cls = getattr(task, "operator_class", None)
        if isinstance(cls, type) and issubclass(cls, spark.SparkSubmitOperator) and _is_named(task):
            _enrol(task, cls)


def is_enrolled(dag_id: str, task_id: str, enrol: str, enrol_except: str = "") -> bool:
    """Whether a pattern of `enrol` fits the task and none of `enrol_except` does.

    Patterns are globs of `dag_id.task_id`, or of the DAG's id for all of its tasks, split by commas or white space.
    """
    names = (f"{dag_id}.{task_id}", dag_id)
    return _fits(names, enrol) and not _fits(names, enrol_except)


def _fits(names: Iterable[str], patterns: str) -> bool:
    found = [pattern for pattern in re.split(r"[\s,]+", patterns) if pattern]
    return any(fnmatchcase(name, pattern) for name in names for pattern in found)


def _is_named(task: Any) -> bool:
    from airflow_plugin.compat import conf

    def option(name: str) -> str:
        return conf.get("spark_tuner", name, fallback="") or ""

    enrol = option("enrol")
    return bool(enrol.strip()) and is_enrolled(task.dag_id, task.task_id, enrol, option("enrol_except"))


def _enrol(task: Any, cls: Any) -> None:
    from airflow_plugin.operator import SteeredSubmitOperator

    if issubclass(cls, SteeredSubmitOperator):
        return
    if untuned := next((base for base in cls.__mro__ if _name(base) in _OWN_WAY), None):
        _warn_once(task.dag_id, task.task_id, untuned.__name__)
        return
    steered = _steered(cls)
    if isinstance(task, cls):
        object.__setattr__(task, "__class__", steered)
    else:  # Mapped: its tasks are made of the class when it is expanded.
        task.operator_class = steered
        task.operator_extra_links = steered.operator_extra_links
    log.debug("Spark tuner: enrolled task %s of DAG %s", task.task_id, task.dag_id)


def _name(cls: type[Any]) -> str:
    return f"{cls.__module__}.{cls.__name__}"


@cache
def _warn_once(dag_id: str, task_id: str, name: str) -> None:
    log.warning(
        "Spark tuner: task %s of DAG %s is not tuned: %s submits its job in a way of its own, which the tuner cannot "
        "steer. Add %s.%s to [spark_tuner] enrol_except, or do its work in a SparkSubmitOperator task. "
        "The job is not affected.",
        *(task_id, dag_id, name, dag_id, task_id),
    )


@lru_cache
def _steered(cls: Any) -> type[Any]:
    """The class under its own name, steered where it submits: below an execute() of its author's, which runs first."""
    from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator

    from airflow_plugin.operator import SteeredSubmitOperator

    members = {name: getattr(cls, name) for name in ("__module__", "__qualname__", "__doc__")}
    if not isinstance(cls.operator_extra_links, property):
        members["operator_extra_links"] = (*cls.operator_extra_links, *SteeredSubmitOperator.operator_extra_links)
    if cls.execute is not SparkSubmitOperator.execute:
        # What its execute() sets may be no one's to see, or be read again by what it does after the submission.
        members["overwrite_rtif_after_execution"] = cls.overwrite_rtif_after_execution
        members["_tuner_fields_stay"] = False
        members["execute"] = _telling(cls.execute)
    own = () if cls is SparkSubmitOperator else (cls,)
    return new_class(cls.__name__, (*own, SteeredSubmitOperator), exec_body=lambda space: space.update(members))


def _telling(own: Any) -> Any:
    """An execute() of its author's that says so in the task's log where it did not get to the tuner's."""

    @wraps(own)
    def execute(self: Any, context: Any, *args: Any, **kwargs: Any) -> Any:
        result = own(self, context, *args, **kwargs)
        self._tuner_tell_if_passed_by(context)
        return result

    return execute
