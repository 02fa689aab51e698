"""One run's log among others, by the key it was submitted with."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tuner.errors import EventLogNotFoundError
from tuner.eventlog.locate import KEY_PROPERTY, locate

from .samples import application_end, application_start, environment, log_start, write


def run(directory: Path, key: str, *, written_at: float = 1000) -> Path:
    lines = [log_start(), application_start(f"local-{key}"), environment(**{KEY_PROPERTY: key}), application_end()]
    path = write(directory / f"local-{key}", lines)
    os.utime(path, (written_at, written_at))
    return path


@pytest.mark.parametrize("prefix", ["", "file:", "file://"])
def test_the_run_with_this_key(tmp_path: Path, prefix: str) -> None:
    for key in ("1", "2", "3"):
        run(tmp_path / "with space", key)
    url = f"{prefix}{tmp_path}/with%20space" if prefix else f"{tmp_path}/with space"
    assert locate(url, "2", since_seconds=0).app_id == "local-2"


def test_logs_from_before_the_run_are_not_opened(tmp_path: Path) -> None:
    run(tmp_path, "1", written_at=1000)
    assert locate(str(tmp_path), "1", since_seconds=1000).app_id == "local-1"
    with pytest.raises(EventLogNotFoundError, match=r"no event log with spark\.tuner\.key=1"):
        locate(str(tmp_path), "1", since_seconds=1001)
