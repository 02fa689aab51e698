"""Spark's data types, by their catalog names: what estimates can do with their values."""

from __future__ import annotations

import math
import re
from datetime import UTC, date, datetime, timedelta, tzinfo
from enum import StrEnum

# A date counts as days since 1970, a timestamp as microseconds.
Value = int | float | bool


class Kind(StrEnum):
    """Types that estimates treat alike."""

    NUMERIC = "numeric"
    DATE = "date"
    TIMESTAMP = "timestamp"
    BOOLEAN = "boolean"
    STRING = "string"
    OTHER = "other"


_INTEGERS = ("tinyint", "smallint", "int", "bigint", "byte", "short", "integer", "long")
_FRACTIONS = ("float", "double", "real", "decimal")
_KINDS = {
    **dict.fromkeys((*_INTEGERS, *_FRACTIONS), Kind.NUMERIC),
    "date": Kind.DATE,
    "timestamp": Kind.TIMESTAMP,
    "timestamp_ntz": Kind.TIMESTAMP,
    "boolean": Kind.BOOLEAN,
    # Spark keeps no minimum and maximum of binary values either, and treats them as strings.
    **dict.fromkeys(("string", "varchar", "char", "binary"), Kind.STRING),
}
_NAME = re.compile(r"[a-z_]+")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_INTEGER = re.compile(r"[+-]?[0-9]{1,38}")
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,60}(?:\.[0-9]{0,60})?|\.[0-9]{1,60})(?:[eE][+-]?[0-9]{1,4})?")


def kind_of(type_name: str) -> Kind:
    """How estimates treat a type."""
    name = _NAME.match(type_name)
    return _KINDS.get(name[0], Kind.OTHER) if name and "<" not in type_name else Kind.OTHER


def read_value(text: str, type_name: str, zone: tzinfo = UTC) -> Value | None:
    """A value as plans and catalogs print it; None for what is not of the type, and for strings.

    Plans print timestamps in the session's time zone, catalogs in UTC.
    """
    match kind_of(type_name):
        case Kind.NUMERIC:
            return _read_number(text)
        case Kind.DATE:
            return _read_date(text)
        case Kind.TIMESTAMP:
            return _read_timestamp(text, UTC if type_name == "timestamp_ntz" else zone)
        case Kind.BOOLEAN:
            return {"true": True, "false": False}.get(text.lower())
        case _:
            return None


def days_since_epoch(day: date) -> int:
    """A date as Spark counts it."""
    return (day - _EPOCH.date()).days


def microseconds_since_epoch(moment: datetime) -> int:
    """A timestamp as Spark counts it; one without a zone is in UTC."""
    return ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _EPOCH) // _MICROSECOND


def _read_number(text: str) -> int | float | None:
    if _INTEGER.fullmatch(text):
        return int(text)
    number = float(text) if _NUMBER.fullmatch(text) else math.inf
    return number if math.isfinite(number) else None


def _read_date(text: str) -> int | None:
    try:
        return days_since_epoch(date.fromisoformat(text))
    except ValueError:
        return None


def _read_timestamp(text: str, zone: tzinfo) -> int | None:
    try:
        moment = datetime.fromisoformat(text)
        return microseconds_since_epoch(moment if moment.tzinfo else moment.replace(tzinfo=zone))
    except (ValueError, OverflowError):
        return None
