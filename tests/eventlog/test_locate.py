"""One run's log among others, by the key it was submitted with."""

from __future__ import annotations

import gzip
import os
import shutil
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import sleep
from zipfile import ZipFile

import pytest
from upath import UPath

from tuner.errors import EventLogNotFoundError, EventLogUnreadError
from tuner.eventlog.find import LogSource
from tuner.eventlog.locate import find_log, locate, logs_by_key
from tuner.eventlog.read import read_application
from tuner.model.application import Completeness
from tuner.spark.run_tags import KEY, RUN

from .samples import application_end, application_start, environment, event, log_start, whole_log, write

locating = sys.modules[locate.__module__]


def run(directory: Path, key: str, *, written_at: float = 1000) -> Path:
    lines = [log_start(), application_start(f"local-{key}"), environment(**{KEY: key}), application_end()]
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


def test_of_several_logs_with_the_key_the_latest_counts(tmp_path: Path) -> None:
    """Attempts of a YARN application: the last one ended it."""
    for attempt, written_at in (("1", 2000), ("2", 1000)):
        run(tmp_path, "key", written_at=written_at).rename(tmp_path / f"application_1_{attempt}")
    lines = [log_start(), application_start("application_1"), environment(**{KEY: "key"})]
    os.utime(write(tmp_path / "application_1_2", lines), (3000, 3000))
    assert locate(str(tmp_path), "key", since_seconds=0).app_id == "application_1"


def test_the_same_application_id_with_another_key_is_another_run(tmp_path: Path) -> None:
    run(tmp_path, "1", written_at=1000).rename(tmp_path / "again")
    run(tmp_path, "1", written_at=2000)
    lines = [log_start(), application_start("local-1"), environment(**{KEY: "2"}), application_end()]
    write(tmp_path / "local-1.inprogress", lines)
    assert locate(str(tmp_path), "2", since_seconds=0).conf[KEY] == "2"


@pytest.mark.parametrize("kind", ["part", "whole", "directory"])
def test_a_log_that_a_link_brings_from_elsewhere_is_another_jobs(tmp_path: Path, kind: str) -> None:
    """Who may write where a job's log goes may let the worker read for him what it alone can: another team's plans."""
    shared = tmp_path / "shared"
    shared.mkdir()
    theirs = tmp_path / "theirs" / "eventlog_v2_local-1"
    if kind == "part":
        (rolling := shared / "eventlog_v2_local-1").mkdir()
        run(rolling, "1").rename(rolling / "events_1_local-1")
        (rolling / "events_2_local-1").symlink_to(run(theirs, "2"))
    elif kind == "whole":
        (shared / "local-1").symlink_to(run(theirs, "1"))
    else:
        run(theirs, "1").rename(theirs / "events_1_local-1")
        (shared / theirs.name).symlink_to(theirs)
    with pytest.raises(EventLogNotFoundError, match="are links that lead out of it, and may be another job's"):
        find_log(str(shared), "1", since_seconds=0)
    assert logs_by_key(str(shared), {"1"}, since_seconds=0) == {}
    own = run(tmp_path / "own", "1", written_at=500).rename(shared / "own")
    assert find_log(str(shared), "1", since_seconds=0).path == own
    assert logs_by_key(str(shared), {"1"}, since_seconds=0)["1"].path == own


def test_links_within_the_directory_and_to_it_are_followed(tmp_path: Path) -> None:
    run(tmp_path / "logs" / "kept", "1")
    (tmp_path / "logs" / "local-1").symlink_to(tmp_path / "logs" / "kept" / "local-1")
    (tmp_path / "link").symlink_to(tmp_path / "logs")
    assert find_log(str(tmp_path / "link"), "1", since_seconds=0).path == tmp_path / "link" / "local-1"


def test_only_the_beginnings_of_others_logs_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read_whole: list[str] = []
    for key in ("1", "2", "3"):
        run(tmp_path, key)
    whole = read_application
    monkeypatch.setattr(
        "tuner.eventlog.locate.read_application", lambda source: read_whole.append(source.path.name) or whole(source)
    )
    locate(str(tmp_path), "2", since_seconds=0)
    assert read_whole == ["local-2"]


