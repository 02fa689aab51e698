"""Changes in words."""

from __future__ import annotations

from tuner.model.change import Change
from tuner.words.actions import action_words
from tuner.words.query_names import QueryNames


def change_words(change: Change, names: QueryNames) -> str:
    """What it does, as one would type it."""
    return ", ".join(action_words(action, names) for action in change.actions)
