"""Counted things in words."""

from __future__ import annotations


def over_queries(queries: int, not_named: int = 0) -> str:
    """As in "4 queries, 1 of them not named"; `not_named` were moved by a property that was meant for others."""
    words = "1 query" if queries == 1 else f"{queries} queries"
    if not not_named:
        return words
    return f"{words}, not named" if queries == not_named == 1 else f"{words}, {not_named} of them not named"
