"""What steered a run."""

from __future__ import annotations

from tuner.history.model import IN_FORCE, Run
from tuner.panel.models import InForce
from tuner.panel.views.texts import shortened


def in_force_items(run: Run, fingerprint: str | None = None) -> list[InForce]:
    """What was in force in a run, on one of its queries where one is given."""
    return [
        InForce(action_id=d.action.id, words=shortened(d.action.words), standing=d.standing)
        for d in run.decision.actions
        if d.standing in IN_FORCE and (fingerprint is None or fingerprint in d.queries)
    ]
