"""Texts that were drawn, in a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tuner.whole_file import write_whole


class KeptTexts:
    """The texts of a file by name. Each that is added is in the file before the next is drawn: who stops loses one."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._texts: dict[str, str] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}

    def get(self, name: str, draw: Callable[[], str]) -> str:
        """The text of that name; drawn where there is none."""
        if name not in self._texts:
            self._texts[name] = draw()
            write_whole(self._file, json.dumps(dict(sorted(self._texts.items())), indent=1).encode())
        return self._texts[name]
