"""Sizes that a run has in place of what its job asks for, in words."""

from __future__ import annotations

from tuner.model.size_change import SizeChange


def size_words(one: SizeChange) -> str:
    """What is set, and in place of what."""
    return (
        f"{one.property}={one.value} instead of {one.was}"
        if one.was
        else f"{one.property}={one.value}, which is not set"
    )
