"""Compressed bytes to plain bytes, by content first and by name second. One row per codec."""

from __future__ import annotations

import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, cast

import zstandard

from tuner.errors import TunerError
from tuner.eventlog.chunks import ChunkReader, Chunks, CorruptDataError
from tuner.eventlog.location import ZIP_MAGIC
from tuner.eventlog.lz4_blocks import MAGIC as LZ4
from tuner.eventlog.lz4_blocks import lz4_chunks
from tuner.eventlog.lzf_chunks import MAGIC as LZF
from tuner.eventlog.lzf_chunks import lzf_chunks
from tuner.eventlog.most_unpacked import TOO_MANY, most_unpacked
from tuner.eventlog.snappy_chunks import MAGIC as SNAPPY
from tuner.eventlog.snappy_chunks import snappy_chunks
from tuner.eventlog.zstd_frames import ZstdFrames
from tuner.printable import printable

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_BUFFER_BYTES = 1 << 18


class UnsupportedCodecError(TunerError):
    """The file is compressed in a way this version cannot read."""


class _ZstdReader(io.RawIOBase):
    """Plain bytes of zstd data. Where the data breaks off, EOFError is raised, as gzip's reader does."""

    def __init__(self, raw: io.BufferedReader) -> None:
        self._raw = raw
        self._followed = _Followed(raw)
        self._plain = _zstd_stream(self._followed)
        self._given = 0
        self._damaged = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        try:
            count = self._plain.readinto(memoryview(buffer)[:1] if self._damaged else buffer)
        except zstandard.ZstdError:
            if self._damaged or not self._raw.seekable():
                raise
            self._again()
            return self.readinto(buffer)
        if count == 0 and self._followed.frames.breaks_off:
            raise EOFError("the compressed data breaks off")
        self._given += count
        return count

    def _again(self) -> None:
        """What was unpacked in the call that met damage is lost with it: unpack it again, byte by byte."""
        self._damaged = True
        self._raw.seek(0)
        self._followed = _Followed(self._raw)
        self._plain = _zstd_stream(self._followed)
        left = self._given
        while left and (skipped := len(self._plain.read(min(left, _BUFFER_BYTES)))):
            left -= skipped


class _Followed:
    """Packed bytes, whose frames are followed as they pass."""

    def __init__(self, raw: io.BufferedReader) -> None:
        self.frames = ZstdFrames()
        self._raw = raw

    def read(self, size: int) -> bytes:
        return self.frames.pass_on(self._raw.read(size))


def _zstd_stream(raw: _Followed) -> zstandard.ZstdDecompressionReader:
    # Spark ends a frame at every flush: thousands in a file, and the last may be open.
    return zstandard.ZstdDecompressor().stream_reader(
        cast("IO[bytes]", raw), read_size=1 << 17, read_across_frames=True, closefd=False
    )


class _GzipReader(io.RawIOBase):
    """Plain bytes of gzip data, each as soon as it is unpacked: where the data breaks off, all before comes before EOFError."""

    def __init__(self, raw: io.BufferedReader) -> None:
        self._plain = gzip.GzipFile(fileobj=raw, mode="rb")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        return self._plain.readinto1(buffer)


class _Bounded(io.RawIOBase):
    """The plain bytes as long as there are not absurdly more of them than compressed ones, as no log's are."""

    def __init__(self, raw: io.BufferedReader, plain: io.BufferedReader) -> None:
        self._raw, self._plain = raw, plain
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        count = self._plain.readinto1(buffer)
        self._count += count
        if self._raw.seekable() and self._count > most_unpacked(self._raw.tell()):
            raise CorruptDataError(TOO_MANY)
        return count


def _open_zstd(raw: io.BufferedReader) -> io.BufferedReader:
    return io.BufferedReader(_ZstdReader(raw), _BUFFER_BYTES)


def _open_gzip(raw: io.BufferedReader) -> io.BufferedReader:
    return io.BufferedReader(_GzipReader(raw), _BUFFER_BYTES)


def _open_chunks(chunks: Chunks) -> Callable[[io.BufferedReader], io.BufferedReader]:
    return lambda raw: io.BufferedReader(ChunkReader(raw, chunks), _BUFFER_BYTES)


@dataclass(frozen=True, slots=True)
class Codec:
    """A compression Spark or a vendor writes: file name endings, first bytes, how to open it (None: not read)."""

    name: str
    suffixes: tuple[str, ...]
    magic: bytes
    open: Callable[[io.BufferedReader], io.BufferedReader] | None


_GZIP = Codec("gzip", (".gz",), b"\x1f\x8b", _open_gzip)
CODECS = (
    Codec("zstd", (".zstd", ".zst"), b"\x28\xb5\x2f\xfd", _open_zstd),
    _GZIP,
    Codec("lz4", (".lz4",), LZ4, _open_chunks(lz4_chunks)),
    Codec("snappy", (".snappy",), SNAPPY, _open_chunks(snappy_chunks)),
    Codec("lzf", (".lzf",), LZF, _open_chunks(lzf_chunks)),
    Codec("zip", (".zip",), ZIP_MAGIC, None),
)

DATA_ERRORS = (zstandard.ZstdError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, CorruptDataError, EOFError, OSError)


def detect(head: bytes, name: str) -> Codec | None:
    """The codec of a file by its first bytes; by its name only when it is too short to tell. None: not compressed."""
    for codec in CODECS:
        if head.startswith(codec.magic):
            return codec
    if head.lstrip()[:1] == b"{" or len(head) >= 8:
        return None
    stem = name.removesuffix(".inprogress").removesuffix(".compact")
    return next((codec for codec in CODECS if stem.endswith(codec.suffixes)), None)


def open_plain(raw: io.BufferedReader, name: str) -> io.BufferedReader:
    """A buffered stream of the plain bytes of `raw`, which is at its start and is `name`d so.

    Raises UnsupportedCodecError for a known form that this version does not open.
    """
    codec = detect(raw.peek(16)[:16], name)
    if codec is None:
        return raw
    plain = _opened(codec, raw, raw, name)
    if codec is not _GZIP:
        return plain
    # Spark writes no gzip: somebody may have packed what Spark had, to put it away.
    head = plain.peek(16)[:16]
    inner = next((one for one in CODECS if head.startswith(one.magic)), None)
    return _opened(inner, raw, plain, name) if inner else plain


def _opened(codec: Codec, raw: io.BufferedReader, packed: io.BufferedReader, name: str) -> io.BufferedReader:
    """The plain bytes of `packed`, bounded by those of the file itself."""
    if codec.open is None:
        raise UnsupportedCodecError(
            f"{printable(name)}: a {codec.name} file that is damaged, or inside another; unpack it and give what was inside"
        )
    return io.BufferedReader(_Bounded(raw, codec.open(packed)), _BUFFER_BYTES)
