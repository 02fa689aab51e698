"""The agent filters one input of a join by the keys of the other where that changes no row, as far below as keys are there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from .agent_log import Steered, steered_executions

pytestmark = [pytest.mark.spark, pytest.mark.nightly]
_APP = Path(__file__).with_name("key_filter_app.py")

# Of 6,000 rows of sales. Of 30 kinds of items one is asked for, and an item without a key, whose hash one in thirteen sales has.
FEW = range(150, 700)
APPLIED = {
    "a join",
    "an input that is grouped by its keys",
    "an input that is grouped by others",
    "two inputs in one",
    "groups in a window",
    "first rows of groups",
    "first rows of a join",
    "equal keys of a join",
    "equal keys of another type",
    "equal keys of a test",
    "equal keys of sales that need none",
    "rows of a rank over all",
    "the first rows",
    "a test",
    "a test of pairs",
    "items without sales",
    "all items",
    "keys of two types",
    "a key that is a partition",
    "two keys",
    "keys of files that another API reads",
    "keys of partitions that a filter lists",
    "an input that may fail",
    "what prunes partitions of another input",
    "keys of partitions that others prune",
    "columns of a pivot",
    "one column of a pivot",
}
# There the filter stands above what makes one row depend on others.
ABOVE = {"an input that is grouped by others", "rows of a rank over all", "the first rows"}
ABOVE |= {"what prunes partitions of another input"}
# A list of what a join puts out hangs on how it joins, which the sizes of its inputs decide while it runs.
ABOVE_JOIN = {"first rows of a join", "what prunes partitions of another input"}
# Shops without sales come out of that join.
ABOVE_JOIN |= {"equal keys of sales that need none"}
ABOVE |= ABOVE_JOIN
REFUSED = {
    "a test that there is none": "the keys of the join are not columns of these relations",
    "all sales": "the keys of the join are not columns of these relations",
    "all of both": "the keys of the join are not columns of these relations",
    "keys of floating point": "a key of the join is computed",
    "groups of numbers that are equal and not written alike": "a key of the join is computed",
    "a key that is computed": "a key of the join is computed",
    "a key that may fail": "a filter could compute what may fail of other rows: cast",
    "a test of pairs that may fail": "a filter could compute what may fail of other rows: cast",
    "an element of an array": "a filter could compute what may fail of other rows: getarrayitem",
    "a source that may fail": "a filter could compute what may fail of other rows: cast",
    "keys of any rows": "its keys may be others when they are read again: LIMIT without ORDER BY",
    "keys of the first of those that tie": "its keys may be others when they are read again: row_number",
    "keys that are others each time": "its keys may be others when they are read again: LogicalRDD",
    "keys of partitions that are listed each time": "its keys may be others when they are read again: LogicalRelation",
    "nulls that are equal": "a key of the join is computed",
    "keys of partitions that the input prunes": "it prunes partitions of the other side",
    "nulls in NOT IN": "NOT IN looks at nulls, which have no key",
}


def test_rows_are_filtered_where_they_are_read_and_results_stay(
    agent_conf: dict[str, str], spark_submit: Callable[..., Path], tmp_path: Path
) -> None:
    conf = {
        **agent_conf,
        "spark.eventLog.compress": "false",
        "spark.sql.warehouse.dir": (tmp_path / "warehouse").as_uri(),
        "spark.tuner.agent.trace": "true",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.autoBroadcastJoinThreshold": "-1",
        "spark.sql.ansi.enabled": "false",
    }
    report = tmp_path / "report.json"
    logs = spark_submit(_APP, tmp_path / "tables", report, log_dir=tmp_path / "logs", conf=conf)
    same = json.loads(report.read_text(encoding="utf-8"))
    assert [name for name, is_same in same.items() if not is_same] == []
    found = {one.label.removeprefix("filtered: "): one for one in steered_executions(logs) if "filtered: " in one.label}
    outcomes = {name: next(iter(one.outcomes.values())) for name, one in found.items()}
    assert {name for name, (status, _) in outcomes.items() if status == "applied"} == APPLIED
    assert {name: reason for name, (status, reason) in outcomes.items() if status == "impossible"} == REFUSED
    read = {
        name: [
            node.metrics.get("number of output rows", 0)
            for node in one.ran.walk()
            if node.name == "Filter" and "might_contain" in node.text
        ]
        for name, one in found.items()
    }
    # Of partitions those are read that may have the keys.
    assert {name for name, rows in read.items() if rows} == APPLIED - {"a key that is a partition"}
    assert len(read["two inputs in one"]) == 2
    above_join = {
        name
        for name, one in found.items()
        for node in one.ran.walk()
        if "might_contain" in node.text and any("Join" in below.name for below in node.walk())
    }
    assert above_join == ABOVE_JOIN
    (partitioned,) = (
        n for n in found["a key that is a partition"].plan.walk() if "parts" in n.metadata.get("Location", "")
    )
    assert "might_contain" in partitioned.metadata["PartitionFilters"]
    below = APPLIED - ABOVE
    assert {name: rows for name, rows in read.items() if name in below and not all(n in FEW for n in rows)} == {}
    assert _partitions_read(found["what prunes partitions of another input"]) == _partitions_read(
        next(one for one in steered_executions(logs) if one.label == "plain: what prunes partitions of another input")
    )


def _partitions_read(one: Steered) -> list[int]:
    return [n.metrics["number of partitions read"] for n in one.ran.walk() if "parts" in n.metadata.get("Location", "")]
