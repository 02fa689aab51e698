"""What a cohort's history says of each action: on trial, promoted, rolled back. A fold over runs in time order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from tuner.model.action import ActionKind
from tuner.model.decision import TAKEN_OUT, DecidedChange, Standing
from tuner.model.query import QueryStatus
from tuner.model.reason import Number, Reason, ReasonCode
from tuner.model.run import Run, RunState
from tuner.model.verdict import Verdict
from tuner.policy.after_trial import ONE_MORE_WITHOUT, Tried, after_trial, sure_loss
from tuner.policy.awaited_run import AwaitedRun
from tuner.policy.balance import Balance
from tuner.policy.blame import blamed
from tuner.policy.changes_in_effect import changes_in_effect, not_followed
from tuner.policy.comparisons import Comparisons, believed, compare, predictions
from tuner.policy.context import ByContext, Context, context_of
from tuner.policy.doubt import as_doubt, confirmed_losses, is_doubtful, judged_together
from tuner.policy.effect import Effect
from tuner.policy.evidence.allocation import Allocation, allocated, allocation_history
from tuner.policy.evidence.comparison import MAX_TRIALS, MIN_SECONDS, Comparison
from tuner.policy.evidence.history import History
from tuner.policy.failed_run import FailedRun, after_failure, newly_failed
from tuner.policy.lost_values import where_it_does_not_fail, where_it_does_not_lose
from tuner.policy.measure import Measured, total_input_bytes, usable
from tuner.policy.passing_queries import PassingQueries
from tuner.policy.queries_that_read import none_read, queries_that_read
from tuner.policy.record import Doubt, Loss, Record
from tuner.policy.records_by_context import RecordsByContext, as_known
from tuner.policy.rulings import Rulings, apply_rulings
from tuner.policy.same_target import differ_on_target
from tuner.policy.unmeasured import are_new, most_unmeasured, unmeasured

# A run had as much to read as another if it read no less than this share of what that did.
LIKE_INPUT = 0.9
# A query of each month comes back within so many runs of a job of each night.
LONGEST_IDLE = 35
# What was proven is not tried at once again after a night in which its queries took so many times as long as without it.
SEVERE = 1.5
# No run is taken to end later than this after its start.
LONGEST_RUN = timedelta(days=2)
# What was always in force together with others is judged with them: its own share is this unsure (log seconds).
TOGETHER = 0.25
# So is what two kinds of change did that were tried together, where each is this many times as unsure as both.
MOST_BLURRED = 2.0


_NEVER_WITHOUT = Reason(ReasonCode.NEVER_WITHOUT)


@dataclass(slots=True)
class _Ledger:
    by_context: RecordsByContext = field(default_factory=RecordsByContext)
    histories: ByContext[History] = field(default_factory=lambda: ByContext(History))
    latest: Loss = field(default_factory=Loss)
    measured: tuple[Measured, ...] = ()
    passing: PassingQueries = field(default_factory=PassingQueries)
    # The core time that executors held, of each run whose number of executors varies.
    allocations: ByContext[History] = field(default_factory=lambda: ByContext(allocation_history))
    # When the last of the runs so far ended.
    latest_end: datetime | None = None
    held: Measured | None = None
    # What is proven and not in force in the run that is judged: what is in its place must beat it.
    proven_out: list[DecidedChange] = field(default_factory=list)
    cleared: set[str] = field(default_factory=set)
    met: dict[str, set[str]] = field(default_factory=dict)
    # Input bytes of the runs that succeeded without what a failed run made suspect, by its id.
    suspected: dict[str, int] = field(default_factory=dict)

    @property
    def records(self) -> dict[str, Record]:
        """As they stand in the context of the latest measured run."""
        return self.by_context.here


def read_ledger(
    runs: Sequence[Run], verdicts: Sequence[Verdict] = (), to_come: Context | None = None
) -> dict[str, Record]:
    """The records of all actions that ever were in force or ruled on, by action id, as they stand in a context `to_come`: by
    default in that of the latest measured run. `runs` are oldest first, with the classes of their values
    (`tuner.policy.literal_classes`)."""
    if not any(map(_is_told_of, runs)):
        # As in a cohort that is only observed, or whose logs nobody steered: what its runs measured answers nothing.
        return {}
    ledger = _Ledger()
    rulings = Rulings.of(verdicts, (d.change for run in runs for d in run.decision.changes))
    for position, run in enumerate(runs):
        known = _take_in(ledger, run) if usable(run) else None
        _remember(ledger, run, rulings, is_foreseen=usable(run) and known is None)
        known = known or {}
        _expire(ledger, run)
        if usable(run):
            _learn(ledger, run)
            _end_hold(ledger, run)
        if followed := [as_known(decided, known) for decided in changes_in_effect(run)]:
            _judge(ledger, run, followed, runs[:position], runs[position + 1 :])
        ledger.by_context.leave_unproven(known)
    if to_come is not None:
        ledger.by_context.enter(to_come)
    _hold_out_one_at_a_time(ledger.records, runs)
    apply_rulings(ledger.records, rulings)
    return ledger.records


def _is_told_of(run: Run) -> bool:
    """Whether a record can come of a run: it was to have a change, or to be without one that was taken out."""
    return any(decided.is_in_force or decided.standing in TAKEN_OUT for decided in run.decision.changes)


def _take_in(ledger: _Ledger, run: Run) -> Mapping[str, Record] | None:
    """What a run measured. If its context is another than that of the run before: what is known to stand there, before it."""
    if run.outcome is None:
        return None
    context = context_of(run.outcome, run.decision.cuts)
    known = ledger.by_context.enter(context)
    ledger.latest = Loss(total_input_bytes(run.outcome.queries), context)
    ledger.measured = queries_that_read(run, ledger.histories.of(run))
    ledger.passing.add(run)
    return known


def _learn(ledger: _Ledger, run: Run) -> None:
    ledger.histories.of(run).add(ledger.measured, is_beside=_is_beside(ledger, run))
    ledger.latest_end = max(ledger.latest_end or _end(run), _end(run))
    held, allocations = allocated(run), ledger.allocations.of(run)
    # What executors hold in a night that found nothing to read says nothing of other nights.
    ledger.held = held if held is not None and not allocations.is_of_nothing(held) else None
    if ledger.held is not None:
        allocations.add([ledger.held])
    for query in ledger.measured:
        for id_ in query.changes:
            ledger.met.setdefault(id_, set()).add(query.literals)


def _is_beside(ledger: _Ledger, run: Run) -> bool:
    return ledger.latest_end is not None and run.started_at < ledger.latest_end


def _remember(ledger: _Ledger, run: Run, rulings: Rulings, *, is_foreseen: bool) -> None:
    """What was taken out stands in the decisions since, made when the runs that told were not yet too long ago. One that may have
    been made for another context (if not `is_foreseen`) says nothing of what is known to be out in that."""
    for decided in run.decision.changes:
        id_ = decided.id
        if decided.standing not in TAKEN_OUT or rulings.ever_rolled_back(decided.change) or id_ in ledger.cleared:
            continue
        before = ledger.records.get(id_)
        is_of_another = not is_foreseen and ledger.by_context.is_out_elsewhere(id_)
        if before is None or not (before.is_out or is_of_another):
            # Of a version before nobody wrote what it lost with.
            lost_with = decided.lost_with or (ledger.latest.input_bytes,)
            told = (replace(ledger.latest, input_bytes=size) for size in lost_with)
            losses = (*(before.losses if before else ()), *told)
            ledger.records[id_] = Record(
                decided, decided.standing, decided.why, losses=losses, judged_at=run.started_at
            )


def _end_hold(ledger: _Ledger, run: Run) -> None:
    """A run without a change has told what it was held out for, if it measured what that is."""
    in_force = {d.id for d in run.decision.in_force}
    doubted = []
    for id_, record in ledger.records.items():
        if record.held_out and id_ not in in_force:
            reaches_all = not record.decided.change.is_on_joins
            awaits = record.awaits.after(run, ledger.measured, reaches_all=reaches_all)
            if awaits is not None:
                ledger.records[id_] = replace(record, awaits=awaits)
            else:
                ledger.records[id_] = replace(record, held_out=None)
                doubted.append(record)
    for together in judged_together(doubted):
        _end_doubt(ledger, run, together)


def _end_doubt(ledger: _Ledger, run: Run, together: Sequence[Record]) -> None:
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


def _expire(ledger: _Ledger, run: Run) -> None:
    """What its query ran without is out of force, and of its times nothing is said."""
    reasons = not_followed(run)
    for decided in run.decision.changes:
        if why := reasons.get(decided.id):
            _record(ledger, run, decided, Standing.EXPIRED, why)


def _judge(
    ledger: _Ledger, run: Run, in_force: list[DecidedChange], earlier: Sequence[Run], later: Sequence[Run]
) -> None:
    if run.state is RunState.RUNNING:
        for decided in in_force:
            ledger.records.setdefault(decided.id, Record(decided, decided.standing, decided.why))
    elif run.state is RunState.FAILED:
        _judge_failure(ledger, FailedRun(run, earlier, later), in_force)
    elif usable(run):
        ids = {d.id for d in run.decision.in_force}
        promoted = (
            r.decided for id_, r in ledger.records.items() if r.standing is Standing.PROMOTED and id_ not in ids
        )
        ledger.proven_out = list(promoted)
        _judge_times(ledger, run, in_force)
        _absolve(ledger, run, in_force)
        for query in newly_failed(run, earlier):
            _judge_failure(ledger, FailedRun(run, earlier, later, query=query), in_force)
    else:
        for decided in in_force:
            _judge_unmeasured(ledger, run, decided)


def _judge_failure(ledger: _Ledger, failed: FailedRun, in_force: list[DecidedChange]) -> None:
    """Of a query that failed while the job went on, times have been judged; only what it says itself is added."""
    last_trials = {d.id for d in in_force if _trials(ledger, d) >= MAX_TRIALS}
    failed = replace(failed, last_trials=last_trials, suspected=frozenset(ledger.suspected))
    for said in after_failure(failed, in_force):
        id_ = said.decided.id
        if said.cleared:
            ledger.cleared.add(id_)
        if said.suspected_bytes is not None:
            ledger.suspected[id_] = said.suspected_bytes
        query = failed.query or (failed.failure.query if failed.failure else None)
        rolled_back = said.standing is Standing.ROLLED_BACK
        left = where_it_does_not_fail(said.decided, failed.run, query, ledger.met) if rolled_back and query else None
        if left is not None:
            _record(ledger, failed.run, left, left.standing, left.why, counts=False)
        elif failed.query is None or rolled_back or (said.suspect and said.standing is Standing.TRIAL):
            _record(ledger, failed.run, said.decided, said.standing, said.why, counts=said.counts)


def _absolve(ledger: _Ledger, run: Run, in_force: list[DecidedChange]) -> None:
    """A run that succeeded with a suspect clears it, if it had as much to read as the one that failed."""
    size = max(1, ledger.latest.input_bytes)
    failed = {q.fingerprint for q in run.outcome.queries if q.status is QueryStatus.FAILED} if run.outcome else set()
    for decided in in_force:
        if failed.isdisjoint(decided.queries) and size >= LIKE_INPUT * ledger.suspected.get(decided.id, 0):
            ledger.suspected.pop(decided.id, None)


def _judge_times(ledger: _Ledger, run: Run, in_force: list[DecidedChange]) -> None:
    """Trials together, as they were tried; what is proven each by itself, as far as runs tell it apart."""
    trials = [d for d in in_force if d.standing is Standing.TRIAL]
    proven = [d for d in in_force if d.standing is not Standing.TRIAL]
    if trials:
        _judge_trials(ledger, run, trials)
    whole = _compare(ledger, run, proven) if proven else Comparisons()
    for group in _trials_of(proven):
        found = _compare(ledger, run, group)
        if any(c.ratio.deviation > TOGETHER for c in found.touched):
            found = whole
        _judge_proven(ledger, run, group, found)


def _trials_of(decided: Sequence[DecidedChange]) -> list[list[DecidedChange]]:
    """What was tried together."""
    groups: dict[str, list[DecidedChange]] = {}
    for one in decided:
        groups.setdefault(one.change.trial, []).append(one)
    return list(groups.values())


def _compare(ledger: _Ledger, run: Run, changes: Sequence[DecidedChange]) -> Comparisons:
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


def _judge_trials(ledger: _Ledger, run: Run, trials: list[DecidedChange]) -> None:
    """Changes to joins, and properties: each as far as runs tell one from the other, else as what they did together."""
    joins = [d for d in trials if d.change.is_on_joins]
    properties = [d for d in trials if not d.change.is_on_joins]
    together = _compare(ledger, run, trials)
    if not (joins and properties):
        _judge_tried(ledger, run, trials, together)
        return
    whole = {_execution(c): c for c in (*together.touched, *together.beside)}
    of_joins, of_properties = _compare(ledger, run, joins), _compare(ledger, run, properties)
    touched = [c if _is_apart(c, whole) else whole[_execution(c)] for c in of_joins.touched]
    _judge_tried(ledger, run, joins, Comparisons(tuple(touched)))
    told = Comparisons(
        *(tuple(c for c in cs if _is_apart(c, whole)) for cs in (of_properties.touched, of_properties.beside))
    )
    _judge_tried(ledger, run, properties, told)


def _execution(one: Comparison) -> tuple[str, str, int]:
    return one.fingerprint, one.literals, one.turn


def _is_apart(one: Comparison, whole: Mapping[tuple[str, str, int], Comparison]) -> bool:
    """Whether runs tell what some of a query's changes did from what all of them did together: as where none was without all."""
    of_all = whole.get(_execution(one))
    return of_all is None or one.ratio.deviation <= max(TOGETHER, MOST_BLURRED * of_all.ratio.deviation)


