"""Logs that somebody or something has spoilt: nothing crashes, hangs or fills the memory, and siblings are read."""

from __future__ import annotations

import functools
import gzip
import io
import json
import os
import pickle
import random
import resource
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import AT_LENGTH
from tuner.cli.commands.harvest import harvest
from tuner.eventlog import read as reading
from tuner.eventlog.find import LogSource, find_logs
from tuner.eventlog.location import shown
from tuner.eventlog.read import read_application
from tuner.model.application import Application, Completeness, ProblemCode
from tuner.plan.queries import queries

from .framings import FRAMINGS
from .invariants import check, is_printable, read_all
from .samples import (
    JOIN,
    ROWS,
    accumulators,
    application_end,
    application_start,
    driver_updates,
    environment,
    event,
    execution_end,
    execution_start,
    head,
    job_end,
    job_start,
    log_start,
    plan,
    replan,
    stage_completed,
    task_end,
    whole_log,
    with_field,
    write,
    zstd,
)

COMPLETE, PARTIAL, FAILED = Completeness.COMPLETE, Completeness.PARTIAL, Completeness.FAILED

LINES = [
    *whole_log()[:4],
    event("SparkListenerExecutorAdded", Executor_ID="1", Executor_Info={"Total Cores": 4}),
    execution_start(
        sparkPlanInfo=JOIN, physicalPlanDescription="== Optimized Logical Plan ==\nJoin", modifiedConfigs={}
    ),
    *whole_log()[5:9],
    driver_updates(0, (ROWS, 5)),
    replan(0, JOIN),
    *whole_log()[9:],
]
PLAIN = b"".join(LINES)

