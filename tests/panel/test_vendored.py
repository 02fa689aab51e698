"""Vendored libraries are the files that VENDORED.md names: unmodified, with their licences, and all of them."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

import tuner.panel

VENDOR = Path(tuner.panel.__file__).parent / "static" / "vendor"


def rows() -> dict[str, dict[str, str]]:
    """The table of VENDORED.md, by file."""
    lines = [line for line in (VENDOR / "VENDORED.md").read_text().splitlines() if line.startswith("|")]
    head, _, *body = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return {cells[0]: dict(zip(head, cells, strict=True)) for cells in body}


@pytest.mark.parametrize("name", sorted(rows()))
def test_file_is_the_published_one(name: str) -> None:
    assert hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() == rows()[name]["sha256"]


@pytest.mark.parametrize("name", sorted(rows()))
def test_version_stands_in_the_file_and_its_licence_beside_it(name: str) -> None:
    row = rows()[name]
    licence = row["licence"].partition("(")[2].rstrip(")")

    assert "Permission to use, copy, modify" in (VENDOR / licence).read_text()
    assert row["version"] in (VENDOR / name).read_text()


def test_every_file_is_named() -> None:
    found = {path.name for path in VENDOR.iterdir()} - {"VENDORED.md"}

    assert {name for name in found if not name.endswith(".LICENSE")} == set(rows())
