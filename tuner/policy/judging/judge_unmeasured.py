"""A change that was in force in a run which does not tell what it did."""

from __future__ import annotations

from tuner.model.decision import DecidedChange, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run
from tuner.policy.after_trial import ONE_MORE_WITHOUT
from tuner.policy.evidence.comparison import MAX_TRIALS
from tuner.policy.idle_runs import is_quiet
from tuner.policy.judging.hold_out import hold_out_if_unmeasured
from tuner.policy.judging.ledger_state import LedgerState
from tuner.policy.judging.put_on_record import put_on_record, ran
from tuner.policy.queries_that_read import none_read
from tuner.policy.usable import usable

# A query of each month comes back within so many runs of a job of each night.
LONGEST_IDLE = 35

_NEVER_WITHOUT = Reason(ReasonCode.NEVER_WITHOUT)


def judge_unmeasured(ledger: LedgerState, run: Run, decided: DecidedChange) -> None:
    """What can never be measured can never be shown to be worth it."""
    if not usable(run):
        _judge_untold(ledger, run, decided)
        return
    trials = ledger.trials(decided) if decided.standing is Standing.TRIAL else 0
    met = any(q.is_reached_by(decided.id) for q in ledger.measured)
    if trials == 1 and met and decided.why.code is ReasonCode.LENT:
        # Its first run had it: the next is what the others are held against.
        put_on_record(ledger, run, decided, decided.standing, decided.why, held_out=_NEVER_WITHOUT)
    elif trials == MAX_TRIALS and met:
        put_on_record(ledger, run, decided, decided.standing, decided.why, held_out=ONE_MORE_WITHOUT)
    elif none_read(run, ledger.measured, decided.queries) or _may_come_back(ledger, run, decided):
        put_on_record(ledger, run, decided, decided.standing, decided.why, counts=False)
    elif trials >= MAX_TRIALS:
        why = Reason(ReasonCode.NEVER_MEASURED, {"runs": trials})
        put_on_record(ledger, run, decided, Standing.ROLLED_BACK, why)
    else:
        put_on_record(ledger, run, decided, decided.standing, decided.why)
        hold_out_if_unmeasured(ledger, run, decided)


def _judge_untold(ledger: LedgerState, run: Run, decided: DecidedChange) -> None:
    """A run whose log never came, or breaks off, is none of its trials, and takes nothing from what others have shown; but so
    many of them with no trial in between end it."""
    untold = ledger.untold(run, decided)
    if untold >= MAX_TRIALS:
        why = Reason(ReasonCode.NEVER_MEASURED, {"runs": untold})
        put_on_record(ledger, run, decided, Standing.ROLLED_BACK, why)
    else:
        put_on_record(ledger, run, decided, decided.standing, decided.why, counts=False)


def _may_come_back(ledger: LedgerState, run: Run, decided: DecidedChange) -> bool:
    """Whether a run had none of the queries whose joins a change is for, or no query at all, and not too many in a row had none,
    or there was nothing to read: it was no trial."""
    idle = before.idle if (before := ledger.records.get(decided.id)) else 0
    has_none = run.outcome is not None and not run.outcome.queries
    is_away = not ran(run, decided.queries) if decided.change.is_on_joins else has_none
    return (is_away and idle < LONGEST_IDLE) or (has_none and is_quiet(run))
