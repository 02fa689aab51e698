"""Compressed files, told by their content first."""

from __future__ import annotations

import gzip
import io
import shutil
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import zstandard

from tuner.eventlog.chunks import CorruptDataError
from tuner.eventlog.codec import CODECS, detect, open_plain
from tuner.eventlog.find import find_logs
from tuner.eventlog.read import read_application
from tuner.model.application import Completeness, ProblemCode

from .samples import facts, read, whole_log, write, zstd

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

PLAIN = b"".join(whole_log())
ZIP = b"PK\x03\x04" + b"\x00" * 30


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("local-1", PLAIN),
        ("local-1.zstd", zstd(whole_log(), per_frame=1)),
        ("local-1.zstd", zstd(whole_log(), per_frame=99)),
        ("local-1.gz", gzip.compress(PLAIN)),
        ("local-1.gz", gzip.compress(PLAIN[:500]) + gzip.compress(PLAIN[500:])),
        ("local-1.zstd.gz", gzip.compress(zstd(whole_log(), per_frame=1))),  # put away by somebody
        ("renamed", zstd(whole_log())),
        ("unpacked.zstd", PLAIN),
        ("compacted.lz4.compact", zstd(whole_log())),  # SPARK-43991: another codec than the name says
    ],
)
def test_every_form_says_the_same(tmp_path: Path, name: str, content: bytes) -> None:
    application = read(write(tmp_path / name, content))
    assert [problem for problem in application.problems if problem.code is not ProblemCode.COMPACTED] == []
    assert facts(application) == facts(read(write(tmp_path / "plain", PLAIN)))


@pytest.mark.parametrize("kept", [0.3, 0.9])
def test_of_gzip_data_that_breaks_off_all_that_unpacks_is_read(tmp_path: Path, kept: float) -> None:
    plain = b"".join(f'{{"Event":"Other","n":{number}}}\n'.encode() for number in range(50_000))
    whole = gzip.compress(plain, 1)
    path = write(tmp_path / "local-1.gz", whole[: int(len(whole) * kept)])
    found = bytearray()

    def read_all() -> None:
        with path.open("rb") as raw:
            opened = open_plain(raw, path.name)
            while chunk := opened.read1():
                found.extend(chunk)

    with pytest.raises(EOFError):
        read_all()
    assert found == zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(path.read_bytes())
    assert plain.startswith(found)


def test_a_gzip_log_that_breaks_off_has_what_was_before(tmp_path: Path) -> None:
    application = read(write(tmp_path / "local-1.gz", gzip.compress(PLAIN)[:-200]))
    assert (application.status, application.app_id) == (Completeness.PARTIAL, "local-1")


def test_what_is_packed_twice_is_bounded_by_the_file(tmp_path: Path) -> None:
    path = write(tmp_path / "local-1.zstd.gz", gzip.compress(zstandard.compress(bytes(100 << 20))))
    with path.open("rb") as raw, pytest.raises(CorruptDataError, match="500 times"):
        shutil.copyfileobj(open_plain(raw, path.name), io.BytesIO())


class Counted(io.BytesIO):
    """A file of a far store, where each byte that is read is fetched."""

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self.fetched = 0

    def readinto(self, buffer: WriteableBuffer) -> int:
        count = super().readinto(buffer)
        self.fetched += count
        return count


@pytest.mark.parametrize("per_frame", [1, 10_000])
def test_of_a_far_zstd_file_each_byte_is_fetched_once(per_frame: int) -> None:
    lines = [b"%x\n" % (number * 2_654_435_761 % 2**64) for number in range(50_000)]
    packed = zstd(lines, per_frame)
    far = Counted(packed)
    assert open_plain(io.BufferedReader(far), "local-1.zstd").read() == b"".join(lines)
    assert len(packed) <= far.fetched < 1.01 * len(packed)


def test_a_rolling_log_may_change_its_codec_and_break_a_line_nowhere(tmp_path: Path) -> None:
    lines, directory = whole_log(), tmp_path / "eventlog_v2_local-1"
    write(directory / "events_1_local-1", lines[:4])
    write(directory / "events_2_local-1.zstd", zstd(lines[4:8]))
    write(directory / "events_10_local-1.gz", gzip.compress(b"".join(lines[8:])))
    write(directory / "appstatus_local-1", b"")
    for missing in range(3, 10):
        write(directory / f"events_{missing}_local-1.zstd", b"")
    application = read(directory)
    assert application.status is Completeness.COMPLETE, application.problems
    assert facts(application) == facts(read(write(tmp_path / "plain", PLAIN)))


def test_a_form_that_is_not_opened_is_a_problem_that_names_it_and_the_way_out(tmp_path: Path) -> None:
    path = write(tmp_path / "local-1.zip", ZIP)
    application = read(path)
    (problem,) = application.problems
    assert application.status is Completeness.FAILED
    assert (problem.code, problem.file, problem.line) == (ProblemCode.UNSUPPORTED_CODEC, str(path), 0)
    assert "a zip file" in problem.message
    assert "unpack it" in problem.message
    assert not problem.retryable


def test_a_form_that_is_not_opened_does_not_stop_its_siblings(tmp_path: Path) -> None:
    write(tmp_path / "a.zip", ZIP)
    write(tmp_path / "b.zstd", zstd(whole_log("local-2")))
    applications = [read_application(source) for source in find_logs(tmp_path)]
    assert [(a.app_id, a.status.value) for a in applications] == [("", "failed"), ("local-2", "complete")]


@pytest.mark.parametrize("codec", CODECS, ids=lambda codec: codec.name)
def test_first_bytes_tell_whatever_the_name_says(codec: object) -> None:
    assert detect(codec.magic + b"rest", "local-1") is codec  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("head", "name", "expected"),
    [
        (b"", "local-1.zstd", "zstd"),
        (b"\x28\xb5", "local-1.zstd.inprogress", "zstd"),
        (b"LZ4", "local-1.lz4.compact", "lz4"),
        (b"", "local-1", None),
        (b'{"Event"', "local-1.zstd", None),
        (b"12345678", "local-1.zstd", None),
    ],
)
def test_the_name_tells_only_where_the_bytes_are_too_few(head: bytes, name: str, expected: str | None) -> None:
    codec = detect(head, name)
    assert (codec.name if codec else None) == expected
