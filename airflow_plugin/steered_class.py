"""An operator's class with the tuner in it, under its own name.

The class is made with its methods in its own body: CPython refuses to give an object a class that a mixin was put in front of
("object layout differs").
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, wraps
from types import new_class
from typing import Any

from airflow_plugin.arguments import Arguments
from airflow_plugin.at_call import at_call
from airflow_plugin.engines.registry import SPARK_SUBMIT, engine, engine_name
from airflow_plugin.fail_open import failing_open
from airflow_plugin.links import SparkTunerLink

_BY_OWN_NAME = ("__module__", "__qualname__", "__doc__")
_ARGUMENTS = "_tuner_given"
_UNTUNED = "_tuner_untuned"


def steered(task: Any, arguments: Arguments | None = None) -> bool:
    """Give a task, or a mapped one, the class of its own that is steered: False, and nothing changes, where no engine is for it.

    A task that is steered already keeps its arguments where none are given.
    """
    cls = getattr(task, "operator_class", None)
    if not isinstance(cls, type) or not engine_name(cls):
        return False
    if arguments is None and is_steered(cls):
        return True
    own = getattr(cls, _UNTUNED, cls)
    new = steered_class(own, arguments or Arguments())
    if isinstance(task, own):
        object.__setattr__(task, "__class__", new)
        links = vars(task).get("operator_extra_links")
        if links is not None and not any(isinstance(link, SparkTunerLink) for link in links):
            object.__setattr__(task, "operator_extra_links", (*links, SparkTunerLink()))
    else:  # Mapped: its tasks are made of the class when it is expanded.
        task.operator_class = new
        if hasattr(task, "operator_extra_links"):  # Not yet, of what is still to be expanded.
            task.operator_extra_links = new.operator_extra_links
    return True


def is_steered(cls: type[Any]) -> bool:
    """Whether the tuner is in a class: one of `steered_class`, or SparkTunedOperator."""
    return hasattr(cls, _ARGUMENTS)


@lru_cache
def steered_class(cls: Any, arguments: Arguments) -> type[Any]:
    """The class, steered. It must be of an engine (`engine_name`)."""
    name = engine_name(cls)
    bases, members = _of_submit(cls) if name == SPARK_SUBMIT else ((cls,), _of_engine(cls, name))
    own = {name: getattr(cls, name) for name in _BY_OWN_NAME}
    if not isinstance(cls.operator_extra_links, property):
        own["operator_extra_links"] = (*cls.operator_extra_links, SparkTunerLink())
    own |= {**members, _ARGUMENTS: arguments, _UNTUNED: cls}
    return new_class(cls.__name__, bases, exec_body=lambda space: space.update(own))


def _of_submit(cls: Any) -> tuple[tuple[type[Any], ...], Mapping[str, Any]]:
    """A SparkSubmitOperator is steered where it submits: below an execute() of its author's, which runs first."""
    from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator

    from airflow_plugin.operator import SteeredSubmitOperator

    members: dict[str, Any] = {}
    if cls.execute not in (SparkSubmitOperator.execute, SteeredSubmitOperator.execute):
        # What its execute() sets may be no one's to see, or be read again by what it does after the submission.
        members["overwrite_rtif_after_execution"] = cls.overwrite_rtif_after_execution
        members["execute"] = _telling(cls.execute)
    if cls is SparkSubmitOperator:
        return (SteeredSubmitOperator,), members
    return (cls, SteeredSubmitOperator), {**members, "on_kill": _noting(cls.on_kill)}


def _noting(own: Any) -> Any:
    """An on_kill() of its author's, which may not get to the tuner's: what is being decided then is not to be submitted."""

    @wraps(own)
    def on_kill(self: Any) -> None:
        self._tuner_note_kill()
        own(self)
        self._tuner_end_timed_out()

    return on_kill


def _telling(own: Any) -> Any:
    """An execute() of its author's that says so in the task's log where it submitted and did not get to the tuner's."""

    @wraps(own)
    def execute(self: Any, context: Any, *args: Any, **kwargs: Any) -> Any:
        from airflow.providers.apache.spark.hooks.spark_submit import SparkSubmitHook

        submitted = []

        def noted(given: Any, submit: Any) -> Any:
            submitted.append(given)
            return submit(given)

        with at_call(SparkSubmitHook, "submit", noted):
            result = own(self, context, *args, **kwargs)
        if submitted:
            self._tuner_tell_if_passed_by(context)
        return result

    return execute


def _of_engine(cls: Any, name: str) -> Mapping[str, Any]:
    """Operators of other engines are steered around all of their execute(), and wherever else Airflow enters them."""

    def execute(self: Any, context: Any, *args: Any, **kwargs: Any) -> Any:
        """Submit, steered by what earlier runs measured, and harvest. Raises what the job raises, nothing of the tuner's."""
        steering = _steering(self, context, name)
        if steering is None:
            return cls.execute(self, context, *args, **kwargs)
        with steering.harvesting(), steering.submitting():
            return cls.execute(self, context, *args, **kwargs)

    def resume_execution(self: Any, next_method: str, next_kwargs: dict[str, Any] | None, context: Any) -> Any:
        """Go on after a deferral, and harvest where the job is over."""
        # Where it was deferred before it submitted, execute() is next.
        steering = _steering(self, context, name) if next_method != "execute" else None
        if steering is None:
            return cls.resume_execution(self, next_method, next_kwargs, context)
        with steering.harvesting():
            return cls.resume_execution(self, next_method, next_kwargs, context)

    def on_kill(self: Any) -> None:
        """Stop the job. Its event log is left for the cohort's next decision."""
        if steering := getattr(self, "_tuner_steering", None):
            steering.kill()
        cls.on_kill(self)

    return {method.__name__: method for method in (execute, resume_execution, on_kill)}


def _steering(task: Any, context: Any, name: str) -> Any:
    """What steers a task, and harvests when it ends; None where the tuner is off or cannot be loaded, and the task is to run as
    it is."""
    with failing_open(task.log, "load what tunes this task"):
        from airflow_plugin import settings

        if not settings.load().enabled:
            return None
        from airflow_plugin.task_steering import TaskSteering

        task._tuner_steering = steering = TaskSteering(task, context, engine(name))
        return steering
    return None
