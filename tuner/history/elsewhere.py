"""What the newest runs of other cohorts hold for one."""

from __future__ import annotations

from functools import partial
from hashlib import sha256
from itertools import zip_longest

from sqlalchemy import select
from sqlalchemy.orm import Session

from tuner.history.documents import Detail, readable_decision
from tuner.history.run_rows import read_runs, runs_of
from tuner.history.tables import RunRow
from tuner.model.run import Elsewhere, RunState

# What another cohort can learn from is looked for among so many of the newest runs of all: one that has most of the runs of a
# store would have its whole history passed over.
_AMONG = 2_000


def read_elsewhere(session: Session, cohort: str, cohorts: int, runs: int) -> Elsewhere:
    """The latest decisions of up to so many other cohorts, chosen by a fixed lot of those that have the newest runs: were it
    those that ran last, a change that is held for the losses of some would be tried as soon as others have run. And the outcomes
    of up to so many of their runs, two of a cohort at most."""
    newest_first = (RunRow.started_at.desc(), RunRow.key.desc())
    is_measured = RunRow.outcome.is_not(None).label("is_measured")
    newest_of_all = select(RunRow.key, RunRow.cohort, RunRow.state, RunRow.started_at, is_measured)
    run = newest_of_all.order_by(*newest_first).limit(_AMONG).subquery().c
    others = (run.cohort != cohort, run.state == RunState.SUCCEEDED.value, run.is_measured)
    newest = select(run.key, run.cohort).where(*others).order_by(run.started_at.desc(), run.key.desc())
    by_cohort: dict[str, list[str]] = {}
    for key, name in session.execute(newest):
        by_cohort.setdefault(name, []).append(key)
    latest = [by_cohort[name][0] for name in sorted(by_cohort, key=partial(_lot, cohort))[:cohorts]]
    told = session.execute(select(RunRow.key, RunRow.decision).where(RunRow.key.in_(latest)))
    decisions = [d for key, document in told if (d := readable_decision(key, document)) is not None]
    # The latest of each before the second latest of any.
    chosen = [key for turn in zip_longest(*(keys[:2] for keys in by_cohort.values())) for key in turn if key]
    measured = read_runs(session, runs_of(chosen[:runs]), Detail.FULL)
    outcomes = tuple(run.outcome for run in measured if run.outcome is not None)
    return Elsewhere(tuple(decisions), outcomes, len({run.cohort for run in measured}))


def _lot(cohort: str, other: str) -> str:
    """As even as by chance, another one for each cohort, and the same every time."""
    return sha256(f"{cohort}\0{other}".encode(errors="replace")).hexdigest()
