"""A bench's result as one HTML file with plots."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import msgspec

from tuner import __version__
from tuner.bench.bench_result import BenchResult
from tuner.bench.result_json import result_json
from tuner.single_page.blocks import json_block
from tuner.single_page.frame import frame
from tuner.single_page.write import write_parts

STATIC = Path(__file__).parent / "static"


def write_page(path: Path, result: BenchResult, machine: str, now: datetime | None = None) -> None:
    """The page at `path`, in the place of what is there. TunerError where it cannot be written; then there is none."""
    around = frame("Spark tuner: bench", STATIC, "bench_main")
    written_at = (now or datetime.now(UTC)).isoformat(timespec="seconds")
    data = {**result_json(result, machine), "version": __version__, "written_at": written_at}
    write_parts(path, (around.head, json_block("bench", msgspec.json.encode(data)), around.tail))
