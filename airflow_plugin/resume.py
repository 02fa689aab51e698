"""Carries a turn from the try that submitted a job to the try that reconnects to it.

From Airflow 3.3 on, a retry may find the job of an earlier try running, or done, and not submit again
(ResumableJobMixin). Its event log bears the earlier try's key: only that try's turn can be completed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tuner.within_time import within

if TYPE_CHECKING:
    from airflow.sdk import Context

    from tuner.loop.loop import Turn

_KEY = "spark_tuner_turn"


# What get_job_status reads of Airflow's store, in the operator's own names for it.
_STATUS_KEYS = ("_K8S_DRIVER_STATUS_KEY",)


def will_reconnect(operator: Any, context: Context, most_seconds: float) -> bool:
    """Whether the operator, executed now, takes up a job that an earlier try submitted. Asks the cluster: TimeoutError where that
    does not answer in time."""
    store = _store(operator, context)
    external_id = store.get(operator.external_id_key) if store is not None else None
    if not external_id:
        return False
    # Airflow answers the main thread alone, so what is asked of it is asked before.
    keys = [getattr(operator, name) for name in _STATUS_KEYS if hasattr(operator, name)]
    known: Any = {**context, "task_state_store": {key: store.get(key) for key in keys}}
    operator._hook = operator._get_hook()
    try:
        status = within(most_seconds, lambda: operator.get_job_status(external_id, known))
        return bool(operator.is_job_active(status) or operator.is_job_succeeded(status))
    finally:
        operator._hook = None  # execute() is to build its own, from the steered conf


def remember(turn: Turn, operator: Any, context: Context) -> None:
    """Keeps the turn for the task's later tries, where Airflow has a place for it."""
    import msgspec

    from tuner.eventlog.location import names_credentials
    from tuner.steering.agent.submission import Submission

    store = _store(operator, context)
    if store is not None:
        # The user's conf and SQL may hold secrets, and completing the turn needs neither.
        base = "" if names_credentials(turn.job.event_log_base) else turn.job.event_log_base
        kept = replace(
            turn,
            job=replace(turn.job, user_conf={}, statements=(), submission=Submission(), access={}, event_log_base=base),
            directives=replace(turn.directives, statements=(), merged={}),
            catching_up=None,
        )
        store.set(_KEY, msgspec.json.decode(msgspec.json.encode(kept)))  # lists, not tuples: Airflow takes JSON only


def forget(operator: Any, context: Context) -> None:
    """Takes away what `remember` kept: its run has been told of, and a task that is cleared may find the same job, done."""
    if (store := _store(operator, context)) is not None:
        store.delete(_KEY)


def recall(operator: Any, context: Context) -> Turn | None:
    """The turn an earlier try of the task left, of which it could not tell; None where there is none."""
    import msgspec

    from tuner.loop.loop import Turn

    store = _store(operator, context)
    left = store.get(_KEY) if store is not None else None
    return msgspec.convert(left, Turn) if left is not None else None


def _store(operator: Any, context: Context) -> Any:
    return context.get("task_state_store") if getattr(operator, "durable", False) else None
