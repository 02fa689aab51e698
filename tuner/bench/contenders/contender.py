"""What a bench asks of each contender."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from tuner.bench.bench_run import BenchRun, Setup
from tuner.bench.progress import Heard


class Contender(Protocol):
    """Runs the job, each time with what it learned from earlier runs."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def learns(self) -> bool:
        """Whether its runs change with what it learned. If not, it need not run in every round."""

    def run(self, setup: Setup, number: int, earlier: Sequence[BenchRun], work: Path, heard: Heard) -> BenchRun:
        """Run `number` of it, in the directory `work`. `earlier` are its own, oldest first, from 1; `number` is beyond
        `setup.runs` in repeats. Stopped at any time and called again with the same arguments it does the same. `heard` is
        told of each query as it ends."""


@runtime_checkable
class Preparing(Contender, Protocol):
    """A contender that prepares something once, before its first run."""

    def prepare(self, setup: Setup, work: Path) -> BenchRun:
        """Prepare, as run 0."""
