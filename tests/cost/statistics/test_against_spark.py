"""Every filter of Spark's own optimised plans: the rows that it keeps, beside ours."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.cost.statistics import queries
from tuner.cost.statistics.column_statistics import ColumnStatistics
from tuner.cost.statistics.relation_statistics import RelationStatistics
from tuner.cost.statistics.rounding import share
from tuner.cost.statistics.selectivity import selectivity
from tuner.cost.statistics.table_statistics import TableStatistics, from_described, from_properties
from tuner.cost.statistics.types import Kind, read_value
from tuner.plan.condition import Unknown, read_condition
from tuner.plan.expression import split_top_level

pytestmark = [pytest.mark.spark]

FILTERS = queries.filters(150)
JOB = Path(__file__).parent / "estimates_job.py"
CONF = {
    "spark.sql.cbo.enabled": "true",
    "spark.sql.cbo.planStats.enabled": "true",
    "spark.sql.session.timeZone": queries.ZONE,
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.adaptive.enabled": "false",
    "spark.eventLog.enabled": "false",
}
COLUMN = re.compile(
    r"#(?P<id>\d+)L? -> ColumnStat\("
    + ",".join(rf"(?:None|Some\((?P<{n}>[^()]*)\))" for n in ("distinct", "min", "max", "nulls"))
    + r",[^,]*,[^,]*,None,\d+\)"
)


@pytest.fixture(scope="module")
def measured(spark_submit: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What Spark says of all filters."""
    root = tmp_path_factory.mktemp("estimates")
    work = {
        "setup": queries.SETUP,
        "tables": list(queries.TABLES),
        "queries": FILTERS,
    }
    (root / "queries.json").write_text(json.dumps(work), encoding="utf-8")
    spark_submit(JOB, root / "queries.json", root / "estimates.json", log_dir=root / "logs", conf=CONF)
    return dict(json.loads((root / "estimates.json").read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def tables(measured: dict[str, Any]) -> dict[str, TableStatistics]:
    return {name: from_properties(t["properties"], t["types"]) for name, t in measured["tables"].items()}


def test_described_columns_are_those_of_the_catalog(
    measured: dict[str, Any], tables: dict[str, TableStatistics]
) -> None:
    for name, table in tables.items():
        for column, described in measured["tables"][name]["described"].items():
            known = table.columns.get(column)
            # DESCRIBE prints timestamps in the session's time zone.
            if known is not None and known.kind is not Kind.TIMESTAMP:
                assert from_described(described) == known
    assert tables["facts"].columns["ts"].max == (978307200 + 999 * 3600) * 1_000_000
    assert tables["nothing_known"].rows is None
    assert tables["rows_only"].columns == {}


def test_filters_keep_the_rows_that_spark_says(measured: dict[str, Any]) -> None:
    filters = [node for plan in measured["plans"] for node in walk(plan) if node["node"] == "Filter"]
    compared = [(node, rows_kept(node)) for node in filters if node["children"][0]["rows"] is not None]
    wrong = [
        f"{node['details']}: {ours} rows here, {node['rows']} in Spark"
        for node, ours in compared
        if ours != node["rows"]
    ]
    assert not wrong, "\n".join(wrong[:5])
    assert len(compared) > 140


def test_filters_of_tables_are_estimated_from_their_statistics(
    measured: dict[str, Any], tables: dict[str, TableStatistics]
) -> None:
    scans = {
        node["details"]["table"]: node
        for plan in measured["plans"]
        for node in walk(plan)
        if node["node"] == "LogicalRelation"
    }
    assert scans.keys() == tables.keys()
    assert {name: tables[name].scanned(output(node)) for name, node in scans.items()} == {
        name: None if node["rows"] is None else spark_says(node) for name, node in scans.items()
    }


def test_conditions_of_plans_are_read(measured: dict[str, Any]) -> None:
    texts = [
        node["details"]["condition"] for plan in measured["plans"] for node in walk(plan) if node["node"] == "Filter"
    ]
    unread = [text for text in texts if isinstance(read_condition(text), Unknown)]
    # A flag by itself, and what a filter computes.
    assert all(re.fullmatch(r"\w+#\d+", text) for text in unread), unread
    assert len(texts) > 140


def rows_kept(node: dict[str, Any]) -> int:
    """Our estimate of a filter, from Spark's of what it reads."""
    child = spark_says(node["children"][0])
    kept = selectivity(child, read_condition(node["details"]["condition"]), zone=ZoneInfo(queries.ZONE))
    return min(share(child.rows, kept.value), child.rows)


def walk(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan["children"]:
        yield from walk(child)


def spark_says(plan: dict[str, Any]) -> RelationStatistics:
    types = {id_: type_ for _, id_, type_ in output(plan)}
    columns = {id_: ColumnStatistics(type_) for id_, type_ in types.items()}
    for found in COLUMN.finditer(plan["columns"]):
        if (id_ := int(found["id"])) in types:
            columns[id_] = column_stat(found, types[id_])
    return RelationStatistics(plan["rows"], columns, leaf=not plan["children"])


def output(plan: dict[str, Any]) -> list[tuple[str, int, str]]:
    """The columns an operator puts out: names, ids and types."""
    fields = split_top_level(plan["schema"].removeprefix("struct<").removesuffix(">"))
    named = [text.rpartition("#") for text in plan["output"]]
    return [
        (name, int(id_.rstrip("L")), field.rpartition(":")[2])
        for (name, _, id_), field in zip(named, fields, strict=True)
    ]


def column_stat(found: re.Match[str], type_: str) -> ColumnStatistics:
    """A column as ColumnStat prints it: dates as days, timestamps as microseconds."""
    as_number = {"date": "int", "timestamp": "bigint"}.get(type_, type_)
    ends = (read_value(found[end], as_number) if found[end] is not None else None for end in ("min", "max"))
    distinct, nulls = (int(found[name]) if found[name] is not None else None for name in ("distinct", "nulls"))
    return ColumnStatistics(type_, distinct, *ends, nulls)
