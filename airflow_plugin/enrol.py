"""Tunes tasks that run Spark jobs as they are, where `[spark_tuner] enrol` names them: a cluster policy, off by default.

Airflow calls it for every task that it parses, in the DAG processor and again in the worker that runs the task. Every
`import airflow` loads this module: what costs time is imported where a task is enrolled.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Any

from pluggy import HookimplMarker

from airflow_plugin.engines.registry import COMMANDS, engine_name

hookimpl = HookimplMarker("airflow.policy")

log = logging.getLogger(__name__)

# What the text of a command has where it may run spark-submit, spark-sql or Cloudera's spark3-submit.
_SIGNS = ("spark", "{{", "{%")
# What has the command of a pod that its task names none for: a template, or what its function returns (`@task.kubernetes_cmd`).
_COMMAND_ELSEWHERE = ("pod_template_file", "pod_template_dict", "full_pod_spec", "python_callable")
# Of a mapped task: what each of its instances is given.
_LATER = object()


@hookimpl
def task_policy(task: Any) -> None:
    """Enrol the task where the configuration says so. Raises nothing: the task is left as it is."""
    cls = getattr(task, "operator_class", None)
    if not isinstance(cls, type) or not engine_name(cls):
        return
    from airflow_plugin.fail_open import failing_open

    with failing_open(log, f"enrol task {getattr(task, 'task_id', '')} (DAG {getattr(task, 'dag_id', '')})"):
        if _is_named(task):
            _enrol(task)


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


def _may_run_spark(task: Any) -> bool:
    """False for a command that certainly runs no Spark program: no template or file may still name one, nor what is set later."""
    fields = COMMANDS.get(engine_name(task.operator_class))
    if fields is None:
        return True
    values = [_given(task, name, _LATER) for name in fields]
    texts = [text for value in values if value for text in (value if isinstance(value, list | tuple) else [value])]
    if not texts:
        # A class of the users' own may make its command when it runs.
        is_own = not task.operator_class.__module__.startswith("airflow.providers.")
        return is_own or any(_given(task, name) for name in _COMMAND_ELSEWHERE)
    return any(not isinstance(text, str) or _may_name_spark(text, task) for text in texts)


def _given(task: Any, name: str, otherwise: Any = None) -> Any:
    """What a task has, or a mapped one for all of its instances: `otherwise` where it does not."""
    mapped = getattr(task, "partial_kwargs", None)
    return getattr(task, name, None) if mapped is None else mapped.get(name, otherwise)


def _may_name_spark(text: str, task: Any) -> bool:
    # Of a mapped task Airflow reads a file when it is expanded.
    is_file = text.endswith(tuple(getattr(task, "template_ext", None) or ()))
    return is_file or any(sign in text for sign in _SIGNS)


def _enrol(task: Any) -> None:
    from airflow_plugin.steered_class import steered

    if _may_run_spark(task) and steered(task):
        log.debug("Spark tuner: enrolled task %s of DAG %s", task.task_id, task.dag_id)
