"""Spark's properties files, read the way spark-submit does (java.util.Properties.load)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

_SEPARATED = re.compile(r"((?:\\.|[^\\=:\s])*)\s*[=:]?\s*(.*)", re.DOTALL)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_CONTROL = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def read(path: Path) -> dict[str, str]:
    """The properties of a file; none where it cannot be read, which spark-submit says better."""
    try:
        return parse(path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return {}


def spark_defaults(home: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """What spark-defaults.conf sets, in $SPARK_CONF_DIR, else in conf/ of the home (Utils.getDefaultPropertiesFile)."""
    directory = environ.get("SPARK_CONF_DIR")
    return read((Path(directory) if directory else home / "conf") / "spark-defaults.conf")


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
