"""Reads a spark-submit properties file the way spark-submit does (java.util.Properties.load)."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SEPARATED = re.compile(r"((?:\\.|[^\\=:\s])*)\s*[=:]?\s*(.*)", re.DOTALL)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_CONTROL = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def parse(text: str) -> dict[str, str]:
    """Keys and values; a key given twice has its last value."""
    pairs = (_pair(line) for line in _logical_lines(text))
    return {key: value.strip() for key, value in pairs}


def _logical_lines(text: str) -> Iterator[str]:
    pending = ""
    for line in text.splitlines():
        line = line.lstrip()
        if not pending and (not line or line[0] in "#!"):
            continue
        if _continues(line):
            pending += line[:-1]
            continue
        yield pending + line
        pending = ""
    if pending:
        yield pending


def _continues(line: str) -> bool:
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def _pair(line: str) -> tuple[str, str]:
    match = _SEPARATED.match(line)
    assert match is not None
    return _unescape(match[1]), _unescape(match[2])


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda match: _character(match[1]), text)


def _character(escape: str) -> str:
    return chr(int(escape[1:], 16)) if len(escape) == 5 else _CONTROL.get(escape, escape)
