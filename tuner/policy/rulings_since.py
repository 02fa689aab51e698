"""A decision for the next run, made when the latest one ended, as it would be now that people have spoken since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from tuner.model.action import ActionKind
from tuner.model.decision import TAKEN_OUT, DecidedChange, Decision, Mode, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.model.verdict import Verdict
from tuner.policy.decide import ruled
from tuner.policy.decided_advice import decided_advice
from tuner.policy.held_out import HELD_OUT
from tuner.policy.imported_changes import NO_IMPORTS, Imports, with_imports
from tuner.policy.record import Loss, Record
from tuner.policy.rulings import Rulings, apply_rulings, ruled_by
from tuner.policy.same_target import differ_on_target
from tuner.policy.situation import BY_SUBMIT, Situation

# What runs or the job's settings hold, whatever is approved or said of others: neither is known here.
_STAYS_HELD = HELD_OUT | frozenset(
    {
        ReasonCode.UNDIRECTABLE,
        ReasonCode.NOT_DETERMINISTIC,
        ReasonCode.KEPT_BY_CHECKPOINT,
        ReasonCode.OVERRULED,
        ReasonCode.OVERSIZED,
        ReasonCode.ON_TRIAL_IN_ANOTHER_RUN,
        ReasonCode.NEW_CONTEXT,
    }
)


def rulings_since(
    outlook: Decision,
    made_at: datetime,
    verdicts: Sequence[Verdict],
    mode: Mode,
    imports: Imports = NO_IMPORTS,
) -> Decision:
    """The same changes in the same order, each where verdicts newer than `made_at` and the mode put it, and why; then what was
    imported since. Sizes are other than the job's own in mode auto alone.

    The rules of a decision are asked twice, for without runs they may put a change elsewhere than the outlook has it: only where
    what was said makes a difference to them, it does to a change.
    """
    if not any(v.at > made_at for v in verdicts) and mode is outlook.mode and not imports.changes:
        return outlook
    rulings = Rulings.of(verdicts, (decided.change for decided in outlook.changes))
    spoken = {d.id: v for d in outlook.changes if (v := rulings.on(d.change)) and v.at > made_at}
    before = [v for v in verdicts if v.at <= made_at]
    unsaid = {d.id: d for d in _decide_again(outlook, made_at, before, outlook.mode, {}, NO_IMPORTS)}
    now = {d.id: d for d in _decide_again(outlook, made_at, verdicts, mode, spoken, imports)}
    given = mode if mode is not outlook.mode else None
    asked_for = [now[id_] for id_, verdict in spoken.items() if verdict.is_asked_for and id_ in now]
    imported = {change.id for change in imports.changes}
    changes = []
    for d in outlook.changes:
        if d.id in spoken:
            changes.append(_as_said(d, now.get(d.id, d), spoken[d.id], mode))
        elif d.id not in now:
            changes.append(_replaced(d, asked_for, spoken))
        elif d.id in imported or _is_moved(unsaid.get(d.id), now[d.id], given):
            changes.append(_as_now(d, now[d.id], given))
        else:
            changes.append(d)
    known = {d.id for d in outlook.changes}
    new = [now[change.id] for change in imports.changes if change.id in now and change.id not in known]
    sized = outlook if mode is Mode.AUTO else replace(outlook, raises=(), cuts=())
    return replace(sized, mode=mode, changes=(*changes, *new))


def _decide_again(
    outlook: Decision,
    made_at: datetime,
    verdicts: Sequence[Verdict],
    mode: Mode,
    spoken: dict[str, Verdict],
    imports: Imports,
) -> list[DecidedChange]:
    """By the rules of a decision, with the outlook in place of what history and advisors say."""
    known = [d for d in outlook.changes if _is_known(d) and not _is_replaced(d, imports)]
    records = {d.id: _record(d, made_at, d.id in spoken) for d in known}
    apply_rulings(records, Rulings.of(verdicts, (decided.change for decided in outlook.changes)))
    situation = Situation(
        mode=mode,
        try_number=1,
        runs=(),
        advised=with_imports(imports, (decided.change for decided in outlook.changes)),
        verdicts=verdicts,
        drivable=_drivable(outlook),
        unlike=imports.waiting,
    )
    stand = [replace(r.decided, standing=r.standing, why=r.why) for r in records.values()]
    return ruled(situation, [*stand, *decided_advice(situation, records)])


def _is_known(decided: DecidedChange) -> bool:
    stays_held = decided.held is not None and decided.held.code in _STAYS_HELD
    return decided.is_in_force or decided.standing in TAKEN_OUT or (decided.standing is Standing.HELD and stays_held)


def _is_replaced(decided: DecidedChange, imports: Imports) -> bool:
    """Whether it was to be tried for the first time, and is now tried after what was imported in its place."""
    is_new = decided.standing is Standing.TRIAL and decided.why == decided.change.reason
    return is_new and any(differ_on_target(decided.change, change) for change in imports.changes)


def _record(decided: DecidedChange, made_at: datetime, spoken: bool) -> Record:
    # What a person takes their pin from is left to measurements again.
    standing = Standing.TRIAL if spoken and decided.standing is Standing.PINNED else decided.standing
    # Only a person brings back what was taken out: of inputs nothing is known here.
    return Record(decided, standing, decided.why, losses=(Loss(),), judged_at=made_at)


def _drivable(outlook: Decision) -> frozenset[ActionKind]:
    """What was carried out, or could be: an order of joins that was left to people could not, and mode auto proposes no other."""
    orders = [d for d in outlook.changes if d.change.kind is ActionKind.ORDER_JOINS and d.standing is Standing.PROPOSED]
    left = any(outlook.mode is Mode.AUTO or _is_left_to_people(d) for d in orders)
    return BY_SUBMIT if left else BY_SUBMIT | {ActionKind.ORDER_JOINS}


def _is_left_to_people(decided: DecidedChange) -> bool:
    return decided.held is not None and decided.held.code is ReasonCode.LEFT_TO_PEOPLE


def _as_said(before: DecidedChange, now: DecidedChange, verdict: Verdict, mode: Mode) -> DecidedChange:
    return replace(before, standing=now.standing, why=_since(verdict, now, mode), held=None)


def _as_now(before: DecidedChange, now: DecidedChange, given: Mode | None) -> DecidedChange:
    """`given` is the mode that put it where it is now; None where what was said of others, or imported, did."""
    if now.standing is before.standing:
        return before
    if given is None or (now.held and now.held.code is ReasonCode.RULED_ANOTHER):
        return now
    return replace(before, standing=now.standing, held=Reason(ReasonCode.MODE_SINCE, {"mode": given.value}))


def _is_moved(unsaid: DecidedChange | None, now: DecidedChange, given: Mode | None) -> bool:
    """Whether what was said since makes a difference to a change, or a mode leaves it to people, as it may have been before."""
    if given is not None and now.standing is Standing.PROPOSED:
        return True
    return unsaid is None or now.standing is not unsaid.standing


def _replaced(
    before: DecidedChange, asked_for: Sequence[DecidedChange], spoken: Mapping[str, Verdict]
) -> DecidedChange:
    """What nothing is left of: held, where a person asked for another in its place."""
    rivals = (d for d in asked_for if d.is_in_force and differ_on_target(d.change, before.change))
    rival = next(rivals, None) if before.is_in_force else None
    if rival is None:
        return before
    held = Reason(ReasonCode.RULED_ANOTHER, because=(ruled_by(spoken[rival.id]),))
    return replace(before, standing=Standing.HELD, held=held)


def _since(verdict: Verdict, now: DecidedChange, mode: Mode) -> Reason:
    """What a person said, and what comes of it."""
    said = ruled_by(verdict)
    numbers = {**said.numbers, "standing": now.standing.value}
    if not verdict.is_asked_for or now.is_in_force:
        return Reason(ReasonCode.RULED_SINCE, numbers)
    if mode is Mode.OBSERVE:
        return Reason(ReasonCode.RULED_SINCE, {**numbers, "mode": mode.value})
    known = (now.held,) if now.standing is Standing.PROPOSED and now.held else (now.why, now.held)
    return Reason(ReasonCode.RULED_SINCE, numbers, tuple(r for r in known if r is not None))
