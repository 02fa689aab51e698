"""A number that a purpose decides."""

from __future__ import annotations

import hashlib


def drawn_number(purpose: str) -> float:
    """In [0, 1), the same on any machine."""
    return int.from_bytes(hashlib.sha256(purpose.encode()).digest()[:6], "big") / 2**48
