"""`spark-tuner advise`: recommendations from logs alone; none from a log that is not whole."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.cli.conftest import Result
from tests.cli.logs import write_log

Call = Callable[..., Result]
NOTHING = {"recommendations": [], "insights": [], "not_used": []}


def test_nothing_to_change(spark_tuner: Call, tmp_path: Path) -> None:
    log = write_log(tmp_path / "app-1")
    assert json.loads(spark_tuner("advise", log, "--json").out) == NOTHING
    assert "nothing to recommend" in spark_tuner("advise", log).out


def test_a_partial_log_is_no_ground_for_advice(spark_tuner: Call, tmp_path: Path) -> None:
    log = write_log(tmp_path / "app-1", ended=False)
    result = spark_tuner("advise", log)
    assert result.code == 0
    (unused,) = json.loads(spark_tuner("advise", log, "--json").out)["not_used"]
    said = f"no advice from {log}: {unused['why']}"
    assert "".join(said.split()) in "".join(result.said.split()), "folded, wherever the path is long"
    assert unused["why"].startswith("the log is partial; its rows and times are incomplete: ")


def test_json_names_logs_that_are_no_ground_for_advice(spark_tuner: Call, tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("no log\n")
    whole, cut = write_log(tmp_path / "app-1"), write_log(tmp_path / "app-2", "app-2", ended=False)
    result = spark_tuner("advise", whole, cut, tmp_path / "notes", "--json")
    assert result.code == 1
    assert [(one["log"], one["why"].partition(":")[0]) for one in json.loads(result.out)["not_used"]] == [
        (str(cut), "the log is partial; its rows and times are incomplete"),
        (str(tmp_path / "notes"), "no application could be read"),
    ]


def test_a_missing_path(spark_tuner: Call, tmp_path: Path) -> None:
    result = spark_tuner("advise", tmp_path / "nowhere", "--json")
    assert (result.code, json.loads(result.out)) == (1, NOTHING)
    assert "no such file" in result.err
