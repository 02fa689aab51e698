"""Versions of Spark, as they are printed and compared."""

from __future__ import annotations

import re

_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?")

Version = tuple[int, int, int]

NEWEST: Version = (4, 3, 0)


def read_version(text: str) -> Version:
    """Major, minor and patch version; the newest one known where the text tells none."""
    return parse_version(text) or NEWEST


def parse_version(text: str) -> Version | None:
    """Major, minor and patch version, whatever follows; None where the text tells none."""
    match = _VERSION.match(text)
    return (int(match[1]), int(match[2]), int(match[3] or 0)) if match else None


def major_minor(text: str) -> tuple[int, int]:
    """Major and minor version; (0, 0) where the text tells none."""
    version = parse_version(text)
    return version[:2] if version else (0, 0)
