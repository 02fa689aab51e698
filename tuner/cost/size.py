"""How much an operator puts out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Size:
    """Rows, and bytes of them in memory (UnsafeRows: what an exchange calls "data size")."""

    rows: float
    bytes: float
