"""Failures in words."""

from __future__ import annotations

from tuner.model.failure import Failure
from tuner.words.query_names import QueryNames


def failure_words(failure: Failure, names: QueryNames) -> str:
    """What happened and where, as in "broadcast timed out after 300 s in daily sales"."""
    place = names[failure.query] if failure.query else failure.where
    return f"{failure.words} in {place}" if place else failure.words
