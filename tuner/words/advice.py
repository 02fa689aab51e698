"""What advisors say of their changes, in words: why each should gain, with its numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tuner.model.reason import ReasonCode
from tuner.units import format_bytes, format_rows, format_seconds, format_share

Numbers = Mapping[str, Any]


def _less(n: Numbers) -> str:
    return f"about {format_seconds(n['gain_seconds'])} less"


def _in_queries(n: Numbers) -> str:
    return f"{_less(n)} in {n['queries']} quer{'ies' if n['queries'] > 1 else 'y'}"


def _joins(n: Numbers, more: str = "") -> str:
    return f"{n['joins']}{more} join{'s' if n['joins'] > 1 else ''} instead of sorting both sides"


def _aggregate_partitions(n: Numbers) -> str:
    return (
        f"{n['partitions']} shuffle partitions instead of {n['partitions_before']}: an aggregation whose hash maps take "
        f"{format_bytes(n['hash_map_bytes'])} in {n['tasks']} tasks outgrew their memory and sorted; {_less(n)}"
    )


def _broadcast_hint(n: Numbers) -> str:
    size, met = f"{format_rows(n['rows'])}, {format_bytes(n['bytes'])}", format_rows(n["other_rows"])
    if n["by_aqe"]:
        shuffled = format_bytes(n["shuffled_bytes"])
        return f"broadcast {n['side']} at once: {size}; AQE did, to meet {met}, when {shuffled} had been shuffled; {_less(n)}"
    return f"broadcast {n['side']}: {size} were shuffled and sorted to meet {met}; {_less(n)}"


def _broadcast_threshold(n: Numbers) -> str:
    such = f"such as {n['side']} ({format_rows(n['rows'])}, {format_bytes(n['bytes'])})"
    return f"broadcast {_joins(n, ' more')}, {such}; {_in_queries(n)}"


def _build_side(n: Numbers) -> str:
    return (
        f"build {n['side']} ({format_rows(n['rows'])}) instead of {n['side_before']} ({format_rows(n['rows_before'])}): "
        f"a hash relation of at most {format_bytes(n['relation_bytes'])} instead of "
        f"{format_bytes(n['relation_bytes_before'])}; {_less(n)}"
    )


def _bypass_merge(n: Numbers) -> str:
    files = f"{n['files']:.0f} files of {format_bytes(n['bytes'] / n['files'])}"
    return (
        f"write shuffles of {n['partitions']} partitions and more to one file a task: {n['tasks']} tasks wrote {files} "
        f"and merged them, for {format_rows(n['rows'])}; {_less(n)}"
    )


def _card_weight(n: Numbers) -> str:
    return (
        f"rows weighed {n['weight']:g} against bytes rank {format_share(n['share_ranked'])} of {n['pairs']} pairs of "
        f"timed orders as their times do ({format_share(n['share_ranked_before'])} now), and Spark would order "
        f"{n['blocks']} blocks otherwise; {_less(n)}"
    )


def _cbo(n: Numbers) -> str:
    return (
        f"with statistics of {n['tables']} tables Spark would itself join in better orders: {format_rows(n['rows'])} "
        f"came between the joins, {format_rows(n['fewer_rows'])} would; {_less(n)}"
    )


def _cbo_off(n: Numbers) -> str:
    return (
        f"Spark's own reordering changed the joins of {n['queries']} queries, which take {format_seconds(n['seconds'])}; "
        f"in the orders as written they took {format_seconds(n['seconds_as_written'])}"
    )


def _join_order(n: Numbers) -> str:
    early = f"joining {n['early']} early"
    if n["rows"] is not None:
        rows = f"{format_rows(n['rows'])} came between the joins, {format_rows(n['fewer_rows'])} would"
        why = f"{early} makes rows that later joins drop: {rows}"
    else:
        why = f"{early} shuffles and sorts rows that other joins would drop first: {_less(n)}"
    sides = ", ".join(
        f"{side} (at most {format_rows(rows)})"
        for side, rows in zip(n["broadcasts"], n["most_broadcast_rows"], strict=True)
    )
    return f"{why} if you join in this order: {n['order']}" + (f"; broadcast in it: {sides}" if sides else "")


def _local_map_threshold(n: Numbers) -> str:
    return (
        f"hash {_joins(n)}: no task hashes more than {format_bytes(n['relation_bytes'])} where it may "
        f"{format_bytes(n['most_bytes'])}; {_in_queries(n)}"
    )


def _no_broadcast(n: Numbers) -> str:
    over = "" if n["most_bytes"] is None else f", over the {format_bytes(n['most_bytes'])} that memory has for it"
    return (
        f"do not broadcast {n['side']}: collecting, hashing and sending {format_rows(n['rows'])} took "
        f"{format_seconds(n['broadcast_seconds'])} for a hash relation of {format_bytes(n['relation_bytes'])}{over}; "
        f"shuffling both sides is priced at {format_seconds(n['shuffle_seconds'])}; {_less(n)}"
    )


def _object_hash_threshold(n: Numbers) -> str:
    return (
        f"hash up to {n['keys']} keys a task instead of {n['keys_before']} before sorting: an aggregation with "
        f"{n['keys_in_a_task']:.0f} keys a task sorted {format_rows(n['rows'])}; its objects take "
        f"{format_bytes(n['object_bytes'])} of the {format_bytes(n['most_bytes'])} a task may hold; {_less(n)}"
    )


def _partial_aggregation(n: Numbers) -> str:
    aggregates = f"{n['aggregates']} aggregate{'s' if n['aggregates'] > 1 else ''}"
    return (
        f"aggregate only after the shuffle: before it {aggregates} kept {format_share(n['share_kept'])} of "
        f"{format_rows(n['rows'])}, and no other merges enough to miss it; {_less(n)}"
    )


def _runtime_filter(n: Numbers) -> str:
    return (
        f"filter {n['relation']} ({format_rows(n['rows'])}) before its shuffle by the keys of {n['filters']}: "
        f"the joins after it keep {format_share(n['share_kept'])}; {_less(n)}"
    )


def _shuffle_hash(n: Numbers) -> str:
    return (
        f"hash {n['side']} instead of sorting both sides: {format_rows(n['rows'])} meet {format_rows(n['other_rows'])}, "
        f"at most {format_bytes(n['relation_bytes'])} in a task that may hash {format_bytes(n['most_bytes'])}; {_less(n)}"
    )


def _shuffle_partitions(n: Numbers) -> str:
    fewer = n["partitions"] < n["partitions_before"]
    why = "small segments cost more than they spread" if fewer else "partitions spilled"
    return (
        f"{n['partitions']} shuffle partitions instead of {n['partitions_before']}: the largest shuffle holds "
        f"{format_bytes(n['largest_bytes'])}, {format_bytes(n['largest_bytes'] / n['partitions_before'])} a partition; "
        f"{why}; {_less(n)}"
    )


def _skew_join(n: Numbers) -> str:
    longest = f"{format_bytes(n['longest_task_bytes'])} and took {format_seconds(n['longest_task_seconds'])}"
    mean = f"{format_bytes(n['mean_task_bytes'])} and {format_seconds(n['mean_task_seconds'])}"
    return (
        f"split the skewed partition of the join of {n['join']}: of {n['tasks']} tasks one read {longest}, the others "
        f"{mean}; {n['pieces']} tasks can share it; {_less(n)}"
    )


def _statistics(n: Numbers) -> str:
    return (
        f"the planner takes {n['side']} for {format_bytes(n['estimated_bytes'])} where "
        f"{format_bytes(n['measured_bytes'])} came: with statistics it would broadcast in {n['joins']} joins; {_less(n)} "
        f"for {format_seconds(n['analyze_seconds'])} of ANALYZE"
    )


ADVICE: Mapping[ReasonCode, Callable[[Numbers], str]] = {
    ReasonCode.AGGREGATE_PARTITIONS: _aggregate_partitions,
    ReasonCode.BROADCAST_HINT: _broadcast_hint,
    ReasonCode.BROADCAST_THRESHOLD: _broadcast_threshold,
    ReasonCode.BUILD_SIDE: _build_side,
    ReasonCode.BYPASS_MERGE: _bypass_merge,
    ReasonCode.CARD_WEIGHT: _card_weight,
    ReasonCode.CBO: _cbo,
    ReasonCode.CBO_OFF: _cbo_off,
    ReasonCode.JOIN_ORDER: _join_order,
    ReasonCode.LOCAL_MAP_THRESHOLD: _local_map_threshold,
    ReasonCode.NO_BROADCAST: _no_broadcast,
    ReasonCode.OBJECT_HASH_THRESHOLD: _object_hash_threshold,
    ReasonCode.PARTIAL_AGGREGATION: _partial_aggregation,
    ReasonCode.RUNTIME_FILTER: _runtime_filter,
    ReasonCode.SHUFFLE_HASH: _shuffle_hash,
    ReasonCode.SHUFFLE_PARTITIONS: _shuffle_partitions,
    ReasonCode.SKEW_JOIN: _skew_join,
    ReasonCode.STATISTICS: _statistics,
}
