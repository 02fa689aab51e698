"""Which query of the later run is one of the earlier run that has another fingerprint: it writes elsewhere, or was edited."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from tuner.model.query import Query
from tuner.plan.job_description import job_description

ByFingerprint = Mapping[str, Sequence[Query]]


def edited_queries(before: ByFingerprint, after: ByFingerprint) -> dict[str, str]:
    """A query's fingerprint in the later run, and in the earlier one: each ran in that run alone, both have one statement or else
    the job calls both by one name, and no other query of either run has that, and they read a relation in common. One that by its
    names is several, and several that are one, are no pair."""
    moved = _pairs(before, after, lambda query: query.statement)
    old = {fingerprint: queries for fingerprint, queries in before.items() if fingerprint not in moved.values()}
    new = {fingerprint: queries for fingerprint, queries in after.items() if fingerprint not in moved}
    return moved | _pairs(old, new, lambda query: job_description(query.description))


def _pairs(before: ByFingerprint, after: ByFingerprint, called: Callable[[Query], str]) -> dict[str, str]:
    old, new = _by_name(before, called), _by_name(after, called)
    alike = dict.fromkeys(
        (now, was)
        for name, now in new.items()
        if (was := old.get(name)) and was not in after and now not in before and _share(before[was], after[now])
    )
    several = Counter(now for now, _ in alike), Counter(was for _, was in alike)
    return {now: was for now, was in alike if several[0][now] == several[1][was] == 1}


def _by_name(queries: ByFingerprint, called: Callable[[Query], str]) -> dict[str, str]:
    """The queries that are alone in what they are called."""
    named: dict[str, set[str]] = {}
    for fingerprint, executions in queries.items():
        for query in executions:
            named.setdefault(called(query), set()).add(fingerprint)
    return {name: min(several) for name, several in named.items() if name and len(several) == 1}


def _share(before: Sequence[Query], after: Sequence[Query]) -> bool:
    return not _relations(before).isdisjoint(_relations(after))


def _relations(executions: Sequence[Query]) -> set[str]:
    return {relation for query in executions for relation in query.relations}
