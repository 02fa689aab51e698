"""Which files are event logs, and how those of one application belong together."""

from __future__ import annotations

import gzip
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tuner.errors import EventLogNotFoundError
from tuner.eventlog.find import find_logs
from tuner.eventlog.location import log_path
from tuner.eventlog.read import read_application
from tuner.model.application import Completeness, ProblemCode

from .samples import application_end, facts, head, read, whole_log, write, zstd


def rolling(root: Path, names: list[str], *, app: str = "local-1", in_progress: bool = False) -> Path:
    """A rolling log's directory with files of these names, each holding one line."""
    directory = root / f"eventlog_v2_{app}"
    directory.mkdir(parents=True)
    for name in names:
        write(directory / name, b"{}\n")
    (directory / f"appstatus_{app}{'.inprogress' if in_progress else ''}").touch()
    return directory


def names(path: Path) -> list[str]:
    (source,) = find_logs(path)
    return [file.name for file in source.files]


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(EventLogNotFoundError, match="nowhere: no such file or directory"):
        find_logs(tmp_path / "nowhere")


class _Refusing(BaseHTTPRequestHandler):
    """A server that answers with the number that it is asked for."""

    def do_GET(self) -> None:
        self.send_error(int(self.path.strip("/")))

    do_HEAD = do_GET  # noqa: N815 (http.server's name)

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.sockets
def test_what_a_server_says_of_a_log_is_told() -> None:
    pytest.importorskip("aiohttp", reason="aiohttp is not installed: pip install 'fsspec[http]'")
    with ThreadingHTTPServer(("127.0.0.1", 0), _Refusing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://u:hunter2@127.0.0.1:{server.server_port}"
        for status in (401, 403, 500):
            with pytest.raises(EventLogNotFoundError, match=f"cannot be read: {status}") as refused:
                find_logs(log_path(f"{url}/{status}"))
            assert "hunter2" not in str(refused.value)
        with pytest.raises(EventLogNotFoundError, match="404: no such file or directory"):
            find_logs(log_path(f"{url}/404"))
        server.shutdown()
    with pytest.raises(EventLogNotFoundError, match="cannot be read: .*(?:onnect|refused)"):
        find_logs(log_path(f"{url}/403"))


def test_an_empty_directory_says_what_to_give_instead(tmp_path: Path) -> None:
    with pytest.raises(EventLogNotFoundError) as raised:
        find_logs(tmp_path)
    message = str(raised.value)
    assert message.startswith(f"{tmp_path}: no event log in this directory")
    assert "spark.eventLog.dir" in message
    assert "\n" not in message


def test_a_directory_of_files_that_cannot_be_logs_counts_as_empty(tmp_path: Path) -> None:
    write(tmp_path / ".events_1_local-1.zstd.crc", b"crc")
    write(tmp_path / "local-1.crc", b"crc")
    write(tmp_path / "copying.tmp", b"{}")
    write(tmp_path / ".hidden" / "local-1", whole_log())
    write(tmp_path / "appstatus_local-1", b"x")
    (tmp_path / "empty").touch()
    with pytest.raises(EventLogNotFoundError):
        find_logs(tmp_path)


def test_a_single_file(tmp_path: Path) -> None:
    (source,) = find_logs(write(tmp_path / "local-1.zstd", zstd(whole_log())))
    assert (source.files, source.in_progress, source.named) == ((tmp_path / "local-1.zstd",), False, True)


def test_a_file_still_being_written_tells_by_its_name(tmp_path: Path) -> None:
    (source,) = find_logs(write(tmp_path / "local-1.zstd.inprogress", zstd(whole_log())))
    assert source.in_progress


def test_rolling_files_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    files = [f"events_{n}_local-1.zstd" for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)]
    assert names(rolling(tmp_path, files[::-1])) == files


@pytest.mark.parametrize("in_progress", [True, False])
def test_the_status_file_alone_tells_whether_a_rolling_log_has_ended(tmp_path: Path, in_progress: bool) -> None:
    (source,) = find_logs(rolling(tmp_path, ["events_1_local-1"], in_progress=in_progress))
    assert source.in_progress is in_progress


def test_a_rolling_log_without_status_file_is_taken_as_ended(tmp_path: Path) -> None:
    directory = rolling(tmp_path, ["events_1_local-1"])
    (directory / "appstatus_local-1").unlink()
    assert names(directory) == ["events_1_local-1"]


