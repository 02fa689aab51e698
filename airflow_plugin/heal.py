"""Submits a job once more, in the same try, with the memory that it died for want of."""

from __future__ import annotations

from airflow_plugin import turn
from airflow_plugin.settings import Settings
from airflow_plugin.turn import Begun
from tuner.loop.loop import Report
from tuner.policy.healing import heals
from tuner.policy.remedies import HEALED


def healed(begun: Begun, report: Report, current: Settings) -> Begun | None:
    """How the job is submitted once more; None where Airflow tries it again by itself, where this was that submission, where it
    did not die for want of memory or may not have ended, and where it would have nothing that it had not."""
    ti = begun.task.ti
    if not current.heal_retries or begun.heals or ti.try_number <= getattr(ti, "max_tries", ti.try_number):
        return None
    if report.run is None or report.failure is None or report.failure.kind not in HEALED:
        return None
    # A driver on the cluster may outlive the spark-submit that waited for it.
    if begun.task.submission.in_cluster_mode and (report.run.outcome is None or report.run.outcome.duration_ms is None):
        begun.task.log.info(
            "spark-tuner: not submitted once more: its log does not say that the application ended, so it may live on"
        )
        return None
    again = turn.begin(begun.task, current, heals=True)
    if not heals(report.run, again.turn.decision):
        turn.forget(again)
        return None
    begun.task.log.info("spark-tuner: Airflow tries this task no more: its job is submitted once more (heal_retries)")
    return again
