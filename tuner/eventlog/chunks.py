"""Plain bytes of a file that is a row of chunks, each compressed on its own: what the Java codecs' framings share."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

# The most plain bytes of a chunk: lz4-java's largest block is 32 MiB, and nobody sets snappy's beyond.
MAX_CHUNK_BYTES = 64 << 20

Chunks = Callable[[BinaryIO], Iterator[bytes]]


class CorruptDataError(ValueError):
    """The compressed data is not what its format asks for."""


class ChunkReader(io.RawIOBase):
    """A raw stream of the plain bytes of all chunks. Memory is that of one chunk.

    Where the data breaks off, EOFError is raised; where it is damaged, CorruptDataError; each after the chunks before.
    """

    def __init__(self, raw: BinaryIO, chunks: Chunks) -> None:
        self._chunks = chunks(raw)
        self._left = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        while not self._left:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._left = memoryview(chunk)
        target = memoryview(buffer).cast("B")
        count = min(len(target), len(self._left))
        target[:count] = self._left[:count]
        self._left = self._left[count:]
        return count


def read_exactly(raw: BinaryIO, count: int) -> bytes:
    """`count` bytes. Raises EOFError where fewer are left."""
    data = raw.read(count)
    if len(data) < count:
        raise EOFError("the compressed data breaks off")
    return data
