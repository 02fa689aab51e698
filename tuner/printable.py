"""Text that comes from elsewhere, without what a terminal would act on."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

_MOST_NAMES = 3
# Control characters (C0, DEL, C1), marks that turn the direction of writing, halves of surrogate pairs (file names
# that are no UTF-8), and what other programs take for the end of a line.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
# What takes no room: soft hyphens, zero-width spaces, invisible operators, interlinear marks, tags. Joiners spell words.
_HIDDEN = re.compile("[\xad\u200b\u2060-\u206f\ufff9-\ufffb\U000e0000-\U000e007f]")
_SPACES = frozenset("\t\n\v\f\r\x1c\x1d\x1e\x1f\x85\u2028\u2029")


def printable(text: str, limit: int | None = None) -> str:
    """One line of text, at most `limit` characters long: spaces for line breaks and tabs, U+FFFD for the rest."""
    text = text if limit is None else text[: limit + 1]
    if not text.isprintable():  # which is soon seen, and false of all that is replaced
        text = _UNPRINTABLE.sub(_replacement, text)
    return text if limit is None or len(text) <= limit else text[: limit - 1] + "…"


def visible(text: str, limit: int | None = None) -> str:
    """As `printable`, with U+FFFD for what people would not see and programs read, too.

    For what is shown alone: what is told apart by its name is `printable`, as the agent has it (Names.java).
    """
    line = printable(text, limit)
    return line if line.isprintable() else _HIDDEN.sub("\ufffd", line)


def _replacement(match: re.Match[str]) -> str:
    return " " if match[0] in _SPACES else "\ufffd"


def identifier(name: str, limit: int = 500) -> str:
    """A printable name of at most `limit` characters; a digest tells apart what is cut."""
    if len(name) > limit:
        digest = hashlib.sha256(name.encode(errors="replace")).hexdigest()[:12]
        name = f"{name[: limit - 13]}~{digest}"
    return printable(name)


def listed(names: Iterable[str]) -> str:
    """`a, b, c and 4 more`."""
    all_names = list(names)
    more = len(all_names) - _MOST_NAMES
    return ", ".join(all_names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
