"""Something in a query that only a person can change, and what it costs. `tuner.words.insights` says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tuner.model.change import Evidence
from tuner.model.reason import Number


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


class HiddenFilter(StrEnum):
    """What a filter is on that keeps Catalyst from seeing that it drops the rows of an outer join that found nothing."""

    UDF = "udf"
    AGGREGATE = "aggregate"


class PairsCompared(StrEnum):
    """Why a join compares all pairs of rows. null_aware: NOT IN made it, which counts unknown as equal."""

    NULL_AWARE = "null_aware"
    NO_EQUALITY = "no_equality"
    NO_CONDITION = "no_condition"


class HintIgnored(StrEnum):
    """Why a join did not follow its hint. not_buildable: no join of its type can hash or broadcast that side. not_followed:
    Spark could not, or another hint came first. not_told: its SQL asks for it, and the log has no more."""

    NOT_BUILDABLE = "not_buildable"
    NOT_FOLLOWED = "not_followed"
    NOT_TOLD = "not_told"


class NotPushed(StrEnum):
    """What keeps a filter from the scan below it: what computes its condition, or a cache in place of the scan."""

    CACHE = "cache"
    PYTHON_UDF = "python_udf"
    UDF = "udf"
    CAST = "cast"
    FUNCTION = "function"
    ARITHMETIC = "arithmetic"


@dataclass(frozen=True, slots=True)
class Insight:
    """One thing in one query, by its fingerprint and its description.

    `seconds` of the query's wall time went into the stages or operators it is about: the most that the change can gain.
    `operator` names the operator it is about, made of names of relations and columns: the same in each run of the query.
    `numbers` are what its sentences say. `reason` and `change` are those that an earlier version stored in place of them.
    """

    kind: InsightKind
    operator: str
    query: str
    seconds: float
    evidence: tuple[Evidence, ...]
    reason: str = ""
    change: str = ""
    description: str = ""
    numbers: Mapping[str, Number] = field(default_factory=dict, hash=False)
