"""A cohort's nights, stored as the loop stores them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from tuner.history.store import Store
from tuner.loop.books import keep_books
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.change import Change, Evidence, Prediction
from tuner.model.cluster import Cluster
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.model.query import Query, QueryStatus
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Origin, Outcome, Run, RunDetails, RunState
from tuner.model.verdict import Ruling, Verdict

FIRST = datetime(2026, 11, 1, 2, tzinfo=UTC)
COHORT = "etl.load"
HINT = Action(ActionKind.HINT_JOIN, "sales=days", Hint.BROADCAST, "q1", ("shop.days",))
PARTITIONS = Action(ActionKind.SET_CONF, "spark.sql.shuffle.partitions", "16")
EVIDENCE = (Evidence("build side", 14.3e6, "bytes", "shop.days"),)


def decided(
    action: Action | tuple[Action, ...] = HINT,
    standing: Standing = Standing.PROPOSED,
    why: str = "days has 14.3 MB: about 9.0 s less",
    queries: Sequence[str] = ("q1",),
    gained: float | None = None,
    evidence: tuple[Evidence, ...] = EVIDENCE,
    gain: float = 9.0,
    needs: str = "",
    held: Reason | None = None,
    status: str = "",
) -> DecidedChange:
    """`why` it was advised, and what is known of it since: its `status`."""
    actions = action if isinstance(action, tuple) else (action,)
    predicted = Prediction(20.0, 20.0 - gain, 9.0, 14.0)
    reason = Reason(ReasonCode.RECORDED, {"said": why})
    change = Change.of("test", actions, tuple(queries), reason, evidence, predicted, needs=needs)
    known = Reason(ReasonCode.RECORDED, {"said": status}) if status else reason
    return DecidedChange(change, standing, known, held, gained)


def query(fingerprint: str, seconds: float, description: str = "", number: int = 0) -> Query:
    took = int(seconds * 1000)
    return Query(number, number, fingerprint, description, 0, took, QueryStatus.SUCCEEDED, input_bytes=10**9)


def night(
    number: int,
    *queries: Query,
    changes: Sequence[DecidedChange] = (),
    cohort: str = COHORT,
    dag_id: str = "etl",
    mode: Mode = Mode.AUTO,
    state: RunState = RunState.SUCCEEDED,
) -> Run:
    """A run of task `load` of a DAG; outside Airflow where `dag_id` is empty."""
    started = FIRST + timedelta(days=number)
    took = sum(q.duration_ms or 0 for q in queries) + 5000
    running = state is RunState.RUNNING
    return Run(
        key=f"{dag_id or 'cli'}/{cohort}/{number}/1",
        cohort=cohort,
        try_number=1,
        started_at=started,
        state=state,
        decision=Decision(mode, tuple(changes)),
        event_log_dir="",
        ended_at=None if running else started + timedelta(minutes=10),
        outcome=None if running else Outcome("app", "4.0.1", took, Cluster(cores=8), queries),
        origin=Origin(dag_id, f"scheduled__2026-11-{number + 1:02}T02:00:00+00:00", "load") if dag_id else None,
    )


def keep(store: Store, *runs: Run, details: RunDetails | None = None) -> None:
    """Stores runs, with `details` for the last one."""
    for run in runs:
        store.begin(replace(run, state=RunState.RUNNING, ended_at=None, outcome=None))
        if run.state is not RunState.RUNNING:
            store.finish(run.key, run.state, run.ended_at or run.started_at, run.outcome)
    if details is not None:
        store.add_details(runs[-1].key, details)
    for cohort in dict.fromkeys(run.cohort for run in runs):
        keep_books(store, cohort, details.outlook if details else None)


def outlook(*changes: DecidedChange, mode: Mode = Mode.AUTO) -> RunDetails:
    return RunDetails(Decision(mode, changes))


def said(action: Action, ruling: Ruling, number: float, reason: str = "", cohort: str = COHORT) -> Verdict:
    return Verdict(cohort, action.id, ruling, "bea", FIRST + timedelta(days=number), reason)
