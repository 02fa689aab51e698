"""Each application of a JVM has in its own log what the agent was told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.agent_message import QueryDirectives, encode_message
from tuner.steering.agent.sources import digest_of_all

from .agent_log import agent_events

pytestmark = [pytest.mark.spark, pytest.mark.nightly]
_APP = Path(__file__).with_name("second_context_app.py")


def test_both_logs_tell_what_it_was_told(
    agent_conf: dict[str, str], spark_submit: Callable[..., Path], tmp_path: Path
) -> None:
    told = tmp_path / "told.json"
    told.write_text(encode_message((QueryDirectives("another", ("elsewhere",)),)), encoding="utf-8")
    conf = {**agent_conf, "spark.eventLog.compress": "false", "spark.tuner.directives.file": str(told)}
    logs = spark_submit(_APP, log_dir=tmp_path / "logs", conf=conf)
    assert [event["problem"] for event in agent_events(logs, "AgentLoaded")] == ["", ""]
    assert {event["release"] for event in agent_events(logs, "AgentLoaded")} == {digest_of_all()}
    assert len([read_application(source) for source in find_logs(logs)]) == 2
