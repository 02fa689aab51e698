"""What a run tells of the changes that it was without: what they were held out for, and whether what seemed to lose did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tuner.model.decision import Standing
from tuner.model.run import Run, RunState
from tuner.policy.awaited_run import AwaitedRun
from tuner.policy.doubt import confirmed_losses, judged_together
from tuner.policy.failed_without import failed_without
from tuner.policy.judging.ledger_state import LedgerState
from tuner.policy.record import Record


def end_holds(ledger: LedgerState, run: Run) -> None:
    """A measured run without a change has told what it was held out for, if it measured what that is. A run of an instance of a
    mapped task that never asks what it is held out for tells nothing of it, however many there are."""
    in_force = {d.id for d in run.decision.in_force}
    told = []
    for id_, record in ledger.records.items():
        if record.held_out and id_ not in in_force and ledger.may_ask(run, record.awaits.queries):
            reaches_all = not record.decided.change.is_on_joins
            awaits = record.awaits.after(run, ledger.measured, reaches_all=reaches_all)
            if awaits is not None:
                ledger.records[id_] = replace(record, awaits=awaits)
            else:
                ledger.records[id_] = replace(record, held_out=None)
                told.append(record)
    for together in judged_together(told):
        _end_doubt(ledger, run, together)


def end_failed_holds(ledger: LedgerState, run: Run, earlier: Sequence[Run]) -> None:
    """What a run was without that failed, or of which a query did that it reaches, is left out no more: what the job needs to
    succeed is not to be found out at that price again. One whose log never came shows no such need: another may be without it."""
    has_failed = run.state is not RunState.LOST
    for decided in failed_without(run, earlier):
        if (record := ledger.records.get(decided.id)) is not None:
            needed = replace(record.decided, failed_without=has_failed or record.decided.failed_without)
            ledger.records[decided.id] = replace(record, decided=needed, held_out=None, awaits=AwaitedRun())


def _end_doubt(ledger: LedgerState, run: Run, together: Sequence[Record]) -> None:
    """What a run without these changes bears out is rolled back; what it does not was the night, and tells less of them."""
    history = ledger.histories.of(run)
    confirmed = list(confirmed_losses(together, run, ledger.measured, history))
    for record, loss in confirmed:
        id_, losses = record.decided.id, (*record.losses, *([record.doubt.loss] if record.doubt else []))
        ledger.records[id_] = replace(
            record, standing=Standing.ROLLED_BACK, why=loss, losses=losses, held_out=None, doubt=None
        )
        ledger.cleared.discard(id_)
        ledger.suspected.pop(id_, None)
    if not confirmed:
        history.doubt(ledger.measured, frozenset(record.decided.id for record in together))
