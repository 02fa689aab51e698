"""The queries of a run whose times tell of anything: an upstream that was late leaves its readers nothing to do."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tuner.model.query import QueryStatus
from tuner.model.run import Run
from tuner.policy.evidence.history import History
from tuner.policy.measure import Measured, measured_queries


def queries_that_read(run: Run, history: History) -> tuple[Measured, ...]:
    """The finished queries of a run, but for those that read nothing and read something in the runs so far, its `history`."""
    return tuple(query for query in measured_queries(run) if not history.is_of_nothing(query))


def none_read(run: Run, measured: Sequence[Measured], queries: Collection[str] = ()) -> bool:
    """Whether these queries (fingerprints; none: all) came to their end in a run, of which those `measured` read something, and
    none of them did."""
    outcome = run.outcome
    finished = {q.fingerprint for q in outcome.queries if q.status is QueryStatus.SUCCEEDED} if outcome else set()
    ran = finished.intersection(queries) if queries else finished
    return bool(ran) and ran.isdisjoint(query.fingerprint for query in measured)
