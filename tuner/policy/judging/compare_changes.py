"""The queries of a run that is judged against what they would have taken without some of its changes."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.action import ActionKind
from tuner.model.decision import DecidedChange
from tuner.model.reason import ReasonCode
from tuner.model.run import Run
from tuner.policy.comparisons import Comparisons, compare
from tuner.policy.judging.ledger_state import LedgerState
from tuner.policy.same_target import differ_on_target


def compare_changes(ledger: LedgerState, run: Run, changes: Sequence[DecidedChange]) -> Comparisons:
    """Against runs without them, but with what they replace, and with what waits for an order among them."""
    proven = ledger.proven_out
    ordered = {d.change.query for d in changes if d.change.kind is ActionKind.ORDER_JOINS} if proven else set()
    held = (d for d in run.decision.changes if d.held and d.held.code is ReasonCode.REORDERED_FIRST)
    waiting = {d.id for d in held} if ordered else set()
    replaced = [
        p.id
        for p in proven
        if (p.id in waiting and p.change.query in ordered) or any(differ_on_target(p.change, d.change) for d in changes)
    ]
    return compare(ledger.measured, ledger.histories.of(run), changes, replaced)
