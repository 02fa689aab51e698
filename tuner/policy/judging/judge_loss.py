"""A change that surely lost in a run."""

from __future__ import annotations

from tuner.model.decision import DecidedChange, Standing
from tuner.model.reason import Reason
from tuner.model.run import Run
from tuner.policy.doubt import as_doubt, is_doubtful
from tuner.policy.effect import Effect
from tuner.policy.judging.ledger_state import LedgerState
from tuner.policy.judging.put_on_record import put_on_record
from tuner.policy.judging.severe_night import costs_more_than_it_gains


def judge_loss(ledger: LedgerState, run: Run, decided: DecidedChange, loss: Reason, effect: Effect) -> None:
    """It is rolled back; or the next run is without it, where that is to tell whether the change lost or the night."""
    has_controls = ledger.histories.of(run).has_controls
    is_doubt = is_doubtful(decided, loss, ledger.records.get(decided.id), run.started_at, has_controls=has_controls)
    if is_doubt and not costs_more_than_it_gains(ledger, run, decided, as_doubt(loss)):
        put_on_record(ledger, run, decided, decided.standing, decided.why, effect, doubt=as_doubt(loss))
    else:
        put_on_record(ledger, run, decided, Standing.ROLLED_BACK, loss, effect)
