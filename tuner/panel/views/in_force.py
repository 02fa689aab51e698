"""What steered a run, and each of its queries."""

from __future__ import annotations

from collections.abc import Iterable

from tuner.model.decision import DecidedChange
from tuner.model.run import Run
from tuner.panel.models.in_force import InForce
from tuner.panel.views.texts import shortened
from tuner.words.actions import action_words
from tuner.words.query_names import QueryNames


def in_force_on_joins(run: Run, fingerprint: str) -> list[DecidedChange]:
    """What was in force on one query alone."""
    return [d for d in run.decision.in_force if d.change.is_on_joins and fingerprint in d.queries]


def in_force_properties(run: Run) -> list[DecidedChange]:
    """What was in force on every query: a property reaches those that it was not meant for, too."""
    return [d for d in run.decision.in_force if not d.change.is_on_joins and d.change.carried_out]


def reaching(run: Run, fingerprint: str) -> list[DecidedChange]:
    """All that was in force on one query of a run, what it has alone first."""
    return [*in_force_on_joins(run, fingerprint), *in_force_properties(run)]


def in_words(changes: Iterable[DecidedChange], names: QueryNames) -> list[InForce]:
    """What changes do, action by action."""
    return [
        InForce(change_id=d.id, action_id=a.id, words=shortened(action_words(a, names)), standing=d.standing)
        for d in changes
        for a in d.change.carried_out
    ]
