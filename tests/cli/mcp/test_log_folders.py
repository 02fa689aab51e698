"""Only event logs in the named folders can be read, whatever path an agent is talked into."""

from __future__ import annotations

import errno
import os
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.logs import write_log
from tuner.cli.mcp.log_folders import OUTSIDE, LogFolders, OutsideError
from tuner.errors import TunerError


@pytest.fixture
def folders(tmp_path: Path) -> LogFolders:
    """Two folders with a log in each, and another log beside them."""
    for name in ("a", "b", "beside"):
        write_log(tmp_path / name / f"log-{name}", f"app-{name}")
    write_log(tmp_path / "a" / "deeper" / "log-deep", "app-deep")
    return LogFolders.named([str(tmp_path / "a"), str(tmp_path / "b")])


def names(folders: LogFolders, path: str = "") -> list[str]:
    return [source.path.name for source in folders.sources(path)]


def test_all_logs_in_the_folders_are_found(folders: LogFolders) -> None:
    assert sorted(names(folders)) == ["log-a", "log-b", "log-deep"]


@pytest.mark.parametrize("path", ["log-a", "./log-a", "deeper/../log-a", "{here}/a/log-a"])
def test_a_path_in_a_folder_is_read(path: str, folders: LogFolders, tmp_path: Path) -> None:
    assert names(folders, path.format(here=tmp_path)) == ["log-a"]


def test_a_relative_path_is_one_in_any_of_the_folders(folders: LogFolders) -> None:
    assert names(folders, "log-b") == ["log-b"]
    assert names(folders, "deeper") == ["log-deep"]


@pytest.mark.parametrize(
    "path",
    [
        "../beside/log-beside",
        "../beside",
        "..",
        "../a/../beside/log-beside",
        "{here}/beside/log-beside",
        "{here}/a/../beside/log-beside",
        "{here}",
        "/",
        "/etc/passwd",
        "file://{here}/a/log-a",
        "file:{here}/a/log-a",
        "FILE:///etc/passwd",
        "s3://bucket/logs",
        "s3a:/bucket/logs",
        "https://example.org/log",
        "hdfs:/logs",
        "~/log",
        "no-such-log",
        "log-a\x00",
        "\ud800",
        "a" * 5000,
        "{here}/a-but-not-quite/log",
    ],
)
def test_a_path_elsewhere_is_as_one_that_is_not_there(path: str, folders: LogFolders, tmp_path: Path) -> None:
    write_log(tmp_path / "a-but-not-quite" / "log")
    with pytest.raises(OutsideError) as refused:
        folders.sources(path.format(here=tmp_path))
    assert str(refused.value) == OUTSIDE


def test_links_that_lead_out_are_not_followed(folders: LogFolders, tmp_path: Path) -> None:
    a, beside = tmp_path / "a", tmp_path / "beside"
    (a / "link-to-log").symlink_to(beside / "log-beside")
    (a / "link-to-folder").symlink_to(beside)
    (a / "circle").symlink_to(a / "circle")
    for path in ("link-to-log", "link-to-folder", "link-to-folder/log-beside", "circle", "circle/x"):
        with pytest.raises(OutsideError):
            folders.sources(path)
    assert "log-beside" not in names(folders) and "link-to-log" not in names(folders)


def test_links_that_stay_inside_are_followed(folders: LogFolders, tmp_path: Path) -> None:
    (tmp_path / "b" / "link").symlink_to(tmp_path / "a" / "log-a")
    assert names(folders, "link") == ["log-a"]


def test_a_rolling_log_with_a_part_elsewhere_is_none(folders: LogFolders, tmp_path: Path) -> None:
    rolling = tmp_path / "a" / "eventlog_v2_app-r"
    first = write_log(rolling / "events_1_app-r")
    (rolling / "appstatus_app-r").touch()
    assert names(folders, "eventlog_v2_app-r") == ["eventlog_v2_app-r"]
    shutil.copy(first, tmp_path / "beside" / "events_2_app-r")
    (rolling / "events_2_app-r").symlink_to(tmp_path / "beside" / "events_2_app-r")
    with pytest.raises(OutsideError):
        folders.sources("eventlog_v2_app-r")


def test_a_zip_file_elsewhere_is_not_opened_through_a_link(folders: LogFolders, tmp_path: Path) -> None:
    packed = tmp_path / "beside" / "logs.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(tmp_path / "beside" / "log-beside", "log-packed")
    (tmp_path / "a" / "logs.zip").symlink_to(packed)
    assert "log-packed" not in names(folders)
    shutil.copy(packed, tmp_path / "b" / "own.zip")
    assert names(folders, "own.zip") == ["log-packed"]
    for path in (
        "logs.zip/log-packed",
        "{here}/beside/logs.zip/log-packed",
        "own.zip/../logs.zip/log-packed",
        "log-a/x",
    ):
        with pytest.raises(OutsideError):
            folders.sources(path.format(here=tmp_path))


def test_a_log_in_a_zip_file_is_read_by_the_path_that_it_is_listed_with(folders: LogFolders, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a" / "logs.zip", "w") as archive:
        for name in ("one", "two"):
            archive.write(tmp_path / "a" / "log-a", f"packed/{name}")
    (listed,) = (str(source.path) for source in folders.sources() if source.path.name == "one")
    assert names(folders, listed) == names(folders, "logs.zip/packed/one") == ["one"]
    assert names(folders, "logs.zip/packed") == ["one", "two"]
    for path in ("logs.zip/packed/three", "logs.zip/pack", "logs.zip/\x00"):
        with pytest.raises(OutsideError):
            folders.sources(path)


def test_a_folder_that_is_gone_hides_no_other(folders: LogFolders, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "a")
    assert names(folders) == ["log-b"]


def test_a_pipe_is_not_waited_for(folders: LogFolders, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a" / "pipe")
    for path in ("pipe", "pipe/log"):
        with pytest.raises(OutsideError):
            folders.sources(path)


@pytest.mark.parametrize("name", ["", "s3://bucket", "file:///tmp", "no-such-folder", "{here}/a/log-a"])
def test_what_is_no_folder_of_this_machine_is_refused_at_the_start(
    name: str, folders: LogFolders, tmp_path: Path
) -> None:
    with pytest.raises(TunerError, match="no directory of this machine"):
        LogFolders.named([name.format(here=tmp_path)])


def test_a_folder_that_its_user_may_not_list_is_refused_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tools would say that it holds no logs. Tests may run as root, who may list all."""

    def refuse(_: Path) -> Iterator[Path]:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(TunerError) as refused:
        LogFolders.named([str(tmp_path)])
    assert str(refused.value) == (
        f"--logs {tmp_path}: cannot be listed: Permission denied; let this user read it, or give another directory"
    )


def test_a_folder_that_is_a_link_is_what_it_leads_to(tmp_path: Path) -> None:
    write_log(tmp_path / "real" / "log")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    linked = LogFolders.named([str(tmp_path / "link")])
    assert linked.folders == ((tmp_path / "real").resolve(),)
    assert names(linked, str(tmp_path / "link" / "log")) == ["log"]
