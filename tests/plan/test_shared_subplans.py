"""Which groups a plan makes several times, and what making them once would leave out."""

from __future__ import annotations

import re
from textwrap import indent

import pytest
from msgspec import structs

from tuner.model.application import PlanInfo
from tuner.model.shared_subplan import SharedSubplan
from tuner.plan.node import build_tree
from tuner.plan.shared_subplans import shared_subplans

from .trees import parse, plan

# Sales by year and county, of two years: each reads all sales.
TWICE = """
SortMergeJoin | [c#4], [c#14], Inner | number of output rows=90
  HashAggregate | (keys=[y#3, c#4], functions=[sum(v#2)]) | number of output rows=90
    Exchange | hashpartitioning(y#3, c#4, 8) | data size=3200; shuffle records written=100
      HashAggregate | (keys=[y#3, c#4], functions=[partial_sum(v#2)]) | number of output rows=100
        BroadcastHashJoin | [d#1], [k#5], Inner, BuildRight | number of output rows=200000
          Scan parquet t.sales | [d#1,v#2,c#4] | number of output rows=1000000
          BroadcastExchange | HashedRelationBroadcastMode | data size=100
            Filter | ((y#3 = 2001) AND isnotnull(k#5)) | number of output rows=365
              Scan parquet t.days | [k#5,y#3] | number of output rows=7000
  HashAggregate | (keys=[y#13, c#14], functions=[sum(v#12)]) | number of output rows=95
    Exchange | hashpartitioning(y#13, c#14, 8) | data size=6400; shuffle records written=200
      HashAggregate | (keys=[y#13, c#14], functions=[partial_sum(v#12)]) | number of output rows=200
        BroadcastHashJoin | [d#11], [k#15], Inner, BuildRight | number of output rows=300000
          Scan parquet t.sales | [d#11,v#12,c#14] | number of output rows=1000000
          BroadcastExchange | HashedRelationBroadcastMode | data size=100
            Filter | ((y#13 = 2002) AND isnotnull(k#15)) | number of output rows=365
              Scan parquet t.days | [k#15,y#13] | number of output rows=7000
"""
_SECOND = TWICE.index("    Exchange | hashpartitioning(y#13")
_ONCE = TWICE[TWICE.index("    Exchange | hashpartitioning(y#3") : TWICE.index("  HashAggregate | (keys=[y#13")]
REUSED = TWICE[:_SECOND] + "    ReusedExchange | [y#13, c#14, sum#12]\n" + indent(_ONCE, "  ")


def _found(*changes: tuple[str, str], text: str = TWICE) -> list[SharedSubplan]:
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return list(shared_subplans(plan(text)))


def test_groups_of_other_values_are_found_once_with_what_they_read() -> None:
    (shared,) = _found()
    assert (shared.relations, shared.times) == (("t.days", "t.sales"), 2)
    assert (shared.scanned_rows, shared.rows, shared.reused) == (1_000_000, 300, False)


def test_what_all_rows_take_is_saved_but_once_and_what_some_take_is_not() -> None:
    (shared,) = _found()
    saved = shared.saved_amounts
    assert saved["scan"] == 3 * 1_000_000 + 2 * 7_000
    assert saved["probe"] == 1_000_000
    # The days of both years are kept, the rows that their join puts out grouped, and the groups shuffled.
    assert not {"group", "aggregate", "shuffle_write", "emit"} & saved.keys()


def test_each_place_reads_the_groups_of_all() -> None:
    (shared,) = _found()
    assert shared.added_amounts == {
        "shuffle_read": 3_200 + 6_400,
        "aggregate": 300,
        "aggregate_function": 300,
        "group": 3 * (90 + 95),
    }


def test_groups_without_a_condition_hold_those_of_a_condition() -> None:
    (shared,) = _found(("((y#13 = 2002) AND isnotnull(k#15))", "isnotnull(k#15)"))
    assert shared.saved_amounts["group"] == 3 * 100
    assert shared.added_amounts["shuffle_read"] == 6_400 - 3_200


