"""Properties that a job has set already, in words."""

from __future__ import annotations

from collections.abc import Mapping


def already_set_words(found: Mapping[str, str]) -> str:
    """What is to be known of a change to these properties, by their values in the run; "" for none. A log does not tell who set
    them."""
    if not found:
        return ""
    pairs = ", ".join(f"{name}={value}" for name, value in found.items())
    return f"the job runs with {pairs}: where it sets that itself, the tuner leaves it"
