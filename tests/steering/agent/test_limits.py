"""Memory that tasks have to themselves is what they have of it in this application; sizes that Delta has told are known."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

_APP = Path(__file__).with_name("limits_app.py")
_PREPARED_BY_DELTA = Path(__file__).with_name("java") / "PreparedDeltaFileIndex.java"


@pytest.mark.spark
@pytest.mark.nightly
def test_limits_follow_the_settings_of_an_application(
    agent_conf: dict[str, str], spark_submit: Callable[..., Path], tmp_path: Path
) -> None:
    report = tmp_path / "report.json"
    spark_submit(_APP, _PREPARED_BY_DELTA, report, log_dir=tmp_path / "logs", conf=agent_conf)
    most, shuffled = json.loads(report.read_text(encoding="utf-8"))
    as_it_is = most.pop("as it is")
    assert most == {
        # How many tasks run at once hangs on cores, not on how many partitions a job asks for.
        "with few partitions": as_it_is,
        "with many partitions": as_it_is,
        "with tasks of two cores": 2 * as_it_is,
        # A half of 16 MiB is left to execution, a half of that to one of two tasks, which may hash into a half of it.
        "off the heap": (16 << 20) // 8,
    }
    # Spark broadcasts the smaller ones by itself.
    assert shuffled == [True, False]
