"""What the Airflow and the Spark provider at hand have: the tests run against several of both."""

from __future__ import annotations

from importlib.metadata import version
from importlib.util import find_spec

try:
    from airflow.sdk.exceptions import AirflowSkipException, TaskDeferred
except ImportError:  # Airflow 3.1
    from airflow.exceptions import AirflowSkipException, TaskDeferred

__all__ = ["AIRFLOW", "NOT_DURABLE", "RESUMES", "SCHEME_BY_CONN_TYPE", "AirflowSkipException", "TaskDeferred"]

AIRFLOW = tuple(int(part) for part in version("apache-airflow").split(".")[:2])

# Airflow 3.3: a retry takes up the job that an earlier try submitted.
RESUMES = find_spec("airflow.sdk.bases.resumablejobmixin") is not None
NOT_DURABLE = {"durable": False} if RESUMES else {}

_provider = tuple(int(part) for part in version("apache-airflow-providers-apache-spark").split(".")[:2])
# A connection's type is the scheme of a host that has none.
SCHEME_BY_CONN_TYPE = _provider >= (5, 5)
