"""What only a person can change, the most seconds first."""

from __future__ import annotations

from tuner.model.insight import Insight
from tuner.panel.facts import CohortFacts
from tuner.panel.models.insights import InsightItem
from tuner.panel.views.texts import evidence_items, query_ref, shortened
from tuner.words.insights import insight_change, insight_reason
from tuner.words.query_names import QueryNames


def insights(facts: CohortFacts) -> list[Insight]:
    """Those of the newest run that has details."""
    found = facts.newest_details[1].insights if facts.newest_details else ()
    return sorted(found, key=lambda insight: -insight.seconds)


def insight_item(insight: Insight, names: QueryNames) -> InsightItem:
    return InsightItem(
        kind=insight.kind,
        operator=shortened(insight.operator),
        query=query_ref(insight.query, names),
        seconds=insight.seconds,
        reason=shortened(insight_reason(insight)),
        change=shortened(insight_change(insight)),
        evidence=evidence_items(insight.evidence),
    )
