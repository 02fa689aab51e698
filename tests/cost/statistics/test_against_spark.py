"""Every estimate of Spark's own optimised plans, operator by operator, beside ours."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.cost.statistics import queries
from tuner.cost.statistics.aggregates import aggregated
from tuner.cost.statistics.column import ColumnStatistics
from tuner.cost.statistics.filters import filtered
from tuner.cost.statistics.joins import equal_keys, joined
from tuner.cost.statistics.projections import Output, limited, projected, sampled, skipped, united
from tuner.cost.statistics.relation import Statistics, bytes_alone
from tuner.cost.statistics.table import UNKNOWN_BYTES, TableStatistics, from_described, from_properties
from tuner.cost.statistics.types import Kind, read_value
from tuner.model.strategy import JoinType
from tuner.plan.condition import Unknown, read_condition
from tuner.plan.expression import alias, single_attribute, split_top_level

pytestmark = [pytest.mark.spark, pytest.mark.slow]

GROUPS = {
    "filters": queries.filters(150),
    "joins": queries.joins(75),
    "aggregates": queries.aggregates(30),
    "others": queries.others(),
}
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
    + ",".join(rf"(?:None|Some\((?P<{n}>[^()]*)\))" for n in ("distinct", "min", "max", "nulls", "average", "longest"))
    + r",None,\d+\)"
)


@pytest.fixture(scope="module")
def measured(spark_submit: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What Spark says of all queries."""
    root = tmp_path_factory.mktemp("estimates")
    work = {
        "setup": queries.SETUP,
        "tables": list(queries.TABLES),
        "queries": [query for group in GROUPS.values() for query in group],
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


@pytest.mark.parametrize("group", GROUPS)
def test_estimates_are_those_of_spark(measured: dict[str, Any], tables: dict[str, TableStatistics], group: str) -> None:
    start = sum(len(GROUPS[name]) for name in list(GROUPS)[: list(GROUPS).index(group)])
    agreed: Counter[str] = Counter()
    compared: Counter[str] = Counter()
    wrong: defaultdict[str, list[str]] = defaultdict(list)
    for query, plan in zip(GROUPS[group], measured["plans"][start:], strict=False):
        for operator, differences in compare(plan, tables):
            compared[operator] += 1
            agreed[operator] += not differences
            if differences:
                wrong[operator].append(f"{query}: {differences}")
    print({operator: f"{agreed[operator]}/{count}" for operator, count in compared.items()})
    assert not wrong, "\n".join(line for lines in wrong.values() for line in lines[:5])
    assert sum(compared.values()) > len(GROUPS[group])


def test_whole_plans_are_estimated_from_the_statistics_of_tables(
    measured: dict[str, Any], tables: dict[str, TableStatistics]
) -> None:
    wrong = [
        (plan, ours.rows)
        for plan in measured["plans"]
        if (ours := whole(plan, tables)).rows != plan["rows"]
        # Of a table that was never analysed Spark looks up the files.
        or (ours.bytes != plan["bytes"] and "nothing_known" not in json.dumps(plan))
    ]
    assert not wrong, wrong[:3]


def whole(plan: dict[str, Any], tables: Mapping[str, TableStatistics]) -> Statistics:
    """Our estimate of a plan from our estimates of its parts."""
    return estimate(plan, [whole(child, tables) for child in plan["children"]], tables) or spark_says(plan)


def test_conditions_of_plans_are_read(measured: dict[str, Any]) -> None:
    texts = [
        node["details"]["condition"] for plan in measured["plans"] for node in walk(plan) if node["node"] == "Filter"
    ]
    unread = [text for text in texts if isinstance(read_condition(text), Unknown)]
    # A flag by itself, and what a filter computes.
    assert all(re.fullmatch(r"\w+#\d+", text) for text in unread), unread
    assert len(texts) > 300


def walk(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan["children"]:
        yield from walk(child)


def compare(plan: dict[str, Any], tables: Mapping[str, TableStatistics]) -> Iterator[tuple[str, list[str]]]:
    """Each operator of a plan, with what differs when it is estimated from Spark's estimates of its children."""
    for child in plan["children"]:
        yield from compare(child, tables)
    ours = estimate(plan, [spark_says(child) for child in plan["children"]], tables)
    spark = spark_says(plan)
    if ours is None:
        return
    differences = [
        f"{plan['node']} {plan['details']}: {name} {a} here, {b} in Spark"
        for name, a, b in (("rows", ours.rows, spark.rows), ("bytes", ours.bytes, spark.bytes))
        # Of a table that was never analysed Spark looks up the files.
        if a != b and a != UNKNOWN_BYTES
    ]
    differences += [
        f"{plan['node']} {plan['details']}: column {id_} {ours.columns.get(id_)} here, {column} in Spark"
        for id_, column in spark.columns.items()
        if column != ours.columns.get(id_)
    ]
    yield plan["node"] + plan["details"].get("type", ""), differences


def spark_says(plan: dict[str, Any]) -> Statistics:
    types = {id_: type_ for _, id_, type_ in output(plan)}
    columns = {id_: ColumnStatistics(type_) for id_, type_ in types.items()}
    for found in COLUMN.finditer(plan["columns"]):
        if (id_ := int(found["id"])) in types:
            columns[id_] = column_stat(found, types[id_])
    # Spark keeps unique columns apart from its estimates.
    ours = estimate(plan, [spark_says(child) for child in plan["children"]], {})
    unique = ours.unique if ours else frozenset[frozenset[int]]()
    return Statistics(plan["rows"], plan["bytes"], columns, unique, leaf=not plan["children"])


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
    distinct, nulls, average, longest = (
        int(found[name]) if found[name] is not None else None for name in ("distinct", "nulls", "average", "longest")
    )
    return ColumnStatistics(type_, distinct, *ends, nulls, average, longest)


def estimate(
    plan: dict[str, Any], children: list[Statistics], tables: Mapping[str, TableStatistics]
) -> Statistics | None:
    """Our estimate of an operator; None of one that is left to Spark."""
    if plan["node"] == "LogicalRelation":
        return tables[plan["details"]["table"]].scanned(output(plan)) if tables else None
    return ESTIMATORS[plan["node"]](plan, *children) if plan["node"] in ESTIMATORS else None


def aggregate(plan: dict[str, Any], child: Statistics) -> Statistics:
    grouping = [found[1] if (found := single_attribute(text)) else None for text in plan["details"]["grouping"]]
    return aggregated(child, grouping, outputs(plan))


def union(plan: dict[str, Any], *children: Statistics) -> Statistics:
    return united(children, [Output(id_, type_) for _, id_, type_ in output(plan)])


def window(plan: dict[str, Any], child: Statistics) -> Statistics:
    return bytes_alone(child, {id_: ColumnStatistics(type_) for _, id_, type_ in output(plan)})


def join(plan: dict[str, Any], left: Statistics, right: Statistics) -> Statistics:
    condition = read_condition(plan["details"]["condition"] or "true")
    kind = plan["details"]["type"]
    if kind == "RightOuter":
        left, right, kind = right, left, "LeftOuter"
    return joined(left, right, JoinType(kind), equal_keys(condition, left, right))


def outputs(plan: dict[str, Any]) -> list[Output]:
    """The columns of a projection or an aggregate, as printed."""
    found = []
    for text, (_, id_, type_) in zip(plan["details"]["output"], output(plan), strict=True):
        renamed = alias(text)
        expression = renamed[0] if renamed else text
        column = single_attribute(expression) if not expression.startswith("cast(") else None
        literal = expression if re.fullmatch(r"-?\d+|text|null", expression) else None
        found.append(Output(id_, type_, column[1] if column else None, literal))
    return found


ESTIMATORS: dict[str, Callable[..., Statistics]] = {
    "Filter": lambda plan, child: filtered(
        child, read_condition(plan["details"]["condition"]), zone=ZoneInfo(queries.ZONE)
    ),
    "Join": join,
    "Aggregate": aggregate,
    "Project": lambda plan, child: projected(child, outputs(plan)),
    "GlobalLimit": lambda plan, child: limited(child, plan["details"]["limit"]),
    "Offset": lambda plan, child: skipped(child, plan["details"]["offset"]),
    "Sample": lambda plan, child: sampled(
        child, plan["details"]["fraction"], replacement=plan["details"]["replacement"]
    ),
    "Union": union,
    "Sort": lambda plan, child: child,
    "Window": window,
}
