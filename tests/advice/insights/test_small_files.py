"""Insight: small files."""

from __future__ import annotations

import pytest

from tuner.advice.insights.small_files import small_files

from .plans import facts, only, values


def scanned(files: int, size: int, name: str = "number of files read") -> str:
    return f"""
        Scan parquet db.orders | [c#1] | number of output rows=9; {name}={files}; size of files read={size}; \
scan time=10000; metadata time=2000
    """


@pytest.mark.parametrize("name", ["number of files read", "number of files"])
def test_many_files_smaller_than_opening_one_costs(name: str) -> None:
    found = only(small_files, facts(scanned(1000, 1000 << 20, name)))
    assert values(found)["bytes a file"] == found.numbers["file_bytes"] == 1 << 20
    assert found.seconds == pytest.approx(2 + 5 * 0.8)  # listing, and four fifths of the scan's share


@pytest.mark.parametrize(("files", "size"), [(1000, 8000 << 20), (50, 50), (0, 0)])
def test_files_that_are_few_or_large_enough(files: int, size: int) -> None:
    assert not list(small_files(facts(scanned(files, size))))