def _judge_tried(ledger: _Ledger, run: Run, trials: list[DecidedChange], found: Comparisons) -> None:
    found, trials = where_it_does_not_lose(found, trials, ledger.met)
    foretold = replace(found, touched=tuple(_with_prediction(c, trials) for c in found.touched))
    blame = blamed(run, trials, foretold)
    allocation = _allocation(ledger, run, trials)
    for decided in trials:
        effect = _effect(decided, trials, found)
        _judge_trial(ledger, run, decided, effect, allocation, blame, _others(decided, trials))


def _judge_proven(ledger: _Ledger, run: Run, group: list[DecidedChange], found: Comparisons) -> None:
    found, group = where_it_does_not_lose(found, group, ledger.met)
    blame = blamed(run, group, found)
    allocation = _allocation(ledger, run, group)
    for decided in group:
        effect = _effect(decided, group, found)
        if decided.standing is Standing.PROMOTED:
            _judge_promoted(ledger, run, decided, effect, allocation, blame)
        else:
            _record(ledger, run, decided, decided.standing, decided.why, effect.gain)


def _allocation(ledger: _Ledger, run: Run, group: Sequence[DecidedChange]) -> Allocation | None:
    """What changes do to the core time that executors hold; None where that is not known, or follows the clock."""
    if ledger.held is None:
        return None
    found = ledger.allocations.of(run).compared(ledger.held, frozenset(d.id for d in group))
    return Allocation(found) if found else None