def test_missing_numbers_of_a_rolling_log_are_named(tmp_path: Path) -> None:
    (source,) = find_logs(rolling(tmp_path, ["events_2_local-1", "events_5_local-1"]))
    assert source.missing == (1, 3, 4)


def test_a_missing_file_is_a_problem_that_only_a_running_application_can_mend(tmp_path: Path) -> None:
    for app, in_progress in (("done", False), ("running", True)):
        directory = rolling(tmp_path, [], app=app, in_progress=in_progress)
        write(directory / f"events_1_{app}", head())
        write(directory / f"events_3_{app}", [application_end()])
        application = read(directory)
        (problem,) = application.problems
        assert (problem.code, problem.file) == (ProblemCode.MISSING_FILE, str(directory))
        assert "events_2_" in problem.message
        assert problem.retryable is in_progress
        assert application.status == "partial"


def test_a_compacted_file_stands_for_those_before_it(tmp_path: Path) -> None:
    directory = rolling(tmp_path, [f"events_{n}_local-1.zstd" for n in (2, 3, 4)])
    write(directory / "events_3_local-1.zstd.compact", b"{}\n")
    assert names(directory) == ["events_3_local-1.zstd.compact", "events_4_local-1.zstd"]
    assert find_logs(directory)[0].missing == ()


def test_checksums_in_a_rolling_directory_are_no_logs(tmp_path: Path) -> None:
    directory = rolling(tmp_path, ["events_1_local-1.zstd", ".events_1_local-1.zstd.crc", "events_1_local-1.zstd.crc"])
    assert names(directory) == ["events_1_local-1.zstd"]


def test_a_databricks_log_is_one_whatever_the_order_of_its_files(tmp_path: Path) -> None:
    """Rolled over by the hour and packed, the newest part open; each Spark context has a directory of its own."""
    lines = whole_log()
    for context in ("1204_driver_1", "1204_driver_2"):
        directory = tmp_path / "cluster" / "eventlog" / context
        write(directory / "eventlog-2026-01-02--00-10.gz", gzip.compress(b"".join(lines[5:9])))
        write(directory / "eventlog-2026-01-01--23-10.gz", gzip.compress(b"".join(lines[:5])))
        write(directory / "eventlog", lines[9:])
    first, second = find_logs(tmp_path)
    assert (first.path.name, second.path.name) == ("1204_driver_1", "1204_driver_2")
    assert [f.name for f in first.files] == [
        "eventlog-2026-01-01--23-10.gz",
        "eventlog-2026-01-02--00-10.gz",
        "eventlog",
    ]
    application = read(first.path)
    assert application.status is Completeness.COMPLETE, application.problems
    assert facts(application) == facts(read(write(tmp_path / "plain", lines)))


def test_a_databricks_log_that_goes_on_is_read_so_far(tmp_path: Path) -> None:
    write(tmp_path / "eventlog-2026-01-01--23-10.gz", gzip.compress(b"".join(whole_log()[:5])))
    write(tmp_path / "eventlog", whole_log()[5:-1])
    application = read(tmp_path)
    assert application.status is Completeness.PARTIAL
    (problem,) = application.problems
    assert (problem.code, problem.retryable) == (ProblemCode.TRUNCATED, True)


def test_a_databricks_log_in_one_file_may_go_on_as_one_in_several_does(tmp_path: Path) -> None:
    """A cluster that was taken down before its log was rolled over."""
    alone = write(tmp_path / "1" / "eventlog", whole_log()[:-1])
    write(tmp_path / "2" / "eventlog-2026-01-01--23-10.gz", gzip.compress(b"".join(whole_log())))
    assert [source.in_progress for source in find_logs(tmp_path)] == [True, False]
    assert find_logs(alone)[0].in_progress
    (problem,) = read(alone).problems
    assert (problem.code, problem.retryable) == (ProblemCode.TRUNCATED, True)


def test_attempts_of_an_application_are_logs_of_their_own(tmp_path: Path) -> None:
    for attempt in ("1", "2"):
        rolling(tmp_path, [f"events_1_application_9_0001_{attempt}.zstd"], app=f"application_9_0001_{attempt}")
    assert [source.path.name[-1] for source in find_logs(tmp_path)] == ["1", "2"]


