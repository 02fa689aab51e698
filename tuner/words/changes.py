"""Changes in words."""

from __future__ import annotations

from tuner.model.change import Change
from tuner.words.actions import action_words


def change_words(change: Change) -> str:
    """What it does, as one would type it."""
    return ", ".join(map(action_words, change.actions))
