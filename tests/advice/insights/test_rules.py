"""Each insight on small plans: what provokes it, and what looks like it and is none."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from tuner.advice.insights.distinct_aggregate import distinct_aggregates
from tuner.advice.insights.dropped_columns import dropped_columns
from tuner.advice.insights.duplicate_subplan import duplicate_subplans
from tuner.advice.insights.hash_fallback import hash_fallbacks
from tuner.advice.insights.ignored_hint import ignored_hints
from tuner.advice.insights.insight_facts import InsightFacts
from tuner.advice.insights.nested_loop_join import nested_loop_joins
from tuner.advice.insights.object_hash_fallback import object_hash_fallbacks
from tuner.advice.insights.outer_join import outer_joins
from tuner.advice.insights.partial_aggregate import partial_aggregates
from tuner.advice.insights.skew import skewed_stages
from tuner.advice.insights.small_files import small_files
from tuner.advice.insights.sort_aggregate import sort_aggregates
from tuner.advice.insights.spill import spills
from tuner.advice.insights.unpruned_partitions import unpruned_partitions
from tuner.advice.insights.unpushed_filter import unpushed_filters
from tuner.advice.insights.unused_outer_join import unused_outer_joins
from tuner.model.insight import Insight

from .plans import facts

Rule = Callable[[InsightFacts], Iterable[Insight]]


def only(rule: Rule, given: InsightFacts) -> Insight:
    (found,) = rule(given)
    assert found.evidence and found.reason and found.change
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


@pytest.mark.parametrize(
    ("left", "right", "out", "smaller"),
    [(1000, 100, 1000, "left outer"), (100, 1000, 1000, "right outer"), (1000, 1000, 1000, "inner")],
)
def test_a_full_outer_join_that_put_out_one_sides_rows_matched_every_row_of_the_other(
    left: int, right: int, out: int, smaller: str
) -> None:
    found = only(outer_joins, facts(joined("FullOuter", left, right, out)))
    assert f"write a {smaller} join" in found.change and "not proven" in found.change
    assert found.operator == "SortMergeJoin of orders with customers"
    assert values(found)["rows out"] == out
    assert found.seconds == 10


HAVING = "Filter | (isnotnull(s#20L) AND (s#20L > 10)) | number of output rows=400"
SUM = "HashAggregate | (keys=[c#1], functions=[sum({of})]) | number of output rows=500"
PARTIAL = "HashAggregate | (keys=[c#1], functions=[partial_sum({of})]) | number of output rows=500"


def aggregated(of: str, having: str = HAVING, total: str = SUM, partial: str = PARTIAL) -> str:
    lines = (having, total, "Exchange | hashpartitioning(c#1, 4) | shuffle records written=500", partial)
    return "\n".join(lines).replace("{of}", of)


UDF = """
    Filter | (pythonUDF0#31L > 10) | number of output rows=300
    BatchEvalPython | [f({of})#30L], [pythonUDF0#31L] | number of output rows=1000
"""
COUNT = SUM.replace("sum(", "count("), PARTIAL.replace("sum(", "count(")


@pytest.mark.parametrize(
    ("kind", "above", "hidden"),
    [
        pytest.param("LeftOuter", aggregated("name#12"), "aggregate", id="HAVING sum of the right side"),
        pytest.param("RightOuter", aggregated("amount#2"), "aggregate", id="HAVING sum of the left side"),
        pytest.param("LeftOuter", UDF.replace("{of}", "name#12"), "UDF", id="a Python UDF of the right side"),
        pytest.param("LeftOuter", aggregated("name#12", HAVING, *COUNT), "aggregate", id="HAVING count > 10"),
    ],
)
def test_an_outer_join_below_a_filter_that_catalyst_cannot_see_through(kind: str, above: str, hidden: str) -> None:
    found = only(outer_joins, facts(joined(kind, 1000, 100, 1000, above)))
    assert hidden in found.reason
    assert "inner join" in found.change and "no proof" in found.change
    assert values(found)["rows after it"] in (300, 400)


IS_NULL = "Filter | isnull(name#12) | number of output rows=10"
AT_LEAST = HAVING.replace("(s#20L > 10)", "(s#20L >= 0)").replace("isnotnull(s#20L) AND ", "")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(joined("FullOuter", 1000, 100, 1050), id="both sides had rows without a partner"),
        pytest.param(joined("FullOuter", 1000, 0, 1000), id="a side is empty"),
        pytest.param(joined("LeftOuter", 1000, 100, 1000), id="rows of a left outer join do not tell"),
        pytest.param(joined("Inner", 1000, 100, 1000, aggregated("name#12")), id="no outer join"),
        pytest.param(joined("LeftOuter", 1000, 100, 1000, IS_NULL), id="an anti join in other words"),
        pytest.param(joined("LeftOuter", 1000, 100, 1000, aggregated("amount#2")), id="a sum of the side that stays"),
        pytest.param(joined("LeftOuter", 1000, 100, 1000, aggregated("name#12 + amount#2")), id="of both sides"),
        pytest.param(
            joined("LeftOuter", 1000, 100, 1000, UDF.replace("{of}", "amount#2")), id="a UDF of the kept side"
        ),
        pytest.param(joined("LeftOuter", 1000, 100, 1000, aggregated("name#12", AT_LEAST, *COUNT)), id="count >= 0"),
        pytest.param(
            joined(
                "LeftOuter", 1000, 100, 1000, aggregated("name#12", "Filter | (c#1 > 10) | number of output rows=4")
            ),
            id="a filter on the key, which Catalyst pushes down",
        ),
        pytest.param(
            joined(
                "LeftOuter", 1000, 100, 1000, "Filter | ((name#12 > 5) OR isnull(amount#2)) | number of output rows=9"
            ),
            id="a filter that keeps some nulls",
        ),
    ],
)
def test_outer_joins_that_are_left_alone(text: str) -> None:
    assert not list(outer_joins(facts(text)))


def test_an_outer_join_of_which_nothing_is_used() -> None:
    text = """
        HashAggregate | (keys=[amount#2], functions=[partial_count(1)]) | number of output rows=9
          Project | [amount#2]
            SortMergeJoin | [c#1], [c#11], LeftOuter | number of output rows=1000
              Sort | [c#1 ASC NULLS FIRST], false, 0 | sort time=100
                Exchange | hashpartitioning(c#1, 4) | shuffle records written=1000; shuffle bytes written=5
                  Scan parquet db.orders | [c#1,amount#2] | number of output rows=1000
              Sort | [c#11 ASC NULLS FIRST], false, 0 | sort time=10000
                Exchange | hashpartitioning(c#11, 4) | shuffle records written=90000; shuffle bytes written=5
                  Scan parquet db.customers | [c#11] | number of output rows=90000
    """
    found = only(unused_outer_joins, facts(text))
    assert "no column of customers is used" in found.reason
    # The stage that shuffles customers, and their sort's half of the time of the stage that joins.
    assert found.seconds == 15
    assert values(found)["rows read to be joined"] == 90_000


KEEPS_AMOUNT = "Project | [amount#2]"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(joined("LeftOuter", 1000, 100, 1001, KEEPS_AMOUNT), id="it multiplied a row"),
        pytest.param(joined("Inner", 1000, 100, 1000, KEEPS_AMOUNT), id="an inner join may drop rows"),
        pytest.param(joined("LeftOuter", 1000, 100, 1000, "Project | [amount#2, name#12]"), id="a column is used"),
        pytest.param(
            joined("LeftOuter", 1000, 100, 1000, "Project | [upper(name#12) AS n#5]"), id="a column is used in"
        ),
        pytest.param(joined("LeftOuter", 1000, 100, 1000), id="all columns go out"),
        pytest.param(joined("LeftOuter", 1000, 100, 1000, "Project | [amount#2, n#99]"), id="of unknown origin"),
        pytest.param(joined("LeftOuter", 1000, 100, 1000, "Project | [a#2, ... 3 more fields]"), id="cut short"),
        pytest.param(
            joined("LeftOuter", 1000, 100, 1000, f"{KEEPS_AMOUNT}\nFilter | isnull(name#12) | number of output rows=5"),
            id="a filter asks for it",
        ),
    ],
)
def test_outer_joins_that_are_used(text: str) -> None:
    assert not list(unused_outer_joins(facts(text)))


def nested(condition: str, left: int = 5000, right: int = 2000, kind: str = "Inner", out: int = 70) -> str:
    return f"""
        BroadcastNestedLoopJoin | BuildRight, {kind}, {condition} | number of output rows={out}
          Scan parquet db.orders | [c#1,amount#2] | number of output rows={left}
          BroadcastExchange | IdentityBroadcastMode | number of output rows={right}
            Scan parquet db.rates | [low#11,high#12] | number of output rows={right}
    """


def test_a_nested_loop_join_tells_its_pairs() -> None:
    found = only(nested_loop_joins, facts(nested("((amount#2 > low#11) AND (amount#2 < high#12))")))
    assert values(found)["pairs of rows"] == 10_000_000
    assert "no equality" in found.reason and "amount, low, high" in found.change
    assert found.operator == "BroadcastNestedLoopJoin of orders with rates"


@pytest.mark.parametrize(
    ("text", "change"),
    [
        (nested("((c#1 = low#11) OR (c#1 = high#12))"), "split the OR"),
        (nested("((c#1 = low#11) OR isnull((c#1 = low#11)))", kind="LeftAnti"), "NOT EXISTS"),
        (nested(""), "equal keys"),
    ],
)
def test_what_to_do_about_a_nested_loop(text: str, change: str) -> None:
    assert change in only(nested_loop_joins, facts(text)).change


def test_a_cartesian_products_tasks_read_their_parts_anew() -> None:
    text = """
        CartesianProduct | | number of output rows=500000
          Scan parquet db.a | [x#1] | number of output rows=1000
          Scan parquet db.b | [y#2] | number of output rows=2000
    """
    assert values(only(nested_loop_joins, facts(text)))["pairs of rows"] == 1000 * 2000 / 4


@pytest.mark.parametrize("text", [nested("(amount#2 > low#11)", right=1), nested("(amount#2 > low#11)", left=0)])
def test_a_lookup_in_a_row_or_two_is_no_product(text: str) -> None:
    assert not list(nested_loop_joins(facts(text)))


LOGICAL = """Project [c#1]
+- Join LeftOuter, (c#1 = c#11), {hint}, Statistics(sizeInBytes=1.0 B)
   :- Relation [c#1] parquet
   +- Relation [c#11] parquet"""


@pytest.mark.parametrize(
    ("hint", "operator", "why"),
    [
        ("leftHint=(strategy=broadcast)", "SortMergeJoin", "cannot build the left side of a left outer join"),
        ("leftHint=(strategy=broadcast)", "BroadcastHashJoin", "cannot build the left side of a left outer join"),
        ("rightHint=(strategy=shuffle_hash)", "SortMergeJoin", "could not follow"),
        ("rightHint=(strategy=merge)", "BroadcastHashJoin", "could not follow"),
    ],
)
def test_a_hint_of_the_logical_plan_that_the_join_did_not_follow(hint: str, operator: str, why: str) -> None:
    given = facts(joined("LeftOuter", 9, 9, 9, operator=operator), logical_plan=LOGICAL.replace("{hint}", hint))
    assert why in only(ignored_hints, given).reason


@pytest.mark.parametrize(
    "given",
    [
        facts(
            joined("LeftOuter", 9, 9, 9, operator="BroadcastHashJoin"),
            logical_plan=LOGICAL.replace("{hint}", "rightHint=(strategy=broadcast)"),
        ),
        facts(joined("LeftOuter", 9, 9, 9), logical_plan=LOGICAL.replace("{hint}", "rightHint=(strategy=merge)")),
        facts(joined("LeftOuter", 9, 9, 9), logical_plan=LOGICAL.replace("{hint}, ", "")),
        facts(joined("LeftOuter", 9, 9, 9)),
        facts(joined("Inner", 9, 9, 9), description="SELECT /*+ BROADCAST(x) */ * FROM orders"),
    ],
)
def test_hints_that_were_followed_or_of_which_the_log_does_not_tell(given: InsightFacts) -> None:
    assert not list(ignored_hints(given))


def test_a_hint_in_sql_that_is_the_description() -> None:
    sql = "SELECT /*+ BROADCAST(customers) */ * FROM orders JOIN customers USING (c)"
    assert "the SQL asks for it" in only(ignored_hints, facts(joined("Inner", 9, 9, 9), description=sql)).reason
    followed = facts(joined("Inner", 9, 9, 9, operator="BroadcastHashJoin"), description=sql)
    assert not list(ignored_hints(followed))


def grouped(operator: str, metrics: str, functions: str = "sum(amount#2)") -> str:
    return f"""
        {operator} | (keys=[c#1], functions=[{functions}]) | number of output rows=4000; {metrics}
          Exchange | hashpartitioning(c#1, 4) | shuffle records written=9000
            Scan parquet db.orders | [c#1,amount#2] | number of output rows=9000
    """


def test_a_hash_aggregate_that_fell_back() -> None:
    found = only(hash_fallbacks, facts(grouped("HashAggregate", "number of sort fallback tasks=2; spill size=700")))
    assert values(found)["tasks that fell back to sorting"] == 2
    assert found.seconds == 5  # two of four tasks
    assert found.operator == "HashAggregate by c over orders"


def test_before_spark_counted_them_a_hash_aggregate_that_spilled_fell_back() -> None:
    assert only(hash_fallbacks, facts(grouped("HashAggregate", "spill size=700"))).seconds == 10


@pytest.mark.parametrize("metrics", ["number of sort fallback tasks=; spill size=700", "spill size=", "spill size=0"])
def test_hash_aggregates_that_did_not_fall_back(metrics: str) -> None:
    assert not list(hash_fallbacks(facts(grouped("HashAggregate", metrics))))


FALLBACK = "spark.sql.objectHashAggregate.sortBased.fallbackThreshold"


@pytest.mark.parametrize("metrics", ["number of sort fallback tasks=4", "spill size="])
def test_an_object_hash_aggregate_of_too_many_keys(metrics: str) -> None:
    found = only(object_hash_fallbacks, facts(grouped("ObjectHashAggregate", metrics, "collect_set(amount#2, 0, 0)")))
    assert values(found)["keys a task"] == 1000
    assert f"{FALLBACK}=4000" in found.change


@pytest.mark.parametrize(
    "given",
    [
        facts(grouped("ObjectHashAggregate", "number of sort fallback tasks=")),
        facts(grouped("ObjectHashAggregate", "spill size="), conf={FALLBACK: "1000"}),
        facts(grouped("HashAggregate", "spill size=")),
    ],
)
def test_object_hash_aggregates_within_the_threshold(given: InsightFacts) -> None:
    assert not list(object_hash_fallbacks(given))


SORTED = """
    SortAggregate | (key=[c#1], functions=[max(name#2)]) | number of output rows=400
      Sort | [c#1 ASC NULLS FIRST], false, 0 | sort time=500
        Exchange | hashpartitioning(c#1, 4) | shuffle records written=800; shuffle bytes written=5
          SortAggregate | (key=[c#1], functions=[partial_max(name#2)]) | number of output rows=800
            {sort}
              Scan parquet db.orders | [c#1,name#2] | number of output rows=9000
"""


def test_a_sort_aggregate_is_told_once_for_both_halves() -> None:
    found = only(
        sort_aggregates, facts(SORTED.replace("{sort}", "Sort | [c#1 ASC NULLS FIRST], false, 0 | sort time=700"))
    )
    assert "max of name" in found.reason and "sorts by c" in found.reason
    assert values(found)["rows sorted"] == 9800
    assert values(found)["sorting, in all tasks"] == 1.2
    assert found.seconds == pytest.approx(0.6, abs=0.01)  # 1.2 s of the 20 s that the tasks of both stages ran in 10 s


def test_object_hash_aggregation_that_is_off() -> None:
    text = SORTED.replace("{sort}", "Sort | [c#1 ASC NULLS FIRST], false, 0 | sort time=700").replace(
        "max(", "collect_set("
    )
    assert "no buffer" in only(sort_aggregates, facts(text)).reason
    off = facts(text, conf={"spark.sql.execution.useObjectHashAggregateExec": "false"})
    assert only(sort_aggregates, off).change == "set spark.sql.execution.useObjectHashAggregateExec=true"


def test_what_came_sorted_anyway_costs_nothing() -> None:
    text = """
        SortAggregate | (key=[c#1], functions=[max(name#2)]) | number of output rows=400
          SortMergeJoin | [c#1], [c#11], Inner | number of output rows=900
            Scan parquet db.orders | [c#1,name#2] | number of output rows=900
            Scan parquet db.customers | [c#11] | number of output rows=900
    """
    assert not list(sort_aggregates(facts(text)))


def expanded(column: str, rows: int = 200_000) -> str:
    return f"""
        Exchange | hashpartitioning(c#1, x#5, {column}, 4) | shuffle records written=300000; shuffle bytes written=5000
          HashAggregate | (keys=[c#1, x#5, {column}], functions=[]) | number of output rows=300000
            Expand | [[c#1, x#2, 1], [c#1, null, 2]], [c#1, x#5, {column}] | number of output rows={3 * rows}
              Scan parquet db.orders | [c#1,x#2] | number of output rows={rows}
    """


def test_distincts_of_several_columns_multiply_the_rows() -> None:
    found = only(distinct_aggregates, facts(expanded("gid#6")))
    assert "into 3 groups" in found.reason
    assert values(found)["rows after Expand"] == 600_000


def distinct(rows: int, shuffled: int) -> str:
    return f"""
        HashAggregate | (keys=[d#3], functions=[count(distinct c#1)]) | number of output rows=4
          Exchange | hashpartitioning(d#3, 4) | shuffle records written=16
            HashAggregate | (keys=[d#3], functions=[partial_count(distinct c#1)]) | number of output rows=16
              HashAggregate | (keys=[d#3, c#1], functions=[]) | number of output rows={shuffled}
                Exchange | hashpartitioning(d#3, c#1, 4) | shuffle records written={shuffled}; shuffle bytes written=70
                  HashAggregate | (keys=[d#3, c#1], functions=[]) | number of output rows={shuffled}
                    Scan parquet db.orders | [c#1,d#3] | number of output rows={rows}
    """


def test_a_distinct_of_mostly_distinct_values() -> None:
    found = only(distinct_aggregates, facts(distinct(1_000_000, 900_000)))
    assert "DISTINCT of c" in found.reason
    assert values(found)["rows shuffled to find the distinct ones"] == 900_000


@pytest.mark.parametrize(
    "text",
    [expanded("spark_grouping_id#6"), expanded("gid#6", 900), distinct(1_000_000, 5_000), distinct(9_000, 8_000)],
    ids=["a rollup", "few rows", "few distinct values", "few rows of one distinct"],
)
def test_distincts_that_cost_little(text: str) -> None:
    assert not list(distinct_aggregates(facts(text)))


def partial(rows: int, groups: int) -> str:
    return f"""
        HashAggregate | (keys=[c#1], functions=[sum(amount#2)]) | number of output rows={groups}
          Exchange | hashpartitioning(c#1, 4) | shuffle records written={groups}; shuffle bytes written=5
            HashAggregate | (keys=[c#1], functions=[partial_sum(amount#2)]) | number of output rows={groups}; \
time in aggregation build=9000
              Scan parquet db.orders | [c#1,amount#2] | number of output rows={rows}; scan time=1000
    """


def test_a_partial_aggregate_that_keeps_its_rows() -> None:
    found = only(partial_aggregates, facts(partial(9_000_000, 8_900_000)))
    assert values(found)["rows that it kept"] == pytest.approx(0.989, abs=1e-3)
    assert found.seconds == 4  # its build without the scan: 8 s of the 20 s that the tasks ran in 10 s
    assert "bypassPartialAggregation=true" in found.change


def test_a_row_costs_no_more_than_hashing_it() -> None:
    assert only(partial_aggregates, facts(partial(1_000_000, 1_000_000))).seconds == 1


def test_older_versions_cannot_bypass_it() -> None:
    assert "bypass" not in only(partial_aggregates, facts(partial(9_000_000, 8_900_000), version="3.5.1")).change


@pytest.mark.parametrize(("rows", "groups"), [(9_000_000, 5_000_000), (9_000, 9_000)])
def test_partial_aggregates_that_are_worth_it_or_small(rows: int, groups: int) -> None:
    assert not list(partial_aggregates(facts(partial(rows, groups))))


def filtered(
    condition: str, pushed: str = "[IsNotNull(c)]", kept: int = 50, name: str = "Scan parquet db.orders"
) -> str:
    return f"""
        Filter | {condition} | number of output rows={kept}
          {name} | [c#1,amount#2] Format: Parquet, PushedFilters: {pushed} | number of output rows=90000; scan time=4000
    """


@pytest.mark.parametrize(
    ("condition", "why"),
    [
        ("(isnotnull(c#1) AND (cast(c#1 as string) = 5))", "cast"),
        ("(isnotnull(c#1) AND (UDF(c#1) = 5))", "UDF"),
        ("(isnotnull(c#1) AND (substring(c#1, 1, 2) = xy))", "substring()"),
        ("(isnotnull(c#1) AND ((c#1 + 1) = 5))", "computes with the column"),
    ],
)
def test_a_filter_that_does_not_reach_the_scan(condition: str, why: str) -> None:
    found = only(unpushed_filters, facts(filtered(condition)))
    assert why in found.reason
    assert found.operator == "Filter on c over Scan of orders"
    assert found.seconds == 2  # the scan's 4 s of the 20 s that the tasks ran in 10 s


def test_a_python_udf_between_the_filter_and_the_scan() -> None:
    text = """
        Filter | (pythonUDF0#9 = 6) | number of output rows=5
          BatchEvalPython | [f(c#1)#8], [pythonUDF0#9] | number of output rows=90000
            Scan parquet db.orders | [c#1] Format: Parquet, PushedFilters: [] | number of output rows=90000
    """
    assert "Python UDF" in only(unpushed_filters, facts(text)).reason


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(filtered("(isnotnull(c#1) AND (c#1 = 5))", "[IsNotNull(c), EqualTo(c,5)]"), id="it was pushed"),
        pytest.param(
            filtered("((cast(c#1 as string) = 5) AND (amount#2 > 5))", "[GreaterThan(amount,5)]"), id="in part"
        ),
        pytest.param(filtered("(cast(c#1 as string) = 5)", kept=80_000), id="it drops few rows"),
        pytest.param(filtered("(c#1 = amount#2)"), id="no scan compares two columns"),
        pytest.param(filtered("(cast(c#1 as string) = Subquery subquery#5)"), id="known only when it runs"),
        pytest.param(filtered("might_contain(Subquery subquery#5, xxhash64(c#1, 42))"), id="a runtime filter"),
        pytest.param(filtered("isnotnull(c#1)"), id="nothing to push"),
        pytest.param(
            filtered("(cast(c#1 as string) = 5)", name="Scan json db.orders").replace("Parquet", "JSON"), id="JSON"
        ),
    ],
)
def test_filters_that_reached_the_scan_or_cannot(text: str) -> None:
    assert not list(unpushed_filters(facts(text)))


def partitioned(filters: str = "[]", partitions: int = 365, kept: int = 50, above: str = "") -> str:
    scan = (
        "Scan parquet db.orders | [c#1,day#2] PartitionFilters: {f}, ReadSchema: struct<c:bigint> "
        "| number of output rows=90000; number of partitions read={p}; scan time=6000; size of files read=900"
    )
    filter_ = above or f"Filter | (c#1 > 5) | number of output rows={kept}"
    return f"{filter_}\n  {scan}".replace("{f}", filters).replace("{p}", str(partitions))


def test_partitions_read_for_rows_that_are_dropped() -> None:
    found = only(unpruned_partitions, facts(partitioned()))
    assert "no filter on day" in found.reason
    assert (values(found)["partitions read"], found.seconds) == (365, 3)


def test_rows_dropped_by_the_join_above_count_too() -> None:
    text = """
        SortMergeJoin | [k#9], [c#1], LeftOuter | number of output rows=70
          Scan parquet db.keys | [k#9] | number of output rows=70
          Scan parquet db.orders | [c#1,day#2] PartitionFilters: [] | number of output rows=9000; number of partitions read=30
    """
    assert values(only(unpruned_partitions, facts(text)))["rows left by the next filter or join, at most"] == 70
    kept = text.replace("[k#9], [c#1], LeftOuter", "[k#9], [c#1], RightOuter")
    assert not list(unpruned_partitions(facts(kept)))


@pytest.mark.parametrize(
    "text",
    [
        partitioned("[isnotnull(day#2), (day#2 = 5)]"),
        partitioned(partitions=3),
        partitioned(kept=80_000),
        partitioned(above="Project | [c#1]"),
        partitioned().replace("number of partitions read", "x"),
    ],
    ids=["a partition filter", "few partitions", "rows are used", "all rows are used", "not partitioned"],
)
def test_partitions_that_had_to_be_read(text: str) -> None:
    assert not list(unpruned_partitions(facts(text)))


def read(columns: str, schema: str, project: str, condition: str = "(a#1 > 5)") -> str:
    return f"""
        Project | [{project}]
          Filter | {condition} | number of output rows=5
            Scan parquet db.orders | [{columns}] ReadSchema: struct<{schema}> | number of output rows=9; scan time=8000
    """


def test_columns_that_nothing_uses() -> None:
    found = only(dropped_columns, facts(read("a#1,b#2", "a:int,b:string", "a#1")))
    assert "b is read" in found.reason and "select only" in found.change
    assert found.seconds == 4


def test_fields_that_nothing_uses() -> None:
    text = read("s#1,d#2", "s:struct<x:int,y:decimal(7,2),z:struct<p:int>>,d:int", "s#1.x AS x#5, d#2", "(s#1.x > 5)")
    found = only(dropped_columns, facts(text, conf={"spark.sql.optimizer.nestedSchemaPruning.enabled": "false"}))
    assert "s.y, s.z are read" in found.reason and "nestedSchemaPruning.enabled=true" in found.change


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(read("a#1,b#2", "a:int,b:int", "a#1, b#2"), id="all are used"),
        pytest.param(read("a#1,b#2", "a:int,b:int", "b#2"), id="one by the filter"),
        pytest.param(read("a#1,b#2", "a:int", "a#1"), id="a partition column is not read"),
        pytest.param(read("s#1", "s:struct<x:int,y:int>", "s#1", "(s#1.x > 5)"), id="all of a struct"),
        pytest.param(read("a#1,b#2", "a:int,... 2 more fields", "a#1"), id="a schema cut short"),
        pytest.param(read("a#1,b#2", "a:int,b:int", "a#1, ... 9 more fields"), id="a projection cut short"),
        pytest.param(
            "Scan parquet db.o | [a#1] ReadSchema: struct<a:int> | number of output rows=9", id="nothing above"
        ),
    ],
)
def test_columns_that_are_used(text: str) -> None:
    assert not list(dropped_columns(facts(text)))


def twice(second: str = "", reused: str = "Exchange") -> str:
    half = """
          {exchange} | hashpartitioning(c#{a}, 4), ENSURE_REQUIREMENTS, [plan_id={b}] | shuffle records written=40
            HashAggregate | (keys=[c#{a}], functions=[partial_sum(x#{b})]) | number of output rows=40
              Scan parquet db.o | [c#{a},x#{b}] PushedFilters: [{p}] | number of output rows=90; size of files read=900
    """
    first = half.format(exchange="Exchange", a=1, b=2, p="IsNotNull(c)").strip("\n ")
    again = half.format(exchange=reused, a=11, b=12, p=second or "IsNotNull(c)").strip("\n ")
    return f"SortMergeJoin | [c#1], [c#11], Inner | number of output rows=7\n          {first}\n          {again}"


@pytest.mark.parametrize(
    ("conf", "change"), [({}, "compute it once"), ({"spark.sql.exchange.reuse": "false"}, "reuse=true")]
)
def test_the_same_part_of_a_plan_run_twice(conf: dict[str, str], change: str) -> None:
    found = only(duplicate_subplans, facts(twice(), conf=conf))
    assert change in found.change
    assert values(found)["times it ran"] == 2
    assert found.seconds == 10
    assert found.operator == "Exchange over o"


def test_parts_that_differ_or_are_reused() -> None:
    assert not list(duplicate_subplans(facts(twice("EqualTo(c,5)"))))
    assert not list(duplicate_subplans(facts(twice("IsNotNull(c), ... 3 more fields"))))
    fewer = twice().replace("shuffle records written=40", "shuffle records written=41", 1)
    assert not list(duplicate_subplans(facts(fewer)))
    other_files = twice().replace("size of files read=900", "size of files read=901", 1)
    assert not list(duplicate_subplans(facts(other_files)))


SPILLING = """
    Sort | [c#1 ASC NULLS FIRST], false, 0 | sort time=500; spill size={spilled}
      Scan parquet db.orders | [c#1] | number of output rows=9
"""


def test_a_stage_that_spilled() -> None:
    given = facts(SPILLING.format(spilled=9000), disk_spilled_bytes=6_000, shuffle_read_bytes=36_000)
    found = only(spills, given)
    assert found.operator == "Sort by c over orders"
    assert found.seconds == 2.5  # 12 kB of 48 kB that its tasks moved were written and read in between
    assert "shuffle.partitions" in found.change
    files = facts(SPILLING.format(spilled=9000), disk_spilled_bytes=6_000, input_bytes=36_000)
    assert "maxPartitionBytes" in only(spills, files).change


def test_a_shuffle_that_spilled_while_it_was_written() -> None:
    found = only(spills, facts(SPILLING.format(spilled=0), disk_spilled_bytes=6_000))
    assert found.operator == "shuffle write over orders"


def test_what_an_aggregate_says_of_its_fallback_is_not_said_twice() -> None:
    text = """
        HashAggregate | (keys=[c#1], functions=[]) | number of sort fallback tasks=2; spill size=700
          Scan parquet db.orders | [c#1] | number of output rows=9
    """
    assert not list(spills(facts(text, disk_spilled_bytes=700)))
    assert not list(spills(facts(SPILLING.format(spilled=0))))


ONE_STAGE = "Scan parquet db.orders | [c#1] | number of output rows=9"


def test_a_task_that_held_up_its_stage() -> None:
    given = facts(
        ONE_STAGE,
        tasks=11,
        completed_tasks=11,
        executor_run_time_ms=18_000,
        longest_task_ms=8_000,
        longest_task_bytes=500,
        shuffle_read_bytes=1_000,
    )
    found = only(skewed_stages, given)
    assert found.seconds == 7  # it ran 8 s, the others 1 s each
    assert "8 times" in found.reason and "it read much more" in found.reason
    assert values(found)["read by another task"] == 50


def test_a_slow_task_that_read_no_more_than_others_may_be_a_slow_machine() -> None:
    given = facts(
        ONE_STAGE,
        completed_tasks=11,
        executor_run_time_ms=18_000,
        longest_task_ms=8_000,
        longest_task_bytes=90,
        shuffle_read_bytes=1_000,
    )
    assert "machine" in only(skewed_stages, given).reason


@pytest.mark.parametrize(
    "stage",
    [
        {"completed_tasks": 2, "executor_run_time_ms": 9_000, "longest_task_ms": 8_900},
        {"completed_tasks": 11, "executor_run_time_ms": 18_000, "longest_task_ms": 4_000},
        {"completed_tasks": 101, "executor_run_time_ms": 98_000, "longest_task_ms": 8_000, "completed_ms": 40_000},
        {"completed_tasks": 11, "executor_run_time_ms": 18_000, "longest_task_ms": 8_000, "failed_tasks": 1},
        {"completed_tasks": 11, "executor_run_time_ms": 0, "longest_task_ms": 0},
    ],
    ids=["two tasks", "less than five times", "others ran meanwhile", "times of failed attempts", "no times"],
)
def test_stages_that_are_even_enough(stage: dict[str, int]) -> None:
    assert not list(skewed_stages(facts(ONE_STAGE, **stage)))


def scanned(files: int, size: int, name: str = "number of files read") -> str:
    return f"""
        Scan parquet db.orders | [c#1] | number of output rows=9; {name}={files}; size of files read={size}; \
scan time=10000; metadata time=2000
    """


@pytest.mark.parametrize("name", ["number of files read", "number of files"])
def test_many_files_smaller_than_opening_one_costs(name: str) -> None:
    found = only(small_files, facts(scanned(1000, 1000 << 20, name)))
    assert values(found)["bytes a file"] == 1 << 20
    assert found.seconds == pytest.approx(2 + 5 * 0.8)  # listing, and four fifths of the scan's share


@pytest.mark.parametrize(("files", "size"), [(1000, 8000 << 20), (50, 50), (0, 0)])
def test_files_that_are_few_or_large_enough(files: int, size: int) -> None:
    assert not list(small_files(facts(scanned(files, size))))


def test_a_filter_over_a_cache() -> None:
    text = """
        Filter | (isnotnull(c#1) AND (c#1 = 5)) | number of output rows=5
          InMemoryTableScan | [c#1], [isnotnull(c#1), (c#1 = 5)] | number of output rows=90000
    """
    found = only(unpushed_filters, facts(text))
    assert "cached plan" in found.reason and "before caching" in found.change
