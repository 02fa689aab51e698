"""Whether zstd data ends where a frame does."""

from __future__ import annotations

import io

import pytest
import zstandard

from tuner.eventlog.zstd_frames import breaks_off

INCOMPRESSIBLE = bytes((i * i * 31 + i // 7) % 251 for i in range(300_000))


def frame(content: bytes, *, checksum: bool = False, size: bool = True, level: int = 1) -> bytes:
    return zstandard.ZstdCompressor(level=level, write_checksum=checksum, write_content_size=size).compress(content)


SKIPPABLE = b"\x50\x2a\x4d\x18" + (3).to_bytes(4, "little") + b"abc"
FORMS = {
    "empty frame": frame(b""),
    "one line": frame(b"{}\n"),
    "run of one byte": frame(b"a" * 500_000),
    "several blocks": frame(INCOMPRESSIBLE),
    "with checksum": frame(INCOMPRESSIBLE, checksum=True),
    "without content size": frame(b"{}\n" * 50, size=False),
    "skippable": SKIPPABLE,
    "several frames": frame(b"{}\n") + SKIPPABLE + frame(b"x" * 1000, checksum=True, size=False),
}


@pytest.mark.parametrize("data", FORMS.values(), ids=list(FORMS))
def test_whole_data_ends_with_a_frame(data: bytes) -> None:
    assert not breaks_off(io.BytesIO(data))
    assert not breaks_off(io.BytesIO(frame(b"before") + data))


@pytest.mark.parametrize("data", FORMS.values(), ids=list(FORMS))
def test_data_that_misses_any_bytes_breaks_off(data: bytes) -> None:
    before = frame(b"before")
    last = before + (frame(b"x" * 1000, checksum=True, size=False) if data == FORMS["several frames"] else data)
    cuts = {len(before) + 1, len(before) + 5, len(last) // 2, len(last) - 4, len(last) - 1}
    for cut in cuts:
        if len(before) < cut < len(last):
            assert breaks_off(io.BytesIO(last[:cut])), cut


def test_what_is_no_frame_is_left_to_the_decompressor() -> None:
    assert not breaks_off(io.BytesIO(b""))
    assert not breaks_off(io.BytesIO(frame(b"x") + b"not a frame at all"))
