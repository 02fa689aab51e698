"""How often a query comes back, in words."""

from __future__ import annotations


def how_often(every: int) -> str:
    """Of a number of nights; 0 is never."""
    return {0: "never", 1: "every night"}.get(every, f"every {every} nights")
