"""What the pictures of benches are called: by their directories, so that one more bench renames no other's."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def picture_names(directories: Sequence[Path]) -> list[str]:
    """A name for each directory, safe in a link; with the place of the directory, from 1, where several are called the same."""
    names = [_UNSAFE.sub("-", directory.resolve().name).strip("-.").lower() for directory in directories]
    often = Counter(names)
    return [
        name if name and often[name] == 1 else f"{name}-{place}".lstrip("-")
        for place, name in enumerate(names, start=1)
    ]
