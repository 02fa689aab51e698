"""From a task instance to its page in the recommendations panel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from airflow.sdk import BaseOperatorLink

from airflow_plugin.compat import conf

if TYPE_CHECKING:
    from airflow.sdk import BaseOperator

URL_ROUTE = "spark-tuner-task-instance"


class SparkTunerLink(BaseOperatorLink):
    """The button "Spark tuner" of a task instance. Airflow stores where it leads when a try ends, however it ends."""

    name = "Spark tuner"

    def get_link(self, operator: BaseOperator, *, ti_key: Any) -> str:
        """Path of the panel's page on the host that shows the button, below the path that Airflow is served under."""
        return urlsplit(_base_url()).path.rstrip("/") + panel_path(ti_key)


def panel_path(ti: Any) -> str:
    """Path of the panel's page of a task instance, or of its key, in Airflow's UI."""
    parts = ["dags", ti.dag_id, "runs", ti.run_id, "tasks", ti.task_id]
    if ti.map_index is not None and ti.map_index >= 0:
        parts += ["mapped", str(ti.map_index)]
    return "/" + "/".join(quote(part, safe="") for part in [*parts, "plugin", URL_ROUTE])


def panel_url(ti: Any) -> str:
    """Where a person finds the page: a URL where `[api] base_url` is set, else its path."""
    return _base_url().rstrip("/") + panel_path(ti)


def _base_url() -> str:
    return (conf.get("api", "base_url", fallback="") or "").strip()
