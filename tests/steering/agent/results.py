"""Whether two results hold the same rows, in whatever order."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

_RELATIVE, _ABSOLUTE = 1e-9, 1e-9  # sums of doubles depend on the order of their rows, and on nothing else


def difference(expected: Iterable[Sequence[Any]], found: Iterable[Sequence[Any]]) -> str:
    """What tells two results apart; nothing where their rows are the same but for the last digits of doubles."""
    one, other = sorted(map(_row, expected), key=_key), sorted(map(_row, found), key=_key)
    if len(one) != len(other):
        return f"{len(other)} rows instead of {len(one)}"
    for left, right in zip(one, other, strict=True):
        if not _same(left, right):
            return f"{right!r} instead of {left!r}, of {len(one)} rows"
    return ""


def _row(row: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(map(_plain, row))


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple(map(_plain, value))
    return value if value is None or isinstance(value, float) else str(value)


def _key(row: tuple[Any, ...]) -> tuple[str, str]:
    """Rows by what is exact in them first: what is not then orders alike among those."""
    inexact = [f"{value:+.6e}" for value in row if isinstance(value, float)]
    return repr([None if isinstance(value, float) else value for value in row]), repr(inexact)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE) or (math.isnan(one) and math.isnan(other))
    return bool(one == other)
