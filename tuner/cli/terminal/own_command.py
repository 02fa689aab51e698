"""This program, as whoever called it may call it again."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

_NAME = "spark-tuner"
# What `uv run` gives to the programs that it runs: their environment is on the PATH of these alone.
_BY_UV = "UV_RUN_RECURSION_DEPTH"


def own_command(arguments: Sequence[str], called: str, environ: Mapping[str, str]) -> str:
    """A line to paste into the shell that has `called` it so."""
    return shlex.join([*_program(Path(called), environ), *arguments])


def _program(called: Path, environ: Mapping[str, str]) -> list[str]:
    if _BY_UV in environ:
        return ["uv", "run", _NAME]
    if called.name == "__main__.py":
        return [sys.executable, "-m", "tuner.cli"]
    found = shutil.which(_NAME, path=environ.get("PATH", ""))
    is_found = found is not None and called.exists() and Path(found).samefile(called)
    return [_NAME if is_found else str(called.absolute())]
