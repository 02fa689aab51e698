"""What the pictures of benches are called: by their directories, so that one more bench renames no other's."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def picture_names(called: Sequence[str]) -> list[str]:
    """A name for each that is `called` so, safe in a link and unlike all others; with its place, from 1, where several are called
    the same."""
    names = [_UNSAFE.sub("-", one).strip("-.").lower() for one in called]
    often, found = Counter(names), dict[str, None]()
    for place, name in enumerate(names, start=1):
        unique = name if name and often[name] == 1 else f"{name}-{place}".lstrip("-")
        while unique in found:
            unique += f"-{place}"
        found[unique] = None
    return list(found)
