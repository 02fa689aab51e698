"""A page that a command writes for people."""

from __future__ import annotations

import os
from pathlib import Path

from tuner.errors import TunerError
from tuner.whole_file import write_whole


def write_page(path: Path, text: str) -> None:
    """The page in the place of what is there. TunerError where it cannot be written; then what was there is there still."""
    try:
        write_whole(path, text.encode())
    except OSError as error:
        raise TunerError(f"{path}: cannot write the page: {error.strerror}") from error


def check_page(path: Path) -> None:
    """TunerError where no page can be written there: what it tells may take hours to find."""
    folder = path.absolute().parent
    if path.is_dir():
        raise TunerError(f"{path}: is a directory; give the name of a file for the page")
    if not folder.is_dir():
        raise TunerError(f"{path}: there is no directory {folder}; make it, or give another file for the page")
    if not os.access(folder, os.W_OK):
        raise TunerError(f"{path}: {folder} cannot be written to; give another file for the page")
