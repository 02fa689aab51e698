"""What a cohort's history says of each change: on trial, promoted, rolled back. A fold over runs in time order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from tuner.model.decision import TAKEN_OUT, DecidedChange, Standing
from tuner.model.reason import ReasonCode
from tuner.model.run import Run, RunState
from tuner.model.verdict import Verdict
from tuner.policy.awaited_run import AwaitedRun
from tuner.policy.changes_in_effect import changes_in_effect, held_in, not_followed
from tuner.policy.context import Context
from tuner.policy.end_of_run import end_of_run
from tuner.policy.failed_run import FailedRun
from tuner.policy.judging.end_holds import end_failed_holds, end_holds
from tuner.policy.judging.hold_out import hold_out_one_at_a_time
from tuner.policy.judging.judge_failure import absolve, judge_failure
from tuner.policy.judging.judge_proven import judge_proven
from tuner.policy.judging.judge_trials import judge_trials
from tuner.policy.judging.judge_unmeasured import judge_unmeasured
from tuner.policy.judging.ledger_state import LedgerState
from tuner.policy.judging.put_on_record import put_on_record
from tuner.policy.newly_failed import newly_failed
from tuner.policy.record import Loss, Record
from tuner.policy.records_by_context import as_known
from tuner.policy.rulings import Rulings, apply_rulings
from tuner.policy.usable import usable

_BY_WORD = frozenset({ReasonCode.RULED, ReasonCode.RECORDED})

# In so many runs in a row what is proven may be held, and is remembered: in two weeks of each hour.
LONGEST_HELD = 14 * 24


def read_ledger(
    runs: Sequence[Run],
    verdicts: Sequence[Verdict] = (),
    to_come: Context | None = None,
    of_others: frozenset[str] = frozenset(),
    now: datetime | None = None,
) -> dict[str, Record]:
    """The records of all changes that ever were in force, or that a decision has as taken out, by their ids, as people have ruled
    on them, and as they stand in a context `to_come`: by default in that of the latest measured run. `runs` are oldest first,
    with the classes of their values (`tuner.policy.literal_classes`), `of_others` the queries that only other instances of a
    mapped task ask, `now` when that is asked (None: not known)."""
    if not any(map(_is_told_of, runs)):
        # As in a cohort that is only observed, or whose logs nobody steered: what its runs measured answers nothing.
        return {}
    ledger = LedgerState()
    rulings = Rulings.of(verdicts, (d.change for run in runs for d in run.decision.changes))
    for position, run in enumerate(runs):
        known = ledger.take_in(run) if usable(run) else None
        is_foreseen = usable(run) and known is None
        _remember(ledger, run, rulings, is_foreseen=is_foreseen)
        if is_foreseen:
            _remember_held(ledger, run)
        known = known or {}
        _expire(ledger, run)
        if usable(run):
            ledger.learn(run)
            end_holds(ledger, run)
        end_failed_holds(ledger, run, runs[:position])
        if followed := [as_known(decided, known) for decided in changes_in_effect(run)]:
            _judge(ledger, run, followed, runs[:position], runs[position + 1 :])
        ledger.by_context.leave_unproven(known)
    if to_come is not None:
        ledger.by_context.enter(to_come)
    hold_out_one_at_a_time(ledger.records, runs, of_others, now)
    apply_rulings(ledger.records, rulings)
    return ledger.records


def _is_told_of(run: Run) -> bool:
    """Whether a record can come of a run: it was to have a change, or to be without one that was taken out."""
    return any(decided.is_in_force or decided.standing in TAKEN_OUT for decided in run.decision.changes)


def _remember(ledger: LedgerState, run: Run, rulings: Rulings, *, is_foreseen: bool) -> None:
    """What was taken out stands in the decisions since, made when the runs that told were not yet too long ago. One that may have
    been made for another context (if not `is_foreseen`) says nothing of what is known to be out in that."""
    for decided in run.decision.changes:
        id_ = decided.id
        if decided.standing not in TAKEN_OUT or _is_by_word(decided, rulings) or id_ in ledger.cleared:
            continue
        before = ledger.records.get(id_)
        is_of_another = not is_foreseen and ledger.by_context.is_out_elsewhere(id_)
        if before is None or not (before.is_out or is_of_another):
            losses = (*(before.losses if before else ()), *_told_losses(ledger, decided))
            ledger.records[id_] = Record(
                decided, decided.standing, decided.why, losses=losses, judged_at=run.started_at
            )


def _told_losses(ledger: LedgerState, decided: DecidedChange) -> list[Loss]:
    """As its decision has them. Versions before had none, or those of whole runs alone."""
    of_runs = [replace(ledger.lost_with, input_bytes=size) for size in decided.lost_with]
    of_query = [replace(ledger.lost_with, input_bytes=size, of_query=True) for size in decided.lost_reading]
    return [*of_runs, *of_query] or [ledger.loss(decided)]


def _remember_held(ledger: LedgerState, run: Run) -> None:
    """What is proven, and was held in a run, stands as it was decided: runs that are looked at no more have shown it."""
    proven = [decided for decided in run.decision.in_force if decided.standing is Standing.PROMOTED]
    held = held_in(run) if proven else {}
    for decided in (d for d in proven if d.id in held):
        record = ledger.records.get(decided.id)
        if record is None and decided.held_runs < LONGEST_HELD:
            record = Record(decided, Standing.TRIAL, decided.why, held_runs=decided.held_runs)
        if record is not None and record.standing is Standing.TRIAL and record.why.code is not ReasonCode.NEW_TRIAL:
            # Of its trials the last may be looked at, and what they were held against no more. What is on trial for another
            # context than it was proven in stays so: the run may have been decided before that was known.
            record = replace(record, standing=decided.standing, why=decided.why, gain_seconds=decided.gained_seconds)
            record = replace(record, gain_between=decided.gained_between, held_out=None, awaits=AwaitedRun())
        if record is not None:
            ledger.records[decided.id] = replace(record, held_runs=record.held_runs + (not ledger.is_beside))


def _is_by_word(decided: DecidedChange, rulings: Rulings) -> bool:
    """Whether a person took it out, who may have let it in again since; of a version before only a sentence says so."""
    return decided.why.code in _BY_WORD and rulings.ever_rolled_back(decided.change)


def _expire(ledger: LedgerState, run: Run) -> None:
    """What its query ran without is out of force, and of its times nothing is said. Of what is proven one night without is none:
    it may have had another conf."""
    reasons = not_followed(run)
    for decided in run.decision.changes:
        if why := reasons.get(decided.id):
            record = ledger.records.get(decided.id) or Record(decided, decided.standing, decided.why)
            since = record.unfollowed_until
            if record.standing is Standing.PROMOTED and (since is None or run.started_at < since):
                ledger.records[decided.id] = replace(record, unfollowed_until=since or end_of_run(run))
            else:
                put_on_record(ledger, run, decided, Standing.EXPIRED, why)


def _judge(
    ledger: LedgerState, run: Run, in_force: Sequence[DecidedChange], earlier: Sequence[Run], later: Sequence[Run]
) -> None:
    if run.state is RunState.RUNNING:
        for decided in in_force:
            ledger.records.setdefault(decided.id, Record(decided, decided.standing, decided.why))
    elif run.state is RunState.FAILED:
        with_it = [replace(decided, failed_without=False) for decided in in_force]
        judge_failure(ledger, FailedRun(run, earlier, later), with_it)
    elif usable(run):
        _judge_measured(ledger, run, in_force)
        failed = newly_failed(run, earlier)
        absolve(ledger, run, failed, in_force)
        for query in failed:
            judge_failure(ledger, FailedRun(run, earlier, later, query=query), in_force)
    else:
        for decided in in_force:
            judge_unmeasured(ledger, run, decided)


def _judge_measured(ledger: LedgerState, run: Run, in_force: Sequence[DecidedChange]) -> None:
    """Trials together, as they were tried; what is proven each by itself, as far as runs tell it apart."""
    ids = {d.id for d in run.decision.in_force}
    records = ledger.records.items()
    ledger.proven_out = [r.decided for id_, r in records if r.standing is Standing.PROMOTED and id_ not in ids]
    if trials := [d for d in in_force if d.standing is Standing.TRIAL]:
        judge_trials(ledger, run, trials)
    if proven := [d for d in in_force if d.standing is not Standing.TRIAL]:
        judge_proven(ledger, run, proven)
