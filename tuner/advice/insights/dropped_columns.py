"""Insight: columns, or fields of nested ones, that a scan reads and nothing above it uses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tuner.advice.insights.columnar import is_columnar
from tuner.advice.insights.insight_facts import InsightFacts
from tuner.advice.insights.operator_text import operator_text
from tuner.model.change import Evidence
from tuner.model.insight import Insight, InsightKind
from tuner.plan.aggregate import AGGREGATES
from tuner.plan.expression import split_top_level
from tuner.plan.node import PlanNode
from tuner.plan.relation import scan_columns
from tuner.printable import identifier, listed
from tuner.spark.knobs import NESTED_SCHEMA_PRUNING

_PRINTS_ITS_OUTPUT = AGGREGATES | {"Project", "TakeOrderedAndProject"}
_USED = re.compile(r"#(\d+)L?(?!\d)(\.[A-Za-z_]\w*)?")


def dropped_columns(facts: InsightFacts) -> Iterator[Insight]:
    """File scans with columns, or fields of a struct, that no operator up to the next projection mentions. Spark reads structs
    whole from files that are not columnar."""
    for scan in facts.plan.scans():
        schema = scan.metadata.get("ReadSchema", "")
        if not schema.startswith("struct<") or "more fields" in schema or "..." in schema:
            continue
        used = _used_above(facts, scan)
        if used is None:
            continue
        read = {name.lower(): type_ for name, type_ in _fields(schema).items()}
        whole, nested = [], []
        for name, id_ in scan_columns(scan):
            type_ = read.get(name.lower())
            if type_ is None:
                continue  # a partition column: it costs nothing
            if id_ not in used:
                whole.append(identifier(name, 60))
            elif "" not in used[id_] and is_columnar(scan):
                nested += [f"{name}.{field}" for field in _fields(type_) if field.lower() not in used[id_]]
        if whole or nested:
            yield _insight(facts, scan, whole, [identifier(name, 60) for name in nested], len(read))


def _used_above(facts: InsightFacts, scan: PlanNode) -> Mapping[int, set[str]] | None:
    """The columns in use up to the next projection and the fields of each, "" for all; None where the texts do not tell."""
    used: dict[int, set[str]] = {}
    for above in facts.plan.above(scan):
        if "more fields" in above.text or above.name not in _PRINTS_ITS_OUTPUT | {"Filter"}:
            return None
        for number, field in _USED.findall(above.text):
            used.setdefault(int(number), set()).add(field[1:].lower())
        if above.name in _PRINTS_ITS_OUTPUT:
            return used
    return None


def _fields(type_: str) -> dict[str, str]:
    """The fields of `struct<a:int,b:struct<c:int>>` and their types; none of other types."""
    if not type_.startswith("struct<") or not type_.endswith(">"):
        return {}
    inner = type_.removeprefix("struct<")[:-1].replace("<", "[").replace(">", "]")
    parts = [part.partition(":") for part in split_top_level(inner)]
    return {name.strip("`"): kind.replace("[", "<").replace("]", ">") for name, _, kind in parts}


def _insight(facts: InsightFacts, scan: PlanNode, whole: list[str], nested: list[str], read: int) -> Insight:
    plan = facts.plan
    scan_ms = scan.metrics.get("scan time", 0)
    names = [*whole, *nested]
    to_set = NESTED_SCHEMA_PRUNING.property if nested and not facts.settings[NESTED_SCHEMA_PRUNING] else ""
    return facts.insight(
        InsightKind.DROPPED_COLUMNS,
        operator_text(plan, scan),
        facts.scan_seconds(scan, scan_ms),
        Evidence("columns read", read, "columns"),
        Evidence("columns or fields dropped unused", len(names), "columns", listed(names)),
        Evidence("rows read", plan.rows(scan) or 0, "rows"),
        Evidence("files", scan.metrics.get("size of files read", 0), "bytes"),
        Evidence("scan, in all tasks", scan_ms / 1e3, "seconds"),
        columns=listed(names),
        count=len(names),
        property=to_set,
    )
