"""`spark-tuner mcp`: what it needs, and what it refuses before it serves."""

from __future__ import annotations

from collections.abc import Callable
from importlib import util
from pathlib import Path

import pytest

from tests.cli.conftest import Result
from tuner.cli.commands import mcp
from tuner.cli.mcp.log_folders import LogFolders
from tuner.cli.mcp.mcp_tools import mcp_tools

Call = Callable[..., Result]


@pytest.mark.parametrize("missing", ["mcp", "fastapi"])
def test_without_the_extra_it_names_it(missing: str, spark_tuner: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    find = util.find_spec
    monkeypatch.setattr(mcp, "find_spec", lambda name: None if name == missing else find(name))
    refused = spark_tuner("mcp")
    assert (refused.code, refused.out) == (1, "")
    assert refused.err == f"spark-tuner: the MCP server needs {missing}: pip install 'airflow-spark-tuner[mcp]'\n"


def test_a_folder_that_is_not_there_ends_it(spark_tuner: Call, tmp_path: Path) -> None:
    refused = spark_tuner("mcp", "--logs", tmp_path / "nowhere")
    assert (refused.code, refused.out) == (1, "")
    assert "no directory of this machine; give one that holds event logs" in refused.err


def test_a_store_that_is_not_there_ends_it(spark_tuner: Call, tmp_path: Path) -> None:
    refused = spark_tuner("mcp", "--db", f"sqlite:///{tmp_path}/no.db")
    assert (refused.code, refused.out) == (1, "")
    assert "there is no history store; check --db" in refused.err


def test_tools_over_logs_are_there_only_with_a_folder(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/history.db"
    without = {tool.name for tool in mcp_tools(url, LogFolders(())).listed()}
    with_one = {tool.name for tool in mcp_tools(url, LogFolders.named([str(tmp_path)])).listed()}
    assert with_one - without == {"list_logs", "advise_on_log", "replay"}
    assert not (tmp_path / "history.db").exists()
