"""What an application had set, property by property; what is unset or unreadable is Spark's default."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar, cast

from tuner.spark.knob import Knob, Unit
from tuner.spark.version import NEWEST, Version
from tuner.units import parse_bytes

V = TypeVar("V")

_SECONDS_OF = {"": 1, "us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400}
_TIME = re.compile(rf"(-?[0-9]{{1,9}})({'|'.join(_SECONDS_OF)})")


@dataclass(frozen=True, slots=True)
class Settings:
    """`settings[knob]` is a property's value, in bytes where it is a size; `knob in settings` tells whether it is set."""

    properties: Mapping[str, str]
    version: Version = NEWEST

    def __contains__(self, knob: Knob[V]) -> bool:
        return knob.property in self.properties

    def __getitem__(self, knob: Knob[V]) -> V:
        text = self.properties.get(knob.property)
        value = None if text is None else _READERS[knob.unit](text.strip())
        return knob.default_in(self.version) if value is None else cast(V, value)


def _flag(text: str) -> bool:
    return text.lower() == "true"


def _count(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None


def _seconds(text: str) -> float | None:
    """A bare number is seconds; the suffixes are those of JavaUtils.timeStringAs. Negative stays negative (no limit)."""
    match = _TIME.fullmatch(text.lower())
    return int(match[1]) * _SECONDS_OF[match[2]] if match else None


def _ratio(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _share(text: str) -> float | None:
    value = _ratio(text)
    return value if value is not None and 0 <= value <= 1 else None


def _mebibytes(text: str) -> int:
    """An unreadable heap is unknown, 0: nothing may be measured against Spark's default then."""
    return parse_bytes(text, "m") or 0


_READERS: Mapping[Unit, Callable[[str], bool | int | float | str | None]] = {
    Unit.FLAG: _flag,
    Unit.BYTES: parse_bytes,
    Unit.MEBIBYTES: _mebibytes,
    Unit.SECONDS: _seconds,
    Unit.MILLISECONDS: _count,
    Unit.COUNT: _count,
    Unit.RATIO: _ratio,
    Unit.SHARE: _share,
    Unit.NAME: str,
}
