"""Where what is recommended stands: proposed, tried, held, or left as history has it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tuner.model.action import Action, ActionKind
from tuner.model.change import Recommendation
from tuner.model.decision import IN_FORCE, TAKEN_OUT, DecidedAction, Mode, Standing
from tuner.model.verdict import Ruling, Verdict
from tuner.policy.ledger import Record, same_target
from tuner.policy.measure import total_input_bytes
from tuner.policy.situation import Situation
from tuner.policy.together import needs, together
from tuner.policy.tried_elsewhere import NOT_TRIED, Tried, is_measured_loss, lever, tried_like
from tuner.units import format_seconds

# A trial's predicted worst case may cost this share of the queries it touches.
REGRESSION_BUDGET = 0.10
# A number this near to the one in force is not worth a trial.
SAME_VALUE = 0.25


def from_recommendations(situation: Situation, records: Mapping[str, Record]) -> Iterable[DecidedAction]:
    """The recommended actions that history does not already speak for, each with its standing and why."""
    for recommendation in situation.recommendations:
        stand = {a: _standing(situation, recommendation, a, records) for a in recommendation.actions}
        stand = {a: _left_to_people(situation, recommendation, a, found) for a, found in stand.items()}
        out = [a for a in recommendation.actions if _is_out(a, stand[a][0], records)]
        for action, (standing, reason) in stand.items():
            if standing is Standing.TRIAL and (needed := next((a for a in out if needs(action, a)), None)):
                # Half of what belongs together is a change nobody judged.
                reason = f"{reason}; held: belongs with {needed.target}={needed.value}, which is out"
                standing = Standing.HELD
            if standing is not None:
                yield DecidedAction(
                    action,
                    standing,
                    reason,
                    recommendation.queries,
                    recommendation.evidence,
                    recommendation.predicted_seconds,
                )


def _left_to_people(
    situation: Situation, recommendation: Recommendation, action: Action, found: tuple[Standing | None, str]
) -> tuple[Standing | None, str]:
    """What no driver can carry out is never in force; what belongs with it is, once a person has said so of it."""
    standing, reason = found
    rest = [a for a in recommendation.actions if a.kind not in situation.drivable]
    if standing not in IN_FORCE or not rest:
        return found
    if action.kind in situation.drivable and _is_approved(situation, action, recommendation):
        return found
    kinds = ", ".join(sorted({a.kind.value for a in rest}))
    return Standing.PROPOSED, f"{reason}; proposed: only a person can carry out {kinds}"


def _is_approved(situation: Situation, action: Action, recommendation: Recommendation) -> bool:
    partners = [a for a in recommendation.actions if a.kind in situation.drivable]
    verdict = situation.verdict(action, partners)
    return verdict is not None and verdict.ruling in (Ruling.APPROVE, Ruling.PIN)


def _is_out(action: Action, standing: Standing | None, records: Mapping[str, Record]) -> bool:
    if standing is None:
        return action.id in records and records[action.id].standing not in IN_FORCE
    return standing is Standing.HELD or standing in TAKEN_OUT


def _standing(
    situation: Situation, recommendation: Recommendation, action: Action, records: Mapping[str, Record]
) -> tuple[Standing | None, str]:
    """Where a recommended action stands now; None leaves it where its record, or that of its like, has it."""
    verdict = situation.verdict(action, recommendation.actions)
    ruling = verdict.ruling if verdict else None
    record = records.get(action.id)
    if record is not None and _lost_with_another_order(recommendation, record, records):
        record = None
    if verdict is not None and ruling in (Ruling.REJECT, Ruling.ROLL_BACK):
        return (Standing.HELD if ruling is Ruling.REJECT else Standing.ROLLED_BACK), verdict.words
    if ruling is Ruling.PIN:
        return Standing.PINNED, recommendation.reason
    if record is not None and not _worth_another_try(situation, record, verdict):
        return None, ""
    if record is None and ruling is not Ruling.APPROVE:
        if any(_is_like(action, r) and r.standing in IN_FORCE for r in records.values()):
            return None, ""
        if lost := _lost_alike(situation, action, records):
            like = f"{lost.decided.action.value} was tried: {lost.reason}"
            return Standing.HELD, f"{recommendation.reason}; held: {like}"
    if situation.mode is not Mode.AUTO and ruling is not Ruling.APPROVE:
        return Standing.PROPOSED, recommendation.reason
    elsewhere = NOT_TRIED if _is_called_for(recommendation, action) else _elsewhere(situation, action, records)
    return _trial(recommendation, elsewhere, approved=ruling is Ruling.APPROVE)


def _is_called_for(recommendation: Recommendation, action: Action) -> bool:
    """Whether a hint comes with an order: what became of orders elsewhere is said of both."""
    orders = (a for a in recommendation.actions if a.kind is ActionKind.ORDER_JOINS)
    return action.kind is ActionKind.HINT_JOIN and any(orders)


def _lost_with_another_order(recommendation: Recommendation, record: Record, records: Mapping[str, Record]) -> bool:
    """Whether a hint that an order calls for was taken out for the times of another order that had called for it."""
    orders = {a.id for a in recommendation.actions if a.kind is ActionKind.ORDER_JOINS}
    if not orders or record.decided.action.kind is not ActionKind.HINT_JOIN or not is_measured_loss(record.now):
        return False
    decided = (r.decided for id_, r in records.items() if id_ not in orders)
    return any(d.action.kind is ActionKind.ORDER_JOINS and together(d) == together(record.decided) for d in decided)


def _elsewhere(situation: Situation, action: Action, records: Mapping[str, Record]) -> Tried:
    """What other cohorts know of such a change, until this one knows of its own."""
    mine = (r for r in records.values() if lever(r.decided.action) == lever(action))
    return NOT_TRIED if any(r.standing is Standing.PROMOTED for r in mine) else tried_like(action, situation.elsewhere)


def _trial(recommendation: Recommendation, elsewhere: Tried, *, approved: bool) -> tuple[Standing, str]:
    prediction = recommendation.predicted_seconds
    budget = REGRESSION_BUDGET * prediction.before
    if prediction.worst_loss > budget and not approved:
        loss, allowed = format_seconds(prediction.worst_loss), format_seconds(budget)
        return Standing.HELD, f"{recommendation.reason}; held: may lose {loss}, more than the {allowed} allowed"
    if elsewhere.is_losing and not approved:
        return Standing.HELD, f"{recommendation.reason}; held: such a change {elsewhere.words}"
    won = f"; such a change {elsewhere.words}" if elsewhere.won else ""
    return Standing.TRIAL, f"{recommendation.reason}{won}"


def _is_like(action: Action, record: Record) -> bool:
    """Whether a record sets the same property to nearly the same number."""
    other = record.decided.action
    if action.kind is not ActionKind.SET_CONF or not same_target(action, other):
        return False
    if not (action.value.isdecimal() and other.value.isdecimal()):
        return action.value == other.value
    return abs(int(action.value) - int(other.value)) <= SAME_VALUE * int(other.value)


def _lost_alike(situation: Situation, action: Action, records: Mapping[str, Record]) -> Record | None:
    """What was rolled back of the same property: advice that differs from it by a few bytes is the same advice."""
    if action.kind is not ActionKind.SET_CONF:
        return None
    alike = (r for r in records.values() if same_target(action, r.decided.action))
    lost = (r for r in alike if r.standing is Standing.ROLLED_BACK)
    return next((r for r in lost if not _worth_another_try(situation, r, None)), None)


def _worth_another_try(situation: Situation, record: Record, verdict: Verdict | None) -> bool:
    """Only what was taken out can come again: a person has asked since, or inputs or context are not what it ever lost with."""
    if record.standing not in TAKEN_OUT:
        return False
    if verdict is not None and verdict.ruling is Ruling.APPROVE:
        return record.judged_at is None or verdict.at > record.judged_at
    size = total_input_bytes(situation.latest.queries) if situation.latest else 0
    return bool(record.losses) and all(loss.is_past(size, situation.context) for loss in record.losses)
