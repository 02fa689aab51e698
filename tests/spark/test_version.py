"""Versions of Spark as they are printed."""

from __future__ import annotations

import pytest

from tuner.spark.version import NEWEST, Version, major_minor, read_version


@pytest.mark.parametrize(
    ("text", "version"), [("3.5.9", (3, 5, 9)), ("4.2", (4, 2, 0)), ("4.3.0-SNAPSHOT", (4, 3, 0)), ("", NEWEST)]
)
def test_versions(text: str, version: Version) -> None:
    assert read_version(text) == version


def test_an_unknown_version_is_zero_where_two_are_compared() -> None:
    assert major_minor("4.3.0-SNAPSHOT") == (4, 3)
    assert major_minor("unknown") == (0, 0)
