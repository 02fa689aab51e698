"""What the plugin announces: the tabs of the panel, and the app behind them."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from airflow.plugins_manager import get_plugin_info

from airflow_plugin.plugin import SparkTunerPlugin

VIEWS = {view["destination"]: view for view in SparkTunerPlugin.external_views}

PROBE = """
import json, sys, time
import airflow.plugins_manager
before, start = set(sys.modules), time.process_time()
import airflow_plugin.plugin
print(json.dumps({"ms": 1000 * (time.process_time() - start), "modules": sorted(set(sys.modules) - before)}))
"""


def test_has_a_tab_on_every_page_of_a_dag_and_an_entry_in_the_navigation() -> None:
    assert {destination: view["url_route"] for destination, view in VIEWS.items()} == {
        "nav": "spark-tuner",
        "dag": "spark-tuner-dag",
        "dag_run": "spark-tuner-dag-run",
        "task": "spark-tuner-task",
        "task_instance": "spark-tuner-task-instance",
    }
    assert VIEWS["nav"]["category"] == "browse"


@pytest.mark.parametrize(
    ("destination", "told"),
    [
        ("nav", {}),
        ("dag", {"dag_id": "{DAG_ID}"}),
        ("dag_run", {"dag_id": "{DAG_ID}", "run_id": "{RUN_ID}"}),
        ("task", {"dag_id": "{DAG_ID}", "task_id": "{TASK_ID}"}),
        (
            "task_instance",
            {"dag_id": "{DAG_ID}", "run_id": "{RUN_ID}", "task_id": "{TASK_ID}", "map_index": "{MAP_INDEX}"},
        ),
    ],
)
def test_a_tab_tells_the_page_where_it_stands(destination: str, told: dict[str, str]) -> None:
    query = parse_qs(urlsplit(VIEWS[destination]["href"]).query)
    assert {name: value for name, (value,) in query.items()} == {"scope": destination, **told}


@pytest.mark.parametrize("address", ["href", "icon", "icon_dark_mode"])
def test_addresses_are_relative_so_that_airflow_may_live_below_a_path(address: str) -> None:
    parts = [urlsplit(view[address]) for view in VIEWS.values()]
    assert all((part.scheme, part.netloc) == ("", "") and part.path.startswith("spark-tuner/") for part in parts)


def test_the_app_is_under_the_path_that_the_tabs_open() -> None:
    (app,) = SparkTunerPlugin().fastapi_apps
    assert app["url_prefix"] == "/spark-tuner"
    assert {view["href"].split("?")[0] for view in VIEWS.values()} == {"spark-tuner/ui"}


def test_a_panel_that_cannot_be_loaded_leaves_the_plugin_and_says_why(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "airflow_plugin.panel_app", None)
    with caplog.at_level(logging.ERROR):
        assert SparkTunerPlugin().fastapi_apps == []
    assert "the panel could not be loaded" in caplog.text
    assert "airflow_plugin.panel_app" in caplog.text


@pytest.fixture(scope="module")
def imported() -> dict[str, Any]:
    done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.airflow
def test_every_process_that_loads_plugins_pays_next_to_nothing(imported: dict[str, Any]) -> None:
    assert [name for name in imported["modules"] if name != "airflow_plugin"] == ["airflow_plugin.plugin"]
    assert imported["ms"] < 20


def test_airflow_knows_it_with_its_tabs_and_its_app() -> None:
    (ours,) = [plugin for plugin in get_plugin_info() if plugin["name"] == "spark_tuner"]
    assert ours["external_views"] == SparkTunerPlugin.external_views
    assert [app["url_prefix"] for app in ours["fastapi_apps"]] == ["/spark-tuner"]
