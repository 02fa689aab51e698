"""GET api/cohort/insights: what only a person can change."""

from __future__ import annotations

from tuner.model.insight import InsightKind
from tuner.panel.models.answer import Answer
from tuner.panel.models.evidence import EvidenceItem
from tuner.panel.models.query_ref import QueryRef


class InsightItem(Answer):
    """What only a person can change, and the most seconds that it can gain."""

    kind: InsightKind
    operator: str
    query: QueryRef
    seconds: float
    reason: str
    change: str
    evidence: list[EvidenceItem]