def test_a_sum_of_bigint_over_groups_keeps_none_of_these_apart() -> None:
    """The agent makes the groups below it once."""
    nested = TWICE
    for at in ("", "1"):
        outer = f"  HashAggregate | (keys=[c#{at}4], functions=[sum(n#{at}7L)]) | number of output rows=9\n"
        final = f"  HashAggregate | (keys=[y#{at}3, c#{at}4]"
        start = nested.index(final)
        end = nested.index("  HashAggregate | (keys=[y#13", start + 1) if not at else len(nested)
        nested = nested[:start] + outer + indent(nested[start:end], "  ") + nested[end:]
    found = _found(text=nested)
    assert found and not any(one.adds_bigint for one in found)


@pytest.mark.parametrize(
    ("function", "adds"),
    [
        ("sum(v#2L)", True),
        ("count(1), sum(distinct v#2L)", True),
        ("sum(coalesce(v#2L, 0))", True),
        ("sum(cast(v#2 as bigint))", True),
        ("sum(v#2L) FILTER (WHERE (c#4 = a))", True),
        ("sum(v#2)", False),
        ("sum(UnscaledValue(v#2))", False),
        ("avg(v#2L), count(v#2L), max(v#2L), try_sum(v#2L)", False),
        ("sum(CASE WHEN (v#2L = 3) THEN w#6 END)", False),
    ],
)
def test_sums_of_bigint_are_told(function: str, adds: bool) -> None:
    other = re.sub(r"#(?=[246]\b|2L)", "#1", function)  # of the second copy
    changes = []
    for old, new in (("v#2", function), ("v#12", other)):
        partial = re.sub(r"(?<!_)\b(sum|count|avg|max)(?=\()", r"partial_\1", new)
        changes += [(f"functions=[sum({old})]", f"functions=[{new}]"), (f"partial_sum({old})", partial)]
    (shared,) = _found(*changes)
    assert shared.adds_bigint is adds


def test_groups_above_windows_are_made_once_where_these_are_the_same() -> None:
    """The agent makes no two windows equal: one of a copy that reads another column is none of the other copy's."""
    windowed = re.sub(
        r"( +)(Scan parquet t\.sales .*)",
        r"\1Window | [row_number() windowspecdefinition(c#7, v#8 DESC) AS rn#9], [c#7], [v#8 DESC]\n\1  \2",
        TWICE,
    )
    assert len(_found(text=windowed)) == 1
    assert _found(("[d#11,v#12,c#14]", "[d#11,v#12,c#14,w#16]"), text=windowed) == []


def test_groups_are_made_once_where_each_makes_the_same_distinct() -> None:
    """The agent adds no DISTINCT to a copy that lacks it: Spark has made other operators of it by then."""
    one, other = ("sum(v#2)", "count(distinct v#2), sum(v#2)"), ("sum(v#12)", "count(distinct v#12), sum(v#12)")
    assert len(_found(one, other)) == 1
    assert _found(one) == _found(other) == []
    assert _found(one, ("sum(v#12)", "count(distinct c#14), sum(v#12)")) == []
    join = "BroadcastHashJoin | [d#1], [k#5]"
    several = TWICE.replace(
        "        " + join, "        Expand | [[y#3, c#4, 0, v#2]], [y#3, c#4, gid#9, v#2]\n          " + join
    )
    assert several != TWICE and _found(text=several) == []


def test_partitions_that_only_one_of_them_reads_save_nothing() -> None:
    """Days lie in partitions by year: what each reads, the other does not."""
    years = iter(("2001", "2002"))

    def pruned(node: PlanInfo) -> PlanInfo:
        children = tuple(map(pruned, node.children))
        if "y#" not in node.text or not node.name.startswith("Scan"):
            return structs.replace(node, children=children)
        year = "y#3" if "y#3" in node.text else "y#13"
        return structs.replace(node, metadata={"PartitionFilters": f"[({year} = {next(years)})]"})

    plain = [line for line in TWICE.splitlines() if "Filter" not in line]
    info, accumulators = parse("\n".join(plain).replace("  " * 6 + "Scan", "  " * 5 + "Scan"))
    (shared,) = shared_subplans(build_tree(pruned(info), accumulators))
    assert shared.saved_amounts["scan"] == 3 * 1_000_000
    (unpruned,) = shared_subplans(build_tree(info, accumulators))
    assert unpruned.saved_amounts["scan"] == 3 * 1_000_000 + 2 * 7_000


