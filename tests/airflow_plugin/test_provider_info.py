"""What Airflow's provider discovery and plugin loading make of the package."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import entry_points
from importlib.resources import files
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import pytest

from airflow_plugin.provider_info import get_provider_info

from . import generations

_COMMANDS = {
    "providers": ["providers", "list", "--output", "json"],
    "settings": ["config", "list", "--section", "spark_tuner", *(["--show-values"] if generations.AIRFLOW >= (3, 2) else [])],
    "hooks": ["providers", "hooks", "--output", "json"],
    "plugins": ["plugins", "--output", "json"],
}  # fmt: skip
# Airflow takes seconds to load: once for all of them.
_AIRFLOW = """
import io, json, sys
from contextlib import redirect_stdout
from airflow.__main__ import main

said = {}
for name, arguments in json.loads(sys.argv[1]).items():
    sys.argv[1:] = arguments
    with redirect_stdout(io.StringIO()) as printed:
        main()
    said[name] = printed.getvalue()
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What commands of Airflow print."""
    printed = run(sys.executable, "-c", _AIRFLOW, json.dumps(_COMMANDS), home=tmp_path_factory.mktemp("airflow"))
    found: dict[str, str] = json.loads(printed.splitlines()[-1])
    return found


def run(*command: str, home: Path) -> str:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("AIRFLOW__SPARK_TUNER__")} | {
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
    }
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_passes_airflows_schema() -> None:
    schema = json.loads(files("airflow").joinpath("provider_info.schema.json").read_text())
    jsonschema.validate(get_provider_info(), schema)


def test_is_what_the_entry_point_loads() -> None:
    (entry_point,) = (
        entry for entry in entry_points(group="apache_airflow_provider") if entry.value.startswith("airflow_plugin.")
    )
    assert entry_point.load() is get_provider_info
    assert entry_point.dist is not None
    assert entry_point.dist.name == get_provider_info()["package-name"]


def test_names_every_setting(tmp_path: Path) -> None:
    from dataclasses import fields

    from airflow_plugin.settings import Settings

    options = get_provider_info()["config"]["spark_tuner"]["options"]  # type: ignore[index]
    # These are read by themselves: no job is to wait for them.
    apart = {"enrol", "enrol_except", "core_hour_price", "mcp", "sql_alchemy_conn"}
    assert set(options) == {field.name for field in fields(Settings)} | apart


def test_imports_nothing_since_every_import_of_airflow_imports_it(tmp_path: Path) -> None:
    probe = (
        "import sys, airflow_plugin.provider_info;"
        "print([name for name in sys.modules if name.split('.')[0] in ('airflow', 'tuner')])"
    )
    assert run(sys.executable, "-c", probe, home=tmp_path).strip() == "[]"


@pytest.mark.airflow
def test_airflow_lists_the_provider(said: dict[str, str]) -> None:
    providers = json.loads(said["providers"])
    (ours,) = (row for row in providers if row["package_name"] == "airflow-spark-tuner")
    assert ours["version"].count(".") == 2


@pytest.mark.airflow
def test_airflow_lists_the_settings(said: dict[str, str]) -> None:
    assert "[spark_tuner]" in said["settings"]
    for line in ("enabled = True", "mode = auto"):
        assert line in said["settings"]


@pytest.mark.airflow
def test_airflow_loads_the_plugin(said: dict[str, str]) -> None:
    plugins = json.loads(said["plugins"])
    (ours,) = (row for row in plugins if row["name"] == "spark_tuner")
    assert "airflow-spark-tuner" in ours["source"]


@pytest.mark.airflow
def test_airflow_lists_the_connection_type(said: dict[str, str]) -> None:
    listed = json.loads(said["hooks"])
    (ours,) = (row for row in listed if row["connection_type"] == "spark_tuner")
    assert (ours["class"], ours["hook_name"]) == ("airflow_plugin.hook.HistoryStoreHook", "Spark tuner history")
    assert ours["package_name"] == "airflow-spark-tuner"
