"""Where changes stand, in words."""

from __future__ import annotations

from tuner.model.decision import Standing


def standing_words(standing: Standing) -> str:
    """As people read it."""
    return "on trial" if standing is Standing.TRIAL else standing.value.replace("_", " ")
