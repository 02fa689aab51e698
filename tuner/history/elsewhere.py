"""What the newest runs of other cohorts hold for one."""

from __future__ import annotations

from itertools import zip_longest

from sqlalchemy import select
from sqlalchemy.orm import Session

from tuner.history.documents import Detail, readable_decision
from tuner.history.run_rows import read_runs, runs_of
from tuner.history.tables import RunRow
from tuner.model.run import Elsewhere, RunState

# Of the newest runs of all others so many are looked at for what another cohort can learn from, among so many of all cohorts: one
# that has most of the runs of a store would have its whole history passed over.
_LOOKED_AT, _AMONG = 200, 2_000


def read_elsewhere(session: Session, cohort: str, cohorts: int, runs: int) -> Elsewhere:
    """The latest decisions of up to so many other cohorts, and the outcomes of up to so many of their runs, two of a cohort at
    most."""
    newest_first = (RunRow.started_at.desc(), RunRow.key.desc())
    is_measured = RunRow.outcome.is_not(None).label("is_measured")
    newest_of_all = select(RunRow.key, RunRow.cohort, RunRow.state, RunRow.started_at, is_measured)
    run = newest_of_all.order_by(*newest_first).limit(_AMONG).subquery().c
    others = (run.cohort != cohort, run.state == RunState.SUCCEEDED.value, run.is_measured)
    newest = (
        select(run.key, run.cohort).where(*others).order_by(run.started_at.desc(), run.key.desc()).limit(_LOOKED_AT)
    )
    by_cohort: dict[str, list[str]] = {}
    for key, name in session.execute(newest):
        by_cohort.setdefault(name, []).append(key)
    latest = [keys[0] for keys in by_cohort.values()][:cohorts]
    told = session.execute(select(RunRow.key, RunRow.decision).where(RunRow.key.in_(latest)))
    decisions = [d for key, document in told if (d := readable_decision(key, document)) is not None]
    # The latest of each before the second latest of any.
    chosen = [key for turn in zip_longest(*(keys[:2] for keys in by_cohort.values())) for key in turn if key]
    measured = read_runs(session, runs_of(chosen[:runs]), Detail.FULL)
    outcomes = tuple(run.outcome for run in measured if run.outcome is not None)
    return Elsewhere(tuple(decisions), outcomes, len({run.cohort for run in measured}))
