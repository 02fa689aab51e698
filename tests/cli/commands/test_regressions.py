"""`regressions`: what changed around a job, what that would have cost, what the tuner prevented."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.conftest import Result
from tests.policy.test_turning_points import BEFORE, SINCE
from tuner.history.store import Store
from tuner.model.run import Run

Call = Callable[..., Result]


def keep(url: str, *runs: Run) -> None:
    with Store.open(url) as store:
        for one in runs:
            store.begin(one.begun)
            store.finish(one.key, one.state, one.ended_at or one.started_at, one.outcome)


@pytest.fixture
def url(tmp_path: Path) -> str:
    found = f"sqlite:///{tmp_path}/history.db"
    queries = (
        [replace(q, description="daily sales") for q in BEFORE[0].outcome.queries[:1]] if BEFORE[0].outcome else []
    )
    named = [
        replace(one, outcome=replace(one.outcome, queries=(replace(queries[0], duration_ms=q.duration_ms), *rest)))
        for one in (*BEFORE, *SINCE)
        if one.outcome
        for q, *rest in [one.outcome.queries]
    ]
    keep(found, *named)
    return found


def test_the_first_lines_tell_what_changed_what_it_would_have_cost_and_what_was_prevented(
    spark_tuner: Call, url: str
) -> None:
    result = spark_tuner("regressions", "etl")
    assert (result.code, result.err) == (0, "")
    first, *_ = result.out.splitlines()
    assert first == "etl: since 2026-01-04 00:00 UTC runs have Spark 4.0 instead of 3.5 (3 runs)"
    slower = (
        "without the tuner 1 of 2 queries would have got slower, by 9.5 s a run; its changes prevented 9.5 s of that"
    )
    assert slower in result.said
    assert "daily sales 10.5 s (2 runs) 20.0 s (1 run) 7.5 s (2 runs) 9.5 s" in result.said
    assert max(map(len, result.out.splitlines())) <= 100


def test_as_json(spark_tuner: Call, url: str) -> None:
    (point,) = json.loads(spark_tuner("regressions", "etl", "--json").out)["changes"]
    assert (point["run"], point["by"], point["difference"]) == ("etl/3/1", "cluster", "Spark 4.0 instead of 3.5")
    (query,) = point["queries"]
    assert (query["query"], query["name"], query["prevented_seconds"]) == ("q1", "daily sales", 9.5)
    assert query["without"] == {"seconds": 20.0, "least": 20.0, "most": 20.0, "runs": 1}


def test_where_nothing_changed_it_says_so(spark_tuner: Call, tmp_path: Path) -> None:
    other = f"sqlite:///{tmp_path}/other.db"
    keep(other, *BEFORE)
    result = spark_tuner("regressions", "etl", "--db", other)
    assert result.said == "etl: neither Spark nor its cluster nor the size of its data changed in 3 runs"
    assert json.loads(spark_tuner("regressions", "etl", "--db", other, "--json").out)["changes"] == []
    assert "no run of cohort 'none'" in spark_tuner("regressions", "none").err
