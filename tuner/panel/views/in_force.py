"""What steered a run."""

from __future__ import annotations

from tuner.model.decision import DecidedChange
from tuner.model.run import Run
from tuner.panel.models import InForce
from tuner.panel.views.texts import shortened
from tuner.words.actions import action_words
from tuner.words.query_names import QueryNames


def in_force_items(run: Run, names: QueryNames, fingerprint: str | None = None) -> list[InForce]:
    """What was in force in a run, on one of its queries where one is given."""
    return [
        item
        for decided in run.decision.in_force
        if fingerprint is None or fingerprint in decided.queries
        for item in in_force_actions(decided, names)
    ]


def in_force_actions(decided: DecidedChange, names: QueryNames) -> list[InForce]:
    """What a change does, action by action."""
    return [
        InForce(
            change_id=decided.id, action_id=a.id, words=shortened(action_words(a, names)), standing=decided.standing
        )
        for a in decided.change.carried_out
    ]
