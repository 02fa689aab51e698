"""Spark's size strings to bytes, and bytes, rows and seconds to words."""

from __future__ import annotations

import math
import re
from decimal import Decimal

MIB = 1 << 20
GIB = 1 << 30
MS_PER_HOUR = 3_600_000
SECONDS_PER_HOUR = 3600.0
_LEAST = 1e-6

_SIZE = re.compile(r"^\s*(-?[0-9]{1,18})\s*([a-z]*)\s*$", re.IGNORECASE)
# JavaUtils.byteStringAs: binary units; a bare number is in the unit the property names.
_FACTORS = {"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40, "p": 1 << 50}
_FACTORS |= {f"{unit}b": factor for unit, factor in list(_FACTORS.items()) if unit not in ("", "b")}


def parse_bytes(text: str, unit: str = "b") -> int | None:
    """Bytes of `10m`, `1g`, or a bare number of `unit`; negative stays negative (a sentinel); None when it is no size."""
    match = _SIZE.match(text)
    if not match or match[2].lower() not in _FACTORS:
        return None
    return int(match[1]) * _FACTORS[match[2].lower() or unit]


def format_bytes(count: float) -> str:
    """`14.3 MB`: decimal units, at most one decimal."""
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if abs(count) < 999.5 or unit == "TB":
            return f"{count:.0f} {unit}" if unit == "B" or abs(count) >= 99.95 else f"{count:.1f} {unit}"
        count /= 1000
    raise AssertionError


def format_rows(count: float) -> str:
    """`1.4M rows`."""
    for unit in ("", "k", "M", "G"):
        if abs(count) < 999.5 or unit == "G":
            return f"{count:.0f}{unit} rows" if not unit or abs(count) >= 99.95 else f"{count:.1f}{unit} rows"
        count /= 1000
    raise AssertionError


def format_seconds(seconds: float) -> str:
    """`0.42 s`, `12.3 s`, `4 min 5 s`, `3 h 20 min`."""
    if abs(seconds) >= 7200:
        hours, rest = divmod(int(abs(seconds)), 3600)
        return f"{'-' if seconds < 0 else ''}{hours} h {rest // 60} min"
    if abs(seconds) >= 120:
        minutes, rest = divmod(int(abs(seconds)), 60)
        return f"{'-' if seconds < 0 else ''}{minutes} min {rest} s"
    return f"{seconds:.2f} s" if abs(seconds) < 1 else f"{seconds:.1f} s"


def format_hours(hours: float) -> str:
    """`0.0167`, `12.3`, `1,204`: the number alone."""
    return f"{hours:,.0f}" if abs(hours) >= 100 else _with_digits(hours, 3)


def is_price(price: float) -> bool:
    """Whether a number can be one."""
    return math.isfinite(price) and price >= 0


def cost_of(core_hours: float | None, core_hour_price: float | None) -> float | None:
    """What core-hours cost, at a price for each; None where one of the two is not known."""
    return None if core_hours is None or core_hour_price is None else core_hours * core_hour_price


def format_money(amount: float) -> str:
    """`0.0042`, `0.31`, `12.30`, `1,204`: the number alone, in whatever currency its price was in."""
    if abs(amount) >= 100:
        return f"{amount:,.0f}"
    return f"{amount:.2f}" if abs(amount) >= 0.1 or amount == 0 else _with_digits(amount, 2)


def _with_digits(number: float, digits: int) -> str:
    """So many that count, never as a power of ten: below a millionth it is none to speak of, as in the panel (units.js)."""
    return "0" if abs(number) < _LEAST else format(Decimal(f"{number:.{digits}g}"), "f")


def format_share(share: float) -> str:
    """A share as a percentage, with as many digits as a small one needs: 12.3%, 0.002%; exactly none is 0%."""
    return f"{share:.1%}" if abs(share) >= 0.001 else f"{100 * share:.1g}%"
