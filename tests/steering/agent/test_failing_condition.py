"""An order must not ask a condition of rows that it could fail on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .agent_log import agent_events

pytestmark = [pytest.mark.spark, pytest.mark.slow]
_APP = Path(__file__).with_name("failing_condition_app.py")


def test_a_condition_that_may_fail_keeps_its_place(
    agent_conf: dict[str, str], spark_submit: Callable[..., Path], tmp_path: Path
) -> None:
    conf = {**agent_conf, "spark.eventLog.compress": "false"}
    logs = spark_submit(_APP, tmp_path / "tables", log_dir=tmp_path / "logs", conf=conf)
    outcomes = [o for event in agent_events(logs, "PlanSteered") for o in event["outcomes"]]
    assert [(o["status"], o["reason"]) for o in outcomes] == [
        ("impossible", "a condition of the joins may fail on rows that another order gives it"),
        ("applied", ""),
    ]
