"""Harvests a run that ended, and looks back at it and ahead. Fails open at every step."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

from tuner.errors import EventLogNotFoundError, StoreError
from tuner.garbage_collection import collection_paused
from tuner.history.blocks_as_written import with_blocks_as_written
from tuner.history.failure import UNSEEN, Ending
from tuner.history.outcome import state_of
from tuner.history.store import Store
from tuner.loop.as_told import as_told
from tuner.loop.books import keep_books
from tuner.loop.harvest import HarvestedRun, harvest
from tuner.loop.known_runs import known_runs, number_known
from tuner.loop.logs_of_runs import log_of_run
from tuner.loop.look_ahead import look_ahead, prove
from tuner.loop.old_jar import old_jar
from tuner.loop.run_outcome import failure_of_run, has_ended, outcomes_of
from tuner.loop.settle_earlier import is_sought
from tuner.loop.turn import Report, Turn
from tuner.model.application import ProblemCode
from tuner.model.cohort_figures import Gained
from tuner.model.decision import Decision
from tuner.model.insight import Insight
from tuner.model.run import Run, RunMark, RunState
from tuner.policy.borrowed_changes import with_borrowed
from tuner.policy.judgement import Judgement, judge
from tuner.problems import Problems
from tuner.within_time import aside, within


def complete(turn: Turn, store_url: str, *, failed: bool | None, ending: Ending = UNSEEN) -> Report:
    """Harvest the run's event log and store its outcome. Never raises. `ending` is what its driver saw of the job's end; where
    it saw none (`failed` is None), the log tells.

    What takes longer than `turn.job.most_seconds` allows is left for the cohort's next decision, as is a log that is to land
    later than its job ends. There that time is for the harvest of earlier runs, where their decision did not wait for all of it.
    """
    most_seconds = turn.job.most_seconds.after_run((datetime.now(UTC) - turn.started_at).total_seconds())
    completing = _Completing(turn, store_url, failed, ending, Problems(turn.problems), most_seconds)

    def completed() -> Report:
        try:
            return _completed(completing)
        finally:
            completing.close()

    try:
        return within(most_seconds, completed, lambda: _not_completed(completing))
    finally:
        if turn.catching_up:
            turn.catching_up.leave()


@dataclass(slots=True)
class _Completing:
    """How far a completion has come, for who no longer waits for it."""

    turn: Turn
    store_url: str
    failed: bool | None
    ending: Ending
    problems: Problems
    most_seconds: float
    # The log may be there, and could not be read now.
    is_unread: bool = False
    stored: Run | None = None
    judged: Judgement | None = None
    _opened: Store | None = None

    @property
    def saw_success(self) -> bool:
        """Whether its driver saw the job succeed, not only its submission."""
        return self.failed is False and not self.turn.job.may_go_on

    def store(self) -> Store:
        """The history store, which is opened once: each time takes its statements anew. StoreError as `Store.open`."""
        if self._opened is None:
            self._opened = Store.open(self.store_url)
        return self._opened

    def close(self) -> None:
        if self._opened is not None:
            self.problems.guard("close the history store", self._opened.close, None)


def _not_completed(completing: _Completing) -> Report:
    turn, run, problems = completing.turn, completing.stored, completing.problems
    left = "the run is stored" if run else "left for the cohort's next decision"
    late = (
        f"could not {problems.doing or 'harvest the run'} within {completing.most_seconds:.3g} s: {left}; "
        "most_seconds_after is how long a job waits"
    )
    seen = failure_of_run(None, None, completing.ending) if completing.failed else None
    failure = run.failure if run else seen
    found = (*problems.found, late)
    return Report(turn, run if run and run.outcome else None, found, completing.judged, failure, is_late=True)


def _completed(completing: _Completing) -> Report:
    turn, problems = completing.turn, completing.problems
    if completing.saw_success:
        # Its harvest may take longer than anybody waits, and what it tells of queries that failed is not of the job. A store that
        # does not answer keeps nobody from it.
        with suppress(RuntimeError):
            aside(partial(_keep_success_aside, completing))
    found = problems.guard("harvest the event log", partial(_harvest_of, completing), None)
    why = _why_later(completing, found)
    if why and completing.failed:
        # That it failed is known, and is told to a retry at once.
        if is_sought(turn.job, turn.run):
            problems.found.append(f"{why}: the cohort's next decision reads what more it tells of the failure")
        found = None if completing.is_unread else found
    elif why:
        if completing.saw_success:
            problems.guard("record that the run succeeded", partial(_tell_success, completing), None)
        problems.guard("harvest earlier runs", partial(_wait_for_earlier, completing), None)
        # Of earlier runs, which were read before this one or beside it.
        _booked(completing, None)
        return Report(turn, None, (*problems.found, f"{why}: the cohort's next decision reads it"))
    failed = completing.failed
    if failed is None:
        failed = not has_ended(found) or found.has_failed
    outcome = problems.guard("read the plans", found.outcome, None) if found else None
    if outcome:
        look = partial(with_blocks_as_written, outcome, lambda: outcomes_of(completing.store(), turn.run))
        outcome = problems.guard("look at earlier blocks of joins", look, outcome)
    state = state_of(found.application if found else None, failed=failed)
    failure = None
    if state is RunState.FAILED:
        failure = failure_of_run(found, outcome, completing.ending, is_seen=bool(completing.failed))
    outcome = replace(outcome, failure=failure) if outcome and failure else outcome
    run = with_borrowed(replace(turn.run, state=state, ended_at=datetime.now(UTC), outcome=outcome))
    turn = replace(turn, decision=run.decision)
    stored = problems.guard("store the outcome", lambda: _finish(completing, run), False)
    completing.stored = run if stored else None
    look_back = partial(_look_back, completing, turn, run, found)
    with collection_paused():
        judged, outlook = (problems.guard("look back at the run", look_back, None) if stored else None) or (None, None)
        completing.judged = judged
        gained = _booked(completing, outlook) if stored else None
    return Report(turn, run if run.outcome else None, tuple(problems.found), judged, failure, gained)


def _why_later(completing: _Completing, found: HarvestedRun | None) -> str:
    """Why the log is left for later; "" where it tells now what it ever will."""
    if completing.is_unread:
        return "the event log could not be read"
    late = completing.turn.job.log_lands_late and not has_ended(found)
    return "the event log is not there yet" if late else ""


def _wait_for_earlier(completing: _Completing) -> None:
    """The job may go on: its time is for the harvest of earlier runs, where that goes on. Who waits no longer leaves that."""
    if catching_up := completing.turn.catching_up:
        catching_up.wait(None)
        completing.problems.found.extend(catching_up.news())


def _booked(completing: _Completing, outlook: Decision | None) -> Gained | None:
    """What the run gained, as it is booked."""

    def keep() -> Gained | None:
        job = completing.turn.job
        return keep_books(completing.store(), job.cohort, outlook, job.key)

    return completing.problems.guard("keep the books", keep, None)


def _harvest_of(completing: _Completing) -> HarvestedRun | None:
    """What the run's event log tells; None for a run that was to leave none, which was said before it."""
    turn = completing.turn
    if not turn.event_log_dir:
        return None
    try:
        log = log_of_run(turn.event_log_dir, turn.job.key, turn.started_at, turn.job.access)
        found = harvest(log, for_people=True)
    except EventLogNotFoundError:
        raise
    except Exception:
        completing.is_unread = True
        raise
    if old := old_jar(found.application.steering):
        completing.problems.found.append(old)
    completing.is_unread = any(p.code is ProblemCode.UNREADABLE_FILE for p in found.application.problems)
    return found


