"""Runs that found nothing to read: they tell nothing of changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from tuner.model.query import Query, QueryStatus, total_data_bytes
from tuner.model.run import Run
from tuner.policy.executions import executions
from tuner.policy.usable import latest_usable, usable

# What a job reads each month comes again within that.
LONGEST_QUIET = timedelta(days=35)
# Rows of a program's own (parameters, the days of a month, one for an audit) are in plans as those of a source are.
MOST_OWN_ROWS = 1_000


def read_nothing(run: Run, others: Iterable[Run], query: str | None = None) -> bool:
    """Whether a run succeeded in all its queries and read nothing, where one of the others did, or one before them:
    its upstream was late. The same of one `query`."""
    succeeded = usable(run) and all(q.status is QueryStatus.SUCCEEDED for q in executions(run, query))
    if not succeeded or total_data_bytes(executions(run, query)):
        return False
    measured = [other for other in others if usable(other)]
    if any(total_data_bytes(executions(other, query)) for other in measured):
        return True
    return is_quiet(run) and not any(total_data_bytes(executions(other)) for other in measured)


def without_idle(runs: Sequence[Run]) -> list[Run]:
    """These runs, but for those that read nothing where others of them do."""
    return [run for run in runs if not read_nothing(run, runs)]


def found_nothing(queries: Sequence[Query]) -> bool:
    """Whether queries that read relations found nothing there: their upstream was late."""
    read = [query for query in queries if query.relations]
    return bool(read) and not any(query.input_bytes or query.input_rows for query in queries)


def is_quiet(run: Run) -> bool:
    """Whether all queries of a run are quiet: its upstream was late, or has nothing at weekends. What reads nothing for longer is
    a source whose bytes are not counted; so is what reads many rows without bytes, as those of JDBC."""
    return is_of_no_bytes(run) and not any(map(reads_uncounted, executions(run)))


def is_of_no_bytes(run: Run) -> bool:
    """Whether a run read no bytes, though one in the 35 days before did."""
    since = run.decision.last_read_at
    return since is not None and run.started_at - since <= LONGEST_QUIET and not total_data_bytes(executions(run))


def reads_uncounted(query: Query) -> bool:
    """Whether it reads more rows than a program may have of its own: of a source whose bytes are not counted."""
    return query.input_rows > MOST_OWN_ROWS


def last_read_at(runs: Sequence[Run]) -> datetime | None:
    """When the last of these runs, oldest first, began that read anything, or, as their decisions have it, one before them; None
    where the latest usable one did, or none is known to."""
    latest = latest_usable(runs)
    if latest is None or total_data_bytes(executions(latest)):
        return None
    for run in reversed(runs):
        if usable(run) and total_data_bytes(executions(run)):
            return run.started_at
        if run.decision.last_read_at:
            return run.decision.last_read_at
    return None
