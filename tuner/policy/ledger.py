"""What a cohort's history says of each action: on trial, promoted, rolled back. A fold over runs in time order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from tuner.model.action import Action, ActionKind
from tuner.model.change import Change
from tuner.model.decision import TAKEN_OUT, DecidedChange, Standing
from tuner.model.objective import Objective
from tuner.model.query import QueryStatus
from tuner.model.reason import Number, Reason, ReasonCode
from tuner.model.run import Run, RunState
from tuner.model.verdict import Ruling, Verdict
from tuner.policy.blame import blamed, slower
from tuner.policy.changes_in_effect import changes_in_effect, not_followed
from tuner.policy.compare import Comparisons, believed, compare, predictions
from tuner.policy.context import ByContext, Context, context_of
from tuner.policy.effect import Effect
from tuner.policy.evidence.allocation import MOST_WORSE, Allocation, allocated, allocation_history
from tuner.policy.evidence.comparison import MAX_TRIALS, MIN_GAIN_SECONDS, MIN_SECONDS, SURE_LOSS, Comparison
from tuner.policy.evidence.history import History
from tuner.policy.failed_run import FailedRun, after_failure, newly_failed
from tuner.policy.lost_values import where_it_does_not_fail, where_it_does_not_lose
from tuner.policy.measure import Measured, total_input_bytes, usable
from tuner.policy.queries_that_read import queries_that_read
from tuner.policy.rulings import Rulings

# A trial ends after two nights or more once a gain is less likely than this, by what was measured and predicted. One night may be
# the machine's. (In simulated trials half of what that ends truly loses over 3 %; of what truly gains over 5 % it ends next to
# none that four nights would have kept.)
UNLIKELY_GAIN, LEAST_TRIALS = 0.3, 2
# After the last trial that neither won nor lost for sure, what is likely decides: an action has shown that it does little.
LIKELY_GAIN, UNLIKELY_LOSS = 0.85, 0.1
# Where a gain is at least this likely by then, or nothing was measured, one more run without it is worth its price: most such
# actions have but one to be held against.
PROMISING_GAIN = 0.7
# What secures a plan that had been there by chance, or surely holds less core time, stays unless it is likelier to lose than not.
LIKELY_LOSS = 0.5
# A rolled back action may be tried again when inputs have grown or shrunk by this factor.
INPUT_CHANGE = 2.0
# A run had as much to read as another if it read no less than this share of what that did.
LIKE_INPUT = 0.9
# What was proven is not tried at once again after a night in which its queries took so many times as long as without it.
SEVERE = 1.5
# No run is taken to end later than this after its start.
LONGEST_RUN = timedelta(days=2)
# So much of a run's seconds must have values that never ran without a property, for a run to be left without it; of what is
# proven, in so many runs in a row.
UNMEASURED_SHARE, UNMEASURED_RUNS = 0.5, 2
# What was always in force together with others is judged with them: its own share is this unsure (log seconds).
TOGETHER = 0.25
# So is what two kinds of change did that were tried together, where each is this many times as unsure as both.
MOST_BLURRED = 2.0


_ONE_MORE_WITHOUT = Reason(ReasonCode.ONE_MORE_WITHOUT, {"runs": MAX_TRIALS})
_NEVER_WITHOUT = Reason(ReasonCode.NEVER_WITHOUT)


@dataclass(frozen=True, slots=True)
class Loss:
    """What an action was rolled back or expired with: input bytes (0 where unknown), and the context."""

    input_bytes: int = 0
    context: Context = field(default_factory=Context)

    def is_past(self, input_bytes: int, context: Context) -> bool:
        """Whether it says nothing of a run with such inputs, in such a context."""
        if context.difference(self.context):
            return True
        sizes = (input_bytes, self.input_bytes)
        return min(sizes) > 0 and max(sizes) >= INPUT_CHANGE * min(sizes)


@dataclass(frozen=True, slots=True)
class Record:
    """An action's standing after the runs so far, why, and the seconds it gained in its latest measured run.

    `losses` are those it was taken out after, `judged_at` is when the latest of its runs ended. `held_out`: why the
    next run is to be without it, to tell what it does. `unmeasured` runs in a row had mostly values that never ran without it.
    """

    decided: DecidedChange
    standing: Standing
    why: Reason
    trials: int = 0
    gain_seconds: float | None = None
    losses: tuple[Loss, ...] = ()
    judged_at: datetime | None = None
    held_out: Reason | None = None
    unmeasured: int = 0

    @property
    def now(self) -> DecidedChange:
        """The action as it stands after the runs so far."""
        found = replace(self.decided, standing=self.standing, why=self.why, held=None, gained_seconds=self.gain_seconds)
        return replace(found, standing=Standing.HELD, held=self.held_out) if self.held_out else found


@dataclass(slots=True)
class _Ledger:
    # As they stand in the context of the latest measured run; `elsewhere`, as each last stood in another.
    records: dict[str, Record] = field(default_factory=dict)
    elsewhere: ByContext[dict[str, Record]] = field(default_factory=lambda: ByContext(dict))
    histories: ByContext[History] = field(default_factory=lambda: ByContext(History))
    latest: Loss = field(default_factory=Loss)
    measured: tuple[Measured, ...] = ()
    # The core time that executors held, of each run whose number of executors varies.
    allocations: ByContext[History] = field(default_factory=lambda: ByContext(allocation_history))
    held: Measured | None = None
    # What is proven and not in force in the run that is judged: what is in its place must beat it.
    proven_out: list[DecidedChange] = field(default_factory=list)
    cleared: set[str] = field(default_factory=set)
    met: dict[str, set[str]] = field(default_factory=dict)
    # Input bytes of the runs that succeeded without what a failed run made suspect, by its id.
    suspected: dict[str, int] = field(default_factory=dict)


def read_ledger(
    runs: Sequence[Run], verdicts: Sequence[Verdict] = (), to_come: Context | None = None
) -> dict[str, Record]:
    """The records of all actions that ever were in force or ruled on, by action id, as they stand in a context `to_come`: by
    default in that of the latest measured run. `runs` are oldest first, with the classes of their values
    (`tuner.policy.literal_classes`)."""
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
        if followed := [_as_known(decided, known) for decided in changes_in_effect(run)]:
            _judge(ledger, run, followed, runs[:position], runs[position + 1 :])
        _leave_unproven(ledger, known)
    if to_come is not None:
        _enter(ledger, to_come)
    apply_rulings(ledger.records, rulings)
    return ledger.records


def _take_in(ledger: _Ledger, run: Run) -> Mapping[str, Record] | None:
    """What a run measured. If its context is another than that of the run before: what is known to stand there, before it."""
    if run.outcome is None:
        return None
    context = context_of(run.outcome, run.decision.cuts)
    known = _enter(ledger, context)
    ledger.latest = Loss(total_input_bytes(run.outcome.queries), context)
    ledger.measured = queries_that_read(run, ledger.histories.of(run))
    return known


def _enter(ledger: _Ledger, context: Context) -> Mapping[str, Record] | None:
    """Makes the records those of a context, if it is another than that of the latest run: as they last stood there; what was
    proven, but never there, is on trial again. Returns those that this tells of."""
    difference = context.difference(ledger.latest.context)
    if not difference:
        return None
    before = dict(ledger.records)
    ledger.elsewhere.at(ledger.latest.context).update(before)
    there = ledger.elsewhere.at(context)
    ledger.records = {id_: _as_there(record, there.pop(id_, None), difference) for id_, record in before.items()}
    return {id_: record for id_, record in ledger.records.items() if record is not before[id_]}


def _as_there(record: Record, there: Record | None, difference: str) -> Record:
    """`there` is the record as it last stood in the context. What a person pinned is so in any."""
    if record.standing is Standing.PINNED:
        return record
    if there is not None and there.standing is not Standing.PINNED:
        trials = 0 if there.standing is Standing.PROMOTED else there.trials
        return replace(there, decided=record.decided, losses=record.losses, trials=trials)
    if record.standing is Standing.PROMOTED:
        why = Reason(ReasonCode.NEW_TRIAL, {"difference": difference})
        return replace(record, standing=Standing.TRIAL, why=why, trials=0, held_out=None)
    return record


def _as_known(decided: DecidedChange, known: Mapping[str, Record]) -> DecidedChange:
    """What a run had on trial that was decided for another context is none where it is proven."""
    before = known.get(decided.id)
    if before is None or (decided.standing, before.standing) != (Standing.TRIAL, Standing.PROMOTED):
        return decided
    return replace(decided, standing=before.standing, why=before.why)


def _leave_unproven(ledger: _Ledger, known: Mapping[str, Record]) -> None:
    """What a run had as proven that was decided for another context is not proven in its own by that: it stands as it did."""
    for id_, before in known.items():
        record = ledger.records[id_]
        if record.standing is Standing.PROMOTED and record.decided.standing is Standing.PROMOTED:
            ledger.records[id_] = replace(record, standing=before.standing, why=before.why, trials=before.trials)


def _learn(ledger: _Ledger, run: Run) -> None:
    ledger.histories.of(run).add(ledger.measured)
    held, allocations = allocated(run), ledger.allocations.of(run)
    # What executors hold in a night that found nothing to read says nothing of other nights.
    ledger.held = held if held is not None and not allocations.is_of_nothing(held) else None
    if ledger.held is not None:
        allocations.add([ledger.held])
    for query in ledger.measured:
        for id_ in query.changes:
            ledger.met.setdefault(id_, set()).add(query.literals)


def _remember(ledger: _Ledger, run: Run, rulings: Rulings, *, is_foreseen: bool) -> None:
    """What was taken out stands in the decisions since, made when the runs that told were not yet too long ago. One that may have
    been made for another context (if not `is_foreseen`) says nothing of what is known to be out in that."""
    for decided in run.decision.changes:
        id_ = decided.id
        if decided.standing not in TAKEN_OUT or rulings.ever_rolled_back(decided.change) or id_ in ledger.cleared:
            continue
        before = ledger.records.get(id_)
        is_of_another = not is_foreseen and any(_is_out(there.get(id_)) for there in ledger.elsewhere)
        if not _is_out(before) and not (before and is_of_another):
            losses = (*(before.losses if before else ()), ledger.latest)
            ledger.records[id_] = Record(
                decided, decided.standing, decided.why, losses=losses, judged_at=run.started_at
            )


def _is_out(record: Record | None) -> bool:
    return record is not None and record.standing in TAKEN_OUT


def _end_hold(ledger: _Ledger, run: Run) -> None:
    """A run without a change has told what it was held out for, unless it found nothing to read."""
    in_force = {d.id for d in run.decision.in_force}
    for id_, record in ledger.records.items():
        if record.held_out and id_ not in in_force:
            change = record.decided.change
            if not _read_nothing(ledger, run, change.queries if change.is_on_joins else ()):
                ledger.records[id_] = replace(record, held_out=None)


def _read_nothing(ledger: _Ledger, run: Run, queries: Sequence[str]) -> bool:
    """Whether these queries, or all where there are none, came to their end in a measured run and read nothing that read
    something before."""
    finished = (
        {q.fingerprint for q in run.outcome.queries if q.status is QueryStatus.SUCCEEDED} if run.outcome else set()
    )
    ran = finished.intersection(queries) if queries else finished
    return bool(ran) and ran.isdisjoint(query.fingerprint for query in ledger.measured)


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


def _holds_more(allocation: Allocation | None, run: Run) -> Reason | None:
    surely = allocation is not None and allocation.is_surely_more
    return allocation.reason(ReasonCode.ALLOCATED_MORE, run) if allocation and surely else None


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
    total, gain = effect.total, effect.gain
    belief = believed(total, predictions([decided]))
    objective = run.decision.objective
    if loss := blame.get(decided.id) or _loss(effect, belief, run) or _holds_more(allocation, run):
        _record(ledger, run, decided, Standing.ROLLED_BACK, loss, gain)
    elif gain is None:
        _judge_unmeasured(ledger, run, decided)
    elif decided.change.secures and total.loss_probability < LIKELY_LOSS:
        _record(ledger, run, decided, Standing.PROMOTED, _measured(ReasonCode.SECURED, effect, others), gain)
    elif _is_faster(ledger, decided, effect, belief) and (allocation is None or allocation.is_worth(objective)):
        _record(ledger, run, decided, Standing.PROMOTED, _measured(ReasonCode.FASTER, effect, others), gain)
    elif allocation is not None and allocation.is_gain(objective) and total.ratio.above(1 + MOST_WORSE) < LIKELY_LOSS:
        _record(ledger, run, decided, Standing.PROMOTED, allocation.reason(ReasonCode.ALLOCATED_LESS, run), gain)
    elif _trials(ledger, decided) == MAX_TRIALS and _is_promising(total) and _gains_in_all(effect):
        why = _measured(ReasonCode.WITHIN_NOISE, effect, others)
        _record(ledger, run, decided, Standing.TRIAL, why, gain, held_out=_ONE_MORE_WITHOUT)
    elif _is_last(ledger, decided):
        why = Reason(ReasonCode.NO_GAIN, {"runs": MAX_TRIALS})
        if allocation is not None and not allocation.is_worth(objective):
            why = allocation.reason(ReasonCode.ALLOCATED_MORE, run)
        _record(ledger, run, decided, Standing.ROLLED_BACK, why, gain)
    elif _is_unlikely(ledger, decided, belief) and not _may_hold_less(decided, total, allocation, objective):
        why = _measured(ReasonCode.UNLIKELY_GAIN, effect, others)
        _record(ledger, run, decided, Standing.ROLLED_BACK, why, gain)
    else:
        _record(ledger, run, decided, Standing.TRIAL, _measured(ReasonCode.WITHIN_NOISE, effect, others), gain)


def _is_unlikely(ledger: _Ledger, decided: DecidedChange, belief: Comparison) -> bool:
    return _trials(ledger, decided) >= LEAST_TRIALS and belief.gain_probability < UNLIKELY_GAIN


def _may_hold_less(
    decided: DecidedChange, measured: Comparison, allocation: Allocation | None, objective: Objective
) -> bool:
    """Whether a change is not tried for seconds alone: it secures a plan, or core time is asked for, which takes runs to tell."""
    of_cost = objective is not Objective.TIME and allocation is not None
    return decided.change.secures or (of_cost and measured.ratio.above(1 + MOST_WORSE) < LIKELY_LOSS)


def _is_faster(ledger: _Ledger, decided: DecidedChange, effect: Effect, belief: Comparison) -> bool:
    return _gains_in_all(effect) and (belief.faster or (_is_last(ledger, decided) and _is_likely(effect.total)))


def _gains_in_all(effect: Effect) -> bool:
    """Whether a gain on some queries is not likely to be lost on others."""
    return effect.whole.gain_probability > 0.5


def _loses_in_all(effect: Effect) -> bool:
    """Whether a property surely costs its run more than it gains there; 3 % of a run are more than most changes gain."""
    whole = effect.whole
    return bool(effect.beside) and -whole.usual_gain > MIN_SECONDS and whole.ratio.above(1.0) > SURE_LOSS


def _is_last(ledger: _Ledger, decided: DecidedChange) -> bool:
    return _trials(ledger, decided) >= MAX_TRIALS


def _is_likely(measured: Comparison) -> bool:
    likely = measured.gain_probability > LIKELY_GAIN and measured.loss_probability < UNLIKELY_LOSS
    return likely and measured.usual_gain > MIN_GAIN_SECONDS


def _is_promising(measured: Comparison) -> bool:
    return measured.gain_probability > PROMISING_GAIN and measured.usual_gain > MIN_GAIN_SECONDS


def _judge_promoted(
    ledger: _Ledger,
    run: Run,
    decided: DecidedChange,
    effect: Effect,
    allocation: Allocation | None,
    blame: Mapping[str, Reason],
) -> None:
    if loss := blame.get(decided.id) or _loss(effect, effect.total, run) or _holds_more(allocation, run):
        _record(ledger, run, decided, Standing.ROLLED_BACK, loss, effect.gain)
    else:
        held_out = _severe_night(ledger, run, decided) if effect.comparisons else None
        _record(ledger, run, decided, Standing.PROMOTED, decided.why, effect.gain, held_out=held_out)
        _hold_out_if_unmeasured(ledger, run, decided)


def _severe_night(ledger: _Ledger, run: Run, decided: DecidedChange) -> Reason | None:
    """Why the next run is to be without what is proven: a night far slower than without it says little, but too much to go on."""
    history = ledger.histories.of(run)
    gain = max(0.0, record.gain_seconds or 0.0) if (record := ledger.records.get(decided.id)) else 0.0
    for query in ledger.measured:
        if decided.id not in query.changes | query.properties or query.literals in decided.excluded:
            continue
        ratio = history.night(query, decided.id)
        # Of many queries one is slow on most nights: one that a property was not meant for must outweigh what that gains.
        least = MIN_SECONDS if decided.id in query.changes else gain + MIN_SECONDS
        if history.has_slowed_down(query) or (ratio > SEVERE and query.seconds * (1 - 1 / ratio) > least):
            numbers: dict[str, Number] = {"query": query.fingerprint, "run": run.key, "seconds": query.seconds}
            return Reason(ReasonCode.HELD_OUT, {**numbers, "expected_seconds": query.seconds / ratio})
    return None


def _judge_unmeasured(ledger: _Ledger, run: Run, decided: DecidedChange) -> None:
    """What can never be measured can never be shown to be worth it."""
    trials = _trials(ledger, decided) if decided.standing is Standing.TRIAL else 0
    met = usable(run) and any(decided.id in q.changes | q.properties for q in ledger.measured)
    if trials == 1 and met and decided.why.code is ReasonCode.LENT:
        # Its first run had it: the next is what the others are held against.
        _record(ledger, run, decided, decided.standing, decided.why, held_out=_NEVER_WITHOUT)
    elif trials == MAX_TRIALS and met:
        _record(ledger, run, decided, decided.standing, decided.why, held_out=_ONE_MORE_WITHOUT)
    elif usable(run) and _read_nothing(ledger, run, decided.queries):
        _record(ledger, run, decided, decided.standing, decided.why, counts=False)
    elif trials >= MAX_TRIALS:
        why = Reason(ReasonCode.NEVER_MEASURED, {"runs": MAX_TRIALS})
        _record(ledger, run, decided, Standing.ROLLED_BACK, why)
    else:
        _record(ledger, run, decided, decided.standing, decided.why)
        if usable(run):
            _hold_out_if_unmeasured(ledger, run, decided)


def _unmeasured(ledger: _Ledger, run: Run, decided: DecidedChange) -> int:
    """How many runs in a row, this one included, had mostly queries with values that never ran without a property."""
    if decided.change.is_on_joins:
        return 0
    history, before = ledger.histories.of(run), ledger.records.get(decided.id)
    reached = [query for query in ledger.measured if decided.id in query.properties]
    known = sum(query.seconds for query in reached if history.effect(query, frozenset([decided.id])) is not None)
    if known >= UNMEASURED_SHARE * sum(query.seconds for query in reached):
        return 0
    return 1 + (before.unmeasured if before else 0)


def _hold_out_if_unmeasured(ledger: _Ledger, run: Run, decided: DecidedChange) -> None:
    """Leaves the next run without a property that may lose on values which came after it: no run would ever tell."""
    record = ledger.records[decided.id]
    due = UNMEASURED_RUNS if decided.standing is Standing.PROMOTED else 1
    if record.unmeasured == due and record.held_out is None:
        why = Reason(ReasonCode.NO_RUN_WITHOUT, {"run": run.key})
        ledger.records[decided.id] = replace(record, held_out=why)


def _loss(effect: Effect, belief: Comparison, run: Run) -> Reason | None:
    if not effect.comparisons or not (belief.slower or _loses_in_all(effect)):
        return None
    worst = min((*effect.named, *effect.beside), key=lambda c: c.gain)
    return slower(worst, run, named=worst not in effect.beside)


def _others(decided: DecidedChange, group: Sequence[DecidedChange]) -> int:
    """How many other trials of the group reach its queries."""
    queries = set(decided.queries)
    return len({d.change.trial for d in group if not queries.isdisjoint(d.queries)} - {decided.change.trial})


def _measured(code: ReasonCode, effect: Effect, others: int) -> Reason:
    """In seconds as they were measured; how fast the machine was is said beside them, not mixed into them."""
    total = effect.total
    return Reason(
        code,
        {
            "usual_seconds": total.usual,
            "seconds": total.measured,
            "queries": len(effect.comparisons),
            "queries_not_named": len(effect.moved),
            "other_changes": others,
            "machine_speed": total.speed,
            "gain_probability": total.gain_probability,
        },
    )


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
) -> None:
    before = ledger.records.get(decided.id)
    losses = before.losses if before else ()
    if before is not None and before.judged_at is not None and run.started_at < before.judged_at:
        # It was decided before the other run had told: that stays said.
        if before.standing in TAKEN_OUT and standing not in TAKEN_OUT:
            return
        decided = replace(decided, excluded=tuple(sorted({*decided.excluded, *before.decided.excluded})))
        held_out = held_out or before.held_out
    own = _context_of_failed(ledger, run) if standing in TAKEN_OUT else None
    if standing in TAKEN_OUT:
        losses = (*losses, ledger.latest, *([replace(ledger.latest, context=own)] if own else []))
        ledger.cleared.discard(decided.id)
        ledger.suspected.pop(decided.id, None)
    found = Record(
        decided=decided,
        standing=standing,
        why=why,
        trials=_trials(ledger, decided) - (not counts),
        gain_seconds=gain if gain is not None or before is None else before.gain_seconds,
        losses=losses,
        judged_at=_latest_end(run, before),
        held_out=held_out,
        unmeasured=_unmeasured(ledger, run, decided) if usable(run) else before.unmeasured if before else 0,
    )
    ledger.records[decided.id] = found
    if own is not None:
        ledger.elsewhere.at(own)[decided.id] = found


def _context_of_failed(ledger: _Ledger, run: Run) -> Context | None:
    """The context of a run that was not measured, where its log tells another than that of the latest that was: as the log may
    break off, what it takes out is out in both."""
    if usable(run) or run.outcome is None:
        return None
    context = context_of(run.outcome, run.decision.cuts)
    return context if context.difference(ledger.latest.context) else None


def _latest_end(run: Run, before: Record | None) -> datetime:
    """When the last of a change's runs has ended: of runs side by side, the first to begin may be that."""
    took = run.ended_at - run.started_at if run.ended_at else timedelta()
    # A clock that was ahead is believed for no longer than a run may take.
    ended = run.started_at + min(took, LONGEST_RUN)
    return ended if before is None or before.judged_at is None else max(ended, before.judged_at)