def _keep_success_aside(completing: _Completing) -> None:
    """As `_keep_success`, but leaves what it was decided to have as it is stored. What fails is told where the outcome is."""
    run = completing.turn.run
    with suppress(Exception), Store.open(completing.store_url) as store:
        stored = store.run(run.key)
        if stored is None:
            store.begin(run.begun)
        if stored is None or stored.started_at == run.started_at:
            store.keep_success(run.key, datetime.now(UTC))


def _keep_success(store: Store, run: Run) -> bool:
    return _begun(store, run).keep_success(run.key, datetime.now(UTC))


def _tell_success(completing: _Completing) -> None:
    """As `_keep_success`, also where a run beside has read its log meanwhile, and a failure in it."""
    store, key = completing.store(), completing.turn.job.key
    if _keep_success(store, completing.turn.run):
        return
    stored = store.run(key)
    outcome = stored.outcome if stored and stored.state is RunState.FAILED else None
    if outcome and outcome.duration_ms is not None:
        # A query may have failed all the same.
        of_query = outcome.failure if outcome.failure and outcome.failure.execution_id is not None else None
        store.finish(key, RunState.SUCCEEDED, datetime.now(UTC), replace(outcome, failure=of_query), seen=True)


def _begun(store: Store, run: Run) -> Store:
    """The store, in which this run has its key."""
    # Whatever was recorded before it: this decision is what the run was submitted with.
    if not store.begin(run.begun):
        _require_its_own(store, run)
    return store


