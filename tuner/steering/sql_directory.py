"""Where the statements of a SQL job lie while it runs."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tuner.errors import TunerError
from tuner.own_files import data_directory, make_directory


@contextmanager
def sql_directory(environ: Mapping[str, str] = os.environ) -> Iterator[str]:
    """A directory of its own, removed afterwards: a temporary one, else one in the data directory. TunerError without either."""
    with _made(environ) as directory:
        yield directory


def _made(environ: Mapping[str, str]) -> tempfile.TemporaryDirectory[str]:
    try:
        return _temporary(None)
    except OSError:
        place = data_directory(environ) / "sql"
    try:
        make_directory(place, environ)
        return _temporary(place)
    except OSError as error:
        raise TunerError(
            f"the SQL of this job can be written neither to a temporary directory nor to {place} ({error.strerror}); "
            "set TMPDIR or XDG_DATA_HOME to a directory that can be written to"
        ) from error


def _temporary(place: Path | None) -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="spark-tuner-", dir=place, ignore_cleanup_errors=True)