def apply_rulings(records: dict[str, Record], rulings: Rulings) -> None:
    """What a person said last counts more than what was measured; approval leaves the standing to the measurements."""
    standings = {Ruling.PIN: Standing.PINNED, Ruling.REJECT: Standing.HELD, Ruling.ROLL_BACK: Standing.ROLLED_BACK}
    for id_, record in records.items():
        verdict = rulings.on(record.decided.change)
        if verdict is not None and (standing := standings.get(verdict.ruling)):
            why = ruled_by(verdict, (record.why,) if record.standing is Standing.EXPIRED else ())
            records[id_] = replace(record, standing=standing, why=why, held_out=None)


def ruled_by(verdict: Verdict, because: tuple[Reason, ...] = ()) -> Reason:
    """What a person said of a change, as the reason for where it stands."""
    return Reason(
        ReasonCode.RULED, {"ruling": verdict.ruling.value, "by": verdict.by, "reason": verdict.reason}, because
    )


def same_target(a: Action, b: Action) -> bool:
    """Whether two actions set the same thing, so that only one can be in force."""
    return (a.kind, a.target, a.query, a.relations) == (b.kind, b.target, b.query, b.relations)


def share_target(one: Change, other: Change) -> bool:
    """Whether two changes set the same thing; people analyse tables for several."""
    return any(same_target(a, b) for a in one.carried_out for b in other.carried_out)


def differ_on_target(one: Change, other: Change) -> bool:
    """Whether two changes set the same thing to different values, so that only one can be in force."""
    pairs = ((a, b) for a in one.carried_out for b in other.carried_out)
    return any(same_target(a, b) and a.value != b.value for a, b in pairs)
