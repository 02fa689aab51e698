"""Two runs side by side, in words: what is slower, by how much, and why."""

from __future__ import annotations

from collections.abc import Iterator

from tuner.compare.cause import Cause
from tuner.compare.run_comparison import CauseTotal, QueryComparison, RunComparison, RunTotals
from tuner.model.run import RunState
from tuner.printable import printable
from tuner.units import format_bytes, format_hours, format_seconds, format_share
from tuner.words.causes import cause_words, setting_words
from tuner.words.changes import change_words
from tuner.words.counts import counted
from tuner.words.query_names import QueryNames

# What explains less of a difference is left to the numbers.
SAID_SHARE = 0.05
# Tasks wait for the collector by some hundredths more or less in any run.
LEAST_GC_SHARE = 0.02
MOST_NAMED = 8
_MOST_VERSION = 20


def headline(found: RunComparison) -> str:
    """The whole difference in one line."""
    before, after = found.seconds
    of = "" if found.compares_applications else "the queries of both runs: "
    if found.is_same and not any(query.difference for query in found.queries):
        return "both are the same run: nothing differs"
    took = f"{format_seconds(after)} instead of {format_seconds(before)}"
    if not found.has_common_queries and found.queries:
        return f"{of}{took}; they have no query in common: are they runs of one job?"
    if found.is_noise and not found.difference:
        return f"{of}no difference: {took}"
    direction = "slower" if found.difference > 0 else "faster"
    share = f" ({format_share(abs(found.difference) / before)})" if before else ""
    words = f"{of}{format_seconds(abs(found.difference))} {direction}{share}: {took}"
    return f"{words}; no more than runs of one job differ by" if found.is_noise else words


def said_causes(found: RunComparison) -> list[CauseTotal]:
    """The causes that are worth a line, the largest first."""
    most = abs(found.causes[0].seconds) if found.causes else 0.0
    least = max(SAID_SHARE * max(most, abs(found.difference)), 0.1)
    return [total for total in found.causes if abs(total.seconds) >= least]


def total_words(total: CauseTotal, found: RunComparison, names: QueryNames) -> str:
    """Of causes of one kind the largest, in which query, and in how many more."""
    words = cause_words(total.largest, names, found.changes)
    if not total.fingerprint:
        return words
    more = total.queries - 1
    return f"{names[total.fingerprint]}: {words}" + (f"; and in {counted(more, 'more query')}" if more > 0 else "")


def query_causes(query: QueryComparison) -> tuple[Cause, ...]:
    """The causes of a query's difference that are worth a line; () where it is no more than any query differs by."""
    if query.is_noise:
        return ()
    return tuple(cause for cause in query.causes if abs(cause.seconds) >= SAID_SHARE * abs(query.difference))


def other_differences(found: RunComparison, names: QueryNames) -> Iterator[str]:
    """What else is not the same in both runs, whether or not it made a difference."""
    yield from _states(found.before, found.after)
    if found.before.overlaps or found.after.overlaps:
        yield "queries ran at the same time: their seconds come to more than those on the clock"
    yield from _amounts(found.before, found.after)
    if found.before.spark_version != found.after.spark_version:
        yield f"Spark {_version(found.after)} instead of {_version(found.before)}"
    yield from _cluster(found.before, found.after)
    before = tuple(id_ for id_ in found.changes_out if id_ not in found.left_out)
    groups = (
        ("in force now", found.changes_in),
        ("in force before", before),
        ("in force before, and left out once to compare", found.left_out),
    )
    for how, ids in groups:
        yield from (f"{how}: {change_words(found.changes[id_], names)}" for id_ in ids[:MOST_NAMED])
        if len(ids) > MOST_NAMED:
            yield f"{how}: {counted(len(ids) - MOST_NAMED, 'more change')}"
    for one in found.settings[:MOST_NAMED]:
        yield setting_words(one.property, one.before, one.after) + (" (by the tuner)" if one.by_tuner else "")
    if len(found.settings) > MOST_NAMED:
        yield counted(len(found.settings) - MOST_NAMED, "more setting")


def _version(run: RunTotals) -> str:
    return printable(run.spark_version, _MOST_VERSION) or "?"


_STATES = {
    RunState.FAILED: "failed: what it would have run after that is missing",
    RunState.PARTIAL: "has a log that is not whole: what that lacks is missing",
}


def _states(before: RunTotals, after: RunTotals) -> Iterator[str]:
    for which, run in (("before", before), ("after", after)):
        if run.state in _STATES:
            yield f"the run {which} {_STATES[run.state]}"


def _amounts(before: RunTotals, after: RunTotals) -> Iterator[str]:
    pairs = (
        ("files scanned", before.amounts.input_bytes, after.amounts.input_bytes, format_bytes),
        ("spilled", before.amounts.spilled_bytes, after.amounts.spilled_bytes, format_bytes),
        ("processor time", before.amounts.cpu_seconds, after.amounts.cpu_seconds, format_seconds),
        ("attempts to run a stage again", before.amounts.stage_retries, after.amounts.stage_retries, str),
        ("core-hours held", before.core_hours, after.core_hours, format_hours),
    )
    for what, was, now, words in pairs:
        if was is not None and now is not None and abs(now - was) > SAID_SHARE * max(was, now):
            yield f"{what}: {words(now)} instead of {words(was)}"
    if abs(after.gc_share - before.gc_share) >= LEAST_GC_SHARE:
        shares = f"{format_share(after.gc_share)} instead of {format_share(before.gc_share)}"
        yield f"garbage collection: {shares} of tasks' time"


def _cluster(before: RunTotals, after: RunTotals) -> Iterator[str]:
    was, now = before.cluster, after.cluster
    for what, old, new in (
        ("core", was.cores, now.cores),
        ("executor", was.executors, now.executors),
        ("core for each executor", was.cores_per_executor, now.cores_per_executor),
    ):
        if old != new and old and new:
            yield f"{_plural(new, what)} instead of {old}"
    for whose, old, new in (
        ("executors", was.executor_memory_bytes, now.executor_memory_bytes),
        ("the driver", was.driver_memory_bytes, now.driver_memory_bytes),
    ):
        if old != new and old and new:
            yield f"heap of {whose}: {format_bytes(new)} instead of {format_bytes(old)}"


def _plural(count: int, thing: str) -> str:
    noun, _, rest = thing.partition(" ")
    return " ".join(filter(None, [counted(count, noun), rest]))
