"""A page that a command writes for people."""

from __future__ import annotations

from pathlib import Path

from tuner.errors import TunerError


def write_page(path: Path, text: str) -> None:
    """TunerError where it cannot be written."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise TunerError(f"{path}: cannot write the page: {error.strerror}") from error
