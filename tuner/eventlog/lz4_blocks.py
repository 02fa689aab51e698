"""lz4 as Spark writes it: lz4-java's blocks (LZ4BlockOutputStream), which no lz4 tool reads, not the LZ4 frame format.

A block is the magic, a token (method in the high bits, the block size's exponent in the low), compressed and plain
length, a checksum of the plain bytes, and the data. A block of no bytes ends a stream; another may follow.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import BinaryIO

import cramjam
import xxhash

from tuner.eventlog.chunks import CorruptDataError, read_exactly

MAGIC = b"LZ4Block"

_HEADER = struct.Struct("<8sBIII")
_RAW, _LZ4 = 0x10, 0x20
_LEVEL_BASE = 10  # LZ4BlockOutputStream.COMPRESSION_LEVEL_BASE: blocks hold at most 2^(10 + level) bytes
_SEED = 0x9747B28C  # LZ4BlockOutputStream.DEFAULT_SEED
_CHECKSUM_BITS = 0x0FFFFFFF  # StreamingXXHash32.asChecksum keeps 28 bits


def lz4_chunks(raw: BinaryIO) -> Iterator[bytes]:
    """The plain bytes of each block, checked. Raises EOFError where the data breaks off, CorruptDataError where damaged."""
    while raw_header := raw.read(1):
        header = _HEADER.unpack(raw_header + read_exactly(raw, _HEADER.size - 1))
        plain = _plain(raw, *header)
        if plain:
            yield plain


def _plain(raw: BinaryIO, magic: bytes, token: int, compressed: int, size: int, checksum: int) -> bytes:
    method = token & 0xF0
    if magic != MAGIC or method not in (_RAW, _LZ4):
        raise CorruptDataError("damaged lz4 data: no block where one should begin")
    if (
        size > 1 << (_LEVEL_BASE + (token & 0x0F))
        or (method == _RAW and compressed != size)
        or compressed > 2 * size + 64
    ):
        raise CorruptDataError(f"damaged lz4 data: a block of {compressed} bytes cannot hold {size}")
    if not size:
        return b""
    data = read_exactly(raw, compressed)
    if method == _LZ4:
        try:
            data = bytes(cramjam.lz4.decompress_block(data, output_len=size))
        except cramjam.DecompressionError:
            raise CorruptDataError("damaged lz4 data: a block cannot be unpacked") from None
    if len(data) != size or xxhash.xxh32_intdigest(data, seed=_SEED) & _CHECKSUM_BITS != checksum:
        raise CorruptDataError("damaged lz4 data: a block's checksum does not match")
    return data
