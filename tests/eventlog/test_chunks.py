"""lz4, snappy and lzf as Spark writes them: whole, appended, cut anywhere, damaged anywhere."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.eventlog.chunks import ChunkReader, CorruptDataError
from tuner.eventlog.codec import open_plain
from tuner.eventlog.lz4_blocks import lz4_chunks
from tuner.eventlog.lzf_chunks import lzf_chunks, unpack
from tuner.eventlog.snappy_chunks import snappy_chunks
from tuner.model.application import Completeness, ProblemCode

from .framings import FRAMINGS
from .samples import facts, read, whole_log, write

CHUNKS = {"lz4": lz4_chunks, "snappy": snappy_chunks, "lzf": lzf_chunks}
codecs = pytest.mark.parametrize("codec", FRAMINGS)
PIECES = [b"one " * 500, b"", b"2", bytes(range(256)) * 20]


def plain_of(data: bytes, name: str = "log") -> bytes:
    return open_plain(io.BufferedReader(io.BytesIO(data)), name).read()  # type: ignore[arg-type]


@codecs
@given(st.lists(st.binary(min_size=1, max_size=5000), max_size=5))
def test_what_went_in_comes_out(codec: str, pieces: list[bytes]) -> None:
    assert plain_of(FRAMINGS[codec](pieces), f"log.{codec}") == b"".join(pieces)


@codecs
def test_appended_streams_are_one(codec: str) -> None:
    pieces = [p for p in PIECES if p]
    assert plain_of(FRAMINGS[codec](pieces) + FRAMINGS[codec](pieces)) == b"".join(pieces) * 2


@codecs
def test_cut_anywhere_all_before_it_is_there_and_the_cut_is_told(codec: str) -> None:
    pieces = [f"{number:04}".encode() * 40 for number in range(5)]
    data = FRAMINGS[codec](pieces)
    end_mark = 21 if codec == "lz4" else 0
    ends = [len(FRAMINGS[codec](pieces[:n])) - end_mark for n in range(6)]
    for cut in range(17, len(data)):
        reader = ChunkReader(io.BytesIO(data[:cut]), CHUNKS[codec])
        whole = b"".join(pieces[: sum(end <= cut for end in ends[1:])])
        assert read_all(reader, len(whole)) == whole
        if cut in ends:
            assert reader.read(1) == b""
        else:
            with pytest.raises(EOFError):
                reader.read(1)


@codecs
@given(st.data())
def test_damaged_anywhere_it_reads_fails_or_ends_but_never_crashes(codec: str, data: st.DataObject) -> None:
    whole = bytearray(FRAMINGS[codec]([p for p in PIECES if p]))
    for _ in range(data.draw(st.integers(1, 3))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    reader = ChunkReader(io.BytesIO(bytes(whole)), CHUNKS[codec])
    plain = b""
    try:
        while piece := reader.read(4096):
            plain += piece
    except (CorruptDataError, EOFError):
        pass
    assert len(plain) <= 1 << 20


def test_a_flipped_bit_in_lz4_data_is_never_taken_for_data() -> None:
    """lz4-java's checksum: a digit that became another would be a wrong number of rows."""
    data = bytearray(FRAMINGS["lz4"]([b'{"Number of rows":1234}']))
    data[data.index(b"1234")] ^= 1
    with pytest.raises(CorruptDataError, match="checksum"):
        plain_of(bytes(data))


@codecs
def test_lengths_are_not_believed(codec: str) -> None:
    """A header that promises gigabytes is damage, not a reason to make room for them."""
    promises = {
        "lz4": b"LZ4Block\x26" + b"\xff\xff\xff\x7f" * 3,
        "snappy": b"\x82SNAPPY\x00\0\0\0\1\0\0\0\1" + b"\x00\x00\x00\x08" + b"\xff\xff\xff\xff\x0f\0\0\0",
        "lzf": b"ZV\x01\x00\x03\x00\x01\xe0\xff\xff",
    }
    with pytest.raises(CorruptDataError):
        plain_of(promises[codec])


def test_lzf_copies_what_it_is_about_to_write() -> None:
    """A run: distance 1, length 10 (kind 7 with a byte of rest), and a short copy of three."""
    assert unpack(b"\x00a" + bytes([7 << 5, 1, 0]), 11) == b"a" * 11
    assert unpack(b"\x02abc" + bytes([1 << 5, 2]), 6) == b"abcabc"
    for damaged in (b"\x00a" + bytes([1 << 5, 5]), b"\x00a" + bytes([1 << 5]), b"\x05ab"):
        with pytest.raises(CorruptDataError):
            unpack(damaged, 8)


@codecs
def test_a_log_reads_as_its_plain_form_and_a_cut_one_is_partial(codec: str, tmp_path: Path) -> None:
    lines = whole_log()
    plain = read(write(tmp_path / "plain", lines))
    data = FRAMINGS[codec](lines)
    whole = read(write(tmp_path / f"local-1.{codec}", data))
    assert (whole.status, facts(whole)) == (Completeness.COMPLETE, facts(plain))
    cut = read(write(tmp_path / f"local-2.{codec}", data[: len(data) * 2 // 3]))
    assert cut.status is Completeness.PARTIAL
    assert [p.code for p in cut.problems] == [ProblemCode.TRUNCATED]


def read_all(reader: ChunkReader, count: int) -> bytes:
    found = b""
    while len(found) < count and (piece := reader.read(count - len(found))):
        found += piece
    return found
