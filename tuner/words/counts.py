"""Counted things in words."""

from __future__ import annotations


def counted(count: int, thing: str) -> str:
    """As in "1 task", "2 queries", "3 days"."""
    if count == 1:
        return f"1 {thing}"
    return f"{count} {thing[:-1]}ies" if thing.endswith("y") and thing[-2:-1] not in "aeiou" else f"{count} {thing}s"


def over_queries(queries: int, not_named: int = 0) -> str:
    """As in "4 queries (1 of them not targeted)": `not_named` were moved by a property that was meant for others."""
    words = counted(queries, "query")
    if not not_named:
        return words
    return f"{words} (not targeted)" if queries == not_named == 1 else f"{words} ({not_named} of them not targeted)"
