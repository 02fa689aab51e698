"""Patterns that every Python we run on reads alike."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# `(?:a|b)*+`: until 3.11.4, such a group can match too much or too little (CPython issue 106052). `(?>(?:a|b)*)` says the
# same, and is read alike everywhere.
_POSSESSIVE_GROUP = re.compile(r"(?<!\\)\)(?:[*+?]|\{[\d,]+\})\+(?=[^\s+])")


@pytest.mark.parametrize("package", ["tuner", "airflow_plugin"])
def test_no_group_is_possessive(package: str) -> None:
    lines = [
        (path.relative_to(ROOT).as_posix(), number, line)
        for path in sorted((ROOT / package).rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    ]
    assert len(lines) > 100
    assert [found for found in lines if _POSSESSIVE_GROUP.search(found[2])] == []


def test_what_is_looked_for_is_found() -> None:
    assert _POSSESSIVE_GROUP.search(r"""(?:[^'\\]|'')*+(?:')""")
    assert not _POSSESSIVE_GROUP.search(r"""(?>(?:[^'\\]|'')*)(?:')\w++""")
