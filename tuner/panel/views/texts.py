"""Texts that come from logs, at a length that a page can show."""

from __future__ import annotations

from collections.abc import Iterable

from tuner.model.change import Evidence
from tuner.panel.models.evidence import EvidenceItem
from tuner.panel.models.query_ref import QueryRef
from tuner.words.query_names import QueryNames

MOST_CHARACTERS = 1000


def shortened(text: str) -> str:
    """At most MOST_CHARACTERS, an ellipsis in the place of the rest."""
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"


def query_ref(fingerprint: str, names: QueryNames) -> QueryRef:
    return QueryRef(fingerprint=fingerprint, name=names[fingerprint])


def evidence_items(evidence: Iterable[Evidence]) -> list[EvidenceItem]:
    return [EvidenceItem(what=e.what, value=e.value, unit=e.unit, of=shortened(e.of)) for e in evidence]
