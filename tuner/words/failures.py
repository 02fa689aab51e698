"""Failures in words."""

from __future__ import annotations

from tuner.model.failure import Failure
from tuner.words.query_names import QueryNames


def failure_words(failure: Failure, names: QueryNames) -> str:
    """What happened and where, as in "broadcast timed out after 300 s in daily sales"."""
    return failed_in(failure.words, failure.query, failure.where, names)


def failed_in(words: str, query: str | None, where: str, names: QueryNames) -> str:
    """The same of its parts."""
    place = names[query] if query else where
    return f"{words} in {place}" if place else words
