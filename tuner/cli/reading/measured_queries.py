"""The measured queries that `explain` looks at: of event logs, or of the store's runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from tuner.cli.options.cohort import require_known
from tuner.cli.options.store import stored_url
from tuner.cli.reading.logs import LogReader, QueriesInFull, read_into
from tuner.cost.learned.query_samples import Sample, sample_of
from tuner.eventlog.cluster import cluster_of
from tuner.history.store import Store
from tuner.model.cluster import Cluster
from tuner.model.query import Query
from tuner.words.query_names import QueryNames


@dataclass(frozen=True, slots=True)
class Measured:
    """A query of one run, its name for people, and the sample it makes. `run` is the application's id, or the run's key."""

    run: str
    query: Query
    name: str
    sample: Sample


def samples_of_logs(paths: list[str]) -> tuple[list[Measured], int]:
    """The queries of logs that ran to their end, oldest application first, and how many logs cannot be read: they are told on
    stderr."""
    reader = LogReader()
    found = [(a.start_ms or 0, a, read.in_order()) for a, read in reader.read(paths, partial(read_into, QueriesInFull))]
    samples = [
        one
        for _, application, queries in sorted(found, key=lambda one: one[0])
        for one in _measured(application.app_id, queries, cluster_of(application))
    ]
    return samples, reader.failures


def samples_of_store(url: str | None, cohort: str | None) -> list[Measured]:
    """The queries of the store's runs that ran to their end, oldest run first; of one cohort, or of all."""
    with Store.open(stored_url(url)) as store:
        if cohort is not None:
            require_known(store, cohort)
        cohorts = [cohort] if cohort is not None else [summary.cohort for summary in store.cohorts()]
        # Of the runs of one cohort at a time: those of a whole store may be more than memory holds.
        found = [one for name in cohorts for one in _of_cohort(store, name)]
    return [one for _, one in sorted(found, key=lambda one: one[0])]


def _of_cohort(store: Store, cohort: str) -> Iterator[tuple[datetime, Measured]]:
    """Each with the start of its run."""
    for run in store.runs(cohort):
        if run.outcome is not None:
            measured = _measured(run.key, run.outcome.queries, run.outcome.cluster)
            yield from ((run.started_at, one) for one in measured)


def _measured(run: str, queries: tuple[Query, ...], cluster: Cluster) -> Iterator[Measured]:
    names = QueryNames(queries)
    for query in queries:
        if sample := sample_of(query, cluster):
            yield Measured(run, query, names[query.fingerprint], sample)
