"""What a bench asks of each contender."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from tuner.bench.bench_run import BenchRun, Setup


class Contender(Protocol):
    """Runs the job, each time as it has come to by the runs before it."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def learns(self) -> bool:
        """Whether its runs differ by what it learned; if not, one round says as much as another."""

    def run(self, setup: Setup, number: int, earlier: Sequence[BenchRun], work: Path) -> BenchRun:
        """Run `number` of it, in the directory `work`. `earlier` are its own, oldest first, from 1; `number` is beyond
        `setup.runs` in repeats. Stopped at any time and called again with the same arguments it does the same."""


@runtime_checkable
class Preparing(Contender, Protocol):
    """Has something to do once, before its first run."""

    def prepare(self, setup: Setup, work: Path) -> BenchRun:
        """Do it, as run 0."""