def _effect(decided: DecidedChange, group: Sequence[DecidedChange], found: Comparisons) -> Effect:
    """On the queries it names, and on those that it moved beside them where no other property can have done that."""
    properties = [d for d in group if not d.change.is_on_joins]
    named = [c for c in found.touched if c.fingerprint in decided.queries]
    return Effect(named, found.moved, found.beside) if properties == [decided] else Effect(named)


def _with_prediction(comparison: Comparison, trials: Iterable[DecidedChange]) -> Comparison:
    """Where a change names one query, what was predicted is predicted of that."""
    return believed(comparison, predictions(d for d in trials if d.queries == (comparison.fingerprint,)))


def _judge_trial(
    ledger: _Ledger,
    run: Run,
    decided: DecidedChange,
    effect: Effect,
    allocation: Allocation | None,
    blame: Mapping[str, Reason],
    others: int,
) -> None:
    belief = believed(effect.total, predictions([decided]))
    if loss := blame.get(decided.id) or sure_loss(effect, belief, allocation, run):
        _judge_loss(ledger, run, decided, loss, effect.gain)
    elif not effect.comparisons:
        _judge_unmeasured(ledger, run, decided)
    else:
        found = after_trial(Tried(decided, effect, belief, allocation, _trials(ledger, decided), others), run)
        _record(ledger, run, decided, found.standing, found.why, effect.gain, held_out=found.held_out)


