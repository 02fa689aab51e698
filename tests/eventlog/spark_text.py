"""Totals of SQL metrics as Spark's UI and its REST API write them (MetricUtils.stringValue)."""

from __future__ import annotations

import struct
from decimal import ROUND_HALF_UP, Decimal

_BYTES = ("EiB", "PiB", "TiB", "GiB", "MiB", "KiB")
_TIMES = (("h", 3_600_000, "0.01"), ("m", 60_000, "0.1"), ("s", 1000, "0.1"))


def total_text(metric_type: str, total: int) -> str:
    """A metric's total as Spark writes it."""
    if metric_type == "size":
        return bytes_text(total)
    if metric_type == "timing":
        return duration_text(total)
    if metric_type == "nsTiming":
        return duration_text(total // 1_000_000)
    return f"{total:,}"


def bytes_text(size: int) -> str:
    """Of each unit at least two."""
    for power, unit in zip(range(60, 0, -10), _BYTES, strict=True):
        if size >= 2 << power:
            return f"{_rounded(Decimal(size) / (1 << power), '0.1')} {unit}"
    return f"{size}.0 B"


def duration_text(ms: int) -> str:
    """Divided as numbers of 32 bits: 8650 ms are 8.6 s."""
    for unit, length_ms, digits in _TIMES:
        if ms >= length_ms:
            return f"{_rounded(Decimal(repr(_float32(_float32(ms) / length_ms))), digits)} {unit}"
    return f"{ms} ms"


def _float32(value: float) -> float:
    number: float = struct.unpack("f", struct.pack("f", value))[0]
    return number


def _rounded(value: Decimal, digits: str) -> Decimal:
    """As Java's formatter rounds."""
    return value.quantize(Decimal(digits), ROUND_HALF_UP)


def total_in(text: str) -> str:
    """The total in the text of a metric, which may go on with the least, the median and the most of the tasks."""
    return text.partition("\n")[2].partition(" (")[0] if text.startswith("total (") else text
