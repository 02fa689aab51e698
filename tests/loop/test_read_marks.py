"""Marks of logs that are being read, where another user may write, too."""

from __future__ import annotations

import os
import stat
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from tuner.loop.read_marks import MOST_DEATHS, has_killed_its_readers, marked, unmark
from tuner.loop.turn import JobToRun
from tuner.model.decision import Mode
from tuner.within_time import within

EARLIER = "etl/0/1"


@pytest.fixture
def job(tmp_path: Path) -> JobToRun:
    (base := tmp_path / "base").mkdir()
    base.chmod(0o1777)
    return JobToRun("etl.load", "etl/1/1", 1, Mode.AUTO, event_log_base=str(base))


@pytest.fixture
def place(job: JobToRun) -> Path:
    """Where the mark of the earlier run's log is made."""
    with marked(job, EARLIER):
        (mark,) = Path(job.event_log_base).iterdir()
    return mark


def test_a_link_that_another_user_put_there_is_no_mark_and_stays_unread(job: JobToRun, place: Path) -> None:
    place.symlink_to("/dev/zero")
    assert not within(10, lambda: has_killed_its_readers(job, EARLIER))


def test_a_pipe_there_is_not_waited_for(job: JobToRun, place: Path) -> None:
    os.mkfifo(place)
    assert not within(10, lambda: has_killed_its_readers(job, EARLIER))


def test_of_a_mark_no_more_is_read_than_counts(job: JobToRun, place: Path) -> None:
    with place.open("wb") as wild:
        wild.truncate(1 << 24)
    tracemalloc.start()
    assert has_killed_its_readers(job, EARLIER)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 20


def test_nothing_is_written_through_a_link(job: JobToRun, place: Path, tmp_path: Path) -> None:
    (own := tmp_path / "own").write_text("secret")
    for link in (place.symlink_to, place.hardlink_to):
        link(own)
        with marked(job, EARLIER):
            assert own.read_text() == "secret"
            assert stat.S_IMODE(place.lstat().st_mode) == 0o644
        assert (own.read_text(), place.exists()) == ("secret", False)


@pytest.mark.parametrize(("owner", "refused"), [(os, "fchmod"), (Path, "replace")], ids=["modes", "renames"])
def test_marks_are_made_where_a_mount_refuses(
    job: JobToRun, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: Any, refused: str
) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError

    (own := tmp_path / "own").write_text("secret")
    monkeypatch.setattr(owner, refused, refuse)
    for link in (place.symlink_to, place.hardlink_to):
        link(own)
        with marked(job, EARLIER):
            assert (own.read_text(), set(place.read_bytes())) == ("secret", {0})
    assert not list(place.parent.iterdir())


def test_marks_count_whoever_made_them(job: JobToRun, place: Path) -> None:
    """A share may show all files as another user's."""
    if os.getuid() != 0:
        pytest.skip("needs root, to give a file away")
    place.write_bytes(bytes(MOST_DEATHS))
    os.chown(place, 65534, 65534)
    assert has_killed_its_readers(job, EARLIER)
    unmark(job, EARLIER)
    assert not place.exists()
