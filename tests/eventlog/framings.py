"""The framings of Spark's Java codecs, written in Python: for tests that cut and damage them."""

from __future__ import annotations

import struct
from collections.abc import Callable

import cramjam
import xxhash


def lz4(chunks: list[bytes]) -> bytes:
    return b"".join(_lz4_block(chunk) for chunk in (*chunks, b""))


def _lz4_block(plain: bytes) -> bytes:
    packed = bytes(cramjam.lz4.compress_block(plain, store_size=False)) if plain else b""
    token, data = (0x26, packed) if packed and len(packed) < len(plain) else (0x16, plain)
    checksum = xxhash.xxh32_intdigest(plain, seed=0x9747B28C) & 0x0FFFFFFF if plain else 0
    return struct.pack("<8sBIII", b"LZ4Block", token, len(data), len(plain), checksum) + data


def snappy(chunks: list[bytes]) -> bytes:
    packed = [bytes(cramjam.snappy.compress_raw(chunk)) for chunk in chunks]
    return b"\x82SNAPPY\x00" + struct.pack(">II", 1, 1) + b"".join(struct.pack(">I", len(p)) + p for p in packed)


def lzf(chunks: list[bytes]) -> bytes:
    """Every other chunk as it is, the rest "compressed" into literal runs."""
    return b"".join(_lzf_chunk(chunk, packed=number % 2 == 0) for number, chunk in enumerate(chunks))


def _lzf_chunk(plain: bytes, *, packed: bool) -> bytes:
    if not packed:
        return b"ZV\x00" + struct.pack(">H", len(plain)) + plain
    runs = [plain[i : i + 32] for i in range(0, len(plain), 32)]
    data = b"".join(bytes([len(run) - 1]) + run for run in runs)
    return b"ZV\x01" + struct.pack(">HH", len(data), len(plain)) + data


FRAMINGS: dict[str, Callable[[list[bytes]], bytes]] = {"lz4": lz4, "snappy": snappy, "lzf": lzf}