def test_a_run_whose_key_spark_blots_out_is_found(tmp_path: Path) -> None:
    """By a spark.redaction.regex that names keys."""
    redacted = "*********(redacted)"
    for key in ("1", "2"):
        conf = environment(**{KEY: redacted, RUN: key})
        write(tmp_path / f"local-{key}", [log_start(), application_start(f"local-{key}"), conf, application_end()])
    assert [locate(str(tmp_path), key, since_seconds=0).app_id for key in ("1", "2")] == ["local-1", "local-2"]
    with pytest.raises(EventLogNotFoundError):
        locate(str(tmp_path), redacted, since_seconds=0)


def test_what_is_no_log_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "eventlog_v2_empty").mkdir()
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    write(tmp_path / "notes.zstd", b"not zstd")
    write(tmp_path / "random", os.urandom(1000))
    (tmp_path / "archive" / "2025").mkdir(parents=True)
    run(tmp_path / "archive" / "2025", "2")
    run(tmp_path, "1")
    assert locate(str(tmp_path), "1", since_seconds=0).app_id == "local-1"
    with pytest.raises(EventLogNotFoundError, match="no event log with"):
        locate(str(tmp_path), "2", since_seconds=0)


def test_zip_files_are_not_looked_into(tmp_path: Path) -> None:
    run(tmp_path, "1")
    with ZipFile(tmp_path / "local-2.zip", "w") as archive:
        for number in range(5000):
            archive.writestr(f"{number}/local-{number}", b"{}\n")
    assert find_log(str(tmp_path), "1", 0, most_seconds=5).path.name == "local-1"
    with pytest.raises(EventLogNotFoundError, match="no event log with"):
        find_log(str(tmp_path), "2", 0, most_seconds=5)


@pytest.mark.parametrize("scheme", ["", "memory://"])
def test_a_log_may_lie_in_directories_below_one_of_its_own(tmp_path: Path, scheme: str) -> None:
    run(tmp_path / "etl" / "jr_1", "1")
    if scheme:
        UPath(f"{scheme}{tmp_path}").fs.put(str(tmp_path), str(tmp_path), recursive=True)
    with pytest.raises(EventLogNotFoundError):
        find_log(f"{scheme}{tmp_path}", "1", 0)
    assert find_log(f"{scheme}{tmp_path}", "1", 0, is_tree=True).path.name == "local-1"
    with pytest.raises(EventLogNotFoundError, match="no event log with"):
        find_log(f"{scheme}{tmp_path}", "2", 0, is_tree=True)


def test_what_else_a_cluster_of_databricks_logs_is_not_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before its event log is delivered."""
    shutil.rmtree(delivered(tmp_path, datetime.now(UTC), "1").parents[1])
    looked: list[LogSource] = []
    monkeypatch.setattr(locating, "starting_conf", lambda source: (looked.append(source), {})[1])
    with pytest.raises(EventLogNotFoundError):
        find_log(str(tmp_path), "1", 0, is_tree=True)
    assert not looked


def test_a_search_is_given_up_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for key in ("1", "2", "3"):
        run(tmp_path, key)
    opened: list[str] = []

    def slow(source: LogSource) -> dict[str, str]:
        opened.append(source.path.name)
        sleep(2)
        return {}

    monkeypatch.setattr("tuner.eventlog.locate.starting_conf", slow)
    with pytest.raises(EventLogNotFoundError, match=r"no event log with spark\.tuner\.key=1 found in 1 s among"):
        locate(str(tmp_path), "1", since_seconds=0, most_seconds=1)
    assert opened == ["local-3"]


def test_a_log_of_an_earlier_night_is_found_among_many_that_are_slow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shared directory elsewhere: its log was written first of all that were since its run began."""
    for number in range(40):
        run(tmp_path, f"{number:02}", written_at=1000 + number)
    begins = locating.starting_conf
    monkeypatch.setattr(locating, "starting_conf", lambda source: (sleep(0.1), begins(source))[1])
    assert locate(str(tmp_path), "00", since_seconds=1000, most_seconds=3).app_id == "local-00"
    assert locate(str(tmp_path), "39", since_seconds=1000, most_seconds=3).app_id == "local-39"
    assert locating.logs_by_key(str(tmp_path), {"00", "39"}, 1000, most_seconds=3).keys() == {"00", "39"}


