"""A log grown to any size: what an application did, done again and again under new ids, as one zstd stream.

python tests/benchmarks/grown_log.py LOG GIGABYTES > grown.zstd
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import zstandard

from tuner.eventlog.codec import open_plain
from tuner.eventlog.events import event_name
from tuner.eventlog.find import find_logs
from tuner.eventlog.location import open_log

_REPEATED = re.compile(rb"SparkListener(?:Job|Stage|Task|SQL|DriverAccum)")
_IDS = re.compile(
    rb'"(?:executionId|rootExecutionId|accumulatorId|Job ID|Stage ID|Task ID|RDD ID|ID|spark\.sql\.execution\.id)":"?(\d+)'
    rb'|"(?:Stage IDs|Parent IDs|accumUpdates)":(\[[\d,\[\]]*\])'
)
_STEP = 10_000_000


def lines_of(log: Path) -> Iterator[bytes]:
    (source,) = find_logs(log)
    for file in source.files:
        with open_log(file) as raw:
            yield from open_plain(raw, file.name)


def grow(log: Path, size_bytes: int, target: BinaryIO) -> None:
    """Write at least so many bytes of JSON, compressed."""
    once: list[bytes] = []
    body: list[bytes] = []
    for line in lines_of(log):
        (body if _REPEATED.search(event_name(line)) else once).append(line)
    ends = [line for line in once if b"ApplicationEnd" in line]
    texts, ids = _split(b"".join(body))
    with zstandard.ZstdCompressor(level=1).stream_writer(target, closefd=False) as out:
        written = out.write(b"".join(line for line in once if line not in ends))
        copy = 0
        while written < size_bytes:
            shifted = (b"%d" % (number + copy * _STEP) for number in ids)
            block = b"".join(chain.from_iterable(zip(texts, shifted, strict=False))) + texts[-1]
            out.write(block)
            written += len(block)
            copy += 1
        out.write(b"".join(ends))


def _split(text: bytes) -> tuple[list[bytes], list[int]]:
    """The text around its ids, and the ids."""
    spans: list[tuple[int, int]] = []
    for found in _IDS.finditer(text):
        if found[1] is not None:
            spans.append(found.span(1))
        else:
            # Of the pairs in accumUpdates, the first number is an id.
            pattern = rb"\[(\d+)," if found[2].startswith(b"[[") else rb"(\d+)"
            spans += [(found.start(2) + i.start(1), found.start(2) + i.end(1)) for i in re.finditer(pattern, found[2])]
    texts, at = [], 0
    for start, end in spans:
        texts.append(text[at:start])
        at = end
    return [*texts, text[at:]], [int(text[start:end]) for start, end in spans]


if __name__ == "__main__":
    grow(Path(sys.argv[1]), int(float(sys.argv[2]) * 1e9), sys.stdout.buffer)