def test_a_tree_of_directories_gives_every_log_in_it(tmp_path: Path) -> None:
    write(tmp_path / "2024-01-01" / "local-1", whole_log())
    rolling(tmp_path / "2024-01-02", ["events_1_local-2"], app="local-2")
    write(tmp_path / "local-3.lz4", b"LZ4Block")
    found = find_logs(tmp_path)
    assert [source.path.name for source in found] == ["local-1", "eventlog_v2_local-2", "local-3.lz4"]
    assert not any(source.named for source in found)


def test_links_are_followed_but_not_round_in_circles(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    write(logs / "local-1", whole_log())
    (logs / "again").symlink_to(logs, target_is_directory=True)
    (logs / "gone").symlink_to(tmp_path / "nowhere")
    write(tmp_path / "elsewhere" / "local-2", whole_log())
    (logs / "other").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    assert [source.path.name for source in find_logs(logs)] == ["local-1", "local-2"]


def test_a_directory_that_may_not_be_read_does_not_stop_its_siblings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "closed" / "local-1", whole_log())
    write(tmp_path / "open" / "local-2", whole_log())
    iterdir = Path.iterdir

    def refuse(path: Path) -> object:
        if path.name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return iterdir(path)

    monkeypatch.setattr(Path, "iterdir", refuse)
    assert [source.path.name for source in find_logs(tmp_path)] == ["closed", "local-2"]
    assert read(tmp_path / "open").app_id == "local-1"


def test_a_pipe_can_be_given_as_a_log(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    descriptor = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    try:
        os.write(descriptor, b"".join(whole_log()))
        (source,) = find_logs(pipe)
        assert source.files == (pipe,)
    finally:
        os.close(descriptor)


def test_what_lies_beside_the_files_of_a_rolling_log_is_found_too(tmp_path: Path) -> None:
    rolling = write(tmp_path / "logs" / "events_1_app-1", whole_log("app-1")).parent
    for name in ("notes.md", "events_1_app-1.crc", "_SUCCESS"):
        write(rolling / name, b"x\n")
    write(rolling / "appstatus_app-1", b"")
    write(rolling / "local-7", whole_log("local-7"))
    write(rolling / "older" / "local-8", whole_log("local-8"))
    found = {source.path.name: read_application(source) for source in find_logs(rolling)}
    assert {name: a.app_id for name, a in found.items() if a.app_id} == {
        "logs": "app-1", "local-7": "local-7", "local-8": "local-8"
    }  # fmt: skip
    assert found.keys() - {"logs", "local-7", "local-8"} == {"notes.md", "_SUCCESS"}


def test_a_rolling_log_that_is_also_marked_as_ended_goes_on_no_more(tmp_path: Path) -> None:
    """A copy that takes nothing away keeps the mark that Spark renamed."""
    directory = rolling(tmp_path, ["events_1_local-1"], in_progress=True)
    (directory / "appstatus_local-1").touch()
    assert [source.in_progress for source in find_logs(directory)] == [False]


def test_a_log_beside_which_it_lies_as_it_was_before_it_ended_is_one(tmp_path: Path) -> None:
    for name, lines in (("local-1", whole_log()), ("local-1.inprogress", whole_log()[:-1])):
        write(tmp_path / name, lines)
    alone = write(tmp_path / "local-2.inprogress", whole_log("local-2")[:-1])
    assert [source.path for source in find_logs(tmp_path)] == [tmp_path / "local-1", alone]


def test_rolled_files_of_several_applications_in_one_directory_are_logs_of_their_own(tmp_path: Path) -> None:
    for app in ("app-1", "app-2"):
        lines = whole_log(app)
        write(tmp_path / f"events_1_{app}.zstd", zstd(lines[:5]))
        write(tmp_path / f"events_2_{app}.zstd", zstd(lines[5:]))
        write(tmp_path / f"appstatus_{app}", b"")
    (tmp_path / "appstatus_app-2").rename(tmp_path / "appstatus_app-2.inprogress")
    first, second = find_logs(tmp_path)
    assert [(read_application(s).app_id, s.in_progress) for s in (first, second)] == [("app-1", False), ("app-2", True)]
    assert first.path != second.path


def test_a_databricks_log_beside_other_logs(tmp_path: Path) -> None:
    lines = whole_log("app-1")
    write(tmp_path / "eventlog-2026-11-20--10-00", lines[:5])
    write(tmp_path / "eventlog", lines[5:])
    write(tmp_path / "local-7", whole_log("local-7"))
    assert [read_application(source).app_id for source in find_logs(tmp_path)] == ["app-1", "local-7"]