def _finish(completing: _Completing, run: Run) -> bool:
    store = _begun(completing.store(), run)
    seen = bool(completing.failed) or completing.saw_success
    store.finish(run.key, run.state, run.ended_at or datetime.now(UTC), run.outcome, seen=seen)
    return True


def _require_its_own(store: Store, run: Run) -> None:
    """StoreError where another run has its key: that of a DAG run which was deleted and made again."""
    stored = store.run(run.key)
    if stored is not None and stored.started_at != run.started_at:
        raise StoreError(
            f"run {run.key} is in the history store already, of {stored.started_at:%Y-%m-%d %H:%M}: its DAG run was made again "
            "under its id; this one is not stored"
        )


def _look_back(
    completing: _Completing, turn: Turn, run: Run, found: HarvestedRun | None
) -> tuple[Judgement | None, Decision | None]:
    """What came of the run's changes, and the decision for the next; what people are to see of it is stored."""
    judging = bool(run.decision.in_force and run.outcome)
    if not judging and found is None:
        if run.state is RunState.FAILED and run.decision.in_force:
            # What was proven may have made it: until a run tells, others are lent none of it.
            completing.store().prove(run.cohort, ())
        return None, None
    store, problems = completing.store(), completing.problems
    marks = store.marks(run.cohort, number_known(store, run.cohort))
    runs = known_runs(store, run.cohort, run.origin)
    judged, outlook = None, None
    if judging:
        judged = problems.guard("judge the run", lambda: judge(run, runs, store.verdicts(run.cohort)), None)
    if found is not None:
        add = partial(_add_details, turn, store, marks, runs, found, problems)
        outlook = problems.guard("look at the run for people", add, None)
    return judged, outlook


def _add_details(
    turn: Turn,
    store: Store,
    marks: Sequence[RunMark],
    runs: Sequence[Run],
    found: HarvestedRun,
    problems: Problems,
) -> Decision | None:
    """What people see of this run, with what would be decided for one that started now, which is returned."""
    # Only what has run needs these rules.
    from tuner.advice.insights.join_order import unsure_orders

    job = as_told(store, turn.job)
    outlook, known = look_ahead(store, job, runs, found.application.spark_version, problems)
    facts = known.facts if known else None
    orders = problems.guard(
        "look at join orders", lambda: tuple(unsure_orders(facts) if facts else ()), tuple[Insight, ...]()
    )
    store.add_details(turn.job.key, found.details(outlook, orders))
    if known and outlook:
        problems.guard("tell what was proven", partial(prove, store, known, outlook, marks), None)
    return outlook
