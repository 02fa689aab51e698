"""A decision for the next run, made when the latest one ended, as it would be now that people have spoken since."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from tuner.model.action import ActionKind
from tuner.model.change import Prediction, Recommendation, Risk
from tuner.model.decision import IN_FORCE, TAKEN_OUT, DecidedAction, Decision, Mode, Standing
from tuner.model.verdict import Ruling, Verdict
from tuner.policy.allowed import allowed
from tuner.policy.ledger import Loss, Record, apply_verdicts
from tuner.policy.recommended import from_recommendations
from tuner.policy.situation import BY_SUBMIT, Situation
from tuner.policy.together import together

_DID = {Ruling.APPROVE: "approved", Ruling.REJECT: "rejected", Ruling.PIN: "pinned", Ruling.ROLL_BACK: "rolled back"}


def said_since(outlook: Decision, made_at: datetime, verdicts: Sequence[Verdict], mode: Mode) -> Decision:
    """The same actions in the same order, each where verdicts newer than `made_at` and the mode put it, and why."""
    since = {v.action_id: v for v in verdicts if v.at > made_at}
    if not since and mode is outlook.mode:
        return outlook
    now = {d.action.id: d for d in _decide_again(outlook, made_at, verdicts, mode)}
    actions = (_as_now(d, now.get(d.action.id, d), since.get(d.action.id), mode) for d in outlook.actions)
    return replace(outlook, mode=mode, actions=tuple(actions))


def sentence(decided: DecidedAction) -> str:
    """Why an action was recommended, without what was said of its standing."""
    return decided.reason.partition("; held: ")[0].partition("; proposed: ")[0]


def _decide_again(outlook: Decision, made_at: datetime, verdicts: Sequence[Verdict], mode: Mode) -> list[DecidedAction]:
    """By the rules of a decision, with the outlook in place of what history and advisors say."""
    spoken = {v.action_id for v in verdicts if v.at > made_at}
    records = {d.action.id: _record(d, made_at, d.action.id in spoken) for d in outlook.actions if _is_known(d)}
    apply_verdicts(records, verdicts)
    situation = Situation(
        mode=mode,
        try_number=1,
        runs=(),
        recommendations=_recommendations(outlook),
        verdicts=verdicts,
        drivable=_drivable(outlook),
    )
    known = [replace(r.decided, standing=r.standing, reason=r.reason) for r in records.values()]
    return allowed(situation, [*known, *from_recommendations(situation, records)])


def _is_known(decided: DecidedAction) -> bool:
    return decided.standing in IN_FORCE or decided.standing in TAKEN_OUT


def _record(decided: DecidedAction, made_at: datetime, spoken: bool) -> Record:
    # What a person takes his pin from is left to measurements again.
    standing = Standing.TRIAL if spoken and decided.standing is Standing.PINNED else decided.standing
    # Only a person brings back what was taken out: of inputs nothing is known here.
    return Record(decided, standing, decided.reason, losses=(Loss(),), judged_at=made_at)


def _recommendations(outlook: Decision) -> list[Recommendation]:
    groups: dict[object, list[DecidedAction]] = {}
    for d in outlook.actions:
        groups.setdefault(together(d), []).append(d)
    return [_recommendation(group) for group in groups.values()]


def _recommendation(group: Sequence[DecidedAction]) -> Recommendation:
    first = group[0]
    return Recommendation(
        actions=tuple(d.action for d in group),
        queries=first.queries,
        reason=sentence(first),
        evidence=first.evidence,
        predicted_seconds=first.predicted_seconds or Prediction(0, 0, 0, 0),
        risk=Risk.LOW,
    )


def _drivable(outlook: Decision) -> frozenset[ActionKind]:
    """What was carried out, or could be: an order of joins that mode auto only proposed was left to people."""
    orders = [d for d in outlook.actions if d.action.kind is ActionKind.ORDER_JOINS]
    left = outlook.mode is Mode.AUTO and any(d.standing is Standing.PROPOSED for d in orders)
    return BY_SUBMIT if left else BY_SUBMIT | {ActionKind.ORDER_JOINS}


def _as_now(before: DecidedAction, now: DecidedAction, verdict: Verdict | None, mode: Mode) -> DecidedAction:
    if verdict is not None:
        return replace(before, standing=now.standing, reason=_words(verdict, now, mode))
    if now.standing is before.standing:
        return before
    return replace(before, standing=now.standing, reason=f"{sentence(before)}; mode {mode} from the next run on")


def _words(verdict: Verdict, now: DecidedAction, mode: Mode) -> str:
    words = f"{_DID[verdict.ruling]} by {verdict.by}" + (f": {verdict.reason}" if verdict.reason else "")
    wanted = verdict.ruling in (Ruling.APPROVE, Ruling.PIN)
    if not wanted or now.standing in IN_FORCE:
        return f"{words}, from the next run on"
    if mode is Mode.OBSERVE:
        return f"{words}; mode observe applies nothing"
    return f"{words}; {now.standing.words}: {now.reason}"
