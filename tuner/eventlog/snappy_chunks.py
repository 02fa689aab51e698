"""snappy as Spark writes it: snappy-java's stream (SnappyOutputStream), not the snappy framing format.

A header (magic, version, oldest version that can read it), then chunks of raw snappy, each after its length. A header
comes again where a stream was appended.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import BinaryIO

import cramjam

from tuner.eventlog.chunks import MAX_CHUNK_BYTES, CorruptDataError, read_exactly

MAGIC = b"\x82SNAPPY\x00"

_LENGTH = struct.Struct(">I")
_HEADER_BYTES = 16
# SnappyCodec.MAGIC_HEADER_HEAD: a length that begins like the magic is a header.
_HEADER_HEAD = _LENGTH.unpack(MAGIC[:4])[0]


def snappy_chunks(raw: BinaryIO) -> Iterator[bytes]:
    """The plain bytes of each chunk. Raises EOFError where the data breaks off, CorruptDataError where damaged."""
    while first := raw.read(1):
        head = first + read_exactly(raw, 3)
        (length,) = _LENGTH.unpack(head)
        if length == _HEADER_HEAD:
            if not (head + read_exactly(raw, _HEADER_BYTES - 4)).startswith(MAGIC):
                raise CorruptDataError("damaged snappy data: no header where one should be")
            continue
        if length > MAX_CHUNK_BYTES:
            raise CorruptDataError(f"damaged snappy data: a chunk of {length} bytes")
        yield _plain(read_exactly(raw, length))


def _plain(data: bytes) -> bytes:
    if (size := _plain_length(data)) > MAX_CHUNK_BYTES:
        raise CorruptDataError(f"damaged snappy data: a chunk that unpacks to {size} bytes")
    try:
        return bytes(cramjam.snappy.decompress_raw(data))
    except cramjam.DecompressionError:
        raise CorruptDataError("damaged snappy data: a chunk cannot be unpacked") from None


def _plain_length(data: bytes) -> int:
    """What raw snappy begins with: the plain length, seven bits a byte, lowest first, in at most five bytes."""
    length = 0
    for position, byte in enumerate(data[:5]):
        length |= (byte & 0x7F) << (7 * position)
        if byte < 0x80:
            return length
    raise CorruptDataError("damaged snappy data: a chunk without a length")
