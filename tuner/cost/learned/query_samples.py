"""What the model learns from: queries that ran to their end, with their work and how long they took."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from tuner.model.cluster import Cluster
from tuner.model.query import Query, QueryStatus
from tuner.model.query_work import QueryWork


@dataclass(frozen=True, slots=True)
class Sample:
    """One query of one run. `query` is its fingerprint: runs of one query are never on both sides of a fold.

    `stretch` is how many times as long the tasks of its run took as they had a processor: they wait for data, for others to
    collect garbage, and for whatever else the machine does. 0 where that is not known.
    """

    query: str
    wall_ms: int
    cores: int
    work: QueryWork
    stretch: float = 0.0

    @property
    def core_ms(self) -> int:
        return sum(stage.core_ms for stage in self.work.stages)


def samples(queries: Iterable[Query], cluster: Cluster) -> list[Sample]:
    """The queries of a run that can be learned from."""
    return of_one_run(sample for query in queries if (sample := sample_of(query, cluster)) is not None)


def of_one_run(found: Iterable[Sample]) -> list[Sample]:
    """The samples of one run, with what they know of each other."""
    each = list(found)
    stages = [stage for sample in each for stage in sample.work.stages if stage.cpu_ms]
    core_ms, cpu_ms = sum(stage.core_ms for stage in stages), sum(stage.cpu_ms for stage in stages)
    return [replace(sample, stretch=max(1.0, core_ms / cpu_ms)) for sample in each] if cpu_ms else each


def sample_of(query: Query, cluster: Cluster) -> Sample | None:
    """What a query of a run teaches; None where it did not succeed, or its stages are not known."""
    work = query.work
    if query.status is not QueryStatus.SUCCEEDED or not query.duration_ms or work is None:
        return None
    sample = Sample(query.fingerprint, query.duration_ms, max(1, cluster.cores), work)
    return sample if sample.core_ms else None
