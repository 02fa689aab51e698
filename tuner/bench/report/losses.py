"""What a contender lost: slower surely, or by more than the defaults differ from themselves; failures; other rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tuner.bench.bench_result import BenchResult, ContenderResult, QueryResult
from tuner.bench.default_noise import spread
from tuner.bench.final_places import final_places


@dataclass(frozen=True, slots=True)
class Loss:
    """A query that took over 5 % longer. `noise`: how many times as long the defaults' slowest run of it took as their fastest
    (None: not known)."""

    title: str
    contender: str
    query: QueryResult
    noise: float | None

    @property
    def beyond_noise(self) -> bool:
        return self.noise is not None and self.query.speed_up * self.noise < 1

    @property
    def real(self) -> bool:
        return self.query.slower or self.beyond_noise


def losses(result: BenchResult) -> Sequence[Loss]:
    """Of all contenders, the surest and the worst first."""
    if not result.contenders:
        return ()
    default, *others = result.contenders
    noise = {query.name: spread(query.seconds) for query in default.queries}
    found = [
        Loss(result.title, contender.name, query, noise.get(query.name))
        for contender in others
        for query in _finished(result, contender)
        if query.slower or query.seems_slower
    ]
    return worst_first(found)


def worst_first(found: Iterable[Loss]) -> Sequence[Loss]:
    """The surest first, and of those as sure the worst."""
    return sorted(found, key=lambda loss: (not loss.query.slower, loss.query.speed_up))


def _finished(result: BenchResult, contender: ContenderResult) -> Iterator[QueryResult]:
    failed = failed_at_end(result, contender)
    return (query for query in contender.queries if query.name not in failed)


def failed_at_end(result: BenchResult, contender: ContenderResult) -> Sequence[str]:
    """Queries that failed in one of the repeats; without any, in the last run."""
    return sorted({name for place in final_places(result, contender) for name in contender.runs[place].failed})
