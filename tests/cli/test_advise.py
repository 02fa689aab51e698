"""`spark-tuner advise`: recommendations from logs alone; none from a log that is not whole."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from .conftest import Result
from .logs import write_log

Call = Callable[..., Result]


def test_nothing_to_change(spark_tuner: Call, tmp_path: Path) -> None:
    log = write_log(tmp_path / "app-1")
    assert json.loads(spark_tuner("advise", log, "--json").out) == {"recommendations": [], "insights": []}
    assert "nothing to recommend" in spark_tuner("advise", log).out


def test_a_partial_log_is_no_ground_for_advice(spark_tuner: Call, tmp_path: Path) -> None:
    result = spark_tuner("advise", write_log(tmp_path / "app-1", ended=False))
    assert result.code == 0
    assert "no advice: the log is partial" in result.out


def test_a_missing_path(spark_tuner: Call, tmp_path: Path) -> None:
    result = spark_tuner("advise", tmp_path / "nowhere", "--json")
    assert (result.code, json.loads(result.out)) == (1, {"recommendations": [], "insights": []})
    assert "no such file" in result.err
