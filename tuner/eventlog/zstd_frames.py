"""Where zstd data stands when it ends: at the end of a frame, or inside an unfinished one (RFC 8878, 3.1.1)."""

from __future__ import annotations

_MAGIC = b"\x28\xb5\x2f\xfd"
_SKIPPABLE = range(0x184D2A50, 0x184D2A60)
_RLE_BLOCK = 1
_CHECKSUM_BYTES = 4
# Of a frame's beginning, fewer than any frame has, and of a block's.
_FRAME_HEAD, _BLOCK_HEAD = 8, 3


class ZstdFrames:
    """Follows a file of zstd frames by their block headers, as its bytes pass: what is stored far away is read once."""

    def __init__(self) -> None:
        self._head = b""
        self._to_next = 0
        self._next = _FRAME_HEAD
        self._after_frame = 0
        self._is_lost = False

    def pass_on(self, data: bytes) -> bytes:
        """The bytes that follow, as they are."""
        if not self._is_lost:
            self._follow(self._head + data)
        return data

    @property
    def breaks_off(self) -> bool:
        """Whether the file, if it ends here, ends inside a frame. False where its frames cannot be followed."""
        ends_frame = not self._head and not self._to_next and self._next == _FRAME_HEAD
        return not self._is_lost and not ends_frame

    def _follow(self, data: bytes) -> None:
        at, size = self._to_next, len(data)
        while at + self._next <= size:
            at = self._after_block(data, at) if self._next == _BLOCK_HEAD else self._after_head(data, at)
        self._head, self._to_next = data[at:], max(0, at - size)

    def _after_block(self, data: bytes, at: int) -> int:
        bits = int.from_bytes(data[at : at + _BLOCK_HEAD], "little")
        at += _BLOCK_HEAD + (1 if (bits >> 1) & 3 == _RLE_BLOCK else bits >> 3)
        if bits & 1:
            at, self._next = at + self._after_frame, _FRAME_HEAD
        return at

    def _after_head(self, data: bytes, at: int) -> int:
        magic = data[at : at + 4]
        if int.from_bytes(magic, "little") in _SKIPPABLE:
            return at + 8 + int.from_bytes(data[at + 4 : at + 8], "little")
        if magic != _MAGIC:
            self._is_lost = True
            return len(data)
        descriptor = data[at + 4]
        self._after_frame = _CHECKSUM_BYTES if descriptor & 0b100 else 0
        self._next = _BLOCK_HEAD
        return at + 5 + _header_bytes(descriptor)


def _header_bytes(descriptor: int) -> int:
    """The bytes of window, dictionary id and content size after the frame header's descriptor."""
    single_segment = bool(descriptor & 0b100000)
    content_size = (1 if single_segment else 0, 2, 4, 8)[descriptor >> 6]
    return (0 if single_segment else 1) + (0, 1, 2, 4)[descriptor & 0b11] + content_size
