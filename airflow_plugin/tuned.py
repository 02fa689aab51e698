"""`tuned(operator)`: one task of a DAG that runs Spark jobs, on whatever engine, tuned as SparkTunedOperator's are."""

from __future__ import annotations

from typing import Any, TypeVar

from airflow_plugin.arguments import Arguments, check_choices
from airflow_plugin.engines.registry import operator_names
from airflow_plugin.steered_class import steered

Task = TypeVar("Task")


def tuned(
    task: Task,
    *,
    cohort: str = "",
    mode: str = "",
    steering: str = "",
    objective: str = "",
    event_log_base: str = "",
    store_conn_id: str = "",
    spark_resources: str = "",
) -> Task:
    """The task itself, tuned: an operator, a mapped one (`Operator.partial(…).expand(…)`), a function that `@task.…` made a
    task (all tasks that are made of it then), or what a call of that gave.

    The other arguments are as those of SparkTunedOperator, but not templated; empty ones leave that to `[spark_tuner]`.
    Raises TypeError for what no engine is for, ValueError for a word that is none of an argument's.
    """
    name = f"tuned({type(task).__name__} {getattr(task, 'task_id', '')})"
    arguments = Arguments(
        cohort, mode, steering, event_log_base, store_conn_id, objective, spark_resources, by_author=True
    )
    check_choices(name, arguments)
    operator: Any = task if hasattr(task, "operator_class") else getattr(task, "operator", task)
    if not steered(operator, arguments):
        raise TypeError(f"{name}: the tuner knows no such operator; it knows {', '.join(operator_names())}")
    return task
