"""What a cohort's history says of each action: on trial, promoted, rolled back. A fold over runs in time order."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from tuner.model.action import Action
from tuner.model.change import Change
from tuner.model.decision import TAKEN_OUT, DecidedChange, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run, RunState
from tuner.model.verdict import Ruling, Verdict
from tuner.policy.blame import Blame, blamed
from tuner.policy.changes_in_effect import changes_in_effect, not_followed
from tuner.policy.context import ByContext, Context, context_of
from tuner.policy.effect import Effect
from tuner.policy.failed_run import FailedRun, after_failure
from tuner.policy.measure import (
    Comparisons,
    History,
    Measured,
    compare,
    measured_queries,
    total_input_bytes,
    usable,
)
from tuner.policy.rulings import Rulings

# After so many trials that neither won nor lost, an action has shown that it does nothing.
MAX_TRIALS = 3
# A rolled back action may be tried again when inputs have grown or shrunk by this factor.
INPUT_CHANGE = 2.0
# One slow night does not undo what was proven: so many in a row do, or one that is far beyond noise.
MAX_SLOW_RUNS = 2


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

    `losses` are those it was taken out after, `judged_at` is when the latest of its runs ended. `suspected`: the latest of its
    runs that told failed, though nothing says that it made that.
    """

    decided: DecidedChange
    standing: Standing
    why: Reason
    trials: int = 0
    gain_seconds: float | None = None
    losses: tuple[Loss, ...] = ()
    judged_at: datetime | None = None
    slow_runs: int = 0
    suspected: bool = False

    @property
    def now(self) -> DecidedChange:
        """The action as it stands after the runs so far."""
        return replace(self.decided, standing=self.standing, why=self.why, held=None, gained_seconds=self.gain_seconds)


@dataclass(slots=True)
class _Ledger:
    records: dict[str, Record] = field(default_factory=dict)
    histories: ByContext[History] = field(default_factory=lambda: ByContext(History))
    latest: Loss = field(default_factory=Loss)
    measured: tuple[Measured, ...] = ()
    cleared: set[str] = field(default_factory=set)


def read_ledger(runs: Sequence[Run], verdicts: Sequence[Verdict] = ()) -> dict[str, Record]:
    """The records of all actions that ever were in force or ruled on, by action id. `runs` are oldest first."""
    ledger = _Ledger()
    rulings = Rulings.of(verdicts, (d.change for run in runs for d in run.decision.changes))
    for position, run in enumerate(runs):
        difference = ""
        if usable(run) and run.outcome:
            context = context_of(run.outcome)
            difference = context.difference(ledger.latest.context)
            ledger.latest = Loss(total_input_bytes(run.outcome.queries), context)
            ledger.measured = measured_queries(run)
        _remember(ledger, run, rulings)
        _expire(ledger, run)
        if followed := changes_in_effect(run):
            _judge(ledger, run, followed, runs[:position], runs[position + 1 :])
        if usable(run):
            ledger.histories.of(run).add(ledger.measured)
        if difference:
            _try_anew(ledger, difference)
    apply_rulings(ledger.records, rulings)
    return ledger.records


def _remember(ledger: _Ledger, run: Run, rulings: Rulings) -> None:
    """What was taken out stands in the decisions since, made when the runs that told were not yet too long ago."""
    for decided in run.decision.changes:
        id_ = decided.id
        if decided.standing not in TAKEN_OUT or rulings.ever_rolled_back(decided.change) or id_ in ledger.cleared:
            continue
        before = ledger.records.get(id_)
        if before is None or before.standing not in TAKEN_OUT:
            losses = (*(before.losses if before else ()), ledger.latest)
            ledger.records[id_] = Record(
                decided, decided.standing, decided.why, losses=losses, judged_at=run.started_at
            )


def _try_anew(ledger: _Ledger, difference: str) -> None:
    """What was proven in another context is on trial again."""
    for id_, record in ledger.records.items():
        if record.standing is Standing.PROMOTED:
            why = Reason(ReasonCode.NEW_TRIAL, {"difference": difference})
            ledger.records[id_] = replace(record, standing=Standing.TRIAL, why=why, trials=0, slow_runs=0)


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
    elif run.state in (RunState.FAILED, RunState.PARTIAL):
        _judge_failure(ledger, run, in_force, earlier, later)
    elif usable(run):
        _judge_times(ledger, run, in_force)
    else:
        for decided in in_force:
            _judge_unmeasured(ledger, run, decided)


def _judge_failure(
    ledger: _Ledger, run: Run, in_force: list[DecidedChange], earlier: Sequence[Run], later: Sequence[Run]
) -> None:
    last_trials = {d.id for d in in_force if _trials(ledger, d) >= MAX_TRIALS}
    suspected = {id_ for id_, record in ledger.records.items() if record.suspected}
    for said in after_failure(FailedRun(run, earlier, later, last_trials, suspected), in_force):
        id_ = said.decided.id
        if said.cleared:
            ledger.cleared.add(id_)
        suspect = said.suspected or id_ in suspected
        _record(ledger, run, said.decided, said.standing, said.why, counts=said.counts, suspected=suspect)


