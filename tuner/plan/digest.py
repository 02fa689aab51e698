"""The short name of a text that is too long to be one."""

from __future__ import annotations

import hashlib


def digest(text: str) -> str:
    """16 hex digits: what fingerprints, signatures and labels are."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]
