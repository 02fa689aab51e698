"""Where a change stands after a run, beside what its record had before."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime

from tuner.model.decision import TAKEN_OUT, DecidedChange, Standing
from tuner.model.reason import Reason
from tuner.model.run import Run
from tuner.policy.awaited_run import AwaitedRun, awaited_run
from tuner.policy.balance import Balance
from tuner.policy.context import Context, context_of
from tuner.policy.effect import Effect
from tuner.policy.end_of_run import end_of_run
from tuner.policy.judging.ledger_state import LedgerState
from tuner.policy.record import Doubt, Record
from tuner.policy.unmeasured import unmeasured
from tuner.policy.usable import usable


def put_on_record(
    ledger: LedgerState,
    run: Run,
    decided: DecidedChange,
    standing: Standing,
    why: Reason,
    effect: Effect | None = None,
    *,
    counts: bool = True,
    held_out: Reason | None = None,
    doubt: Reason | None = None,
) -> None:
    """`effect` is what it did in the run. `held_out`, or a `doubt`, is why the next run is to be without it, if the last one
    without it did not fail: what one with it is to tell then stays a doubt. A run that `counts` was one of its trials."""
    gain_seconds = effect.gain if effect else None
    gain_between = effect.gain_between if effect else None
    ratio = effect.ratio if effect else None
    hold = None if decided.failed_without else held_out or doubt
    before = ledger.records.get(decided.id)
    losses = before.losses if before else ()
    if before is not None and was_decided_before(run, before):
        # It was decided before the other run had told: that stays said.
        if before.standing in TAKEN_OUT and standing not in TAKEN_OUT:
            return
        decided = replace(decided, excluded=tuple(sorted({*decided.excluded, *before.decided.excluded})))
        hold = hold or before.held_out
    own = _context_of_failed(ledger, run) if standing in TAKEN_OUT else None
    if standing in TAKEN_OUT:
        loss = ledger.loss(decided)
        losses = (*losses, loss, *([replace(loss, context=own)] if own else []))
        ledger.cleared.discard(decided.id)
        ledger.suspected.pop(decided.id, None)
    awaits = AwaitedRun()
    if hold:
        awaited = [str(doubt.numbers["query"])] if doubt else decided.queries
        awaits = awaited_run(decided.id, awaited, ledger.measured, ledger.histories.of(run))
    found = Record(
        decided=decided,
        standing=standing,
        why=why,
        trials=ledger.trials(decided) - (not counts),
        gain_seconds=gain_seconds if gain_seconds is not None or before is None else before.gain_seconds,
        gain_between=gain_between if gain_seconds is not None or before is None else before.gain_between,
        ratio=ratio if ratio is not None or before is None else before.ratio,
        losses=losses,
        judged_at=_latest_end(run, before),
        held_out=hold,
        doubt=Doubt(doubt, ledger.loss(decided)) if doubt else _doubt_left(before, run, gain_seconds),
        unmeasured=_unmeasured(ledger, run, decided, before),
        balance=_balance(standing, before, gain_seconds, doubt),
        idle=_idle(run, decided, before),
        untold=0 if counts else ledger.untold(run, decided),
        awaits=awaits,
    )
    ledger.records[decided.id] = found
    if own is not None:
        ledger.by_context.record_in(own, found)


def was_decided_before(run: Run, before: Record) -> bool:
    """Whether a run began before the latest of a change's runs so far had ended: it knew nothing of that."""
    return before.judged_at is not None and run.started_at < before.judged_at


def ran(run: Run, queries: Collection[str]) -> bool:
    """Whether a run had any of these queries (fingerprints)."""
    return run.outcome is not None and any(query.fingerprint in queries for query in run.outcome.queries)


def _context_of_failed(ledger: LedgerState, run: Run) -> Context | None:
    """The context of a run that was not measured, where its log tells another than that of the latest that was: as the log may
    break off, what it takes out is out in both."""
    if usable(run) or run.outcome is None:
        return None
    context = context_of(run.outcome, run.decision.cuts)
    return context if context.difference(ledger.lost_with.context) else None


def _latest_end(run: Run, before: Record | None) -> datetime:
    """When the last of a change's runs has ended: of runs side by side, the first to begin may be that."""
    end = end_of_run(run)
    return end if before is None or before.judged_at is None else max(end, before.judged_at)


def _doubt_left(before: Record | None, run: Run, gain_seconds: float | None) -> Doubt | None:
    """A run that was measured, and lost nothing for sure, ends a doubt, if it was decided since."""
    if before is None or before.doubt is None:
        return None
    ends = gain_seconds is not None and not was_decided_before(run, before)
    return None if ends else before.doubt


def _unmeasured(ledger: LedgerState, run: Run, decided: DecidedChange, before: Record | None) -> Mapping[str, int]:
    counts = before.unmeasured if before else {}
    if not usable(run):
        return counts
    return unmeasured(counts, decided.id, ledger.measured, ledger.histories.of(run), ledger.passing.found)


def _balance(standing: Standing, before: Record | None, gain_seconds: float | None, doubt: Reason | None) -> Balance:
    """Of nights since a change was last taken out."""
    if standing in TAKEN_OUT:
        return Balance()
    return (before.balance if before else Balance()).after(gain_seconds, doubt)


def _idle(run: Run, decided: DecidedChange, before: Record | None) -> int:
    if run.outcome is None or ran(run, decided.queries):
        return 0
    return (before.idle if before else 0) + 1
