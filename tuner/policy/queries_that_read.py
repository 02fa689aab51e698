"""The queries of a run whose times tell of anything: an upstream that was late leaves its readers nothing to do."""

from __future__ import annotations

from tuner.model.run import Run
from tuner.policy.evidence.history import History
from tuner.policy.measure import Measured, measured_queries


def queries_that_read(run: Run, history: History) -> tuple[Measured, ...]:
    """The finished queries of a run, but for those that read nothing and read something in the runs so far, its `history`."""
    return tuple(query for query in measured_queries(run) if not history.is_of_nothing(query))
