"""Insights in words: why a query loses time and what a person can change, with the numbers of each kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from tuner.model.insight import HiddenFilter, HintIgnored, Insight, InsightKind, NotPushed, PairsCompared
from tuner.words.template import Numbers, filled, said

_Sentence = str | Callable[[Numbers], str]

# Numbers that are a join's type as Spark calls it.
_JOIN_TYPES = ("smaller", "join_type")


def insight_reason(insight: Insight) -> str:
    """Why it costs what it costs. What an earlier version stored as a sentence is said as it is.

    An insight of another version may lack numbers that its sentence needs: it is said as its kind and the numbers it has.
    """
    return insight.reason or _said(_REASONS[insight.kind], insight)


def insight_change(insight: Insight) -> str:
    """What a person can do about it; of other versions as `insight_reason`."""
    return insight.change or _said(_CHANGES[insight.kind], insight)


def _said(sentence: _Sentence, insight: Insight) -> str:
    return said(lambda: _made(sentence, insight.numbers), insight.kind, insight.numbers)


def _made(sentence: _Sentence, n: Numbers) -> str:
    named = {name: _join_words(str(n[name])) for name in _JOIN_TYPES if name in n}
    return filled(sentence if isinstance(sentence, str) else sentence(n), {**n, **named})


def _join_words(spark_name: str) -> str:
    """`left outer` for LeftOuter, `existence` for ExistenceJoin."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", spark_name.removesuffix("Join")).lower()


def _outer_join(n: Numbers) -> str:
    if "hidden" in n:
        return f"a later filter drops the rows that found nothing in {{side}}; {_HIDDEN[HiddenFilter(n['hidden'])]}"
    of = "{matched}" if n["matched"] else "both sides"
    return f"every row of {of} found a partner in this run, which Spark cannot know when it plans"


_HIDDEN = {
    HiddenFilter.UDF: "that is, unless its UDF, which Catalyst cannot evaluate, makes something of null",
    HiddenFilter.AGGREGATE: "it is on an aggregate of them, and Catalyst only looks below",
}


def _smaller_join(n: Numbers) -> str:
    if "hidden" in n:
        return "write an inner join if rows without {side} are never wanted: this run suggests it, but is no proof"
    article = "an" if str(n["smaller"]).startswith("I") else "a"
    return f"write {article} {{smaller}} join if that always holds; it was measured in this run, not proven"


def _nested_loop_join(n: Numbers) -> str:
    match PairsCompared(n["why"]):
        case PairsCompared.NULL_AWARE:
            return "NOT IN over columns that may be null compares every pair of rows"
        case PairsCompared.NO_EQUALITY:
            return "its condition has no equality between the sides, so Spark can neither hash nor sort for it"
        case PairsCompared.NO_CONDITION:
            return "it has no condition at all, so every row meets every other"


def _fewer_pairs(n: Numbers) -> str:
    if PairsCompared(n["why"]) is PairsCompared.NULL_AWARE:
        return "write NOT EXISTS with an equality, or filter out nulls on both sides of NOT IN"
    if not n["columns"]:
        return "join on equal keys, or make sure that one side is a few rows only"
    if n["has_or"]:
        return "split the OR over {columns} into joins on equal keys, and UNION them"
    return "add an equality to the condition on {columns}: for a range, join on equal buckets of it first"


def _ignored_hint(n: Numbers) -> str:
    return f"the hint {{hint}} was ignored: {_HINT_IGNORED[HintIgnored(n['why'])]}"


_HINT_IGNORED = {
    HintIgnored.NOT_BUILDABLE: "Spark cannot build the {side} side of a {join_type} join, so it ignores the hint",
    HintIgnored.NOT_FOLLOWED: "Spark could not follow it for this join, or another hint came first",
    HintIgnored.NOT_TOLD: "the SQL asks for it, and the log does not tell what prevented it",
}