def _judge_promoted(
    ledger: _Ledger,
    run: Run,
    decided: DecidedChange,
    effect: Effect,
    allocation: Allocation | None,
    blame: Mapping[str, Reason],
) -> None:
    if loss := blame.get(decided.id) or sure_loss(effect, effect.total, allocation, run):
        _judge_loss(ledger, run, decided, loss, effect.gain)
    else:
        severe = _severe_night(ledger, run, decided) if effect.comparisons else None
        if severe and _costs_more_than_it_gains(ledger, run, decided, severe):
            why = Reason(ReasonCode.LOSES_ON_SOME_NIGHTS, severe.numbers)
            _record(ledger, run, decided, Standing.ROLLED_BACK, why, effect.gain)
            return
        _record(ledger, run, decided, Standing.PROMOTED, decided.why, effect.gain, doubt=severe)
        _hold_out_if_unmeasured(ledger, run, decided)


def _judge_loss(ledger: _Ledger, run: Run, decided: DecidedChange, loss: Reason, gain: float | None) -> None:
    is_doubt = is_doubtful(decided, loss, ledger.records.get(decided.id), run.started_at)
    if is_doubt and not _costs_more_than_it_gains(ledger, run, decided, as_doubt(loss)):
        _record(ledger, run, decided, decided.standing, decided.why, gain, doubt=as_doubt(loss))
    else:
        _record(ledger, run, decided, Standing.ROLLED_BACK, loss, gain)


