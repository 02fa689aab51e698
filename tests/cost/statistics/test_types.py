"""Types, values as printed, and what they take."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from tuner.cost.statistics.types import Kind, Value, default_bytes, kind_of, read_value, rounded

HOUR = 3_600_000_000


@pytest.mark.parametrize(
    ("type_name", "kind", "size"),
    [
        ("int", Kind.NUMERIC, 4),
        ("bigint", Kind.NUMERIC, 8),
        ("decimal(10,2)", Kind.NUMERIC, 8),
        ("decimal(20,2)", Kind.NUMERIC, 16),
        ("date", Kind.DATE, 4),
        ("timestamp", Kind.TIMESTAMP, 8),
        ("timestamp_ntz", Kind.TIMESTAMP, 8),
        ("boolean", Kind.BOOLEAN, 1),
        ("string", Kind.STRING, 20),
        ("varchar(10)", Kind.STRING, 20),
        ("binary", Kind.STRING, 100),
        ("array<int>", Kind.OTHER, 4),
        ("map<string,array<bigint>>", Kind.OTHER, 28),
        ("struct<a:int,b:decimal(10,2),c:struct<d:string>>", Kind.OTHER, 32),
        ("interval day to second", Kind.OTHER, 8),
        ("geometry", Kind.OTHER, 20),
    ],
)
def test_kinds_and_default_sizes(type_name: str, kind: Kind, size: int) -> None:
    assert (kind_of(type_name), default_bytes(type_name)) == (kind, size)


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


@pytest.mark.parametrize(
    ("value", "type_name", "result"),
    [(5.9, "int", 5), (5.9, "date", 5), (5.9, "double", 5.9), (1.0, "boolean", True), (0.0, "boolean", False)],
)
def test_numbers_become_values_again(value: float, type_name: str, result: Value) -> None:
    assert rounded(value, type_name) == result
    assert type(rounded(value, type_name)) is type(result)
