"""Whether zstd data ends where a frame does."""

from __future__ import annotations

import pytest
import zstandard

from tuner.eventlog.zstd_frames import ZstdFrames

INCOMPRESSIBLE = bytes((i * i * 31 + i // 7) % 251 for i in range(300_000))


def frame(content: bytes, *, checksum: bool = False, size: bool = True, level: int = 1) -> bytes:
    return zstandard.ZstdCompressor(level=level, write_checksum=checksum, write_content_size=size).compress(content)


def breaks_off(data: bytes, at_once: int = 1 << 17) -> bool:
    frames = ZstdFrames()
    for start in range(0, len(data), at_once):
        frames.pass_on(data[start : start + at_once])
    return frames.breaks_off


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


@pytest.mark.parametrize("at_once", [1, 2, 5, 1 << 17])
@pytest.mark.parametrize("data", FORMS.values(), ids=list(FORMS))
def test_whole_data_ends_with_a_frame(data: bytes, at_once: int) -> None:
    assert not breaks_off(data, at_once)
    assert not breaks_off(frame(b"before") + data, at_once)


@pytest.mark.parametrize("at_once", [1, 7, 1 << 17])
@pytest.mark.parametrize("data", FORMS.values(), ids=list(FORMS))
def test_data_that_misses_any_bytes_breaks_off(data: bytes, at_once: int) -> None:
    before = frame(b"before")
    last = before + (frame(b"x" * 1000, checksum=True, size=False) if data == FORMS["several frames"] else data)
    cuts = {len(before) + 1, len(before) + 5, len(last) // 2, len(last) - 4, len(last) - 1}
    for cut in cuts:
        if len(before) < cut < len(last):
            assert breaks_off(last[:cut], at_once), cut


def test_what_is_no_frame_is_left_to_the_decompressor() -> None:
    assert not breaks_off(b"")
    assert not breaks_off(frame(b"x") + b"not a frame at all")