def _more_memory(n: Numbers) -> str:
    if n.get("property"):
        smaller = "lower {property}, by which AQE joins partitions for it"
    else:
        smaller = f"split {'its input' if n['partial'] else 'the shuffle before it'} into more partitions"
    return f"give a task more memory (fewer cores an executor, or a larger heap), or {smaller}"


def _sort_aggregate(n: Numbers) -> str:
    if n["property"]:
        why = "{property} is off"
    elif n["functions"] and n["columns"]:
        why = "{functions} of {columns} has no buffer of fixed width"
    else:
        why = "it has no buffer of fixed width"
    return f"{why}, so Spark sorts by {'{keys}' if n['keys'] else 'the keys'} instead of hashing"


def _distinct_aggregate(n: Numbers) -> str:
    if "groups" in n:
        return "DISTINCT of several columns puts each row into {groups:.0f} groups before it is shuffled"
    of = " of {columns}" if n["columns"] else ""
    return f"DISTINCT{of} takes a shuffle and a grouping of its own, and most rows are distinct"


def _no_distinct(n: Numbers) -> str:
    if "groups" in n:
        other = "count each distinct column in a query of its own"
    else:
        other = "leave DISTINCT out where the values are unique anyway"
    return f"use approx_count_distinct where an estimate will do, or {other}"


def _unpushed_filter(n: Numbers) -> str:
    return f"the filter does not reach the scan: {_NOT_PUSHED[NotPushed(n['why'])]}"


_NOT_PUSHED = {
    NotPushed.CACHE: "the cached plan below holds all rows",
    NotPushed.PYTHON_UDF: "a Python UDF computes it",
    NotPushed.UDF: "a UDF computes it",
    NotPushed.CAST: "the column is cast before it is compared",
    NotPushed.FUNCTION: "it compares {function}() of the column",
    NotPushed.ARITHMETIC: "it computes with the column before it compares",
}


def _pushable_filter(n: Numbers) -> str:
    match NotPushed(n["why"]):
        case NotPushed.CACHE:
            return "filter before caching if nothing that uses the cache needs more, or read the table itself here"
        case NotPushed.CAST:
            return "compare the column as it is with a literal of its own type"
        case NotPushed.UDF | NotPushed.PYTHON_UDF:
            return (
                "say the condition in SQL functions, or add one on the bare column that holds whenever the UDF's does"
            )
        case NotPushed.FUNCTION | NotPushed.ARITHMETIC:
            return "compare the bare column with a constant or a range, or store the computed value as a column"


def _unpruned_partitions(n: Numbers) -> str:
    by = " on {columns}" if n["columns"] else ""
    return f"no filter{by} reached the scan, neither from the query nor from a join (dynamic pruning)"


def _pruning_condition(n: Numbers) -> str:
    return f"add a condition on {'{columns}' if n['columns'] else 'the partition column'} that bounds what the query can need"


def _dropped_columns(n: Numbers) -> str:
    return f"{{columns}} {'are' if n['count'] > 1 else 'is'} read and dropped right after"


def _duplicate_subplan(n: Numbers) -> str:
    if n["property"]:
        return "{property} is off, so the same exchange ran more than once"
    return "equal parts of the plan were not reused: something that the log does not show tells them apart for Spark"


def _or_set(otherwise: str) -> Callable[[Numbers], str]:
    """Where a property would change it, that is what to do."""
    return lambda n: "set {property}=true" if n["property"] else otherwise


def _smaller_tasks(n: Numbers) -> str:
    return f"{_smaller_input(n)}give each task more memory"


def _smaller_input(n: Numbers) -> str:
    if not n["property"]:
        return "raise the number of partitions that the job sets by itself, or " if n["of_shuffle"] else ""
    if not n["of_shuffle"]:
        return "lower {property} so that a task reads less, or "
    # AQE joins again what more partitions part.
    return f"{'lower' if n.get('joined') else 'raise'} {{property}} so that a task holds less, or "


def _skew(n: Numbers) -> str:
    if n["uneven"]:
        why = "it read much more, so a few keys or files hold most of the rows"
    else:
        why = "it read no more than they did, so its rows are heavier (a key that many rows match) or its machine was slow"
    return f"one task ran {{times:.0f}} times as long as the others: {why}"


