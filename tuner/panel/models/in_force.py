"""What was in force in a run."""

from __future__ import annotations

from tuner.model.decision import Standing
from tuner.panel.models.answer import Answer


class InForce(Answer):
    """An action that steered a run, and the change that it was part of."""

    change_id: str
    action_id: str
    words: str
    standing: Standing
