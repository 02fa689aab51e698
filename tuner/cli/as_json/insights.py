"""Insights as `advise --json` prints them: a contract, so every name is written out here."""

from __future__ import annotations

from typing import Any

from tuner.model.insight import Insight
from tuner.words.insights import insight_change, insight_reason
from tuner.words.query_names import QueryNames


def insights_json(cohort: str, app_id: str, found: tuple[Insight, ...], names: QueryNames) -> list[dict[str, Any]]:
    """All insights of an application."""
    return [
        {
            "cohort": cohort,
            "app_id": app_id,
            "query": i.query,
            "name": names[i.query],
            "description": i.description,
            "kind": i.kind.value,
            "operator": i.operator,
            "seconds": i.seconds,
            "reason": insight_reason(i),
            "evidence": [{"what": e.what, "value": e.value, "unit": e.unit, "of": e.of} for e in i.evidence],
            "change": insight_change(i),
        }
        for i in found
    ]
