"""Directories below a base that others may write in: where a link lies, nothing is made, and nothing is opened to all."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from tuner.loop.event_log_place import event_log_place
from tuner.loop.make_below import make_below
from tuner.loop.turn import JobToRun
from tuner.model.decision import Mode
from tuner.own_files import data_directory
from tuner.steering.agent.submission import Submission

ELSEWHERE = Submission(conf={"spark.submit.deployMode": "cluster"})


@pytest.fixture
def job(tmp_path: Path) -> JobToRun:
    """Of a base that every user may write in, whose driver may be another."""
    (base := tmp_path / "base").mkdir()
    base.chmod(0o1777)
    return JobToRun(
        "etl.load", "etl/1/1", 1, Mode.AUTO, event_log_base=str(base), base_is_shared=True, submission=ELSEWHERE
    )


def mode_of(directory: Path) -> int:
    return stat.S_IMODE(directory.stat().st_mode)


@pytest.mark.parametrize("depth", [1, 2, 3, 4], ids=["cohort", "dag", "run", "try"])
def test_no_link_that_another_user_planted_opens_a_directory_of_this_one(
    job: JobToRun, tmp_path: Path, depth: int
) -> None:
    told = Path(event_log_place(job).directory.removeprefix("file://")).relative_to(job.event_log_base)
    victim, shared = tmp_path / "victim", tmp_path / "shared"
    (victim / Path(*told.parts[depth:])).mkdir(parents=True)
    for one in (victim, *victim.rglob("*")):
        one.chmod(0o700)
    planted = shared / Path(*told.parts[:depth])
    planted.parent.mkdir(parents=True)
    for one in planted.relative_to(tmp_path).parents:
        (tmp_path / one).chmod(0o1777)
    planted.symlink_to(victim)
    found = event_log_place(replace(job, event_log_base=str(shared)))
    assert {mode_of(one) for one in (victim, *victim.rglob("*"))} == {0o700}
    assert (found.directory, found.conf) == ("", {}), "the job runs, and leaves no log"
    assert f"remove the link that lies in place of its directory {Path(*told.parts[:depth])}" in found.why
    here = event_log_place(replace(job, event_log_base=str(shared), submission=Submission()))
    assert found.why == here.why, "nor does a driver of this machine write there"


@pytest.mark.parametrize(
    ("mode", "uids", "is_followed"),
    [
        (0o700, (1, 1), True),
        (0o755, (0, 0), True),
        (0o1777, (1, 1), False),
        (0o770, (1, 1), False),
        (0o700, (2, 1), False),
        (0o700, (1, 2), False),
    ],
    ids=["own", "root's", "where all may write", "where a group may", "in another's directory", "another's link"],
)
def test_a_link_is_followed_that_nobody_else_can_have_put_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int, uids: tuple[int, int], is_followed: bool
) -> None:
    """Somebody moved a cohort's directory to a larger disk."""
    if os.getuid() != 0:
        pytest.skip("needs root, to give files away")
    (base := tmp_path / "base").mkdir()
    (larger := tmp_path / "larger").mkdir(0o755)
    (link := base / "cohort").symlink_to(larger)
    base.chmod(mode)
    for one, uid in zip((base, link), uids, strict=True):
        os.chown(one, uid, uid, follow_symlinks=False)
    monkeypatch.setattr(os, "geteuid", lambda: 1)
    if is_followed:
        make_below(base, ["cohort", "try"], for_others=True)
        assert mode_of(larger / "try") == 0o1777
    else:
        with pytest.raises(OSError, match="remove the link that lies in place of its directory cohort$"):
            make_below(base, ["cohort", "try"], for_others=True)
        assert not list(larger.iterdir())


def test_a_link_to_nowhere_is_one_too(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "nowhere")
    with pytest.raises(OSError, match="remove the link that lies in place of its directory a$"):
        make_below(tmp_path, ["a", "b"], for_others=True)
    assert not (tmp_path / "nowhere").exists()


def test_a_file_in_the_way_is_told_as_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    for base in (tmp_path, tmp_path / "a"):
        with pytest.raises(NotADirectoryError):
            make_below(base, ["a", "b"], for_others=False)


@pytest.mark.parametrize("for_others", [True, False])
def test_a_base_in_the_data_directory_is_made_as_that_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, for_others: bool
) -> None:
    """That of `spark-tuner submit`, on a machine where nothing else was made there yet."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    home, umask = data_directory(os.environ), os.umask(0)
    try:
        make_below(home / "events", ["cohort"], for_others=for_others)
    finally:
        os.umask(umask)
    assert (mode_of(home), mode_of(home / "events")) == (0o711, 0o711)


def test_a_base_may_be_a_link_which_the_user_named(job: JobToRun, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(job.event_log_base)
    directory = event_log_place(replace(job, event_log_base=str(tmp_path / "link"))).directory
    assert mode_of(Path(directory.removeprefix("file://"))) == 0o1777
    assert mode_of(Path(job.event_log_base)) == 0o1777


def test_what_another_user_made_is_passed_through_and_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker with run_as_user has the jobs of a DAG beside those of another; neither may list what the other made."""
    (tmp_path / "cohort").mkdir()
    (tmp_path / "cohort").chmod(0o701)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    make_below(tmp_path, ["cohort", "try"], for_others=True)
    assert mode_of(tmp_path / "cohort") == 0o701
    assert mode_of(tmp_path / "cohort" / "try") == 0o1777, "what is made just now is its own, whom ever a mount shows"
    make_below(tmp_path, ["cohort", "try"], for_others=True)
    monkeypatch.undo()
    make_below(tmp_path, ["cohort", "try"], for_others=True)
    assert mode_of(tmp_path / "cohort") == 0o711


def test_what_another_user_keeps_closed_ends_the_way_of_others(job: JobToRun, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root gets through, and the driver, which is somebody else, would not start."""
    (cohort := Path(job.event_log_base) / "etl.load").mkdir(0o700)
    os.chown(cohort, os.getuid() + 1, -1) if os.getuid() == 0 else monkeypatch.setattr(os, "geteuid", lambda: 0)
    found = event_log_place(job)
    assert (found.directory, found.conf) == ("", {}), "the job runs, and leaves no log"
    assert "(its directory etl.load is another user's and closed)" in found.why
    assert not list(cohort.iterdir())
    assert event_log_place(replace(job, submission=Submission())).directory, "this user's own driver gets through, too"


def test_a_share_that_shows_all_files_as_another_users_is_entered_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Modes there are its mount's; who is not root got in all the same."""
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    (tmp_path / "cohort").mkdir(0o770)
    make_below(tmp_path, ["cohort", "run"], for_others=True)
    make_below(tmp_path, ["cohort", "run"], for_others=True)


def test_nothing_stays_open(tmp_path: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    make_below(tmp_path, ["a", "b"], for_others=True)
    (tmp_path / "c").symlink_to(tmp_path)
    make_below(tmp_path, ["c", "a"], for_others=True)
    tmp_path.chmod(0o1777)
    with pytest.raises(OSError):
        make_below(tmp_path, ["c"], for_others=True)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
