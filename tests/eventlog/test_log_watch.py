"""Which logs are read at a look, of those that are there now."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tuner.eventlog.find import find_logs
from tuner.eventlog.log_watch import QUIET_SECONDS, LogWatch, taken_as_ended

from .samples import whole_log, write

START = 1_700_000_000.0


@pytest.mark.parametrize("rolled", [(), ("eventlog-2023-11-14--21-00",)], ids=["in one file", "rolled over"])
def test_a_log_of_databricks_is_read_once_it_is_quiet(tmp_path: Path, rolled: tuple[str, ...]) -> None:
    """Not before: it is taken as ended by then, and would not be read again."""
    for name in ("eventlog", *rolled):
        file = write(tmp_path / "0101-010101-abc" / "eventlog" / "123" / name, whole_log()[:-1])
        os.utime(file, (START, START))
    now = [START]
    watch = LogWatch(lambda: now[0])
    read_at: list[float] = []
    for seconds in (0, 60, QUIET_SECONDS - 1, QUIET_SECONDS, 2 * QUIET_SECONDS):
        now[0] = START + seconds
        for source in watch.changed(find_logs(tmp_path)):
            read_at.append(seconds)
            watch.took(source)
    assert read_at == [QUIET_SECONDS]


@pytest.mark.parametrize(("name", "seconds", "goes_on"), [
    ("eventlog", QUIET_SECONDS - 1, True),
    ("eventlog", QUIET_SECONDS, False),
    ("local-1.inprogress", QUIET_SECONDS, True),
])  # fmt: skip
def test_a_quiet_log_of_databricks_goes_on_no_more(tmp_path: Path, name: str, seconds: float, goes_on: bool) -> None:
    """A harvest need not read it again each time: what else is added to it changes it."""
    file = write(tmp_path / name, whole_log()[:-1])
    os.utime(file, (START, START))
    assert taken_as_ended(find_logs(file)[0], START + seconds).in_progress is goes_on
