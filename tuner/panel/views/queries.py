"""A cohort's queries: what they would take with nothing in force, and what they took in the latest run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tuner.panel.facts import CohortFacts
from tuner.panel.models.queries import QueriesTogether, QueryItem, QuerySort
from tuner.panel.views.in_force import in_force_on_joins, in_force_properties, in_words
from tuner.panel.views.texts import query_ref
from tuner.policy.measure import is_reached, query_seconds, seconds_by_query

_VALUES: Mapping[QuerySort, Callable[[QueryItem], Any]] = {
    QuerySort.NAME: lambda item: item.query.name.casefold(),
    QuerySort.LATEST: lambda item: item.latest_seconds,
    QuerySort.BASELINE: lambda item: item.baseline_seconds,
    QuerySort.GAINED: lambda item: item.gained_seconds,
    QuerySort.SHARE: lambda item: item.share,
    QuerySort.IN_FORCE: lambda item: len(item.in_force),
}


def query_items(facts: CohortFacts) -> list[QueryItem]:
    """One for each query that a measured run ran."""
    latest = facts.view.latest
    took = seconds_by_query(latest) if latest else {}
    whole = sum(took.values())
    usual = facts.view.query_baselines
    pictured = {p.query for p in facts.newest_details[1].pictures if p.steps} if facts.newest_details else set()
    return [
        QueryItem(
            query=query_ref(fingerprint, facts.names),
            baseline_seconds=usual.get(fingerprint),
            latest_seconds=took.get(fingerprint),
            gained_seconds=_gained(facts, usual.get(fingerprint), took.get(fingerprint)),
            share=took[fingerprint] / whole if whole and fingerprint in took else None,
            in_force=in_words(in_force_on_joins(latest, fingerprint), facts.names) if latest else [],
            has_plan=fingerprint in pictured,
        )
        for fingerprint in usual.keys() | took.keys()
    ]


def query_item(facts: CohortFacts, fingerprint: str) -> QueryItem | None:
    """One of them."""
    return next((item for item in query_items(facts) if item.query.fingerprint == fingerprint), None)


def in_order(items: Sequence[QueryItem], sort: QuerySort, *, descending: bool) -> list[QueryItem]:
    """Sorted by a value, those without it last; equals by their seconds, most first."""
    value = _VALUES[sort]
    slowest = sorted(
        items, key=lambda i: (-(i.latest_seconds or 0.0), -(i.baseline_seconds or 0.0), i.query.fingerprint)
    )
    known = [item for item in slowest if value(item) is not None]
    unknown = [item for item in slowest if value(item) is None]
    return sorted(known, key=value, reverse=descending) + unknown


def queries_together(facts: CohortFacts, items: Sequence[QueryItem]) -> QueriesTogether:
    """What `items`, all that there are, come to in the latest run."""
    latest = facts.view.latest
    band = facts.view.baselines.get(latest.key) if latest else None
    ran = [item for item in items if item.latest_seconds is not None]
    took = query_seconds(latest) if latest else None
    return QueriesTogether(
        run_at=latest.started_at if latest else None,
        queries=len(ran),
        new=sum(item.baseline_seconds is None for item in ran),
        gone=len(items) - len(ran),
        baseline_seconds=band.expected if band else None,
        latest_seconds=took,
        gained_seconds=_gained(facts, band.expected if band else None, took),
        properties=in_words(in_force_properties(latest), facts.names) if latest else [],
    )


def _gained(facts: CohortFacts, before: float | None, took: float | None) -> float | None:
    """What the machine alone gained or lost is no gain of the tuner's."""
    if before is None or took is None or facts.view.latest is None or not is_reached(facts.view.latest):
        return None
    return before - took
