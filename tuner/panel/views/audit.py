"""What people did to a cohort."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain

from tuner.model.imported_change import ImportedChange
from tuner.model.verdict import ModeChange, ObjectiveChange, Verdict
from tuner.panel.models.audit import AuditItem
from tuner.panel.views.texts import shortened
from tuner.words.reasons import reason_words


def audit_items(
    verdicts: Iterable[Verdict],
    changes: Iterable[ModeChange],
    objectives: Iterable[ObjectiveChange],
    imports: Iterable[ImportedChange],
    words: Mapping[str, str],
) -> list[AuditItem]:
    """Rulings, imports, and changes of mode and objective, newest first. `words` says what a change was, by its id."""
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
    aims = (
        AuditItem(at=c.at, by=c.by, did="objective", objective=c.objective or "", reason=shortened(c.reason))
        for c in objectives
    )
    imported = (
        AuditItem(
            at=one.at,
            by=one.by,
            did="import",
            change_id=one.change.id,
            words=shortened(words.get(one.change.id, "")),
            reason=shortened(reason_words(one.change.reason)),
        )
        for one in imports
    )
    return sorted(chain(rulings, modes, aims, imported), key=lambda item: item.at, reverse=True)
