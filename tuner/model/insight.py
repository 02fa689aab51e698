"""Something in a query that only a person can change, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tuner.model.change import Evidence


class InsightKind(StrEnum):
    JOIN_ORDER = "join_order"
    OUTER_JOIN = "outer_join"
    UNUSED_OUTER_JOIN = "unused_outer_join"
    NESTED_LOOP_JOIN = "nested_loop_join"
    IGNORED_HINT = "ignored_hint"
    HASH_FALLBACK = "hash_fallback"
    OBJECT_HASH_FALLBACK = "object_hash_fallback"
    SORT_AGGREGATE = "sort_aggregate"
    DISTINCT_AGGREGATE = "distinct_aggregate"
    PARTIAL_AGGREGATE = "partial_aggregate"
    UNPUSHED_FILTER = "unpushed_filter"
    UNPRUNED_PARTITIONS = "unpruned_partitions"
    DROPPED_COLUMNS = "dropped_columns"
    DUPLICATE_SUBPLAN = "duplicate_subplan"
    SPILL = "spill"
    SKEW = "skew"
    SMALL_FILES = "small_files"


@dataclass(frozen=True, slots=True)
class Insight:
    """One thing in one query, by its fingerprint and its description.

    `seconds` of the query's wall time went into the stages or operators it is about: the most that the change can gain.
    `operator`, `reason` and `change` are one sentence at most each, made of names of operators, relations and columns.
    """

    kind: InsightKind
    operator: str
    query: str
    seconds: float
    evidence: tuple[Evidence, ...]
    reason: str
    change: str
    description: str = ""
