"""Logs that lie elsewhere: on another file system, or in a zip file as the history server gives them out."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from upath import UPath

from tuner.cli.reading.logs import LogReader, QueryList, read_into
from tuner.errors import EventLogNotFoundError
from tuner.eventlog.find import find_logs
from tuner.eventlog.locate import locate
from tuner.eventlog.location import LogPath, local_path, log_path, scheme_of, shown
from tuner.eventlog.read import read_application
from tuner.model.application import Application, Completeness, ProblemCode
from tuner.spark.run_tags import KEY

from .framings import lz4
from .samples import environment, facts, head, read, whole_log, write, zstd


@pytest.fixture
def bucket() -> Iterator[UPath]:
    """A file system that is not this machine's."""
    root = UPath("memory://bucket/logs")
    root.mkdir(parents=True)
    yield root
    root.fs.rm("/bucket", recursive=True)


def put(root: UPath, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)


def zipped(file: Path, files: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file


def all_of(path: LogPath) -> list[Application]:
    return [read_application(source) for source in find_logs(path)]


def rolling(app: str) -> dict[str, bytes]:
    lines, directory = whole_log(app), f"eventlog_v2_{app}"
    return {
        f"{directory}/appstatus_{app}": b"",
        f"{directory}/events_10_{app}.zstd": zstd(lines[8:]),
        f"{directory}/events_9_{app}.zstd": zstd(lines[:8]),
    }


def plain_facts(tmp_path: Path, app: str = "local-1") -> tuple[object, ...]:
    return facts(read(write(tmp_path / f"plain-{app}", whole_log(app))))


def test_a_tree_on_another_file_system_reads_as_here(bucket: UPath, tmp_path: Path) -> None:
    put(
        bucket,
        {
            "a/local-1": b"".join(whole_log()),
            "a/.hidden": b"x",
            "a/local-1.crc": b"x",
            "b/local-2.lz4": lz4(whole_log("local-2")),
        },
    )
    applications = all_of(log_path(str(bucket)))
    assert [a.status for a in applications] == [Completeness.COMPLETE] * 2, [a.problems for a in applications]
    assert [facts(a) for a in applications] == [plain_facts(tmp_path, app) for app in ("local-1", "local-2")]


def test_a_rolling_log_on_another_file_system_keeps_its_order_and_tells_its_gaps(bucket: UPath) -> None:
    put(bucket, rolling("local-1"))
    (application,) = all_of(log_path(f"{bucket}/eventlog_v2_local-1"))
    assert application.app_id == "local-1"
    assert {p.code for p in application.problems} == {ProblemCode.MISSING_FILE}
    (source,) = find_logs(bucket)
    assert [file.name for file in source.files] == ["events_9_local-1.zstd", "events_10_local-1.zstd"]


def test_another_file_system_is_asked_for_directories_alone(bucket: UPath, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kinds and sizes are in their listings, and some services take a tenth of a second for an answer."""
    logs = {f"{kind}/local-{n}": b"x" for kind in ("a", "b") for n in range(5)}
    put(bucket, {**rolling("local-9"), **logs})
    asked: list[tuple[str, str]] = []
    for question in ("info", "ls"):
        answer = getattr(bucket.fs, question)

        def ask(path: str, *more: Any, question: str = question, answer: Any = answer, **options: Any) -> Any:
            asked.append((question, path))
            return answer(path, *more, **options)

        monkeypatch.setattr(bucket.fs, question, ask)
    assert len(find_logs(bucket)) == 11
    assert {path for question, path in asked if question == "info"} == {"/bucket/logs"}
    assert [question for question, _ in asked].count("ls") == 4


def test_the_log_of_a_run_is_found_on_another_file_system(bucket: UPath) -> None:
    for key in ("1", "2"):
        first, second, *rest = head(f"local-{key}")
        put(bucket, {f"local-{key}": b"".join([first, environment(**{KEY: key}), second, *rest])})
    assert locate(str(bucket), "2", since_seconds=0).app_id == "local-2"
    with pytest.raises(EventLogNotFoundError, match="no event log with"):
        locate(str(bucket), "3", since_seconds=0)


def test_what_is_not_there_on_another_file_system(bucket: UPath) -> None:
    with pytest.raises(EventLogNotFoundError, match="no such file or directory"):
        find_logs(log_path(f"{bucket}/nowhere"))


@pytest.mark.parametrize("entry", ["local-1", "local-1.zstd", "folder/local-1"])
def test_the_history_servers_zip_of_a_single_file(tmp_path: Path, entry: str) -> None:
    content = zstd(whole_log()) if entry.endswith("zstd") else b"".join(whole_log())
    (application,) = all_of(zipped(tmp_path / "eventLogs-local-1.zip", {entry: content}))
    assert (application.status, facts(application)) == (Completeness.COMPLETE, plain_facts(tmp_path))


def test_the_history_servers_zip_of_rolling_logs_among_other_files(tmp_path: Path) -> None:
    lines = whole_log("local-2")
    name = "eventlog_v2_local-2/events_{}_local-2"
    zipped(tmp_path / "eventLogs.zip", {name.format(1): b"".join(lines[:5]), name.format(2): b"".join(lines[5:])})
    write(tmp_path / "local-1", whole_log())
    applications = all_of(tmp_path)
    assert [(a.app_id, a.status) for a in applications] == [
        ("local-2", Completeness.COMPLETE),
        ("local-1", Completeness.COMPLETE),
    ]


def test_a_zip_on_another_file_system(bucket: UPath, tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("local-1", b"".join(whole_log()))
    put(bucket, {"one.zip": packed.getvalue()})
    (application,) = all_of(log_path(f"{bucket}/one.zip"))
    assert (application.status, facts(application)) == (Completeness.COMPLETE, plain_facts(tmp_path))


def test_a_zip_cut_off_is_one_problem_and_its_siblings_are_read(tmp_path: Path) -> None:
    whole = zipped(tmp_path / "a.zip", {"local-1": b"".join(whole_log())})
    whole.write_bytes(whole.read_bytes()[:-40])
    write(tmp_path / "b", whole_log("local-2"))
    damaged, other = all_of(tmp_path)
    assert (damaged.status, [p.code for p in damaged.problems]) == (
        Completeness.FAILED,
        [ProblemCode.UNSUPPORTED_CODEC],
    )
    assert other.status is Completeness.COMPLETE


def test_a_damaged_entry_is_told_and_the_next_is_read(tmp_path: Path) -> None:
    file = zipped(tmp_path / "two.zip", {"local-1": b"".join(whole_log()), "local-2": b"".join(whole_log("local-2"))})
    data = bytearray(file.read_bytes())
    data[60:90] = bytes(30)
    file.write_bytes(bytes(data))
    first, second = all_of(file)
    assert first.status is not Completeness.COMPLETE
    assert first.problems
    assert second.status is Completeness.COMPLETE


@pytest.mark.parametrize(
    ("location", "scheme"),
    [
        ("hdfs:/logs", "hdfs"),
        ("hdfs://namenode:8020/logs", "hdfs"),
        ("dbfs:/logs", "dbfs"),
        ("s3a:/bucket/logs", "s3a"),
        ("S3A://bucket/logs", "s3a"),
        ("local:///opt/agent.jar", "local"),
        ("file:/logs", "file"),
        ("file:logs", "file"),
        ("/logs", ""),
        ("logs/2026", ""),
        ("run:1/logs", ""),
        ("C:/logs", ""),
        ("C:\\logs", ""),
        ("", ""),
    ],
)
def test_one_rule_tells_urls_from_paths(location: str, scheme: str) -> None:
    assert scheme_of(location) == scheme
    assert (local_path(location) is not None) is (scheme in ("", "file"))


def test_a_file_url_names_a_path_however_it_is_written() -> None:
    assert [local_path(url) for url in ("file:/a%20b", "file:///a%20b", "file://host/a b")] == [Path("/a b")] * 3


@pytest.mark.parametrize("url", ["dbfs:/logs", "s3a:/bucket/logs", "nosuch:/logs"])
def test_a_url_without_authority_is_not_looked_for_on_this_machine(url: str) -> None:
    """There is no client for these here, or none that gets by without a bucket."""
    with pytest.raises(EventLogNotFoundError, match=f"the fsspec package for {scheme_of(url)}, or copy"):
        log_path(url)


@pytest.mark.parametrize("url", ["hdfs:/logs", "hdfs://namenode:8020/logs"])
@pytest.mark.parametrize(
    "failed", [ModuleNotFoundError("No module named 'pyarrow'"), OSError("Unable to load libhdfs")]
)
def test_hdfs_says_what_it_takes(url: str, failed: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its package is pyarrow, which tells of one library at a time that it lacks."""

    def lacking(*_: object, **__: object) -> None:
        raise failed

    monkeypatch.setattr("upath.UPath", lacking)
    with pytest.raises(EventLogNotFoundError) as raised:
        log_path(url)
    told = str(raised.value)
    assert told.startswith("hdfs:…: ")
    for needed in ("'airflow-spark-tuner[hdfs]'", "JAVA_HOME", "CLASSPATH=$(hadoop classpath --glob)", "webhdfs://"):
        assert needed in told


def test_what_is_written_meanwhile_is_seen(bucket: UPath) -> None:
    """File systems keep what they listed; a job writes its log between two looks."""
    with pytest.raises(EventLogNotFoundError, match="no event log with"):
        locate(str(bucket), "1", since_seconds=0)
    put(bucket, {"local-1": b"".join([head()[0], environment(**{KEY: "1"}), *head()[1:]])})
    assert locate(str(bucket), "1", since_seconds=0).app_id == "local-1"


def test_a_protocol_nobody_speaks_is_one_line_without_credentials(capsys: pytest.CaptureFixture[str]) -> None:
    reader = LogReader()
    assert list(reader.read(["nosuch://key:hunter2@host/logs"], partial(read_into, QueryList))) == []
    told = capsys.readouterr().err
    assert reader.failures == told.count("\n") == 1
    assert "install the fsspec package for nosuch" in told
    assert "hunter2" not in told


def test_credentials_of_a_url_are_not_shown() -> None:
    assert "hunter2" not in shown(UPath("memory://key:hunter2@bucket/logs"))
