"""Queries as a log measured them, written as plans in text: each part between shuffles is a stage of ten seconds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

import msgspec

from tests.advice.joins import query
from tests.plan.trees import plan
from tuner.advice.insights.insight_facts import InsightFacts
from tuner.model.application import Stage
from tuner.model.insight import Insight
from tuner.plan.node import PlanNode
from tuner.plan.sides import SHUFFLES

Rule = Callable[[InsightFacts], Iterable[Insight]]

WALL_MS, RUN_MS, TASKS = 10_000, 20_000, 4
_WRITTEN = ("shuffle bytes written", "shuffle records written", "shuffle write time", "data size")
_METADATA = re.compile(
    r"\b(Format|ReadSchema|PartitionFilters|PushedFilters|DataFilters): (\[[^\]]*\]|struct<\S*>|\w+)"
)


def facts(
    text: str,
    *,
    conf: Mapping[str, str] | None = None,
    logical_plan: str | None = None,
    description: str = "",
    seconds: float = 60.0,
    **stage: int,
) -> InsightFacts:
    """The query that a plan's text describes, of a minute. `stage` says otherwise of each of its stages."""
    root = with_metadata(plan(text))
    stages = tuple(replace(one, **stage) for one in _stages(root))  # type: ignore[arg-type]
    of = query(seconds=seconds, fingerprint="q1", description=description)
    return InsightFacts(of, root, root, stages, conf or {}, "4.3.0", logical_plan)


def with_metadata(node: PlanNode) -> PlanNode:
    """The plan with what a scan's text says of it as its metadata, as the log has both."""
    shown = dict(_METADATA.findall(node.text))
    children = tuple(map(with_metadata, node.children))
    return msgspec.structs.replace(node, children=children, metadata={**node.metadata, **shown})


def _stages(root: PlanNode) -> Iterator[Stage]:
    waiting = [(root, 0)]
    accumulators: dict[int, set[int]] = {}
    stages = 1
    while waiting:
        node, number = waiting.pop()
        below = number
        if node.name in SHUFFLES or node.name == "BroadcastExchange":
            below, stages = stages, stages + 1
        for name, id_ in node.metric_ids.items():
            made_below = name in _WRITTEN or node.name == "BroadcastExchange"
            accumulators.setdefault(below if made_below else number, set()).add(id_)
        if node.name != "ReusedExchange":
            waiting.extend((child, below) for child in node.children)
    for number, ids in sorted(accumulators.items()):
        yield stage_of(number, frozenset(ids))


def stage_of(number: int, accumulators: frozenset[int] = frozenset()) -> Stage:
    return Stage(
        stage_id=number,
        attempt=0,
        execution_id=0,
        tasks=TASKS,
        completed_tasks=TASKS,
        failed_tasks=0,
        killed_tasks=0,
        submitted_ms=0,
        completed_ms=WALL_MS,
        failure=None,
        executor_run_time_ms=RUN_MS,
        executor_cpu_time_ns=0,
        input_bytes=0,
        input_records=0,
        shuffle_read_bytes=0,
        shuffle_read_records=0,
        shuffle_write_bytes=0,
        shuffle_write_records=0,
        memory_spilled_bytes=0,
        disk_spilled_bytes=0,
        output_bytes=0,
        output_records=0,
        accumulator_ids=accumulators,
        longest_task_ms=RUN_MS // TASKS,
    )


def only(rule: Rule, given: InsightFacts) -> Insight:
    (found,) = rule(given)
    assert found.evidence and not found.reason and not found.change
    assert 0 <= found.seconds <= given.query_seconds
    return found


def values(insight: Insight) -> dict[str, float]:
    return {e.what: e.value for e in insight.evidence}


def joined(kind: str, left: int, right: int, out: int, above: str = "", operator: str = "SortMergeJoin") -> str:
    """Orders o joined with customers c, below the operators that `above` holds, a line each."""
    tops = [line.strip() for line in above.strip().splitlines()]
    indented = [f"{'  ' * n}{line}" for n, line in enumerate(tops)]
    pad = "  " * len(tops)
    build = ", BuildRight" if operator.startswith("Broadcast") else ""
    return "\n".join(
        [
            *indented,
            f"{pad}{operator} | [c#1], [c#11], {kind}{build} | number of output rows={out}",
            f"{pad}  Scan parquet db.orders | [c#1,amount#2] | number of output rows={left}",
            f"{pad}  Scan parquet db.customers | [c#11,name#12] | number of output rows={right}",
        ]
    )


def with_key(name: str, text: str) -> str:
    """The text of `joined`, where orders' key has this name."""
    return text.replace("[c#1]", f"[{name}#1]").replace("[c#1,", f"[{name}#1,")


def grouped(operator: str, metrics: str, functions: str = "sum(amount#2)") -> str:
    return f"""
        {operator} | (keys=[c#1], functions=[{functions}]) | number of output rows=4000; {metrics}
          Exchange | hashpartitioning(c#1, 4) | shuffle records written=9000
            Scan parquet db.orders | [c#1,amount#2] | number of output rows=9000
    """
