"""What the rules say of the plans that their tests look at: every kind of insight, with each of its sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tests.advice.advisors.test_join_order import EXPLODING, ran
from tests.advice.joins import facts as facts_of
from tuner.advice.insights.distinct_aggregate import distinct_aggregates
from tuner.advice.insights.dropped_columns import dropped_columns
from tuner.advice.insights.duplicate_subplan import duplicate_subplans
from tuner.advice.insights.hash_fallback import hash_fallbacks
from tuner.advice.insights.ignored_hint import ignored_hints
from tuner.advice.insights.insight_facts import InsightFacts
from tuner.advice.insights.join_order import unsure_orders
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
from tuner.spark.knobs import NESTED_SCHEMA_PRUNING

from .plans import Rule, facts, grouped, joined
from .test_distinct_aggregate import distinct, expanded
from .test_dropped_columns import FIELDS, read
from .test_duplicate_subplan import REUSE_OFF, twice
from .test_hash_fallback import JOINED_PARTITIONS
from .test_ignored_hint import IN_SQL, LOGICAL
from .test_nested_loop_join import NOT_IN, nested
from .test_outer_join import UDF, aggregated
from .test_partial_aggregate import partial
from .test_skew import ONE_STAGE, SKEWED
from .test_small_files import scanned
from .test_sort_aggregate import COLLECTED, HASH_OFF, SORTED_TWICE
from .test_spill import BY_NUMBER, SHUFFLED, SPILLING
from .test_unpruned_partitions import JOINED_BY_KEYS, partitioned
from .test_unpushed_filter import CACHED, PYTHON_UDF, filtered
from .test_unused_outer_join import UNUSED

_FELL_BACK = "number of sort fallback tasks=2; spill size=700"
_SPILLED = SPILLING.format(spilled=9000)


def _hinted(hint: str) -> InsightFacts:
    return facts(joined("LeftOuter", 9, 9, 9), logical_plan=LOGICAL.replace("{hint}", hint))


_LOOKED_AT: tuple[tuple[Rule, InsightFacts], ...] = (
    (outer_joins, facts(joined("FullOuter", 1000, 100, 1000))),
    (outer_joins, facts(joined("FullOuter", 100, 1000, 1000))),
    (outer_joins, facts(joined("FullOuter", 1000, 1000, 1000))),
    (outer_joins, facts(joined("LeftOuter", 1000, 100, 1000, aggregated("name#12")))),
    (outer_joins, facts(joined("LeftOuter", 1000, 100, 1000, UDF.replace("{of}", "name#12")))),
    (unused_outer_joins, facts(UNUSED)),
    (nested_loop_joins, facts(nested("((amount#2 > low#11) AND (amount#2 < high#12))"))),
    (nested_loop_joins, facts(nested("((c#1 = low#11) OR (c#1 = high#12))"))),
    (nested_loop_joins, facts(nested(NOT_IN, kind="LeftAnti"))),
    (nested_loop_joins, facts(nested("(rand(7) > 0.5)"))),
    (nested_loop_joins, facts(nested(""))),
    (ignored_hints, _hinted("leftHint=(strategy=broadcast)")),
    (ignored_hints, _hinted("rightHint=(strategy=shuffle_hash)")),
    (ignored_hints, facts(joined("Inner", 9, 9, 9), description=IN_SQL)),
    (hash_fallbacks, facts(grouped("HashAggregate", _FELL_BACK))),
    (hash_fallbacks, facts(grouped("HashAggregate", _FELL_BACK, "partial_sum(amount#2)"))),
    (hash_fallbacks, facts(JOINED_PARTITIONS, shuffle_read_bytes=9)),
    (object_hash_fallbacks, facts(grouped("ObjectHashAggregate", _FELL_BACK, "collect_set(amount#2, 0, 0)"))),
    (sort_aggregates, facts(SORTED_TWICE)),
    (sort_aggregates, facts(SORTED_TWICE.replace("max(name#2)]", "max(name#2), first(name#2)]"))),
    (sort_aggregates, facts(COLLECTED)),
    (sort_aggregates, facts(COLLECTED.replace("key=[c#1]", "key=[k#9]"))),
    (sort_aggregates, facts(COLLECTED, conf=HASH_OFF)),
    (distinct_aggregates, facts(expanded("gid#6"))),
    (distinct_aggregates, facts(distinct(1_000_000, 900_000))),
    (distinct_aggregates, facts(distinct(1_000_000, 900_000).replace("(distinct c#1)", "(distinct k#9)"))),
    (partial_aggregates, facts(partial(9_000_000, 8_900_000))),
    (unpushed_filters, facts(filtered("(isnotnull(c#1) AND (cast(c#1 as string) = 5))"))),
    (unpushed_filters, facts(filtered("(isnotnull(c#1) AND (UDF(c#1) = 5))"))),
    (unpushed_filters, facts(PYTHON_UDF)),
    (unpushed_filters, facts(filtered("(isnotnull(c#1) AND (substring(c#1, 1, 2) = xy))"))),
    (unpushed_filters, facts(filtered("(isnotnull(c#1) AND ((c#1 + 1) = 5))"))),
    (unpushed_filters, facts(CACHED)),
    (unpruned_partitions, facts(partitioned())),
    (unpruned_partitions, facts(JOINED_BY_KEYS)),
    (dropped_columns, facts(read("a#1,b#2", "a:int,b:string", "a#1"))),
    (dropped_columns, facts(read("a#1,b#2,d#3,e#4,f#5", "a:int,b:int,d:int,e:int,f:int", "a#1"))),
    (dropped_columns, facts(FIELDS)),
    (dropped_columns, facts(FIELDS, conf={NESTED_SCHEMA_PRUNING.property: "false"})),
    (duplicate_subplans, facts(twice())),
    (duplicate_subplans, facts(twice(), conf=REUSE_OFF)),
    (spills, facts(_SPILLED, disk_spilled_bytes=6_000, shuffle_read_bytes=36_000)),
    (spills, facts(_SPILLED, disk_spilled_bytes=6_000, input_bytes=36_000)),
    (spills, facts(_SPILLED, disk_spilled_bytes=6_000)),
    (spills, facts(SHUFFLED, disk_spilled_bytes=6_000, shuffle_read_bytes=36_000)),
    (spills, facts(BY_NUMBER, disk_spilled_bytes=6_000, shuffle_read_bytes=36_000)),
    (skewed_stages, facts(ONE_STAGE, **SKEWED)),
    (skewed_stages, facts(ONE_STAGE, **SKEWED | {"longest_task_bytes": 90})),
    (skewed_stages, facts(ONE_STAGE, **SKEWED | {"input_bytes": 2_000})),
    (small_files, facts(scanned(1000, 1000 << 20))),
)


def _insights() -> Iterator[Insight]:
    yield from unsure_orders(replace(facts_of(ran(EXPLODING.format(exploded=400_000_000))), price_error=1000.0))
    for rule, given in _LOOKED_AT:
        yield from rule(given)


INSIGHTS = tuple(_insights())
