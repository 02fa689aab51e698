"""What advisors say of their changes, in words: why each should gain, with its numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tuner.model.reason import ReasonCode
from tuner.units import format_rows
from tuner.words.counts import counted
from tuner.words.template import Numbers, filled

_LESS = "about {gain_seconds} less"
_LESS_IN_QUERIES = f"{_LESS} in {{queries:query}}"


def _broadcast_hint(n: Numbers) -> str:
    is_counted = n.get("is_counted", True)
    if n["by_aqe"]:
        why = "from the start: AQE broadcast it only after shuffling {shuffled_bytes} for a join with {other_rows}"
    elif is_counted:
        sorting = " and sorting" if n.get("is_sorted", True) else ""
        why = f"instead of shuffling{sorting} it for a join with {{other_rows}}"
    else:
        why = "instead of shuffling {other_rows} to where it was made"
    estimated = "" if is_counted else "an estimated "
    return filled(f"broadcast {{side}} ({{rows}}, {estimated}{{bytes}}) {why}; {_LESS}", n)


def _join_order(n: Numbers) -> str:
    if n["rows"] is None:
        why = "joining {early} this early shuffles and sorts rows that other joins would drop first"
    else:
        why = "joining {early} this early makes rows that later joins drop: {rows} between the joins, where {fewer_rows} would do"
    sentence = filled(f"{why}; {_LESS} in this order: {{order}}", n)
    sides = [
        f"{side} (at most {format_rows(rows)})"
        for side, rows in zip(n["broadcasts"], n["most_broadcast_rows"], strict=True)
    ]
    if sides:
        sentence += f"; it broadcasts {', '.join(sides)}"
    # A reason that an earlier version stored has no such number.
    if times := n.get("times_before"):
        sentence += f"; what the query groups from them {counted(times, 'time')} it then groups once"
    return sentence


def _no_broadcast(n: Numbers) -> str:
    over = "" if n["most_bytes"] is None else ", more than the {most_bytes} of memory there is for it"
    return filled(
        "do not broadcast {side}: collecting, hashing and sending {rows} took {broadcast_seconds} "
        f"(a hash table of {{relation_bytes}}{over}); shuffling both sides should take {{shuffle_seconds}}; {_LESS}",
        n,
    )


def _shuffle_partitions(n: Numbers) -> str:
    if "cores" in n:
        why = "of {cores:core} no more than {partitions_before} have a task after a shuffle"
    elif n["partitions"] < n["partitions_before"]:
        why = "partitions this small cost more than they help"
    else:
        why = "partitions this large spill to disk"
    return filled(
        "use {partitions} shuffle partitions instead of {partitions_before}: the largest shuffle has {largest_bytes}, "
        f"{{partition_bytes}} in each partition; {why}; {_LESS}",
        n,
    )


ADVICE: Mapping[ReasonCode, str | Callable[[Numbers], str]] = {
    ReasonCode.AGGREGATE_PARTITIONS: "use {partitions} shuffle partitions instead of {partitions_before}: the hash maps "
    f"of an aggregation ({{hash_map_bytes}} in {{tasks:task}}) did not fit in memory, so its tasks sorted; {_LESS}",
    ReasonCode.BROADCAST_HINT: _broadcast_hint,
    ReasonCode.BROADCAST_THRESHOLD: "broadcast in {joins:more join} instead of sorting both sides, for example {side} "
    f"({{rows}}, {{bytes}}); {_LESS_IN_QUERIES}",
    ReasonCode.BUILD_SIDE: "build the hash table from {side} ({rows}) instead of {side_before} ({rows_before}): it takes "
    f"at most {{relation_bytes}} instead of {{relation_bytes_before}}; {_LESS}",
    ReasonCode.BYPASS_MERGE: "let each task write one sorted file in shuffles of {partitions:partition} or more: {tasks:task} "
    f"wrote {{files:.0f}} files of {{file_bytes}} each and merged them, for {{rows}}; {_LESS}",
    ReasonCode.CARD_WEIGHT: "weigh rows {weight:.2g} against bytes in Spark's own join reordering: it then prefers the faster of "
    "two measured join orders in {share_ranked} of {pairs:pair} ({share_ranked_before} with today's weight), and reorders "
    f"{{blocks:block}} of joins; {_LESS}",
    ReasonCode.CBO: "gather statistics of {tables:table}, so that Spark itself finds better join orders: {fewer_rows} "
    f"between the joins instead of {{rows}}; {_LESS}",
    ReasonCode.CBO_OFF: "switch off Spark's own join reordering: {queries:query} that it reordered took {seconds} instead "
    "of {seconds_as_written} in the order as written",
    ReasonCode.JOIN_ORDER: _join_order,
    ReasonCode.LOCAL_MAP_THRESHOLD: "hash instead of sorting both sides in {joins:join}: a task then holds at most "
    f"{{relation_bytes}}, of the {{most_bytes}} that it may; {_LESS_IN_QUERIES}",
    ReasonCode.NO_BROADCAST: _no_broadcast,
    ReasonCode.OBJECT_HASH_THRESHOLD: "hash up to {keys} keys a task before sorting, instead of {keys_before}: an "
    "aggregation with {keys_in_a_task:.0f} keys a task sorted {rows}; a task then holds {object_bytes}, of the "
    f"{{most_bytes}} that it may; {_LESS}",
    ReasonCode.PARTIAL_AGGREGATION: "aggregate only after the shuffle: before it, {aggregates:aggregate} still left {share_kept} "
    f"of {{rows}}, and the others lose little by it; {_LESS}",
    ReasonCode.KEY_FILTER: "filter {relation} ({rows}) by the keys of {source} ({source_rows}) as it is read: a later join "
    f"keeps {{share_kept}} of its rows, and shuffling, sorting and grouping the rest takes {{work_seconds}}; {_LESS}",
    ReasonCode.SHARED_SUBPLAN: "group {relations} once: the query groups them {times:time}, each time from {rows}; each place "
    f"then picks its own of {{group_rows}}, which adds {{added_seconds}}; {_LESS}",
    ReasonCode.RUNTIME_FILTER: "filter {relation} ({rows}) before its shuffle by the join keys of {filters}: the later "
    f"joins keep {{share_kept}} of it; {_LESS}",
    ReasonCode.SECURED_BROADCAST: "broadcast {side} ({rows}, {bytes}) from the start: AQE broadcast it in time in "
    "{timely_runs} of {runs:run}; when it is late, it first shuffles {other_rows} (at least {least_shuffle_bytes}), about "
    "{late_seconds} more",
    ReasonCode.SHUFFLE_HASH: "hash {side} ({rows}) instead of sorting both sides for a join with {other_rows}: a task "
    f"then holds at most {{relation_bytes}}, of the {{most_bytes}} that it may; {_LESS}",
    ReasonCode.SHUFFLE_PARTITIONS: _shuffle_partitions,
    ReasonCode.SKEW_JOIN: "split the skewed partition in the join of {join}: 1 of {tasks:task} read {longest_task_bytes} "
    "in {longest_task_seconds}, the others {mean_task_bytes} in {mean_task_seconds} on average; {pieces:task} can share "
    f"it; {_LESS}",
    ReasonCode.STATISTICS: "gather statistics of {side} with ANALYZE (about {analyze_seconds}): the planner expects "
    f"{{estimated_bytes}}, but {{measured_bytes}} came; with statistics it broadcasts in {{joins:join}}; {_LESS}",
}