def _judge_times(ledger: _Ledger, run: Run, in_force: list[DecidedChange]) -> None:
    """Trials against runs without them; what is proven against runs with nothing, where no trial blurs it."""
    trials = [d for d in in_force if d.standing is Standing.TRIAL]
    proven = [d for d in in_force if d.standing is not Standing.TRIAL]
    blurred = {fingerprint for decided in trials for fingerprint in decided.queries}
    if trials:
        _judge_group(ledger, run, trials, _compare(ledger, run, trials))
    if proven:
        found = _compare(ledger, run, in_force)
        clear = tuple(c for c in found.touched if c.fingerprint not in blurred)
        # What a property on trial does to queries it was not meant for is not told from what a proven one does.
        beside = () if any(not d.change.is_on_joins for d in trials) else found.beside
        _judge_group(ledger, run, proven, replace(found, touched=clear, beside=beside), blurred)


def _compare(ledger: _Ledger, run: Run, without: Sequence[DecidedChange]) -> Comparisons:
    return compare(run, ledger.histories.of(run), {d.id for d in without}, ledger.measured)


def _judge_group(
    ledger: _Ledger, run: Run, group: list[DecidedChange], found: Comparisons, blurred: Collection[str] = ()
) -> None:
    blame = blamed(run, group, found, ledger.histories.of(run), blurred)
    properties = [d for d in group if not d.change.is_on_joins]
    moved = found.moved if len(properties) == 1 else ()
    for decided in group:
        named = [c for c in found.touched if c.fingerprint in decided.queries]
        effect = Effect(named, () if decided.change.is_on_joins else moved, found.drift)
        if decided.standing is Standing.TRIAL:
            _judge_trial(ledger, run, decided, effect, blame, _others(decided, group))
        elif decided.standing is Standing.PROMOTED:
            _judge_promoted(ledger, run, decided, effect, blame)
        else:
            _record(ledger, run, decided, decided.standing, decided.why, effect.gain)


def _judge_trial(
    ledger: _Ledger, run: Run, decided: DecidedChange, effect: Effect, blame: Mapping[str, Blame], others: int
) -> None:
    total, gain = effect.total, effect.gain
    if loss := blame.get(decided.id) or _loss(effect, run):
        _record(ledger, run, decided, Standing.ROLLED_BACK, loss.reason, gain)
    elif gain is None:
        _judge_unmeasured(ledger, run, decided)
    elif total.faster:
        _record(ledger, run, decided, Standing.PROMOTED, _measured(ReasonCode.FASTER, effect, others), gain)
    elif _trials(ledger, decided) >= MAX_TRIALS:
        _record(ledger, run, decided, Standing.ROLLED_BACK, Reason(ReasonCode.NO_GAIN, {"runs": MAX_TRIALS}), gain)
    else:
        _record(ledger, run, decided, Standing.TRIAL, _measured(ReasonCode.WITHIN_NOISE, effect, others), gain)


def _judge_promoted(
    ledger: _Ledger, run: Run, decided: DecidedChange, effect: Effect, blame: Mapping[str, Blame]
) -> None:
    before = ledger.records.get(decided.id)
    loss = blame.get(decided.id) or _loss(effect, run)
    slow_runs = (before.slow_runs if before else 0) + 1 if loss else 0
    if loss and (loss.severe or slow_runs >= MAX_SLOW_RUNS):
        _record(ledger, run, decided, Standing.ROLLED_BACK, loss.reason, effect.gain)
    else:
        _record(ledger, run, decided, Standing.PROMOTED, decided.why, effect.gain, slow_runs)


def _judge_unmeasured(ledger: _Ledger, run: Run, decided: DecidedChange) -> None:
    """What can never be measured can never be shown to be worth it."""
    if decided.standing is Standing.TRIAL and _trials(ledger, decided) >= MAX_TRIALS:
        why = Reason(ReasonCode.NEVER_MEASURED, {"runs": MAX_TRIALS})
        _record(ledger, run, decided, Standing.ROLLED_BACK, why)
    else:
        before = ledger.records.get(decided.id)
        suspect = before is not None and before.suspected
        _record(ledger, run, decided, decided.standing, decided.why, suspected=suspect)


def _loss(effect: Effect, run: Run) -> Blame | None:
    if not effect.total.slower:
        return None
    worst = min(effect.comparisons, key=lambda c: c.gain)
    return Blame.beside(worst, run) if worst in effect.moved else Blame.of(worst, run)


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
            "noise": total.noise,
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
    slow_runs: int = 0,
    *,
    counts: bool = True,
    suspected: bool = False,
) -> None:
    before = ledger.records.get(decided.id)
    losses = before.losses if before else ()
    if standing in TAKEN_OUT:
        losses = (*losses, ledger.latest)
        ledger.cleared.discard(decided.id)
    ledger.records[decided.id] = Record(
        decided=decided,
        standing=standing,
        why=why,
        trials=_trials(ledger, decided) - (not counts),
        gain_seconds=gain if gain is not None or before is None else before.gain_seconds,
        losses=losses,
        judged_at=run.ended_at or run.started_at,
        slow_runs=slow_runs,
        suspected=suspected,
    )


def apply_rulings(records: dict[str, Record], rulings: Rulings) -> None:
    """What a person said last counts more than what was measured; approval leaves the standing to the measurements."""
    standings = {Ruling.PIN: Standing.PINNED, Ruling.REJECT: Standing.HELD, Ruling.ROLL_BACK: Standing.ROLLED_BACK}
    for id_, record in records.items():
        verdict = rulings.on(record.decided.change)
        if verdict is not None and (standing := standings.get(verdict.ruling)):
            why = ruled_by(verdict, (record.why,) if record.standing is Standing.EXPIRED else ())
            records[id_] = replace(record, standing=standing, why=why)


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
