"""The Airflow plugin. Every Airflow process imports it: what costs time is imported where it is used."""

from __future__ import annotations

import logging
from functools import cached_property
from typing import Any

from airflow.plugins_manager import AirflowPlugin

URL_PREFIX = "/spark-tuner"

_TITLE = "Spark tuner"
# Relative: Airflow may live below a path of its own.
_PAGE = "spark-tuner/ui"
_ICONS = {"icon": "spark-tuner/static/icon.svg", "icon_dark_mode": "spark-tuner/static/icon-dark.svg"}
# Airflow fills in what a page has and leaves the rest as it stands here.
_PLACES = {
    "nav": "",
    "dag": "&dag_id={DAG_ID}",
    "dag_run": "&dag_id={DAG_ID}&run_id={RUN_ID}",
    "task": "&dag_id={DAG_ID}&task_id={TASK_ID}",
    "task_instance": "&dag_id={DAG_ID}&run_id={RUN_ID}&task_id={TASK_ID}&map_index={MAP_INDEX}",
}


def url_route(destination: str) -> str:
    """The name that a destination's tab has in Airflow's addresses, after `/plugin/`."""
    return "spark-tuner" if destination == "nav" else f"spark-tuner-{destination.replace('_', '-')}"


def _views() -> list[dict[str, str]]:
    views = [
        {
            "name": _TITLE,
            "href": f"{_PAGE}?scope={destination}{place}",
            "destination": destination,
            "url_route": url_route(destination),
            **_ICONS,
        }
        for destination, place in _PLACES.items()
    ]
    views[0]["category"] = "browse"
    return views


class SparkTunerPlugin(AirflowPlugin):
    """The panel: a tab on the DAG, its runs, tasks and task instances, an entry under Browse, and the app they show."""

    name = "spark_tuner"
    external_views = _views()

    @cached_property
    def fastapi_apps(self) -> list[dict[str, Any]]:
        """The app, as the API server mounts it; none, and a log entry that says why, where it cannot be made."""
        try:
            from airflow_plugin.panel_app import panel_app

            return [{"app": panel_app(), "url_prefix": URL_PREFIX, "name": _TITLE}]
        except Exception:
            logging.getLogger(__name__).exception(
                "Spark tuner: the panel could not be loaded, its tabs stay empty. Airflow and tuned jobs are not affected."
            )
            return []
