"""Files of the tuner's own, in the data directory: other users of the machine read none of them but the agent's jar."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from tuner.errors import NoHomeError

# A driver that is another user gets through to the jar, whose name it is told.
_PASSABLE = 0o711
_OWN = 0o600


def data_directory(environ: Mapping[str, str]) -> Path:
    """Where the tuner keeps files of its own when told no other place (XDG base directory specification). NoHomeError where there
    is none."""
    return _data_home(environ) / "spark-tuner"


def make_directory(directory: Path, environ: Mapping[str, str] = os.environ) -> None:
    """Makes a directory, and what is missing above it: in the data directory none that another user may list or write in,
    whatever the umask. What is there stays as it is. Raises OSError."""
    own = [one for one in (*reversed(directory.parents), directory) if _is_own(one, environ)]
    (own[0].parent if own else directory).mkdir(parents=True, exist_ok=True)
    for one in own:
        one.mkdir(_PASSABLE, exist_ok=True)


def make_file(file: Path, environ: Mapping[str, str] = os.environ) -> None:
    """Makes a file of the data directory that is missing, for this user alone: what is written to it later is, too. Raises
    OSError."""
    if _is_own(file, environ) and not file.exists():
        file.touch(_OWN)


def _is_own(path: Path, environ: Mapping[str, str]) -> bool:
    try:
        return path.is_relative_to(data_directory(environ))
    except NoHomeError:
        return False


def _data_home(environ: Mapping[str, str]) -> Path:
    given = Path(environ.get("XDG_DATA_HOME", ""))
    if given.is_absolute():
        return given
    if home := environ.get("HOME"):
        return Path(home) / ".local" / "share"
    try:
        return Path.home() / ".local" / "share"
    except RuntimeError:
        raise NoHomeError(
            "no home directory for the tuner's files; set XDG_DATA_HOME to a directory for them"
        ) from None
