"""Types, and values as printed."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from tuner.cost.statistics.types import Kind, Value, kind_of, read_value

HOUR = 3_600_000_000


@pytest.mark.parametrize(
    ("type_name", "kind"),
    [
        ("int", Kind.NUMERIC),
        ("bigint", Kind.NUMERIC),
        ("decimal(10,2)", Kind.NUMERIC),
        ("decimal(20,2)", Kind.NUMERIC),
        ("date", Kind.DATE),
        ("timestamp", Kind.TIMESTAMP),
        ("timestamp_ntz", Kind.TIMESTAMP),
        ("boolean", Kind.BOOLEAN),
        ("string", Kind.STRING),
        ("varchar(10)", Kind.STRING),
        ("binary", Kind.STRING),
        ("array<int>", Kind.OTHER),
        ("map<string,array<bigint>>", Kind.OTHER),
        ("struct<a:int,b:decimal(10,2),c:struct<d:string>>", Kind.OTHER),
        ("interval day to second", Kind.OTHER),
        ("geometry", Kind.OTHER),
    ],
)
def test_kinds(type_name: str, kind: Kind) -> None:
    assert kind_of(type_name) is kind


@pytest.mark.parametrize(
    ("text", "type_name", "value"),
    [
        ("5", "int", 5),
        ("-12345678901234567890", "decimal(38,0)", -12345678901234567890),
        ("5.50", "decimal(10,2)", 5.5),
        ("1.0E-5", "double", 1e-5),
        ("NaN", "double", None),
        ("Infinity", "double", None),
        ("1e999", "double", None),
        ("five", "int", None),
        ("", "int", None),
        ("٣", "int", None),
        ("1970-01-02", "date", 1),
        ("+12345-01-01", "date", None),
        ("1970-01-01 01:00:00", "timestamp", HOUR),
        ("1970-01-01 01:00:00.000001", "timestamp_ntz", HOUR + 1),
        ("yesterday", "timestamp", None),
        ("true", "boolean", True),
        ("1", "boolean", None),
        ("5", "string", None),
        ("[1]", "array<int>", None),
    ],
)
def test_values_are_read_as_their_type(text: str, type_name: str, value: Value | None) -> None:
    assert read_value(text, type_name) == value


def test_timestamps_of_plans_are_in_the_sessions_zone() -> None:
    zone = ZoneInfo("America/New_York")
    assert read_value("1970-01-01 00:00:00", "timestamp", zone) == 5 * HOUR
    assert read_value("1970-01-01 00:00:00", "timestamp_ntz", zone) == 0
