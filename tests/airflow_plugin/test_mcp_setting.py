"""`[spark_tuner] mcp`: off unless it is asked for, and never the end of the panel."""

from __future__ import annotations

import logging
import sys

import pytest
from starlette.routing import NoMatchFound

from airflow_plugin import settings
from airflow_plugin.panel_app import panel_app
from tuner.errors import TunerError

OPTION = "AIRFLOW__SPARK_TUNER__MCP"


def has_mcp() -> bool:
    """Whether the app has the tools; the panel it has in any case."""
    app = panel_app()
    assert app.url_path_for("cohorts") == "/api/cohorts"
    try:
        return app.url_path_for("message") == "/mcp"
    except NoMatchFound:
        return False


def test_it_is_off_unless_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(OPTION, raising=False)
    assert not settings.mcp()
    assert not has_mcp()


@pytest.mark.parametrize(("text", "is_on"), [("True", True), ("t", True), ("1", True), ("False", False), ("0", False)])
def test_it_is_read_as_airflow_reads_it(text: str, is_on: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(OPTION, text)
    assert settings.mcp() is is_on
    assert has_mcp() is is_on


def test_what_is_neither_leaves_the_panel_without_it_and_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(OPTION, "maybe")
    with pytest.raises(TunerError, match=r"\[spark_tuner\] mcp: 'maybe' is neither True nor False"):
        settings.mcp()
    with caplog.at_level(logging.WARNING):
        assert not has_mcp()
    assert "'maybe' is neither True nor False" in caplog.text


def test_without_the_extra_the_panel_is_there_and_the_log_names_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(OPTION, "True")
    for name in [name for name in sys.modules if name.split(".")[0] == "mcp" or name.startswith("tuner.mcp")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    with caplog.at_level(logging.WARNING):
        assert not has_mcp()
    assert "pip install 'airflow-spark-tuner[mcp]'" in caplog.text
