"""The changes of a measured run that were proven before it, or that a person pinned."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.decision import DecidedChange, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run
from tuner.policy.after_trial import sure_loss
from tuner.policy.blame import blamed
from tuner.policy.comparisons import Comparisons
from tuner.policy.effect import Effect
from tuner.policy.evidence.allocation import Allocation
from tuner.policy.evidence.comparison import Comparison
from tuner.policy.judging.compare_changes import compare_changes
from tuner.policy.judging.hold_out import hold_out_if_unmeasured
from tuner.policy.judging.judge_loss import judge_loss
from tuner.policy.judging.ledger_state import LedgerState
from tuner.policy.judging.put_on_record import put_on_record
from tuner.policy.judging.severe_night import costs_more_than_it_gains, severe_night
from tuner.policy.judging.told_apart import is_told
from tuner.policy.lost_values import where_it_does_not_lose


def judge_proven(ledger: LedgerState, run: Run, proven: Sequence[DecidedChange]) -> None:
    """Each trial by itself, as far as runs tell it apart; else by what all of them did together, where a run was without all."""
    whole = compare_changes(ledger, run, proven)
    for trial in _trials_of(proven):
        found = compare_changes(ledger, run, trial)
        touched = _own_or_of_all(found.touched, whole.touched)
        _judge_trial(ledger, run, trial, Comparisons(touched, _own_or_of_all(found.beside, whole.beside)))


def _own_or_of_all(own: Sequence[Comparison], of_all: Sequence[Comparison]) -> tuple[Comparison, ...]:
    known = {one.execution: one for one in of_all}
    return tuple(one if is_told(one) else known.get(one.execution, one) for one in own)


def _trials_of(decided: Sequence[DecidedChange]) -> list[list[DecidedChange]]:
    """What was tried together."""
    trials: dict[str, list[DecidedChange]] = {}
    for one in decided:
        trials.setdefault(one.change.trial, []).append(one)
    return list(trials.values())


def _judge_trial(ledger: LedgerState, run: Run, trial: Sequence[DecidedChange], found: Comparisons) -> None:
    found, trial = where_it_does_not_lose(found, trial, ledger.met)
    blame = blamed(run, trial, found)
    allocation = ledger.allocation(run, trial)
    for decided in trial:
        effect = Effect.of_one(decided, trial, found)
        if decided.standing is Standing.PROMOTED:
            _judge_promoted(ledger, run, decided, effect, allocation, blame.get(decided.id))
        else:
            put_on_record(ledger, run, decided, decided.standing, decided.why, effect)


def _judge_promoted(
    ledger: LedgerState,
    run: Run,
    decided: DecidedChange,
    effect: Effect,
    allocation: Allocation | None,
    blamed_for: Reason | None,
) -> None:
    if loss := blamed_for or sure_loss(effect, effect.total, allocation, run):
        judge_loss(ledger, run, decided, loss, effect)
        return
    severe = severe_night(ledger, run, decided) if effect.comparisons else None
    if severe and costs_more_than_it_gains(ledger, run, decided, severe):
        why = Reason(ReasonCode.LOSES_ON_SOME_NIGHTS, severe.numbers)
        put_on_record(ledger, run, decided, Standing.ROLLED_BACK, why, effect)
        return
    put_on_record(ledger, run, decided, Standing.PROMOTED, decided.why, effect, doubt=severe)
    hold_out_if_unmeasured(ledger, run, decided)
