"""Where each Airflow 3 generation keeps the names this package needs."""

from __future__ import annotations

try:
    from airflow.sdk.configuration import conf
    from airflow.sdk.exceptions import (
        AirflowException,
        AirflowSkipException,
        AirflowTaskTimeout,
        TaskDeferralTimeout,
        TaskDeferred,
    )
except ImportError:  # Airflow 3.1
    from airflow.configuration import conf
    from airflow.exceptions import (
        AirflowException,
        AirflowSkipException,
        AirflowTaskTimeout,
        TaskDeferralTimeout,
        TaskDeferred,
    )

__all__ = [
    "AirflowException",
    "AirflowSkipException",
    "AirflowTaskTimeout",
    "TaskDeferralTimeout",
    "TaskDeferred",
    "conf",
]