def _with(subquery: str, *, below: str, condition: str, text: str = TWICE) -> list[SharedSubplan]:
    """What is found where Spark has added a condition with a subquery, one for each year, to operators of this name."""
    years = iter(("2001", "2002"))

    def added(node: PlanInfo) -> PlanInfo:
        children = tuple(map(added, node.children))
        if not node.text.startswith(below):
            return structs.replace(node, children=children)
        values = subquery.format(year=next(years))
        filters = {"PartitionFilters": f"[{condition}]"} if below.startswith("Scan") else {}
        return structs.replace(node, children=(*children, parse(values)[0]), metadata={**node.metadata, **filters})

    info, accumulators = parse(text)
    return list(shared_subplans(build_tree(added(info), accumulators)))


PRUNING = """
SubqueryBroadcast | dynamicpruning#7, 0, [k#25]
  BroadcastExchange | HashedRelationBroadcastMode
    Filter | ((y#23 = {year}) AND isnotnull(k#25))
      Scan parquet t.days | [k#25,y#23]
"""
BLOOM = """
Subquery | subquery#50, [id=#80]
  ObjectHashAggregate | (keys=[], functions=[bloom_filter_agg(xxhash64(k#25, 42), 1000, 8000, 0, 0)])
    Filter | ((y#23 = {year}) AND isnotnull(k#25))
      Scan parquet t.days | [k#25,y#23]
"""
PRUNED = "dynamicpruningexpression(d#1 IN dynamicpruning#7)"
TESTED = "Filter | might_contain(Subquery subquery#50, [id=#80], xxhash64(d#1, 42)) | number of output rows=300000"


def test_what_other_values_prune_of_a_relation_is_not_read_by_all() -> None:
    (shared,) = _with(PRUNING, below="Scan parquet t.sales", condition=PRUNED)
    assert shared.saved_amounts["scan"] == 2 * 7_000
    assert "probe" not in shared.saved_amounts


def test_a_source_may_tell_what_is_pruned_by_its_subquery_alone() -> None:
    """Iceberg's scans list no partition filters."""
    text = TWICE.replace("Scan parquet t.sales", "BatchScan t.sales")
    (shared,) = _with(PRUNING, below="BatchScan t.sales", condition="", text=text)
    assert shared.saved_amounts["scan"] == 2 * 7_000


def test_what_the_same_values_prune_is_read_by_all() -> None:
    (shared,) = _with(PRUNING.format(year=2001), below="Scan parquet t.sales", condition=PRUNED)
    assert shared.saved_amounts["scan"] == 3 * 1_000_000 + 2 * 7_000


def test_rows_that_a_bloom_filter_of_other_values_leaves_are_not_those_of_all() -> None:
    scans = [line for line in TWICE.splitlines() if "t.sales" in line]
    text = TWICE
    for scan in scans:
        text = text.replace(scan, scan.replace(scan.lstrip(), TESTED) + f"\n  {scan}")
    (shared,) = _with(BLOOM, below="Filter might_contain", condition="", text=text)
    assert shared.saved_amounts["scan"] == 3 * 1_000_000 + 2 * 7_000
    assert "probe" not in shared.saved_amounts


def test_groups_for_other_columns_add_nothing() -> None:
    as_many = (("size=6400", "size=3200"), ("=200\n", "=100\n"), ("rows=95", "rows=90"))
    (shared,) = _found(("y#13 = 2002", "y#13 = 2001"), ("sum(v#12)", "max(v#12)"), *as_many)
    assert not shared.added_amounts
    assert shared.saved_amounts["shuffle_write"] == 3_200


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param((("keys=[y#13, c#14]", "keys=[c#14]"), ("keys=[y#3, c#4]", "keys=[c#4]")), id="not grouped by it"),
        pytest.param((("keys=[y#13, c#14]", "keys=[y#13]"),), id="grouped by others"),
        pytest.param((("t.sales | [d#11", "t.returns | [d#11"),), id="of others"),
        pytest.param((("=1000000", "=90000"),), id="of few rows"),
    ],
)
def test_what_cannot_be_made_once_or_is_not_worth_it(changes: tuple[tuple[str, str], ...]) -> None:
    assert _found(*changes) == []