def _severe_night(ledger: _Ledger, run: Run, decided: DecidedChange) -> Reason | None:
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


def _costs_more_than_it_gains(ledger: _Ledger, run: Run, decided: DecidedChange, severe: Reason) -> bool:
    """Whether a night was not the first severe one, and such nights cost more than what a change gained on all others."""
    before = ledger.records.get(decided.id)
    return before is not None and not _was_decided_before(run, before) and before.balance.is_lost_with(severe)


def _was_decided_before(run: Run, before: Record) -> bool:
    """Whether a run began before the latest of a change's runs so far had ended: it knew nothing of that."""
    return before.judged_at is not None and run.started_at < before.judged_at


def _judge_unmeasured(ledger: _Ledger, run: Run, decided: DecidedChange) -> None:
    """What can never be measured can never be shown to be worth it."""
    trials = _trials(ledger, decided) if decided.standing is Standing.TRIAL else 0
    met = usable(run) and any(q.is_reached_by(decided.id) for q in ledger.measured)
    if trials == 1 and met and decided.why.code is ReasonCode.LENT:
        # Its first run had it: the next is what the others are held against.
        _record(ledger, run, decided, decided.standing, decided.why, held_out=_NEVER_WITHOUT)
    elif trials == MAX_TRIALS and met:
        _record(ledger, run, decided, decided.standing, decided.why, held_out=ONE_MORE_WITHOUT)
    elif usable(run) and (none_read(run, ledger.measured, decided.queries) or _may_come_back(ledger, run, decided)):
        _record(ledger, run, decided, decided.standing, decided.why, counts=False)
    elif trials >= MAX_TRIALS:
        why = Reason(ReasonCode.NEVER_MEASURED, {"runs": MAX_TRIALS})
        _record(ledger, run, decided, Standing.ROLLED_BACK, why)
    else:
        _record(ledger, run, decided, decided.standing, decided.why)
        if usable(run):
            _hold_out_if_unmeasured(ledger, run, decided)


