"""Whether a log tells the plan that adaptive execution came to in the end."""

from __future__ import annotations

import pytest

from tuner.model.application import Execution
from tuner.plan.last_plan import is_told, last_plan
from tuner.plan.node import build_tree

from .trees import parse

SCAN = "Scan parquet t | [k#1] | number of output rows=5; size of files read=90"
PLAN = f"""
AdaptiveSparkPlan | isFinalPlan=false
  HashAggregate | (keys=[k#1], functions=[count(1)]) | number of output rows=2
    Exchange | hashpartitioning(k#1, 4) | shuffle records written=5
      {SCAN}
"""
# Before Spark 3.1.
OLD = PLAN.replace("AdaptiveSparkPlan | ", "AdaptiveSparkPlan(isFinalPlan=false) | ")


def execution(first: str, last: str | None = None, *, end_ms: int | None = 9, error: str | None = None) -> Execution:
    info, accumulators = parse(first)
    ended = None if last is None else parse(last)[0]
    return Execution(1, 1, "", 1, end_ms, error, info, ended, {}, (0,), accumulators=accumulators)


def indented(plan: str) -> str:
    return "\n".join(f"  {line}" for line in plan.strip().splitlines())


@pytest.mark.parametrize(
    ("ran", "told"),
    [
        (execution(PLAN), False),
        (execution(OLD), False),
        (execution(PLAN, PLAN), False),
        (execution(PLAN, PLAN.replace("false", "true")), True),
        (execution(PLAN, OLD.replace("false", "true")), True),
        (execution(PLAN, end_ms=None), True),
        (execution(PLAN, error="boom"), True),
        (execution(f"AppendData | table\n{indented(PLAN)}"), False),
        (execution(f"InMemoryTableScan | [k#1]\n{indented(PLAN)}"), True),
        (execution(SCAN), True),
    ],
    ids=[
        *("none came", "none came before 3.1", "the last is lost", "it is there", "it is there before 3.1"),
        *("a query that goes on", "a query that failed", "below a command", "of a cache", "without AQE"),
    ],
)
def test_the_last_plan_says_that_it_is(ran: Execution, told: bool) -> None:
    assert is_told(ran) is told


def test_of_another_plan_nothing_is_counted_but_what_there_is_to_read() -> None:
    ran = execution(PLAN)
    assert ran.initial_plan is not None
    first = build_tree(ran.initial_plan, ran.accumulators)
    last = last_plan(ran, first)
    assert [node.name for node in last.walk()] == [node.name for node in first.walk()]
    assert [node.metrics for node in last.walk()] == [{}, {}, {"size of files read": 90}]
    assert [node.metric_ids for node in last.walk()] == [node.metric_ids for node in first.walk()]
