"""Runs of a job on other days: a real event log with another id, name and start, other sizes and other times."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt
import zstandard

from tuner.eventlog.codec import open_plain
from tuner.eventlog.find import LogSource
from tuner.eventlog.location import open_log

_TIME, _SIZE, _RUN = range(3)
_SIZES = (
    "Bytes Read|Records Read|Total Records Read|Remote Bytes Read|Remote Bytes Read To Disk|Local Bytes Read|"
    "Shuffle Bytes Written|Shuffle Records Written|Memory Bytes Spilled|Disk Bytes Spilled|Bytes Written|Records Written|"
    "Update|Value"
)
_NUMBERS = re.compile(
    rb"(?<=[:,\[ ])(?P<time>1[5-9]\d{11})(?=[,}\]\s])"
    rb'|"(?:' + _SIZES.encode() + rb')": ?"?(?P<size>\d+)'
    rb'|"(?:Executor Run Time|Executor CPU Time)": ?(?P<run>\d+)'
    rb'|(?P<updates>(?<="accumUpdates":)\[\[[\d,\[\]]*\])'
)
_UPDATE = re.compile(rb",(\d+)\]")
_EXECUTION = re.compile(rb'SQLExecutionStart".*?"time":(\d+)')
_LARGEST = (1 << 62) - 1
# Not a size but a word for one.
_SENTINEL = 1e15
# How much longer or shorter one query takes than another time, as a standard deviation of the logarithm.
_NOISE = 0.06
_FRAME_BYTES = 32 << 10


@dataclass(frozen=True)
class LogTemplate:
    """A log around its numbers: `texts` is one longer than `numbers`."""

    app_id: str
    app_name: str
    texts: list[bytes]
    numbers: npt.NDArray[np.float64]
    kinds: npt.NDArray[np.int8]
    times: npt.NDArray[np.float64]

    def copy(self, app_id: str, app_name: str, start_ms: int, growth: float, seed: int) -> bytes:
        """Another run, which had `growth` times the data. The seed decides how long each query takes."""
        numbers = self.numbers.copy()
        numbers[(self.kinds != _TIME) & (numbers < _SENTINEL)] *= growth
        slower = np.exp(np.random.default_rng(seed).normal(0, _NOISE, len(self.times))) * growth**0.8
        numbers[self.kinds == _RUN] *= float(slower.mean()) / growth
        clock = start_ms + np.concatenate([[0.0], np.cumsum(np.diff(self.times) * slower[1:])])
        is_time = self.kinds == _TIME
        numbers[is_time] = np.interp(numbers[is_time], self.times, clock)
        shown = map(b"%d".__mod__, np.minimum(numbers, _LARGEST).astype(np.int64).tolist())
        text = b"".join(chain.from_iterable(zip(self.texts, shown, strict=False))) + self.texts[-1]
        text = text.replace(self.app_id.encode(), app_id.encode())
        names = ("App Name", "spark.app.name")
        for name, space in ((name, space) for name in names for space in (":", ": ")):
            before, after = (f'"{name}"{space}{json.dumps(value)}'.encode() for value in (self.app_name, app_name))
            text = text.replace(before, after)
        return text


def template_of(source: LogSource) -> LogTemplate | None:
    """The template of a log; None for one that does not say which application it is of, or never ended."""
    text = b"".join(_lines(source))
    start = next((json.loads(line) for line in text.splitlines() if b'SparkListenerApplicationStart"' in line), {})
    if "App ID" not in start or b'SparkListenerApplicationEnd"' not in text:
        return None
    spans: list[tuple[int, int, int]] = []
    for found in _NUMBERS.finditer(text):
        if found["updates"] is not None:
            at = found.start("updates")
            spans += [(at + u.start(1), at + u.end(1), _SIZE) for u in _UPDATE.finditer(found["updates"])]
        else:
            name = found.lastgroup or ""
            spans.append((*found.span(name), {"time": _TIME, "size": _SIZE, "run": _RUN}[name]))
    ends = [0, *(end for _, end, _ in spans)]
    starts = [*(start for start, _, _ in spans), len(text)]
    numbers = np.array([float(text[a:b]) for a, b, _ in spans])
    kinds = np.array([kind for _, _, kind in spans], dtype=np.int8)
    times = {float(start["Timestamp"]), float(numbers[kinds == _TIME].max())}
    times |= {float(found[1]) for found in _EXECUTION.finditer(text)}
    return LogTemplate(
        start["App ID"],
        start["App Name"],
        [text[a:b] for a, b in zip(ends, starts, strict=True)],
        numbers,
        kinds,
        np.array(sorted(t for t in times if t >= start["Timestamp"])),
    )


def compressed(text: bytes) -> bytes:
    """In many frames, as Spark does: it flushes often, and compresses less for that."""
    compressor = zstandard.ZstdCompressor(level=1)
    return b"".join(compressor.compress(text[at : at + _FRAME_BYTES]) for at in range(0, len(text), _FRAME_BYTES))


def _lines(source: LogSource) -> Iterator[bytes]:
    for file in source.files:
        with open_log(file) as raw:
            yield from open_plain(raw, file.name)