ALL_TOGETHER = (
    *((f"keys=[{keys}]", "keys=[]") for keys in ("y#13, c#14", "y#3, c#4")),
    *((f"hashpartitioning({keys}, 8)", "SinglePartition") for keys in ("y#13, c#14", "y#3, c#4")),
)


def test_one_group_of_all_rows_may_have_conditions_on_any_column() -> None:
    (shared,) = _found(*ALL_TOGETHER)
    assert shared.times == 2
    assert shared.saved_amounts["scan"] == 3 * 1_000_000 + 2 * 7_000
    assert _found(*ALL_TOGETHER, ("sum(v#12)", "count(distinct v#12)"), ("sum(v#2)", "count(distinct v#2)")) == []


# Sales by the year of a date, of two years: what is pushed below the groups is on the date.
DATED = """
SortMergeJoin | [c#4], [c#14], Inner | number of output rows=90
  HashAggregate | (keys=[year#3, c#4], functions=[sum(v#2)]) | number of output rows=90
    Exchange | hashpartitioning(year#3, c#4, 8) | data size=3200; shuffle records written=100
      HashAggregate | (keys=[year#3, c#4], functions=[partial_sum(v#2)]) | number of output rows=100
        Project | [v#2, c#4, year(s#6) AS year#3]
          BroadcastHashJoin | [d#1], [k#5], Inner, BuildRight | number of output rows=200000
            Filter | (isnotnull(s#6) AND (year(s#6) = 2001)) | number of output rows=200000
              Scan parquet t.sales | [d#1,v#2,c#4,s#6] | number of output rows=1000000
            BroadcastExchange | HashedRelationBroadcastMode | data size=100
              Scan parquet t.days | [k#5] | number of output rows=7000
  HashAggregate | (keys=[year#13, c#14], functions=[sum(v#12)]) | number of output rows=95
    Exchange | hashpartitioning(year#13, c#14, 8) | data size=6400; shuffle records written=200
      HashAggregate | (keys=[year#13, c#14], functions=[partial_sum(v#12)]) | number of output rows=200
        Project | [v#12, c#14, year(s#16) AS year#13]
          BroadcastHashJoin | [d#11], [k#15], Inner, BuildRight | number of output rows=300000
            Filter | (isnotnull(s#16) AND year(s#16) IN (2002,2003)) | number of output rows=300000
              Scan parquet t.sales | [d#11,v#12,c#14,s#16] | number of output rows=1000000
            BroadcastExchange | HashedRelationBroadcastMode | data size=100
              Scan parquet t.days | [k#15] | number of output rows=7000
"""


def test_a_condition_on_what_a_key_is_computed_of_is_one_on_the_key() -> None:
    (shared,) = _found(text=DATED)
    assert (shared.relations, shared.times, shared.scanned_rows) == (("t.days", "t.sales"), 2, 1_000_000)
    assert shared.saved_amounts["scan"] == 4 * 1_000_000 + 7_000


def test_nulls_that_another_condition_leaves_out_are_no_condition() -> None:
    """Of an IN Spark does not say that it takes no nulls."""
    (shared,) = _found(("isnotnull(s#16) AND ", ""), text=DATED)
    assert shared.times == 2
    assert _found(("isnotnull(s#16) AND ", ""), ("(year(s#6) = 2001)", "true"), text=DATED) == []


@pytest.mark.parametrize(
    "condition",
    [
        pytest.param("(year(s#6) = 2001) AND (s#6 > 2001-03-01)", id="and one on the date itself"),
        pytest.param("(dayofyear(s#6) = 201)", id="something else of the date"),
        pytest.param("(year(s#66) = 2001)", id="the year of another date"),
    ],
)
def test_a_condition_on_another_column_beside_it_stays_one(condition: str) -> None:
    assert _found(("(year(s#6) = 2001)", condition), text=DATED) == []


def test_a_key_that_is_written_there_is_computed_of_nothing() -> None:
    both = ((f"year(s#{at}) AS year", "1 AS year") for at in (6, 16))
    assert _found(*both, text=DATED) == []


def test_what_is_read_from_another_place_says_so() -> None:
    (shared,) = _found(text=REUSED)
    assert (shared.times, shared.reused, shared.saved_amounts) == (2, True, {})
    (apart,) = _found()
    assert shared.join == apart.join
