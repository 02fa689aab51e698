"""What people did to a cohort."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain

from tuner.model.verdict import ModeChange, Verdict
from tuner.panel.models import AuditItem
from tuner.panel.views.texts import shortened


def audit_items(
    verdicts: Iterable[Verdict], changes: Iterable[ModeChange], words: Mapping[str, str]
) -> list[AuditItem]:
    """Rulings and changes of mode, newest first. `words` says what a change was, by its id."""
    rulings = (
        AuditItem(
            at=v.at,
            by=v.by,
            did=v.ruling.value,
            change_id=v.change_id,
            words=shortened(words.get(v.change_id, "")),
            reason=shortened(v.reason),
        )
        for v in verdicts
    )
    modes = (
        AuditItem(at=c.at, by=c.by, did="mode", mode=c.mode.value if c.mode else "", reason=shortened(c.reason))
        for c in changes
    )
    return sorted(chain(rulings, modes), key=lambda item: item.at, reverse=True)