ODD_NUMBERS = (2**63, -(2**63) - 1, 10**30, 1e308, 1.5, -1, 0, float("nan"), float("inf"), "9" * 5000, "12", "1e400")
ODD_TEXTS = (
    *("", "\x00", "\x1b[2J\x1b]0;title\x07", "\x9b31m", "\u202etxt.exe", "\ud800", "[red]x[/red]", "[/", "two\nlines"),
    *("x" * 100_000, "SELECT " + "(" * 50_000, "a#1" * 20_000, "((a AND b) AND " * 5000, "password" * 5000),
)
ODD_VALUES = (*ODD_NUMBERS, *ODD_TEXTS, None, True, [], {}, [[]], {"": None}, [None] * 3, [{}] * 2000)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file for hypothesis to write over and over, beside a healthy log."""
    directory = tmp_path_factory.mktemp("hostile")
    write(directory / "healthy", whole_log("local-2"))
    return directory / "log"


def read_beside_a_healthy_one(path: Path) -> Application | None:
    """The application in a file, all its siblings read; None where it is no log."""
    found = read_all(path.parent)
    assert found["healthy"].status is COMPLETE
    return found.get(path.name)


@functools.cache
def places() -> list[tuple[int, tuple[str | int, ...]]]:
    """Every field of every event of the log: the line, and the way to the field."""
    return [(number, way) for number, line in enumerate(LINES) for way in _ways(json.loads(line))]


def _ways(value: Any) -> list[tuple[str | int, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [way for key, inner in items for way in ((key,), *((key, *rest) for rest in _ways(inner)))]


class TestFields:
    """Any value in any field."""

    @given(st.data())
    def test_of_any_type(self, scratch: Path, data: st.DataObject) -> None:
        lines = list(LINES)
        for _ in range(data.draw(st.integers(1, 3))):
            number, way = data.draw(st.sampled_from(places()))
            value = data.draw(st.sampled_from(ODD_VALUES))
            try:
                lines[number] = with_field(LINES[number], way, value)
            except UnicodeEncodeError:
                continue
        application = read_beside_a_healthy_one(write(scratch, lines))
        assert application is not None
        assert application.status is not FAILED

    @pytest.mark.parametrize("value", [2**63, 10**30, "9" * 4000, "9" * 5000, 1.5, 1e308, None, [], {}])
    def test_a_number_that_is_none_costs_its_event_only(self, tmp_path: Path, value: object) -> None:
        bad = with_field(task_end(7, partition=7), ("Stage ID",), value)
        application = read_all(write(tmp_path / "local-1", [*LINES[:9], bad, *LINES[9:]]))["local-1"]
        assert [(p.code, p.line) for p in application.problems] == [(ProblemCode.BAD_LINE, 10)]
        assert accumulators(application)[ROWS] == 105

    @pytest.mark.parametrize("digits", ["9" * 19, "9" * 5000, "٣", "-1", "0x1"])
    def test_an_id_in_a_property_that_is_no_number_is_no_id(self, tmp_path: Path, digits: str) -> None:
        job = event("SparkListenerJobStart", Stage_IDs=[0], Properties={"spark.sql.execution.id": digits})
        lines = [*LINES[:6], job, *LINES[7:]]
        application = read_all(write(tmp_path / "local-1", lines))["local-1"]
        assert application.status is COMPLETE
        assert [stage.execution_id for stage in application.stages] == [None]

    @pytest.mark.parametrize("size", ["9" * 5000, "9" * 4000 + "p", "-1", "1e9", "lots", "\x1b[2Jg"])
    def test_a_size_that_is_none_is_unknown(self, tmp_path: Path, size: str) -> None:
        lines = [*LINES[:3], environment(**{"spark.executor.memory": size, "spark.master": "yarn"}), *LINES[3:]]
        application = read_all(write(tmp_path / "local-1", lines))["local-1"]
        assert application.executors.memory_bytes <= 0
        assert is_printable(application.conf["spark.executor.memory"])

    @pytest.mark.parametrize("text", [t for t in ODD_TEXTS if t and "\ud800" not in t])
    def test_text_in_every_place_for_text_is_printed_tame(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
    ) -> None:
        info = plan(
            f"SortMergeJoin({text})",
            text=f"SortMergeJoin [a{text}#1], [b#2], Inner",
            children=[plan(f"Scan parquet {text}", text=f"{text}[a{text}#1]"), plan("BatchScan " + text, text=text)],
        )
        lines = [
            log_start(text),
            application_start(text, text, text),
            environment(**{"spark.app.id": text, "spark.master": text, "spark.driver.memory": text}),
            execution_start(description=text, physicalPlanDescription=text, sparkPlanInfo=info),
            execution_start(1, description=text, sparkPlanInfo=plan("SortMergeJoin", children=info["children"])),
            stage_completed(failure=text),
            execution_end(error=text),
            application_end(),
        ]
        application = read_all(write(tmp_path / "local-1", lines))["local-1"]
        assert application.status is COMPLETE
        assert len(queries(application)) == 2
        harvest([str(tmp_path)])
        out, err = capsys.readouterr()
        assert is_printable(out.replace("\n", "")) and is_printable(err.replace("\n", ""))
        assert len(out) < 20_000


class TestLines:
    """Events that come in the wrong order, twice, not at all, or from elsewhere."""

    @given(st.randoms(use_true_random=False), st.sampled_from(["shuffle", "repeat", "drop", "mix"]))
    def test_in_any_order_and_number(self, scratch: Path, rng: random.Random, how: str) -> None:
        lines = list(LINES)
        if how == "shuffle":
            rng.shuffle(lines)
        elif how == "repeat":
            lines = [line for line in lines for _ in range(rng.choice((1, 1, 2, 3)))]
        elif how == "drop":
            lines = [line for line in lines if rng.random() < 0.7]
        else:
            lines = [line for line in lines for line in (line, *rng.choices(whole_log("other"), k=rng.randrange(2)))]
        application = read_beside_a_healthy_one(write(scratch, lines))
        if application is not None and accumulators(application):
            # Twice the same task counts once, and the driver's own updates add up.
            assert accumulators(application)[ROWS] <= 100 + 5 * 3

    def test_of_another_application_are_told(self, tmp_path: Path) -> None:
        lines = [*LINES[:8], *whole_log("other")[:4], *LINES[8:]]
        application = read_all(write(tmp_path / "local-1", lines))["local-1"]
        assert (application.app_id, application.status) == ("local-1", PARTIAL)
        assert [p.code for p in application.problems] == [ProblemCode.MIXED_EVENTS]

    def test_that_start_an_execution_again_are_told(self, tmp_path: Path) -> None:
        lines = [*LINES[:-1], execution_start(0), execution_end(0), LINES[-1]]
        (problem,) = read_all(write(tmp_path / "local-1", lines))["local-1"].problems
        assert problem.code is ProblemCode.MIXED_EVENTS
        assert "SQL execution 0" in problem.message

    def test_that_repeat_many_times_are_counted_not_listed(self, tmp_path: Path) -> None:
        application = read_all(write(tmp_path / "local-1", [*LINES[:6], *[execution_start(0)] * 500, *LINES[6:]]))[
            "local-1"
        ]
        assert len(application.problems) == 21
        assert application.problems[-1].code is ProblemCode.MORE_PROBLEMS


class TestBytes:
    """Files cut off or damaged, in every form."""

    @given(st.sampled_from(["", "gz", "zstd", "lz4", "snappy", "lzf", "zip"]), st.floats(0, 1))
    def test_cut_anywhere(self, scratch: Path, form: str, share: float) -> None:
        whole = packed(form)
        data = whole[: int(share * len(whole))]
        application = read_beside_a_healthy_one(write(scratch, data))
        # The end of a line, or the mark at the end of lz4 data, is no loss.
        assert application is None or application.problems or len(whole) - len(data) <= 21

    @given(
        st.sampled_from(["", "gz", "zstd", "lz4", "snappy", "lzf", "zip"]),
        st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=4),
    )
    def test_changed_anywhere(self, scratch: Path, form: str, changes: list[tuple[float, int]]) -> None:
        data = bytearray(packed(form))
        for share, byte in changes:
            data[int(share * len(data))] = byte
        application = read_beside_a_healthy_one(write(scratch, bytes(data)))
        if application is not None and application.status is COMPLETE and form in ("gz", "lz4", "zip"):
            assert accumulators(application) == {ROWS: 105}  # these have checksums

    @pytest.mark.parametrize("content", [b"", b"\x00" * 100_000, b"\n" * 100_000, b"{" * 100_000, b"PK\x03\x04" * 100])
    @pytest.mark.parametrize("name", ["local-1", "local-1.zstd", "local-1.lz4", "eventlog_v2_a/events_1_a", "a.zip"])
    def test_of_no_log(self, tmp_path: Path, content: bytes, name: str) -> None:
        write(tmp_path / "healthy", whole_log())
        write(tmp_path / name, content)
        found = read_all(tmp_path)
        assert found.pop("healthy").status is COMPLETE
        assert all(application.status is FAILED for application in found.values())


@functools.cache
def packed(form: str) -> bytes:
    """The log in one of its forms."""
    if form == "zip":
        into = io.BytesIO()
        with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("local-1", PLAIN)
        return into.getvalue()
    packers: dict[str, Callable[[list[bytes]], bytes]] = {
        "": b"".join,
        "gz": lambda lines: gzip.compress(b"".join(lines), mtime=0),
        "zstd": zstd,
        **FRAMINGS,
    }
    return packers[form](LINES)


class TestTrees:
    """What else lies about in a directory."""

    def test_pipes_and_sockets_are_passed_over(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write(tmp_path / "healthy", whole_log())
        os.mkfifo(tmp_path / "local-9")
        rolled = tmp_path / "eventlog_v2_a"
        write(rolled / "events_1_a", whole_log("a")[:8])
        os.mkfifo(rolled / "events_2_a")
        delivered = tmp_path / "delivered"
        write(delivered / "eventlog", whole_log("b"))
        write(delivered / "eventlog-2026-01-01--00-00", b"")
        os.mkfifo(delivered / "eventlog-2026-01-01--01-00.gz")
        with socket.socket(socket.AF_UNIX) as listening:
            monkeypatch.chdir(tmp_path)  # a socket's path has to be short
            listening.bind("local-8")
            found = read_all(tmp_path)
        assert {name: a.status for name, a in found.items()} == {
            "healthy": COMPLETE,
            "eventlog_v2_a": PARTIAL,
            "delivered": COMPLETE,
        }

    def test_directories_named_like_files(self, tmp_path: Path) -> None:
        write(tmp_path / "healthy", whole_log())
        write(tmp_path / "local-1.zstd" / "local-3", whole_log("local-3"))
        write(tmp_path / "eventlog_v2_a" / "events_1_a", whole_log("a"))
        (tmp_path / "eventlog_v2_a" / "events_2_a").mkdir()
        found = read_all(tmp_path)
        assert {name: a.status for name, a in found.items()} == {
            "healthy": COMPLETE,
            "local-3": COMPLETE,
            "eventlog_v2_a": PARTIAL,
        }

    def test_links_that_lead_everywhere_are_followed_once(self, tmp_path: Path) -> None:
        """Twenty directories that all link to each other: 20! ways."""
        directories = [tmp_path / f"d{number}" for number in range(20)]
        for directory in directories:
            write(directory / "local-1", whole_log(directory.name))
            for other in directories:
                (directory / f"to-{other.name}").symlink_to(other, target_is_directory=True)
        (tmp_path / "round").symlink_to(tmp_path / "round")
        found = find_logs(tmp_path)
        assert sorted(read_application(source).app_id for source in found) == sorted(d.name for d in directories)

    def test_a_deep_tree(self, tmp_path: Path) -> None:
        write(tmp_path / "healthy", whole_log())
        deep = tmp_path
        for _ in range(400):
            deep = deep / "d"
        deep.mkdir(parents=True)
        write(deep / "local-1", whole_log())
        assert [read_application(source).status for source in find_logs(tmp_path)] == [COMPLETE, COMPLETE]

    def test_names_that_steer_a_terminal_or_are_no_text(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        for name in (b"a\x1b[31m\n", b"caf\xe9", b"\xed\xa0\x80", "\u202ex".encode(), b"[red]"):
            Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_bytes(b"".join(LINES[:-1]))
            Path(os.fsdecode(os.fsencode(tmp_path) + b"/no" + name)).write_bytes(b"no log\n")
        for as_json in (True, False):
            harvest([str(tmp_path)], as_json=as_json)
        out, err = capsys.readouterr()
        assert is_printable(out.replace("\n", "")) and is_printable(err.replace("\n", ""))
        assert "truncated" in out and "passed over" in err

    def test_a_wild_number_of_a_rolled_file_does_not_make_for_millions_of_missing_ones(self, tmp_path: Path) -> None:
        directory = tmp_path / "eventlog_v2_a"
        write(directory / "events_1_a", whole_log("a"))
        write(directory / "events_999999999_a", b"")
        (source,) = find_logs(directory)
        assert len(source.missing) == 1000
        assert check(read_application(source))["status"] == "partial"

    def test_a_file_that_vanishes_is_a_problem_of_its_own(self, tmp_path: Path) -> None:
        for name in ("local-1", "local-2"):
            write(tmp_path / name, whole_log(name))
        first, second = find_logs(tmp_path)
        (tmp_path / "local-1").unlink()
        gone, there = read_application(first), read_application(second)
        assert [p.code for p in gone.problems] == [ProblemCode.UNREADABLE_FILE]
        assert (gone.status, there.status) == (FAILED, COMPLETE)

    def test_a_file_that_grows_is_read_as_far_as_it_goes(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path, decode, left = write(tmp_path / "local-1", LINES[:6]), reading.decode_event, LINES[6:]

        def growing(line: bytes) -> object:
            if left:
                with path.open("ab") as file:
                    file.write(left.pop(0))
            return decode(line)

        monkeypatch.setattr(reading, "decode_event", growing)
        source = LogSource(path, (path,), in_progress=True)
        found = [check(read_application(source)) for _ in range(3)][-1]
        assert (found["status"], left) == ("complete", [])

    def test_a_file_that_shrinks_is_read_as_far_as_it_went(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path, decode = write(tmp_path / "local-1", [*LINES[:6], b"\n" * (1 << 20), *LINES[6:]]), reading.decode_event

        def shrinking(line: bytes) -> object:
            os.truncate(path, 0)
            return decode(line)

        monkeypatch.setattr(reading, "decode_event", shrinking)
        (problem,) = read_application(LogSource(path, (path,), in_progress=False)).problems
        assert problem.code is ProblemCode.TRUNCATED

    def test_an_archive_of_wild_depth_is_told(self, tmp_path: Path) -> None:
        with zipfile.ZipFile(tmp_path / "logs.zip", "w") as archive:
            archive.writestr("d/" * 20_000 + "local-1", PLAIN)
        write(tmp_path / "healthy", whole_log())
        found = read_all(tmp_path)
        assert [p.code for p in found["logs.zip"].problems] == [ProblemCode.UNSUPPORTED_CODEC]
        assert found["healthy"].status is COMPLETE

    def test_an_archive_of_many_folders_is_listed_in_linear_time(self, tmp_path: Path) -> None:
        path = zip_of_folders(tmp_path / "logs.zip", 3000)
        started = time.process_time()
        found = find_logs(path)
        for source in found[:100]:
            with pytest.raises(pickle.PicklingError):
                pickle.dumps(source)
        assert time.process_time() - started < 2
        assert [shown(source.path) for source in found] == [f"{path}/d{n:05}/local-{n}" for n in range(3000)]


def zip_of_folders(path: Path, count: int) -> Path:
    """So many folders with a log each."""
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(count):
            archive.writestr(f"d{number:05}/local-{number}", b"{}\n")
    return path


def zeros(size: int) -> bytes:
    """zstd data of so many zero bytes; a thousandth as long or less."""
    compressor = zstandard.ZstdCompressor(level=1).compressobj()
    block = bytes(1 << 20)
    return b"".join(compressor.compress(block) for _ in range(size >> 20)) + compressor.flush()


def long_line(size: int) -> bytes:
    return execution_start(1, description="x" * size)


@pytest.mark.processes
def test_what_unpacks_to_very_much_is_read_in_little_memory(tmp_path: Path) -> None:
    """One process that may take 700 MB reads all of them."""
    expected = {}
    for name, content, status in BOMBS if AT_LENGTH else BOMBS[::3]:
        write(tmp_path / name, content())
        expected[name] = status.value
    limit = 700 << 20
    done = subprocess.run(
        [sys.executable, "-c", READ, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout) == expected


READ = """
import json, sys
from pathlib import Path
from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
print(json.dumps({s.path.name: read_application(s).status for s in find_logs(Path(sys.argv[1]))}))
"""


def gzip_of_newlines() -> bytes:
    return gzip.compress(b"\n" * (300 << 20 if AT_LENGTH else 75 << 20), 1)


def zip_of_newlines(name: str) -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, PLAIN + b"\n" * (75 << 20))
    return into.getvalue()


def with_objects(value: bytes, count: int) -> bytes:
    """A log with a task of so many accumulables."""
    task = b'{"Event":"SparkListenerTaskEnd","Stage ID":0,"Task Info":{"Accumulables":['
    return b"".join([*LINES[:8], task + (value + b",") * (count - 1) + value + b"]}}\n", *LINES[8:]])


def wild_partitions() -> list[bytes]:
    tasks = [
        task_end(1, partition=(1 << 24) - 1).replace(b'"Stage ID": 0', f'"Stage ID": {stage}'.encode())
        for stage in range(1, 2000)
    ]
    return [*LINES[:8], *tasks, *LINES[8:]]


def beginnings(form: bytes, count: int) -> bytes:
    """A log in which so many things begin, each with another number, and not one ends."""
    return b"".join([*LINES[:4], *(form.replace(b"#", b"%d" % number) for number in range(1, count + 1)), *LINES[4:]])


TASK = b'{"Event":"SparkListenerTaskEnd","Stage ID":#,"Task End Reason":{"Reason":"Success"},"Task Info":{"Index":1}}\n'
JOB = b'{"Event":"SparkListenerJobStart","Job ID":#,"Stage IDs":[#]}\n'


def job_of(stages: int) -> bytes:
    return b"".join([*LINES[:6], job_start(None, range(stages), job_id=7), *LINES[6:]])


def job_of_one_stage(jobs: int, times: int) -> list[bytes]:
    return [job_start(None, [1] * times, job_id=number) for number in range(1, jobs + 1)]


def attempts(before: list[bytes], count: int) -> bytes:
    """A log in which so many attempts at a stage begin."""
    submitted = b'{"Event":"SparkListenerStageSubmitted","Stage Info":{"Stage ID":1,"Stage Attempt ID":%d}}\n'
    return zstd([*LINES[:4], *before, *(submitted % number for number in range(1, count + 1)), *LINES[4:]])


def jobs_in_a_row() -> bytes:
    """Each lists the stage that all of them wait for, and ends."""
    started = job_of_one_stage(20_000, 1)
    submitted = b'{"Event":"SparkListenerStageSubmitted","Stage Info":{"Stage ID":1,"Stage Attempt ID":0}}\n'
    return zstd([*LINES[:4], *started, submitted, *map(job_end, range(1, 20_001)), *LINES[4:]])


def properties(count: int) -> bytes:
    return b"".join([*LINES[:3], environment(**{f"p{number}": "" for number in range(count)}), *LINES[3:]])


# More than the process may take that reads them.
ZEROS = 4 << 30 if AT_LENGTH else 1 << 30
BOMBS: tuple[tuple[str, Callable[[], bytes], Completeness], ...] = (
    ("gigabytes of zeros", lambda: zeros(ZEROS), FAILED),
    ("gigabytes of zeros after a head", lambda: zstd(head()) + zeros(ZEROS), PARTIAL),
    ("millions of empty lines", gzip_of_newlines, FAILED),
    ("empty lines in a zip file", lambda: zip_of_newlines("empty lines in a zip file"), FAILED),
    ("another codec after a head", lambda: zstd(head()) + gzip_of_newlines(), PARTIAL),
    ("a line of 64 MB", lambda: b"".join([*LINES[:6], long_line(64 << 20), *LINES[6:]]), COMPLETE),
    ("20 million objects", lambda: with_objects(b"{}", 20_000_000), PARTIAL),
    ("a million accumulables", lambda: with_objects(b'{"ID":1,"Update":1}', 1_000_000), COMPLETE),
    ("wild partitions", lambda: b"".join(wild_partitions()), COMPLETE),
    ("150,000 stages that do not end", lambda: zstd([beginnings(TASK, 150_000)]), PARTIAL),
    ("130,000 jobs that do not end", lambda: zstd([beginnings(JOB, 130_000)]), PARTIAL),
    ("a job of a million stages", lambda: job_of(1_000_000), PARTIAL),
    ("a stage that jobs list a million times", lambda: attempts(job_of_one_stage(10, 100_000), 20_000), COMPLETE),
    ("a stage that 50,000 jobs list", lambda: attempts(job_of_one_stage(50_000, 1), 2_000), PARTIAL),
    ("20,000 jobs of one stage", jobs_in_a_row, COMPLETE),
    ("a million properties", lambda: properties(1_000_000), COMPLETE),
)


def test_samples_are_read_whole(tmp_path: Path) -> None:
    application = read_all(write(tmp_path / "local-1", LINES))["local-1"]
    assert (application.status, accumulators(application)[ROWS]) == (COMPLETE, 105)
    (query,) = queries(application)
    assert [join.keys for join in query.joins] == [(("db.left.a", "db.right.b"),)]
    assert len(places()) > 100
