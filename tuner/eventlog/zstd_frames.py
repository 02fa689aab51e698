"""Where zstd data stands when it ends: at the end of a frame, or inside an unfinished one (RFC 8878, 3.1.1)."""

from __future__ import annotations

import io
from typing import IO

_MAGIC = b"\x28\xb5\x2f\xfd"
_SKIPPABLE = range(0x184D2A50, 0x184D2A60)
_RLE_BLOCK = 1
# The longest header of a frame, and that of its first block, which is most often its only one.
_HEAD_BYTES = 21


def breaks_off(file: IO[bytes]) -> bool:
    """Whether a file of zstd frames ends inside one, by its block headers. False where they cannot be followed."""
    size, position = file.seek(0, io.SEEK_END), 0
    while position < size:
        end = _frame_end(file, position, size)
        if end is None:
            return False
        if end > size:
            return True
        position = end
    return False


def _frame_end(file: IO[bytes], start: int, size: int) -> int | None:
    """The position after the frame at `start`, beyond `size` where it is not whole; None if it is no frame."""
    file.seek(start)
    head = file.read(_HEAD_BYTES)
    if len(head) < 8:
        return size + 1
    if int.from_bytes(head[:4], "little") in _SKIPPABLE:
        return start + 8 + int.from_bytes(head[4:8], "little")
    if head[:4] != _MAGIC:
        return None
    descriptor = head[4]
    header = 5 + _header_bytes(descriptor)
    position, block = start + header, head[header : header + 3]
    while len(block) == 3:
        bits = int.from_bytes(block, "little")
        position += 3 + (1 if (bits >> 1) & 3 == _RLE_BLOCK else bits >> 3)
        if bits & 1:
            break
        file.seek(position)
        block = file.read(3)
    else:
        return size + 1
    return position + (4 if descriptor & 0b100 else 0)


def _header_bytes(descriptor: int) -> int:
    """The bytes of window, dictionary id and content size after the frame header's descriptor."""
    single_segment = bool(descriptor & 0b100000)
    content_size = (1 if single_segment else 0, 2, 4, 8)[descriptor >> 6]
    return (0 if single_segment else 1) + (0, 1, 2, 4)[descriptor & 0b11] + content_size
