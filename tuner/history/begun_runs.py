"""Runs that begin, and those of them that are taken out again because they were never submitted."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from sqlalchemy import Connection, case, delete, func, select, update

from tuner.errors import TriedMeanwhileError
from tuner.history.cohort_rows import count_in, count_out, lock
from tuner.history.documents import decision_document, readable_decision
from tuner.history.tables import RunRow
from tuner.history.upsert import insert_into
from tuner.model.decision import Standing
from tuner.model.run import Run, RunState


def begin_run(
    connection: Connection,
    run: Run,
    may_commit: Callable[[], bool],
    tags: Collection[str] | None,
    decided_with: Collection[str] | None,
) -> bool:
    """As `Store.begin`. Where `may_commit` says no the transaction is rolled back."""
    document = decision_document(run.key, run.decision)
    is_new = connection.scalar(_inserted(run, document, connection.dialect.name)) is not None
    had = None if is_new else connection.scalar(select(RunRow.decision).where(RunRow.key == run.key))
    if not is_new and connection.scalar(_decided_anew(run, document)) is None:
        return False
    # From here on no other run of the cohort begins until this one has, or has not.
    count_in(connection, run, tags, is_new=is_new, decides=had != document)
    if decided_with is not None:
        _require_untried(connection, run, decided_with)
    if not may_commit():
        connection.rollback()
        return False
    return True


def forget_run(connection: Connection, key: str) -> None:
    """Takes out a run that began and was never submitted; one that has ended stays."""
    running = delete(RunRow).where(RunRow.key == key, RunRow.state == RunState.RUNNING.value)
    # Runs are locked before their cohort wherever both are: two that wait for each other would both wait.
    cohort = connection.scalar(running.returning(RunRow.cohort))
    if cohort is not None:
        lock(connection, cohort)
        count_out(connection, cohort)


def _inserted(run: Run, document: str, dialect: str) -> Any:
    """Its key, where there is no run of this key yet. Of an INSERT not every driver tells how many rows it made."""
    added = insert_into(RunRow, dialect).values(
        key=run.key,
        cohort=run.cohort,
        try_number=run.try_number,
        state=run.state.value,
        mode=run.decision.mode.value,
        started_at=run.started_at,
        event_log_dir=run.event_log_dir,
        dag_id=run.origin.dag_id if run.origin else None,
        run_id=run.origin.run_id if run.origin else None,
        task_id=run.origin.task_id if run.origin else None,
        map_index=run.origin.map_index if run.origin else None,
        decision=document,
    )
    return added.on_conflict_do_nothing(index_elements=[RunRow.key]).returning(RunRow.key)


def _decided_anew(run: Run, document: str) -> Any:
    """Its key, where it runs already. What its task saw of its end stays, unless this is another run: a DAG run made again."""
    its_own = (RunRow.key == run.key, RunRow.state == RunState.RUNNING.value, RunRow.cohort == run.cohort)
    now = {"mode": run.decision.mode.value, "event_log_dir": run.event_log_dir, "decision": document}
    times = {"started_at": run.started_at, "ended_at": case((RunRow.started_at == run.started_at, RunRow.ended_at))}
    return update(RunRow).where(*its_own).values(**now, **times).returning(RunRow.key)


def _require_untried(connection: Connection, run: Run, decided_with: Collection[str]) -> None:
    """TriedMeanwhileError where a run that is not among these, nor older, has a change in force that this one is to try, or is
    without one that this is to be without: one run tells."""
    trials = {decided.id for decided in run.decision.in_force if decided.standing is Standing.TRIAL}
    left_out = run.decision.left_out_for_long
    if not (trials or left_out):
        return
    oldest = connection.scalar(select(func.min(RunRow.started_at)).where(RunRow.key.in_(decided_with)))
    others = [
        RunRow.cohort == run.cohort,
        RunRow.state == RunState.RUNNING.value,
        RunRow.key.not_in([*decided_with, run.key]),
    ]
    if oldest is not None:
        others.append(RunRow.started_at >= oldest)
    for key, document in connection.execute(select(RunRow.key, RunRow.decision).where(*others)):
        decision = readable_decision(key, document)
        if decision is None:
            continue
        if not trials.isdisjoint(decided.id for decided in decision.in_force):
            raise TriedMeanwhileError(f"run {key} began meanwhile and tries a change that run {run.key} was to try")
        if not left_out.isdisjoint(decision.left_out_for_long):
            raise TriedMeanwhileError(
                f"run {key} began meanwhile without a change that run {run.key} was to be without"
            )
