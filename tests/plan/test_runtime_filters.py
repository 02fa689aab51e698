"""What the other side of a join has left out of a side: by a bloom filter of its keys, or by the partitions that they are in."""

from __future__ import annotations

from textwrap import indent

from msgspec.structs import replace

from tuner.model.application import MetricInfo, PlanInfo
from tuner.model.join_site import JoinSite, RuntimeFilter
from tuner.plan.joins import find_joins
from tuner.plan.node import build_tree
from tuner.plan.runtime_filters import runtime_filters

from .trees import parse

Filters = tuple[RuntimeFilter | None, RuntimeFilter | None]

SALES = "Scan parquet t.sales | [day#3,item#4] | number of output rows=10"
JOIN_ON_DAY = "BroadcastHashJoin | [day#3], [d#7], Inner, BuildRight, false"


def operator(line: str, *below: str) -> str:
    """An operator over others."""
    return "\n".join([line, *(indent(text, "  ") for text in below)])


DAYS = operator(
    "BroadcastExchange | HashedRelationBroadcastMode, [plan_id=5] | data size=90", "Scan parquet t.days | [d#7]"
)
BY_DAYS = operator("SubqueryBroadcast | dynamicpruning#20, 0, [d#7]", DAYS)
BY_ITEMS = operator(
    "Subquery | subquery#50, [id=#80]",
    operator(
        "ObjectHashAggregate | (keys=[], functions=[bloom_filter_agg(xxhash64(i#9L, 42), 1000, 8000, 0, 0)])",
        "Scan parquet t.items | [i#9L]",
    ),
)
ITEMS = "Scan parquet t.items | [i#9L]"
FILTERED = "Filter | might_contain(Subquery subquery#50, [id=#80], xxhash64(item#4, 42)) | number of output rows=9"


def joins(text: str) -> tuple[JoinSite, ...]:
    """The joins of a plan in which broadcasts of the same id are the same ones, with the same metrics."""
    made: dict[str, tuple[MetricInfo, ...]] = {}

    def shared(info: PlanInfo) -> PlanInfo:
        metrics = made.setdefault(info.text, info.metrics) if info.name == "BroadcastExchange" else info.metrics
        return replace(info, metrics=metrics, children=tuple(map(shared, info.children)))

    info, values = parse(text)
    return find_joins(build_tree(shared(info), values))


def filters(site: JoinSite) -> Filters:
    return site.left.filtered_by_other, site.right.filtered_by_other


def test_partitions_are_pruned_by_the_side_whose_broadcast_is_read_for_it() -> None:
    (site,) = joins(operator(JOIN_ON_DAY, operator(SALES, BY_DAYS), DAYS))
    assert filters(site) == (RuntimeFilter.PARTITIONS, None)


def test_what_a_join_within_the_side_prunes_stays_pruned_whatever_the_join_above_does() -> None:
    within = operator(JOIN_ON_DAY, operator(SALES, BY_DAYS), DAYS)
    other_days = operator("BroadcastExchange | [plan_id=6] | data size=90", "Scan parquet t.days | [d#8]")
    above, below = joins(operator("BroadcastHashJoin | [day#3], [d#8], Inner, BuildRight, false", within, other_days))
    assert (filters(above), filters(below)) == ((None, None), (RuntimeFilter.PARTITIONS, None))


def test_a_bloom_filter_is_made_of_relations_of_the_other_side() -> None:
    filtered = operator(FILTERED, BY_ITEMS, SALES)
    merged = "SortMergeJoin | [item#4], [i#9L], Inner"
    (site,) = joins(operator(merged, filtered, "Scan parquet t.items | [i#9L]"))
    assert filters(site) == (RuntimeFilter.BLOOM, None)
    (site,) = joins(operator(merged, filtered, "Scan parquet t.stores | [i#9L]"))
    assert filters(site) == (None, None)


def test_pruned_partitions_count_for_more_than_a_bloom_filter() -> None:
    pruned = operator(FILTERED, BY_ITEMS, operator(SALES, BY_DAYS))
    items = operator(JOIN_ON_DAY, "Scan parquet t.items | [i#9L,day#3]", DAYS)
    above, _ = joins(operator("SortMergeJoin | [item#4], [i#9L], Inner", pruned, items))
    assert filters(above) == (RuntimeFilter.PARTITIONS, None)


def test_a_second_side_may_reuse_what_prunes_the_first() -> None:
    reused = operator("ReusedSubquery | SubqueryBroadcast dynamicpruning#20, 0, [d#7], [id=#9]", BY_DAYS)
    (site,) = joins(operator(JOIN_ON_DAY, operator("Scan parquet t.returns | [day#3]", reused), DAYS))
    assert filters(site) == (RuntimeFilter.PARTITIONS, None)


def test_nothing_is_filtered_where_spark_adds_no_filter() -> None:
    (site,) = joins(operator(JOIN_ON_DAY, SALES, DAYS))
    assert filters(site) == (None, None)


def relations(text: str) -> tuple[str, ...]:
    return runtime_filters(build_tree(*parse(text))).relations


def test_relations_that_have_lost_rows_to_others_are_told_each_once() -> None:
    by_items = operator("SortMergeJoin | [item#4], [i#9L], Inner", operator(FILTERED, BY_ITEMS, SALES), ITEMS)
    pruned = operator(JOIN_ON_DAY, operator("Scan parquet t.returns | [day#3]", BY_DAYS), DAYS)
    assert relations(by_items) == ("t.sales",)
    assert relations(operator("Union", by_items, pruned, by_items)) == ("t.returns", "t.sales")
    assert relations(operator(JOIN_ON_DAY, SALES, DAYS)) == ()


def test_what_filters_groups_filters_all_that_they_are_made_of() -> None:
    both = operator("SortMergeJoin | [day#3], [d#7], Inner", SALES, "Scan parquet t.days | [d#7]")
    assert relations(operator(FILTERED, BY_ITEMS, both)) == ("t.days", "t.sales")
