"""What steered a run."""

from __future__ import annotations

from tuner.model.decision import IN_FORCE, DecidedAction
from tuner.model.run import Run
from tuner.panel.models import InForce
from tuner.panel.views.texts import shortened


def in_force_items(run: Run, fingerprint: str | None = None) -> list[InForce]:
    """What was in force in a run, on one of its queries where one is given."""
    return [
        in_force_item(d)
        for d in run.decision.actions
        if d.standing in IN_FORCE and (fingerprint is None or fingerprint in d.queries)
    ]


def in_force_item(decided: DecidedAction) -> InForce:
    return InForce(action_id=decided.action.id, words=shortened(decided.action.words), standing=decided.standing)
