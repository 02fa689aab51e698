"""Contenders whose runs are all the same: Spark's defaults, and one raised broadcast threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tuner.bench.bench_run import BenchRun, Setup
from tuner.bench.progress import Heard
from tuner.bench.run_application import Submit, run_application
from tuner.spark.knobs import BROADCAST_THRESHOLD

RAISED_THRESHOLD = "100m"


@dataclass(frozen=True, slots=True)
class Fixed:
    """The same properties in every run. `must_run`: it is what the others are compared with."""

    name: str
    title: str
    conf: Mapping[str, str] = field(default_factory=dict)
    learns: bool = False
    must_run: bool = False

    def run(self, setup: Setup, number: int, earlier: Sequence[BenchRun], work: Path, heard: Heard) -> BenchRun:
        ran = run_application(setup, Submit(self.conf, must_run=self.must_run), work, heard)
        return ran.as_run(self.name, number)


DEFAULT = Fixed("default", "Spark's defaults", must_run=True)
THRESHOLD = Fixed(
    "threshold",
    f"one raised threshold ({RAISED_THRESHOLD})",
    {BROADCAST_THRESHOLD.property: RAISED_THRESHOLD},
)
