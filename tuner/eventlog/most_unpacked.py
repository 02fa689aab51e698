"""How many bytes a log may unpack to: a few KB can be made to unpack to gigabytes."""

from __future__ import annotations

# A log shrinks by a factor of 8 to 100.
_MAX_RATIO = 500
_MAX_SMALL_BYTES = 16 << 20
TOO_MANY = f"more than {_MAX_RATIO} times as many bytes unpacked as packed"


def most_unpacked(packed_bytes: int) -> int:
    """The most bytes that so many packed ones of a log unpack to."""
    return max(_MAX_SMALL_BYTES, _MAX_RATIO * packed_bytes)
