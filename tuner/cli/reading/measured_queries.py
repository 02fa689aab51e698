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
from tuner.errors import TunerError
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


def read_samples(paths: list[str], url: str | None, cohort: str | None) -> list[Measured]:
    """The queries that ran to their end, oldest run first. TunerError where a path cannot be read."""
    if paths and cohort is not None:
        raise TunerError("--cohort chooses among the store's runs: leave out the paths, or --cohort")
    return list(_of_logs(paths) if paths else _of_store(url, cohort))


def _of_logs(paths: list[str]) -> Iterator[Measured]:
    reader = LogReader()
    found = [(a.start_ms or 0, a, read.in_order()) for a, read in reader.read(paths, partial(read_into, QueriesInFull))]
    if reader.failures:
        raise TunerError(f"{reader.failures} of the logs cannot be read: nothing is explained without them")
    for _, application, queries in sorted(found, key=lambda one: one[0]):
        yield from _measured(application.app_id, queries, cluster_of(application))


def _of_store(url: str | None, cohort: str | None) -> Iterator[Measured]:
    with Store.open(stored_url(url)) as store:
        if cohort is not None:
            require_known(store, cohort)
        cohorts = [cohort] if cohort is not None else [summary.cohort for summary in store.cohorts()]
        # Of the runs of one cohort at a time: those of a whole store may be more than memory holds.
        found = [one for name in cohorts for one in _of_cohort(store, name)]
    yield from (one for _, one in sorted(found, key=lambda one: one[0]))


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
