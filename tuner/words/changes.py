"""Changes in words."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.change import Change
from tuner.words.actions import action_words
from tuner.words.query_names import QueryNames


def change_words(change: Change, names: QueryNames) -> str:
    """What it does, as one would type it."""
    return ", ".join(action_words(action, names) for action in change.actions)


def trial_words(changes: Sequence[Change], names: QueryNames) -> str:
    """What changes that are tried together do, as one: `reorder the joins in 02-query-72 and 2 more`."""
    first = next((change for change in changes if not change.needs), changes[0])
    more = len(changes) - 1
    return change_words(first, names) + (f" and {more} more" if more else "")
