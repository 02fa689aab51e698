"""What a cohort's history says of each action: on trial, promoted, rolled back. A fold over runs in time order."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from tuner.model.action import Action, ActionKind
from tuner.model.decision import TAKEN_OUT, DecidedAction, Standing
from tuner.model.run import Run, RunState
from tuner.model.verdict import Ruling, Verdict
from tuner.policy.blame import Blame, blamed
from tuner.policy.context import ByContext, Context, context_of
from tuner.policy.failed import Failing, said_by_failure
from tuner.policy.followed import in_effect, not_followed
from tuner.policy.measure import (
    Comparisons,
    History,
    Measured,
    compare,
    measured_queries,
    total_input_bytes,
    usable,
)
from tuner.policy.sum import Sum
from tuner.policy.together import together
from tuner.units import format_seconds

# After so many trials that neither won nor lost, an action has shown that it does nothing.
MAX_TRIALS = 3
# A rolled back action may be tried again when inputs have grown or shrunk by this factor.
INPUT_CHANGE = 2.0
# One slow night does not undo what was proven: so many in a row do, or one that is far beyond noise.
MAX_SLOW_RUNS = 2
# A machine that is slower or faster than usual by less is not worth a word.
SAID_SPEED = 0.02


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

    decided: DecidedAction
    standing: Standing
    reason: str
    trials: int = 0
    gain_seconds: float | None = None
    losses: tuple[Loss, ...] = ()
    judged_at: datetime | None = None
    slow_runs: int = 0
    suspected: bool = False

    @property
    def now(self) -> DecidedAction:
        """The action as it stands after the runs so far."""
        return replace(self.decided, standing=self.standing, reason=self.reason, gained_seconds=self.gain_seconds)


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
    by_person = {v.action_id for v in verdicts if v.ruling is Ruling.ROLL_BACK}
    for position, run in enumerate(runs):
        difference = ""
        if usable(run) and run.outcome:
            context = context_of(run.outcome)
            difference = context.difference(ledger.latest.context)
            ledger.latest = Loss(total_input_bytes(run.outcome.queries), context)
            ledger.measured = measured_queries(run)
        _remember(ledger, run, by_person)
        _expire(ledger, run)
        if followed := in_effect(run):
            _judge(ledger, run, followed, runs[:position], runs[position + 1 :])
        if usable(run):
            ledger.histories.of(run).add(ledger.measured)
        if difference:
            _try_anew(ledger, difference)
    apply_verdicts(ledger.records, verdicts)
    return ledger.records


def _remember(ledger: _Ledger, run: Run, by_person: Collection[str]) -> None:
    """What was taken out stands in the decisions since, made when the runs that told were not yet too long ago."""
    for decided in run.decision.actions:
        id_ = decided.action.id
        if decided.standing not in TAKEN_OUT or id_ in by_person or id_ in ledger.cleared:
            continue
        before = ledger.records.get(id_)
        if before is None or before.standing not in TAKEN_OUT:
            losses = (*(before.losses if before else ()), ledger.latest)
            ledger.records[id_] = Record(
                decided, decided.standing, decided.reason, losses=losses, judged_at=run.started_at
            )


def _try_anew(ledger: _Ledger, difference: str) -> None:
    """What was proven in another context is on trial again."""
    for id_, record in ledger.records.items():
        if record.standing is Standing.PROMOTED:
            reason = f"proven before; {difference}: on trial again"
            ledger.records[id_] = replace(record, standing=Standing.TRIAL, reason=reason, trials=0, slow_runs=0)


def _expire(ledger: _Ledger, run: Run) -> None:
    """What its query ran without is out of force, and of its times nothing is said."""
    reasons = not_followed(run)
    for decided in run.decision.actions:
        if why := reasons.get(decided.action.id):
            _record(ledger, run, decided, Standing.EXPIRED, why)


def _judge(
    ledger: _Ledger, run: Run, in_force: list[DecidedAction], earlier: Sequence[Run], later: Sequence[Run]
) -> None:
    if run.state is RunState.RUNNING:
        for decided in in_force:
            ledger.records.setdefault(decided.action.id, Record(decided, decided.standing, decided.reason))
    elif run.state in (RunState.FAILED, RunState.PARTIAL):
        _judge_failure(ledger, run, in_force, earlier, later)
    elif usable(run):
        _judge_times(ledger, run, in_force)
    else:
        for decided in in_force:
            _judge_unmeasured(ledger, run, decided)


def _judge_failure(
    ledger: _Ledger, run: Run, in_force: list[DecidedAction], earlier: Sequence[Run], later: Sequence[Run]
) -> None:
    last_trials = {d.action.id for d in in_force if _trials(ledger, d) >= MAX_TRIALS}
    suspected = {id_ for id_, record in ledger.records.items() if record.suspected}
    for said in said_by_failure(Failing(run, earlier, later, last_trials, suspected), in_force):
        id_ = said.decided.action.id
        if said.cleared:
            ledger.cleared.add(id_)
        suspect = said.suspected or id_ in suspected
        _record(ledger, run, said.decided, said.standing, said.reason, counts=said.counts, suspected=suspect)


def _judge_times(ledger: _Ledger, run: Run, in_force: list[DecidedAction]) -> None:
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
        beside = () if any(d.action.kind is ActionKind.SET_CONF for d in trials) else found.beside
        _judge_group(ledger, run, proven, replace(found, touched=clear, beside=beside), blurred)


def _compare(ledger: _Ledger, run: Run, without: Sequence[DecidedAction]) -> Comparisons:
    return compare(run, ledger.histories.of(run), {d.action.id for d in without}, ledger.measured)


def _judge_group(
    ledger: _Ledger, run: Run, group: list[DecidedAction], found: Comparisons, blurred: Collection[str] = ()
) -> None:
    blame = blamed(run, group, found, ledger.histories.of(run), blurred)
    moved = found.moved if len({together(d) for d in group if d.action.kind is ActionKind.SET_CONF}) == 1 else ()
    for decided in group:
        named = [c for c in found.touched if c.fingerprint in decided.queries]
        sum_ = Sum(named, moved if decided.action.kind is ActionKind.SET_CONF else (), found.drift)
        if decided.standing is Standing.TRIAL:
            _judge_trial(ledger, run, decided, sum_, blame, _others(decided, group))
        elif decided.standing is Standing.PROMOTED:
            _judge_promoted(ledger, run, decided, sum_, blame)
        else:
            _record(ledger, run, decided, decided.standing, decided.reason, sum_.gain)


def _judge_trial(
    ledger: _Ledger, run: Run, decided: DecidedAction, sum_: Sum, blame: Mapping[str, Blame], others: int
) -> None:
    total, gain = sum_.total, sum_.gain
    if loss := blame.get(decided.action.id) or _loss(sum_, run):
        _record(ledger, run, decided, Standing.ROLLED_BACK, loss.reason, gain)
    elif gain is None:
        _judge_unmeasured(ledger, run, decided)
    elif total.faster:
        _record(ledger, run, decided, Standing.PROMOTED, _won(sum_, others), gain)
    elif _trials(ledger, decided) >= MAX_TRIALS:
        _record(ledger, run, decided, Standing.ROLLED_BACK, f"no gain beyond noise in {MAX_TRIALS} runs", gain)
    else:
        reason = f"{_won(sum_, others)}: within noise ({total.noise:.0%}), tried once more"
        _record(ledger, run, decided, Standing.TRIAL, reason, gain)


def _judge_promoted(ledger: _Ledger, run: Run, decided: DecidedAction, sum_: Sum, blame: Mapping[str, Blame]) -> None:
    before = ledger.records.get(decided.action.id)
    loss = blame.get(decided.action.id) or _loss(sum_, run)
    slow_runs = (before.slow_runs if before else 0) + 1 if loss else 0
    if loss and (loss.severe or slow_runs >= MAX_SLOW_RUNS):
        _record(ledger, run, decided, Standing.ROLLED_BACK, loss.reason, sum_.gain)
    else:
        _record(ledger, run, decided, Standing.PROMOTED, decided.reason, sum_.gain, slow_runs)


def _judge_unmeasured(ledger: _Ledger, run: Run, decided: DecidedAction) -> None:
    """What can never be measured can never be shown to be worth it."""
    if decided.standing is Standing.TRIAL and _trials(ledger, decided) >= MAX_TRIALS:
        _record(ledger, run, decided, Standing.ROLLED_BACK, f"could not be measured in {MAX_TRIALS} runs")
    else:
        before = ledger.records.get(decided.action.id)
        suspect = before is not None and before.suspected
        _record(ledger, run, decided, decided.standing, decided.reason, suspected=suspect)


def _loss(sum_: Sum, run: Run) -> Blame | None:
    if not sum_.total.slower:
        return None
    worst = min(sum_.comparisons, key=lambda c: c.gain)
    return Blame.beside(worst, run) if worst in sum_.moved else Blame.of(worst, run)


def _others(decided: DecidedAction, group: Sequence[DecidedAction]) -> int:
    """How many other changes of the group reach its queries: recommendations, which rest on evidence of their own."""
    queries = set(decided.queries)
    return len({d.evidence for d in group if d.evidence != decided.evidence and not queries.isdisjoint(d.queries)})


def _won(sum_: Sum, others: int) -> str:
    """In seconds as they were measured; how fast the machine was is said beside them, not mixed into them."""
    total = sum_.total
    words = f"{format_seconds(total.usual)} became {format_seconds(total.measured)} over {sum_.words}"
    if others:
        words += f", together with {others} other change{'s' if others > 1 else ''}"
    if abs(total.speed - 1) < SAID_SPEED:
        return words
    how = f"{abs(total.speed - 1):.0%} {'slower' if total.speed > 1 else 'faster'}"
    return f"{words}, on a machine {how} than usual"


def _trials(ledger: _Ledger, decided: DecidedAction) -> int:
    """How many trials in a row, this one included; once it was taken out they count anew."""
    before = ledger.records.get(decided.action.id)
    return 1 if before is None or before.standing in TAKEN_OUT else before.trials + 1


def _record(
    ledger: _Ledger,
    run: Run,
    decided: DecidedAction,
    standing: Standing,
    reason: str,
    gain: float | None = None,
    slow_runs: int = 0,
    *,
    counts: bool = True,
    suspected: bool = False,
) -> None:
    before = ledger.records.get(decided.action.id)
    losses = before.losses if before else ()
    if standing in TAKEN_OUT:
        losses = (*losses, ledger.latest)
        ledger.cleared.discard(decided.action.id)
    ledger.records[decided.action.id] = Record(
        decided=decided,
        standing=standing,
        reason=reason,
        trials=_trials(ledger, decided) - (not counts),
        gain_seconds=gain if gain is not None or before is None else before.gain_seconds,
        losses=losses,
        judged_at=run.ended_at or run.started_at,
        slow_runs=slow_runs,
        suspected=suspected,
    )


def apply_verdicts(records: dict[str, Record], verdicts: Sequence[Verdict]) -> None:
    """What a person said last counts more than what was measured; approval leaves the standing to the measurements."""
    standings = {Ruling.PIN: Standing.PINNED, Ruling.REJECT: Standing.HELD, Ruling.ROLL_BACK: Standing.ROLLED_BACK}
    newest = {verdict.action_id: verdict for verdict in verdicts}
    for action_id in records:
        verdict = newest.get(action_id)
        standing = standings.get(verdict.ruling) if verdict else None
        if verdict and standing:
            words, record = verdict.words, records[action_id]
            if record.standing is Standing.EXPIRED:
                words += f"; {record.reason}"
            records[action_id] = replace(record, standing=standing, reason=words)


def same_target(a: Action, b: Action) -> bool:
    """Whether two actions set the same thing, so that only one can be in force."""
    return (a.kind, a.target, a.query, a.relations) == (b.kind, b.target, b.query, b.relations)
