"""How far a stream is, and how long the rest should take."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean

from tuner.bench.bench_run import BenchRun, QueryTime
from tuner.bench.progress import Step


class StreamProgress:
    """Of a stream of so many `runs`, each of one job in one night, of `queries` each."""

    def __init__(self, queries: int, runs: int, recorded: Iterable[BenchRun] = ()) -> None:
        self._queries, self._runs = queries, runs
        self._ended: list[float] = []
        self._seconds: list[float] = []
        for run in recorded:
            self.finished(run)

    def ended(self, who: str, night: int, query: QueryTime) -> Step:
        """A query of the run under way."""
        self._ended.append(query.seconds)
        done = len(self._seconds) * self._queries + len(self._ended)
        return Step(who, night, query, done, self._runs * self._queries, self._left_seconds())

    def finished(self, run: BenchRun) -> None:
        """The run under way, whole."""
        self._seconds.append(run.application_seconds + run.tuning_seconds)
        self._ended.clear()

    def set_left(self, runs: int) -> None:
        """So many are yet to run: contenders that are left out have no more."""
        self._runs = len(self._seconds) + runs

    def _left_seconds(self) -> float:
        """By whole runs so far; in the first one by its queries."""
        usual = fmean(self._seconds) if self._seconds else fmean(self._ended) * self._queries
        of_this = usual * (1 - len(self._ended) / self._queries)
        return of_this + (self._runs - len(self._seconds) - 1) * usual
