"""Plans made to be slow, to break a rule or to steer a terminal: looked at in little time, in words that are safe."""

from __future__ import annotations

import time
from itertools import count

import pytest

from tests.advice.joins import query
from tests.plan.test_hostile_texts import LENGTH, PARTS
from tuner.advice.insights.insight_facts import InsightFacts
from tuner.advice.insights.insights import RULES, insights
from tuner.model.application import MetricInfo, PlanInfo
from tuner.model.insight import Insight
from tuner.plan.node import build_tree
from tuner.words.insights import insight_change, insight_reason

from .plans import stage_of

# What the rules look for stands at the start, so that they read on.
OPERATORS = {
    "SortMergeJoin": "[a#1], [b#2], LeftOuter ",
    "BroadcastNestedLoopJoin": "BuildRight, Inner, (a#1 < b#2) ",
    "CartesianProduct": "",
    "Filter": "(isnotnull(a#1) AND (cast(a#1 as string) = 5)) ",
    "SortAggregate": "(key=[a#1], functions=[max(a#1)]) ",
    "HashAggregate": "(keys=[a#1], functions=[count(distinct b#2)]) ",
    "ObjectHashAggregate": "(keys=[a#1], functions=[collect_set(b#2, 0, 0)]) ",
    "Expand": "[[a#1, 1]], [a#1, gid#5] ",
    "BatchEvalPython": "[f(a#1)#3], [pythonUDF0#4] ",
    "Project": "[a#1 AS b#2] ",
    "Exchange": "hashpartitioning(a#1, 5) ",
    "Window": "[a#1], [b#2] ",
}
METRICS = (
    "number of output rows",
    "sort time",
    "spill size",
    "scan time",
    "number of partitions read",
    "number of files read",
)
PUSHED = " PushedFilters: [], PartitionFilters: [] "


def operator(name: str, text: str, numbers: count[int], *children: PlanInfo, **metadata: str) -> PlanInfo:
    metrics = tuple(MetricInfo(metric, next(numbers)) for metric in METRICS)
    return PlanInfo(name, f"{name} {text}", children, metadata, metrics)


def told(name: str, part: str) -> list[Insight]:
    """What all rules say of an operator and its scans whose texts go on with `part`, again and again."""
    text = (part * LENGTH)[:LENGTH]
    numbers = count(1)
    metadata = {
        "PushedFilters": "[]",
        "PartitionFilters": "[]",
        "ReadSchema": f"struct<a:int,{text}>",
        "Format": "Parquet",
    }
    scans = [operator(f"Scan parquet {text[:200]}", f"[a#1]{PUSHED}{text}", numbers, **metadata) for _ in range(2)]
    sides = scans if name.endswith(("Join", "Product")) else scans[:1]
    middle = operator(name, OPERATORS[name] + text, numbers, *sides)
    top = operator("Project", "[a#1]", numbers, operator("Filter", f"(a#1 > 5){text}", numbers, middle))
    accumulators = dict.fromkeys(range(1, next(numbers)), 200000)
    root = build_tree(top, accumulators)
    of = query(seconds=60, description=text[:200])
    given = InsightFacts(
        of, root, root, (stage_of(0, frozenset(accumulators)),), logical_plan=f"Join Inner, {text}Hint=(strategy="
    )
    return [insight for rule in RULES for insight in rule(given)]


@pytest.mark.parametrize("name", OPERATORS)
def test_texts_of_any_kind(name: str) -> None:
    began = time.process_time()
    for part in PARTS:
        for insight in told(name, part):
            words = f"{insight.operator}{insight_reason(insight)}{insight_change(insight)}"
            assert words.isprintable() and len(words) < 2_000
    assert time.process_time() - began < 20


def test_a_plan_that_takes_long_to_look_at_is_not_looked_at() -> None:
    scan = PlanInfo("Scan parquet db.t", "Scan parquet db.t [a#1]")
    plan = scan
    for _ in range(3_000):
        plan = PlanInfo("SortMergeJoin", "SortMergeJoin [a#1], [a#1], LeftOuter" + " a#1" * 10, (plan, scan))
    root = build_tree(plan, {})
    began = time.process_time()
    assert insights(InsightFacts(query(seconds=60), root, root)) == ()
    assert time.process_time() - began < 5
