"""A night so slow that what is proven is not in force in the next run, though one night says little."""

from __future__ import annotations

from tuner.model.decision import DecidedChange
from tuner.model.reason import Number, Reason, ReasonCode
from tuner.model.run import Run
from tuner.policy.evidence.comparison import MIN_SECONDS
from tuner.policy.judging.ledger_state import LedgerState
from tuner.policy.judging.put_on_record import was_decided_before

# What was proven is not tried at once again after a night in which its queries took so many times as long as without it.
SEVERE = 1.5


def severe_night(ledger: LedgerState, run: Run, decided: DecidedChange) -> Reason | None:
    """Why the next run is to be without what is proven: a night far slower than without it says little, but too much to go on."""
    history = ledger.histories.of(run)
    gain = max(0.0, record.gain_seconds or 0.0) if (record := ledger.records.get(decided.id)) else 0.0
    for query in ledger.measured:
        if not query.is_reached_by(decided.id) or query.literals in decided.excluded:
            continue
        ratio = history.night(query, decided.id)
        # Of many queries one is slow on most nights: one that a property was not meant for must outweigh what that gains.
        least = MIN_SECONDS if decided.id in query.changes else gain + MIN_SECONDS
        if history.has_slowed_down(query) or (ratio > SEVERE and query.seconds * (1 - 1 / ratio) > least):
            numbers: dict[str, Number] = {"query": query.fingerprint, "run": run.key, "seconds": query.seconds}
            return Reason(ReasonCode.HELD_OUT, {**numbers, "expected_seconds": query.seconds / ratio})
    return None


def costs_more_than_it_gains(ledger: LedgerState, run: Run, decided: DecidedChange, severe: Reason) -> bool:
    """Whether a night was not the first severe one, and such nights cost more than what a change gained on all others. Without
    what a run failed without there are no nights to hold it against."""
    if decided.failed_without:
        return False
    before = ledger.records.get(decided.id)
    return before is not None and not was_decided_before(run, before) and before.balance.is_lost_with(severe)
