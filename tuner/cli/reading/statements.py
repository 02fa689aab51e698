"""The statements of the .sql file that a command line names."""

from __future__ import annotations

from pathlib import Path

from tuner.errors import TunerError
from tuner.steering.sql_script import split_statements


def read_statements(file: Path | None) -> tuple[str, ...]:
    """At least one; none without a file. TunerError where it cannot be read."""
    if file is None:
        return ()
    try:
        found = split_statements(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise TunerError(f"{file}: {error.strerror}; give a readable .sql file") from error
    except UnicodeDecodeError as error:
        raise TunerError(f"{file}: not UTF-8 text; give a .sql file") from error
    if not found:
        raise TunerError(f"{file}: no SQL statement in it")
    return found
