"""Aggregates as measured: halves, and signatures that outlive a run."""

from __future__ import annotations

import pytest

from tests.advice.insights.plans import facts
from tuner.model.query import AggregateSite
from tuner.plan.aggregate_sites import find_aggregates

METRICS = "number of output rows={rows}; number of sort fallback tasks={fallen}; spill size=70"
SCAN = "Scan parquet db.sales | [day#1, k#2, amount#3] | number of output rows=1000"
EXCHANGE = "Exchange | hashpartitioning(k#2, 8), ENSURE_REQUIREMENTS | data size=640; shuffle bytes written=100"


def sites(text: str) -> tuple[AggregateSite, ...]:
    return find_aggregates(facts(text).plan)


def aggregation(
    operator: str = "HashAggregate", keys: str = "k#2", function: str = "sum(amount#3)", fallen: int = 2
) -> str:
    return f"""
        {operator} | (keys=[{keys}], functions=[{function}]) | {METRICS.format(rows=10, fallen="")}
          {EXCHANGE}
            {operator} | (keys=[{keys}], functions=[partial_{function}]) | {METRICS.format(rows=40, fallen=fallen)}
              {SCAN}
    """


def test_both_halves_of_an_aggregation() -> None:
    final, partial = sites(aggregation())
    assert (final.partial, partial.partial) == (False, True)
    assert (final.input_rows, final.output_rows) == (40, 10)
    assert (partial.input_rows, partial.output_rows, partial.shuffle_bytes) == (1000, 40, 640)
    assert (final.shuffle_bytes, final.fallback_tasks, partial.fallback_tasks) == (640, 0, 2)
    assert (partial.tasks, partial.seconds, partial.spilled_bytes) == (4, 10.0, 70)
    assert final.grouped and partial.grouped


def test_before_3_2_nothing_counts_the_tasks_that_fell_back() -> None:
    text = (
        aggregation().replace("number of sort fallback tasks=2; ", "").replace("number of sort fallback tasks=; ", "")
    )
    assert [site.fallback_tasks for site in sites(text)] == [None, None]


def test_the_signature_is_the_same_for_both_halves_and_in_every_run() -> None:
    other_ids = aggregation().replace("#2", "#102").replace("#3", "#103").replace("#1", "#11")
    same = {s.signature for text in (aggregation(), other_ids, aggregation("SortAggregate")) for s in sites(text)}
    assert len(same) == 1


@pytest.mark.parametrize(
    "other",
    [aggregation(keys="day#1"), aggregation(function="max(amount#3)"), aggregation().replace("sales", "returns")],
    ids=["keys", "function", "relation"],
)
def test_another_aggregation_has_another_signature(other: str) -> None:
    assert {s.signature for s in sites(other)}.isdisjoint(s.signature for s in sites(aggregation()))


def test_literals_are_no_part_of_a_signature() -> None:
    monday, sunday = (
        aggregation(function=f"sum(CASE WHEN (day#1 = {day}) THEN amount#3 END)") for day in ("Monday", "Sunday")
    )
    assert sites(monday)[0].signature == sites(sunday)[0].signature


def test_without_keys_there_is_one_group() -> None:
    assert [s.grouped for s in sites(aggregation(keys=""))] == [False] * 2


def test_distinct_values_are_an_aggregation_without_functions() -> None:
    final, partial = sites(
        f"""
        HashAggregate | (keys=[k#2], functions=[]) | {METRICS.format(rows=10, fallen="")}
          {EXCHANGE}
            HashAggregate | (keys=[k#2], functions=[]) | {METRICS.format(rows=40, fallen="")}
              {SCAN}
        """
    )
    assert (final.partial, partial.partial) == (False, True)


def test_what_is_below_a_reused_exchange_ran_once() -> None:
    reused = f"""
        Union
          {EXCHANGE}
            HashAggregate | (keys=[k#2], functions=[partial_sum(amount#3)]) | {METRICS.format(rows=40, fallen="")}
              {SCAN}
          ReusedExchange | [k#5, sum#6L], Exchange hashpartitioning(k#2, 8)
            {EXCHANGE}
              HashAggregate | (keys=[k#2], functions=[partial_sum(amount#3)]) | {METRICS.format(rows=40, fallen="")}
                {SCAN}
    """
    assert len(sites(reused)) == 1
