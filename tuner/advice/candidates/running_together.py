"""Which queries ran at the same time: an application may start several from threads of its own."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tuner.advice.facts import Facts
from tuner.model.query import Query

# How often each query, by its fingerprint, was running at one moment.
Moment = Mapping[str, int]


@dataclass(frozen=True)
class RunningTogether:
    """The moments of all runs at hand at which several executions were running."""

    facts: Facts

    def moments_of(self, fingerprint: str) -> Sequence[Moment]:
        """Those at which a query was one of them."""
        return self._of.get(fingerprint, ())

    def is_shared(self, query: Query) -> bool:
        """Whether the executors had another execution to run beside one of this run."""
        return query.id in self._shared

    @cached_property
    def _of(self) -> dict[str, list[Moment]]:
        found: dict[str, list[Moment]] = defaultdict(list)
        seen: set[frozenset[tuple[str, int]]] = set()
        for queries in self.facts.of_all_runs:
            for running in _at_each_start(queries):
                moment = Counter(query.fingerprint for query in running)
                if (key := frozenset(moment.items())) not in seen:
                    seen.add(key)
                    for fingerprint in moment:
                        found[fingerprint].append(moment)
        return found

    @cached_property
    def _shared(self) -> set[int]:
        return {query.id for running in _at_each_start(self.facts.queries) for query in running}


def _at_each_start(queries: Iterable[Query]) -> Iterator[list[Query]]:
    """What was running when a query started, it included, where that was more than one."""
    running: list[Query] = []
    for query in sorted(queries, key=lambda q: q.start_ms):
        running = [other for other in running if other.end_ms > query.start_ms]
        running.append(query)
        if len(running) > 1:
            yield running
