"""`@task.spark_tuned`: a function that says what Spark is to run, and SparkTunedOperator runs it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.sdk.bases.decorator import DecoratedOperator, task_decorator_factory
from airflow.sdk.definitions._internal.types import SET_DURING_EXECUTION

from airflow_plugin.operator import SparkTunedOperator

if TYPE_CHECKING:
    from airflow.sdk import Context
    from airflow.sdk.bases.decorator import TaskDecorator

_WANTED = "return SQL text, a list of SQL statements, or a dict of SparkTunedOperator's arguments"
# Airflow, or the operator when it is made, acts on these before the function runs.
_TOO_LATE = frozenset({"self", "kwargs", "durable", "reconnect_on_retry"})


def spark_tuned_task(python_callable: Callable[..., Any] | None = None, **kwargs: Any) -> TaskDecorator:
    """Makes a function a task that runs what it returns on Spark, steered as SparkTunedOperator's jobs are.

    The function returns SQL text (or the path of a .sql file), a list of SQL statements, or a dict of
    SparkTunedOperator's arguments such as `application`, `application_args` and `conf`. What it returns is templated,
    and replaces what the decorator says; `conf` is added to it, property by property. The function runs on the worker
    and may ask for context variables by name. `kwargs` are SparkTunedOperator's own.
    """
    return task_decorator_factory(
        python_callable=python_callable,
        multiple_outputs=False,  # what the task returns is Spark's driver id, whatever the function is annotated with
        decorated_operator_class=SparkTunedDecoratedOperator,
        **kwargs,
    )


class SparkTunedDecoratedOperator(DecoratedOperator, SparkTunedOperator):
    """SparkTunedOperator whose job is what a function returns."""

    custom_operator_name = "@task.spark_tuned"
    template_fields: Sequence[str] = (*DecoratedOperator.template_fields, *SparkTunedOperator.template_fields)
    template_fields_renderers: ClassVar[dict[str, str]] = {
        **DecoratedOperator.template_fields_renderers,
        **SparkTunedOperator.template_fields_renderers,
    }

    def __init__(
        self,
        *,
        python_callable: Callable[..., Any],
        op_args: Collection[Any] | None = None,
        op_kwargs: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        if inspect.iscoroutinefunction(python_callable):
            raise TypeError(f"@task.spark_tuned {python_callable.__name__}: make it a plain function, without async")
        if not kwargs.get("application"):
            kwargs.setdefault("sql", SET_DURING_EXECUTION)
        super().__init__(python_callable=python_callable, op_args=op_args, op_kwargs=op_kwargs, **kwargs)

    def execute(self, context: Context) -> Any:
        """Call the function, take over what it returns, and run that. Raises TypeError for what cannot be run."""
        self._take_over(self._returned(context), context)
        self._check_what_to_run()
        self._check_choices()
        return super().execute(context)

    def _tuner_fields_stay(self) -> bool:
        return type(self).execute is SparkTunedDecoratedOperator.execute

    def _check_what_to_run(self) -> None:
        if self.sql is not SET_DURING_EXECUTION:
            super()._check_what_to_run()

    def _returned(self, context: Context) -> Mapping[str, Any]:
        available = {**context, **self.op_kwargs}
        found = self.python_callable(*self.op_args, **_asked_for(self.python_callable, len(self.op_args), available))
        if isinstance(found, Mapping):
            return self._checked(found)
        if _is_sql(found):
            return {"sql": found}
        if isinstance(found, list | tuple) and found and all(map(_is_sql, found)):
            return {"sql": "\n;\n".join(found)}  # a statement may end in a comment, which takes its line
        raise TypeError(f"@task.spark_tuned {self.task_id}: the function returned {_shown(found)}; {_WANTED}")

    def _checked(self, arguments: Mapping[Any, Any]) -> Mapping[str, Any]:
        unknown = [str(name) for name in arguments if name not in _ARGUMENTS]
        if unknown or not arguments:
            what = f"a dict with {', '.join(unknown)}" if unknown else "an empty dict"
            raise TypeError(
                f"@task.spark_tuned {self.task_id}: the function returned {what}; arguments that it can give are "
                f"{', '.join(sorted(_ARGUMENTS))}; give all others to the decorator"
            )
        return arguments

    def _take_over(self, arguments: Mapping[str, Any], context: Context) -> None:
        if self.sql is SET_DURING_EXECUTION:
            self.sql = None
        environment = self.get_template_env()
        for name, value in arguments.items():
            if name in SparkTunedOperator.template_fields:
                value = self.render_template(value, context, environment)
            if name == "conf":
                value = {**(self.conf or {}), **(value or {})}
            setattr(self, name if hasattr(self, name) else f"_{name}", value)
        self._read_sql_file(context, environment)


def _arguments(operators: Iterable[type]) -> frozenset[str]:
    names = {name for operator in operators for name in inspect.signature(operator).parameters}
    return frozenset(name for name in names - _TOO_LATE if not name.startswith("openlineage"))


_ARGUMENTS = _arguments((SparkSubmitOperator, SparkTunedOperator))


def _asked_for(function: Callable[..., Any], given: int, available: Mapping[str, Any]) -> Mapping[str, Any]:
    """Of what is there, what the function takes by name, besides the first arguments, which are given by position."""
    parameters = inspect.signature(function).parameters
    by_position = set(list(parameters)[:given])
    takes_all = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())
    return {k: v for k, v in available.items() if k not in by_position and (takes_all or k in parameters)}


def _is_sql(found: object) -> bool:
    return isinstance(found, str) and bool(found.strip())


def _shown(found: object) -> str:
    """What the function returned, by its type: the value may be large, or secret."""
    if isinstance(found, list | tuple):
        return f"a {type(found).__name__} that is empty or holds more than SQL statements"
    if isinstance(found, str):
        return "empty text"
    return "None" if found is None else f"a value of type {type(found).__name__}"
