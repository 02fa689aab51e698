"""What a change is called on a command line: its id may spell a block of joins."""

from __future__ import annotations

from hashlib import sha256

LENGTH = 5


def short_id(change_id: str) -> str:
    """The same in every run and every cohort: one of a million, so that two of a cohort hardly ever share it."""
    return sha256(change_id.encode()).hexdigest()[:LENGTH]
