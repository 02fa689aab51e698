"""How far a bench is, and how long the rest should take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from tuner.bench.bench_run import BenchRun, QueryTime

# What hears of each query of a run as it ends.
Heard = Callable[[QueryTime], None]


@dataclass(frozen=True, slots=True)
class Step:
    """A query that has ended in a contender's run. `done` are the queries of all runs that have ended, of `total`;
    `left_seconds` is what the others should take, by what queries and runs have taken so far."""

    contender: str
    number: int
    query: QueryTime
    done: int
    total: int
    left_seconds: float


class Progress:
    """Of a bench whose runs are all of the same queries, by name; `runs` is how many there are, prepared ones aside."""

    def __init__(self, names: Sequence[str], runs: int, recorded: Iterable[BenchRun] = ()) -> None:
        self._names, self._runs = names, runs
        self._finished = 0
        self._ended: list[QueryTime] = []
        self._seconds: dict[str, list[float]] = {}
        self._beside: list[float] = []
        for run in recorded:
            for query in run.queries:
                self._add(query)
            self.finished(run)

    def ended(self, contender: str, number: int, query: QueryTime) -> Step:
        """A query of the run under way."""
        self._add(query)
        self._ended.append(query)
        done = self._finished * len(self._names) + len(self._ended)
        return Step(contender, number, query, done, self._runs * len(self._names), self._left_seconds())

    def finished(self, run: BenchRun) -> None:
        """The run under way, whole: also what it took beside its queries."""
        self._finished += 1
        self._ended.clear()
        queries = sum(query.seconds for query in run.queries)
        self._beside.append(max(0.0, run.application_seconds + run.tuning_seconds - queries))

    def _add(self, query: QueryTime) -> None:
        self._seconds.setdefault(query.name, []).append(query.seconds)

    def _left_seconds(self) -> float:
        expected = {name: median(seconds) for name, seconds in self._seconds.items()}
        # What has not run yet is taken for as long as the others.
        unknown = fmean(expected.values())
        gone = {query.name for query in self._ended}
        whole = sum(expected.get(name, unknown) for name in self._names)
        this_run = sum(expected.get(name, unknown) for name in self._names if name not in gone)
        beside = median(self._beside) if self._beside else 0.0
        return this_run + (self._runs - self._finished - 1) * (whole + beside)