def _even_tasks(n: Numbers) -> str:
    if n["of_files"]:
        return (
            "split the large file, or write it in a format and codec that can be split, so that several tasks read it"
        )
    if n["uneven"]:
        return "find the key that has most rows: filter it out if it means nothing (null, 0), else add a salt to it"
    return "look at the keys that match many rows on both sides, and at the machine if it is another one each night"


# A text, or what makes it of the numbers, with gaps for them.
_REASONS: Mapping[InsightKind, _Sentence] = {
    InsightKind.JOIN_ORDER: "joining {early} this early makes rows that later joins drop; what that takes beside reading, "
    "sorting and shuffling the same relations is not sure",
    InsightKind.OUTER_JOIN: _outer_join,
    InsightKind.UNUSED_OUTER_JOIN: "no column of {relation} is used, and the join added no row in this run",
    InsightKind.NESTED_LOOP_JOIN: _nested_loop_join,
    InsightKind.IGNORED_HINT: _ignored_hint,
    InsightKind.HASH_FALLBACK: "its hash map outgrew the memory of a task, so it sorted the rest and merged",
    InsightKind.OBJECT_HASH_FALLBACK: "it hashes only so many keys a task, whatever memory there is, and sorts all rows "
    "that come after",
    InsightKind.SORT_AGGREGATE: _sort_aggregate,
    InsightKind.DISTINCT_AGGREGATE: _distinct_aggregate,
    InsightKind.PARTIAL_AGGREGATE: "nearly every row is a group of its own there, so grouping before the shuffle does not "
    "make it smaller",
    InsightKind.UNPUSHED_FILTER: _unpushed_filter,
    InsightKind.UNPRUNED_PARTITIONS: _unpruned_partitions,
    InsightKind.DROPPED_COLUMNS: _dropped_columns,
    InsightKind.DUPLICATE_SUBPLAN: _duplicate_subplan,
    InsightKind.SPILL: "what a task had to hold at once did not fit into its share of memory, so it wrote it to disk and "
    "read it back",
    InsightKind.SKEW: _skew,
    InsightKind.SMALL_FILES: "at {file_bytes} a file, opening files takes longer than reading them",
}

_CHANGES: Mapping[InsightKind, _Sentence] = {
    InsightKind.JOIN_ORDER: "join in this order: {order}",
    InsightKind.OUTER_JOIN: _smaller_join,
    InsightKind.UNUSED_OUTER_JOIN: "leave {relation} out if its join key is unique: Spark does not know that, and one run "
    "is no proof of it",
    InsightKind.NESTED_LOOP_JOIN: _fewer_pairs,
    InsightKind.IGNORED_HINT: "take the hint off, hint the other side, or change the join so that it can be followed",
    InsightKind.HASH_FALLBACK: _more_memory,
    InsightKind.OBJECT_HASH_FALLBACK: "set {property}={keys}, if so many of its objects fit into the heap at once",
    InsightKind.SORT_AGGREGATE: _or_set(
        "group by such a column if it has one value a group; else aggregate a number or date and look it up after"
    ),
    InsightKind.DISTINCT_AGGREGATE: _no_distinct,
    InsightKind.PARTIAL_AGGREGATE: "check that it groups no finer than meant; repartition by the same keys first, and both "
    "halves share a stage",
    InsightKind.UNPUSHED_FILTER: _pushable_filter,
    InsightKind.UNPRUNED_PARTITIONS: _pruning_condition,
    InsightKind.DROPPED_COLUMNS: _or_set("select only the columns and fields in use"),
    InsightKind.DUPLICATE_SUBPLAN: _or_set("compute it once: cache or write what the query uses twice, and read that"),
    InsightKind.SPILL: _smaller_tasks,
    InsightKind.SKEW: _even_tasks,
    InsightKind.SMALL_FILES: "write fewer, larger files (repartition before writing, or compact the table), 128 MB or "
    "more each",
}
