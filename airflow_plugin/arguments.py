"""What a task says of its own tuning."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Arguments:
    """SparkTunedOperator's arguments once rendered; empty where the task leaves that to `[spark_tuner]`."""

    cohort: str = ""
    mode: str = ""
    steering: str = ""
    event_log_base: str = ""
    store_conn_id: str = ""
    objective: str = ""
