"""lzf as Spark writes it: chunks of compress-lzf (LZFOutputStream), at most 64 KiB plain each.

A chunk is `ZV`, its kind, its length, for a compressed one its plain length, and the data.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from tuner.eventlog.chunks import CorruptDataError, read_exactly

MAGIC = b"ZV"

_RAW, _COMPRESSED = 0, 1
_HEADER_BYTES = 5


def lzf_chunks(raw: BinaryIO) -> Iterator[bytes]:
    """The plain bytes of each chunk. Raises EOFError where the data breaks off, CorruptDataError where damaged."""
    while first := raw.read(1):
        header = first + read_exactly(raw, _HEADER_BYTES - 1)
        kind, length = header[2], int.from_bytes(header[3:], "big")
        if header[:2] != MAGIC or kind not in (_RAW, _COMPRESSED):
            raise CorruptDataError("damaged lzf data: no chunk where one should begin")
        if kind == _RAW:
            yield read_exactly(raw, length)
        else:
            size = int.from_bytes(read_exactly(raw, 2), "big")
            yield unpack(read_exactly(raw, length), size)


def unpack(data: bytes, size: int) -> bytes:
    """`size` plain bytes of one chunk's data. Raises CorruptDataError if it holds other than so many.

    A control byte below 32 is followed by that many bytes and one more, as they are. Others copy what came before:
    the high 3 bits are the length less 2 (7: a byte with the rest follows), the low 5 and the next byte the distance
    less 1.
    """
    plain = bytearray()
    position, end = 0, len(data)
    try:
        while position < end:
            control = data[position]
            position += 1
            if control < 32:
                plain += data[position : position + control + 1]
                position += control + 1
                continue
            length = control >> 5
            if length == 7:
                length += data[position]
                position += 1
            length += 2
            start = len(plain) - ((control & 0x1F) << 8) - data[position] - 1
            position += 1
            if start < 0:
                raise CorruptDataError("damaged lzf data: a copy from before the chunk")
            copied = plain[start : start + length]
            if len(copied) < length:  # it copies what it is about to write
                copied = (copied * (length // len(copied) + 1))[:length]
            plain += copied
    except IndexError:
        raise CorruptDataError("damaged lzf data: a chunk ends in a copy") from None
    if position != end or len(plain) != size:
        raise CorruptDataError(f"damaged lzf data: a chunk of {len(plain)} bytes instead of {size}")
    return bytes(plain)
