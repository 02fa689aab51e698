"""A cohort's queries: what they take with nothing in force, and what they took in the latest run."""

from __future__ import annotations

from tuner.panel.facts import CohortFacts
from tuner.panel.models import QueryItem
from tuner.panel.views.texts import query_ref
from tuner.policy.measure import seconds_by_query
from tuner.words.query_names import QueryNames


def query_items(facts: CohortFacts, names: QueryNames) -> list[QueryItem]:
    """Slowest first, by their latest seconds or else by those with nothing in force."""
    latest = facts.view.latest
    took = seconds_by_query(latest) if latest else {}
    usual = facts.view.query_baselines
    pictured = {p.query for p in facts.newest_details[1].pictures if p.steps} if facts.newest_details else set()
    reaching = [d.queries for d in latest.decision.in_force for _ in d.change.carried_out] if latest else []
    slowest = sorted(usual | took, key=lambda q: (-took.get(q, usual.get(q, 0.0)), q))
    return [
        QueryItem(
            query=query_ref(fingerprint, names),
            baseline_seconds=usual.get(fingerprint),
            latest_seconds=took.get(fingerprint),
            in_force=sum(fingerprint in queries for queries in reaching),
            has_plan=fingerprint in pictured,
        )
        for fingerprint in slowest
    ]
