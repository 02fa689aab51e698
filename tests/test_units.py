"""Sizes as Spark writes them, and numbers as people read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.units import (
    format_bytes,
    format_hours,
    format_money,
    format_rows,
    format_seconds,
    format_share,
    parse_bytes,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10485760", 10 << 20),
        ("10485760b", 10 << 20),
        ("10m", 10 << 20),
        ("10MB", 10 << 20),
        (" 1G ", 1 << 30),
        ("2t", 2 << 40),
        ("1p", 1 << 50),
        ("512k", 512 << 10),
        ("-1", -1),
        ("", None),
        ("ten", None),
        ("1.5g", None),
        ("10 apples", None),
        ("10mm", None),
    ],
)
def test_spark_sizes(text: str, expected: int | None) -> None:
    assert parse_bytes(text) == expected


@given(st.text())
def test_no_text_breaks_the_parser(text: str) -> None:
    assert parse_bytes(text) is None or isinstance(parse_bytes(text), int)


@pytest.mark.parametrize(
    ("count", "expected"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (14_274_936, "14.3 MB"), (102_793_968, "103 MB"), (8e12, "8.0 TB")],
)
def test_bytes_in_words(count: float, expected: str) -> None:
    assert format_bytes(count) == expected


@pytest.mark.parametrize(
    ("count", "expected"),
    [(199, "199 rows"), (1_430_861, "1.4M rows"), (55_873_561, "55.9M rows"), (2e13, "20000G rows")],
)
def test_rows_in_words(count: float, expected: str) -> None:
    assert format_rows(count) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0.421, "0.42 s"),
        (12.34, "12.3 s"),
        (119.9, "119.9 s"),
        (245.0, "4 min 5 s"),
        (7199.9, "119 min 59 s"),
        (12_059.0, "3 h 20 min"),
        (-7200.0, "-2 h 0 min"),
        (-0.5, "-0.50 s"),
        (-130.0, "-2 min 10 s"),
    ],
)
def test_seconds_in_words(seconds: float, expected: str) -> None:
    assert format_seconds(seconds) == expected


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_has_words(number: float) -> None:
    assert format_bytes(number)
    assert format_rows(number)
    assert format_seconds(number)


def test_a_bare_number_is_in_the_propertys_own_unit() -> None:
    assert parse_bytes("4096", "m") == 4 << 30  # spark.driver.memory
    assert parse_bytes("4096k", "m") == 4 << 20


@pytest.mark.parametrize(
    ("share", "text"), [(0.123, "12.3%"), (1.0, "100.0%"), (0.001, "0.1%"), (0.000021, "0.002%"), (0.0, "0%")]
)
def test_small_shares_keep_their_digits(share: float, text: str) -> None:
    assert format_share(share) == text


@pytest.mark.parametrize(
    ("hours", "expected"),
    [
        (0.0, "0"),
        (1.4e-10, "0"),
        (1.234e-5, "0.0000123"),
        (0.01666, "0.0167"),
        (-0.5, "-0.5"),
        (12.34, "12.3"),
        (1204.4, "1,204"),
        (-1204.4, "-1,204"),
    ],
)
def test_hours(hours: float, expected: str) -> None:
    assert format_hours(hours) == expected


@pytest.mark.parametrize(
    ("amount", "expected"),
    [(0.0, "0.00"), (-1.4e-10, "0"), (1.4e-5, "0.000014"), (0.0042, "0.0042"), (0.31, "0.31"), (-1204.4, "-1,204")],
)
def test_money(amount: float, expected: str) -> None:
    assert format_money(amount) == expected