def _may_come_back(ledger: _Ledger, run: Run, decided: DecidedChange) -> bool:
    """Whether a run had none of the queries whose joins a change is for, and not too many in a row had none: it was no trial."""
    return decided.change.is_on_joins and not _ran(run, decided.queries) and _idle(ledger, decided) < LONGEST_IDLE


def _ran(run: Run, queries: Collection[str]) -> bool:
    return run.outcome is not None and any(query.fingerprint in queries for query in run.outcome.queries)


def _idle(ledger: _Ledger, decided: DecidedChange) -> int:
    return before.idle if (before := ledger.records.get(decided.id)) else 0


def _unmeasured(ledger: _Ledger, run: Run, decided: DecidedChange) -> Mapping[str, int]:
    before = ledger.records.get(decided.id)
    counts = before.unmeasured if before else {}
    if not usable(run):
        return counts
    return unmeasured(counts, decided.id, ledger.measured, ledger.histories.of(run), ledger.passing.found)


def _hold_out_if_unmeasured(ledger: _Ledger, run: Run, decided: DecidedChange) -> None:
    """Leaves the next run without a property that may lose on values which came after it: no run would ever tell. So it does with
    what is proven, once no run is left that was without it."""
    record, standing = ledger.records[decided.id], decided.standing
    queries = most_unmeasured(record.unmeasured, decided.id, ledger.measured, standing)
    if not queries or record.held_out is not None:
        return
    history, why = ledger.histories.of(run), None
    if standing is Standing.PROMOTED and not any(history.ever_without(query, decided.id) for query in queries):
        if _would_cost_too_much(ledger, decided):
            return
        why = Reason(ReasonCode.LONG_IN_FORCE, {"run": run.key})
    elif not decided.change.is_on_joins and are_new(record.unmeasured, queries, standing):
        why = Reason(ReasonCode.NO_RUN_WITHOUT, {"run": run.key})
    if why:
        ledger.records[decided.id] = replace(record, held_out=why, awaits=_awaited_run(ledger, run, decided, queries))


def _would_cost_too_much(ledger: _Ledger, decided: DecidedChange) -> bool:
    """Whether a run might come to no good end without a change: it keeps a query from failing, or the run would take more than
    twice as long."""
    change = decided.change
    foretold = change.prediction.gain if change.prediction else 0.0
    gained = foretold if decided.gained_seconds is None else decided.gained_seconds
    return change.secures or gained > sum(query.seconds for query in ledger.measured)


def _hold_out_one_at_a_time(records: dict[str, Record], runs: Sequence[Run]) -> None:
    """Of what is left out since it has been in force for long, the next run is without that alone which was tried together: first
    what is out already."""
    places = {run.key: place for place, run in enumerate(runs)}
    due = {
        id_: (places[str(why.numbers["run"])], record.decided.change.trial)
        for id_, record in records.items()
        if (why := record.held_out) and why.code is ReasonCode.LONG_IN_FORCE
    }
    _, first = min(due.values(), default=(0, ""))
    for id_, (_, trial) in due.items():
        if trial != first:
            records[id_] = replace(records[id_], held_out=None)


def _awaited_run(ledger: _Ledger, run: Run, decided: DecidedChange, queries: Collection[str]) -> AwaitedRun:
    """A run with these queries, with the values that they had with the change, as far as these come back."""
    history = ledger.histories.of(run)
    mine = (q for q in ledger.measured if q.fingerprint in queries and q.is_reached_by(decided.id))
    return AwaitedRun(frozenset(queries), frozenset(q.literals for q in mine if history.has_come_back(q)))


