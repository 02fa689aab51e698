"""Failures in words."""

from __future__ import annotations

from tuner.model.failure import Failure


def failure_words(failure: Failure) -> str:
    """What happened and where, as in "broadcast timed out after 300 s in query 553ec9ffb6e78d0c"."""
    return failed_in(failure.words, failure.query, failure.where)


def failed_in(words: str, query: str | None, where: str) -> str:
    """The same of its parts."""
    place = f"query {query}" if query else where
    return f"{words} in {place}" if place else words
