"""The changes that a measured run tried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tuner.model.decision import DecidedChange
from tuner.model.reason import Reason
from tuner.model.run import Run
from tuner.policy.after_trial import TrialRun, after_trial, sure_loss
from tuner.policy.blame import blamed
from tuner.policy.comparisons import Comparisons, believed, predictions
from tuner.policy.effect import Effect
from tuner.policy.evidence.allocation import Allocation
from tuner.policy.evidence.comparison import Comparison
from tuner.policy.judging.compare_changes import compare_changes
from tuner.policy.judging.judge_loss import judge_loss
from tuner.policy.judging.judge_unmeasured import judge_unmeasured
from tuner.policy.judging.ledger_state import LedgerState
from tuner.policy.judging.put_on_record import put_on_record
from tuner.policy.judging.told_apart import is_told_apart
from tuner.policy.lost_values import where_it_does_not_lose
from tuner.policy.measure import Key


def judge_trials(ledger: LedgerState, run: Run, trials: Sequence[DecidedChange]) -> None:
    """Changes to joins, and properties: each as far as runs tell one from the other, else as what they did together."""
    joins = [d for d in trials if d.change.is_on_joins]
    properties = [d for d in trials if not d.change.is_on_joins]
    together = compare_changes(ledger, run, trials)
    if not (joins and properties):
        _judge_group(ledger, run, trials, together)
        return
    whole = {c.execution: c for c in (*together.touched, *together.beside)}
    of_joins, of_properties = compare_changes(ledger, run, joins), compare_changes(ledger, run, properties)
    touched = [c if _is_apart(c, whole) else whole[c.execution] for c in of_joins.touched]
    _judge_group(ledger, run, joins, Comparisons(tuple(touched)))
    told = Comparisons(
        *(tuple(c for c in cs if _is_apart(c, whole)) for cs in (of_properties.touched, of_properties.beside))
    )
    _judge_group(ledger, run, properties, told)


def _is_apart(one: Comparison, whole: Mapping[Key, Comparison]) -> bool:
    """Whether runs tell it from what all of them did: so they do where none was without all, and that is not known."""
    of_all = whole.get(one.execution)
    return of_all is None or is_told_apart(one, of_all)


def _judge_group(ledger: LedgerState, run: Run, group: Sequence[DecidedChange], found: Comparisons) -> None:
    found, group = where_it_does_not_lose(found, group, ledger.met)
    foretold = replace(found, touched=tuple(_with_prediction(c, group) for c in found.touched))
    blame = blamed(run, group, foretold)
    allocation = ledger.allocation(run, group)
    for decided in group:
        effect = Effect.of_one(decided, group, found)
        _judge_trial(ledger, run, decided, effect, allocation, blame.get(decided.id), _others(decided, group))


def _with_prediction(comparison: Comparison, trials: Sequence[DecidedChange]) -> Comparison:
    """Where a change names one query, what was predicted is predicted of that."""
    return believed(comparison, predictions(d for d in trials if d.queries == (comparison.fingerprint,)))


def _judge_trial(
    ledger: LedgerState,
    run: Run,
    decided: DecidedChange,
    effect: Effect,
    allocation: Allocation | None,
    blamed_for: Reason | None,
    others: int,
) -> None:
    belief = believed(effect.total, predictions([decided]))
    if loss := blamed_for or sure_loss(effect, belief, allocation, run):
        judge_loss(ledger, run, decided, loss, effect)
    elif not effect.comparisons:
        judge_unmeasured(ledger, run, decided)
    else:
        found = after_trial(TrialRun(decided, effect, belief, allocation, ledger.trials(decided), others), run)
        put_on_record(ledger, run, decided, found.standing, found.why, effect, held_out=found.held_out)


def _others(decided: DecidedChange, group: Sequence[DecidedChange]) -> int:
    """How many other trials of the group reach its queries."""
    queries = set(decided.queries)
    return len({d.change.trial for d in group if not queries.isdisjoint(d.queries)} - {decided.change.trial})