def _others(decided: DecidedChange, group: Sequence[DecidedChange]) -> int:
    """How many other trials of the group reach its queries."""
    queries = set(decided.queries)
    return len({d.change.trial for d in group if not queries.isdisjoint(d.queries)} - {decided.change.trial})


def _trials(ledger: _Ledger, decided: DecidedChange) -> int:
    """How many trials in a row, this one included; once it was taken out they count anew."""
    before = ledger.records.get(decided.id)
    return 1 if before is None or before.standing in TAKEN_OUT else before.trials + 1


def _record(
    ledger: _Ledger,
    run: Run,
    decided: DecidedChange,
    standing: Standing,
    why: Reason,
    gain: float | None = None,
    *,
    counts: bool = True,
    held_out: Reason | None = None,
    doubt: Reason | None = None,
) -> None:
    """`held_out`, or a `doubt`, is why the next run is to be without it."""
    before = ledger.records.get(decided.id)
    losses = before.losses if before else ()
    if before is not None and _was_decided_before(run, before):
        # It was decided before the other run had told: that stays said.
        if before.standing in TAKEN_OUT and standing not in TAKEN_OUT:
            return
        decided = replace(decided, excluded=tuple(sorted({*decided.excluded, *before.decided.excluded})))
        held_out = held_out or doubt or before.held_out
    own = _context_of_failed(ledger, run) if standing in TAKEN_OUT else None
    if standing in TAKEN_OUT:
        losses = (*losses, ledger.latest, *([replace(ledger.latest, context=own)] if own else []))
        ledger.cleared.discard(decided.id)
        ledger.suspected.pop(decided.id, None)
    awaited = [str(doubt.numbers["query"])] if doubt else decided.queries
    found = Record(
        decided=decided,
        standing=standing,
        why=why,
        trials=_trials(ledger, decided) - (not counts),
        gain_seconds=gain if gain is not None or before is None else before.gain_seconds,
        losses=losses,
        judged_at=_latest_end(run, before),
        held_out=held_out or doubt,
        doubt=Doubt(doubt, ledger.latest) if doubt else _doubt_left(before, run, gain),
        unmeasured=_unmeasured(ledger, run, decided),
        balance=Balance() if standing in TAKEN_OUT else (before.balance if before else Balance()).after(gain, doubt),
        idle=0 if run.outcome is None or _ran(run, decided.queries) else _idle(ledger, decided) + 1,
        awaits=_awaited_run(ledger, run, decided, awaited) if held_out or doubt else AwaitedRun(),
    )
    ledger.records[decided.id] = found
    if own is not None:
        ledger.by_context.record_in(own, found)


def _doubt_left(before: Record | None, run: Run, gain: float | None) -> Doubt | None:
    """A run that was measured, and lost nothing for sure, ends a doubt, if it was decided since."""
    if before is None or before.doubt is None:
        return None
    is_since = before.judged_at is None or run.started_at >= before.judged_at
    return None if gain is not None and is_since else before.doubt


def _context_of_failed(ledger: _Ledger, run: Run) -> Context | None:
    """The context of a run that was not measured, where its log tells another than that of the latest that was: as the log may
    break off, what it takes out is out in both."""
    if usable(run) or run.outcome is None:
        return None
    context = context_of(run.outcome, run.decision.cuts)
    return context if context.difference(ledger.latest.context) else None


def _latest_end(run: Run, before: Record | None) -> datetime:
    """When the last of a change's runs has ended: of runs side by side, the first to begin may be that."""
    return _end(run) if before is None or before.judged_at is None else max(_end(run), before.judged_at)


def _end(run: Run) -> datetime:
    took = run.ended_at - run.started_at if run.ended_at else timedelta()
    # A clock that was ahead is believed for no longer than a run may take.
    return run.started_at + min(took, LONGEST_RUN)
