"""An application whose log its service leaves without an end."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from tuner.model.application import Application, Completeness, ProblemCode

# Databricks delivers logs every five minutes. Who waits longer for no work of Spark's has ended.
QUIET = timedelta(hours=1)


def as_ended(application: Application, now: datetime) -> Application:
    """The application, ended with its last work, where nothing but its end is missing and no work came for long; as it is
    otherwise.

    Many logs of Databricks have no SparkListenerApplicationEnd: its clusters are taken down, the driver with them
    (NVIDIA/spark-rapids#2658).
    """
    start_ms, end_ms = application.start_ms, application.work_ended_ms
    if start_ms is None or end_ms is None or now.timestamp() * 1000 - end_ms < QUIET.total_seconds() * 1000:
        return application
    others = tuple(problem for problem in application.problems if problem.code is not ProblemCode.TRUNCATED)
    if any(problem.code.loses_events for problem in others):
        return application
    return replace(
        application,
        end_ms=max(start_ms, end_ms),
        status=Completeness.COMPLETE,
        problems=others,
        work_ended_ms=None,
    )