def delivered(directory: Path, made: datetime, key: str, name: str = "k1qfgf0v") -> Path:
    """What Databricks delivers of a cluster, its log in three pieces."""
    cluster = directory / f"{made:%m%d-%H%M%S}-{name}"
    write(cluster / "driver" / "log4j-active.log", b"26/11/24 07:00:00 INFO DriverDaemon: started\n" * 50)
    lines = [event("DBCEventLoggingListenerMetadata", Spark_Version="3.5.0"), *whole_log()[1:]]
    lines[2:2] = [environment(**{KEY: key})]
    logs = cluster / "eventlog" / f"{cluster.name}_10_0_0_1" / "4911756012346"
    write(logs / "eventlog-2026-01-02--00-10.gz", gzip.compress(b"".join(lines[4:8])))
    write(logs / "eventlog-2026-01-01--23-10.gz", gzip.compress(b"".join(lines[:4])))
    write(logs / "eventlog", lines[8:])
    return logs


def test_a_log_that_databricks_delivered(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    delivered(tmp_path, now, "1")
    found = locate(str(tmp_path), "1", now.timestamp() - 120)
    assert found.status is Completeness.COMPLETE and len(found.executions) == 1


@pytest.mark.parametrize("scheme", ["", "memory://"])
def test_of_databricks_clusters_only_those_made_since_are_looked_into(
    tmp_path: Path, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, url = datetime.now(UTC), f"{scheme}{tmp_path}"
    for hours in (30, 2, 1):
        delivered(tmp_path, now - timedelta(hours=hours), f"{hours} ago")
    delivered(tmp_path, now - timedelta(days=300), "last spring")
    if scheme:
        UPath(url).fs.put(str(tmp_path), str(tmp_path), recursive=True)
    looked: list[str] = []
    genuine = locating.find_logs
    monkeypatch.setattr(
        locating, "find_logs", lambda entry, **how: (looked.append(str(entry)), genuine(entry, **how))[1]
    )
    assert locate(url, "2 ago", (now - timedelta(hours=3)).timestamp()).status is Completeness.COMPLETE
    assert [path.rpartition("/")[2] for path in looked] == ["eventlog", "eventlog"]
    with pytest.raises(EventLogNotFoundError, match=r"no event log with spark\.tuner\.key"):
        locate(url, "30 ago", (now - timedelta(hours=3)).timestamp())


@pytest.mark.parametrize("name", ["9999-999999-abc", "0230-101010-abc", "1124-071500", "x1124-071500-abc", "driver"])
def test_directories_that_are_no_clusters_are_passed_over(tmp_path: Path, name: str) -> None:
    run(tmp_path / name / "eventlog", "1")
    with pytest.raises(EventLogNotFoundError):
        locate(str(tmp_path), "1", since_seconds=0)


# --- What cannot be told now ---


@pytest.fixture
def remote(tmp_path: Path) -> Iterator[UPath]:
    """A directory elsewhere that holds the log of run 1."""
    run(tmp_path / "logs", "1")
    root = UPath(f"memory://{tmp_path}/logs")
    root.fs.put(str(tmp_path / "logs"), root.path, recursive=True)
    yield root
    root.fs.rm(root.path, recursive=True)


def refused(*_: object, **__: object) -> None:
    raise PermissionError("The provided token has expired.")


@pytest.mark.parametrize("step", ["find", "open"])
def test_what_cannot_be_listed_or_opened_now_may_be_there(
    remote: UPath, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    monkeypatch.setattr(type(remote.fs), step, refused)
    with pytest.raises(EventLogUnreadError, match="The provided token has expired"):
        locate(str(remote), "1", since_seconds=0)
    monkeypatch.undo()
    assert locate(str(remote), "1", since_seconds=0).app_id == "local-1"


def test_a_log_that_cannot_be_looked_at_keeps_no_other_from_being_found(
    remote: UPath, monkeypatch: pytest.MonkeyPatch
) -> None:
    genuine = type(remote.fs).open
    monkeypatch.setattr(
        type(remote.fs), "open", lambda fs, path, *a, **k: refused() if "bad" in path else genuine(fs, path, *a, **k)
    )
    remote.fs.copy(f"{remote.path}/local-1", f"{remote.path}/bad")
    assert locate(str(remote), "1", since_seconds=0).app_id == "local-1"
    with pytest.raises(EventLogUnreadError):
        locate(str(remote), "2", since_seconds=0)


def test_a_log_of_another_user_on_this_machine_stays_unreadable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path, "1")
    monkeypatch.setattr(locating, "starting_conf", lambda source: {})
    monkeypatch.setattr(locating, "open_log", refused)
    with pytest.raises(EventLogNotFoundError):
        locate(str(tmp_path), "1", since_seconds=0)
