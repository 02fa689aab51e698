"""Where what is advised stands: proposed, tried, held, or left as history has it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from functools import cache

from tuner.model.action import Action, ActionKind
from tuner.model.change import Change, change_id
from tuner.model.decision import IN_FORCE, TAKEN_OUT, DecidedChange, Mode, Standing
from tuner.model.query import total_data_bytes
from tuner.model.reason import Reason, ReasonCode
from tuner.model.verdict import Ruling, Verdict
from tuner.policy.executions import executions
from tuner.policy.idle_runs import read_nothing
from tuner.policy.imported_changes import is_imported
from tuner.policy.instances import runs_of_its_queries
from tuner.policy.record import Loss, Record
from tuner.policy.rules.left_to_people import proposed_to_people
from tuner.policy.rules.needed_change import because_of
from tuner.policy.rulings import ruled_by
from tuner.policy.runs_beside import groups_beside
from tuner.policy.same_target import differ_on_target, same_target, share_target
from tuner.policy.situation import Situation
from tuner.policy.tried_elsewhere import NOT_TRIED, Tried, is_measured_loss, kinds_of_change, tried_like
from tuner.policy.usable import usable

# A trial's predicted worst case may cost this share of the queries it touches.
REGRESSION_BUDGET = 0.10
# A number this near to the one in force is not worth a trial.
SAME_VALUE = 0.25

# So many runs, a week of nights, must have read another size before what lost with one is tried again.
RUNS_OF_LATE = 7
_FAILURES = frozenset({ReasonCode.RUN_FAILED, ReasonCode.QUERY_FAILED})


def decided_advice(situation: Situation, records: Mapping[str, Record]) -> Iterable[DecidedChange]:
    """The advised changes that history does not already speak for, each with its standing and why; and those that were to be
    tried on values which have not come since."""
    out: dict[str, DecidedChange] = {}
    imported: list[Change] = []
    records = _of_this_instance(situation, records)
    for advised in _advised(situation, records):
        change = _completed(advised, records)
        found = _decided(situation, change, records)
        if found is not None:
            found = proposed_to_people(situation, found)
        if found is not None and found.standing is Standing.TRIAL:
            found = _after_others(found, out, imported)
        if found is not None:
            yield found
            imported += [found.change] if found.is_in_force and is_imported(found.change) else []
            if found.standing is Standing.HELD or found.standing in TAKEN_OUT:
                out[change.id] = found
        elif change.id in records and records[change.id].standing not in IN_FORCE:
            out[change.id] = records[change.id].now


def _of_this_instance(situation: Situation, records: Mapping[str, Record]) -> Mapping[str, Record]:
    """Those that speak for or against what is advised to this instance of a mapped task: a property for queries of others has no
    part in its runs, but for one that it is advised as well, which is tried once, and what a person asked for."""
    advised = {change.id for change in situation.advised}

    def speaks(change: Change) -> bool:
        is_known = change.is_on_joins or change.id in advised or situation.is_asked_for(change)
        return is_known or not situation.is_of_others(change)

    return {id_: record for id_, record in records.items() if speaks(record.decided.change)}


def _after_others(found: DecidedChange, out: Mapping[str, DecidedChange], imported: Iterable[Change]) -> DecidedChange:
    """A trial; held where the change that it needs is out, or what was imported is tried in its place first."""
    change = found.change
    if change.needs in out:
        return _held(change, because_of(out[change.needs]))
    if any(differ_on_target(change, other) for other in imported):
        return _held(change, Reason(ReasonCode.TRIED_AFTER_ANOTHER))
    return found


def _advised(situation: Situation, records: Mapping[str, Record]) -> list[Change]:
    now = {change.id for change in situation.advised}
    earlier = {id_: a.change for id_, a in situation.awaited.items() if id_ not in now and id_ not in records}
    asked_for = {c.id: c for c in _asked_for_before(situation, records) if c.id not in now}
    advised = (c for c in situation.advised if not _is_proven_otherwise(situation, c, records))
    return [*advised, *(earlier | asked_for).values()]


def _asked_for_before(situation: Situation, records: Mapping[str, Record]) -> Iterator[Change]:
    """What people pinned, or approved while such a thing is still advised: advice may have moved to another number since. And
    what was taken out, where they approved it after that, whatever is advised."""
    decided = {d.id: d.change for run in situation.runs for d in run.decision.changes}
    for id_, change in decided.items():
        verdict = situation.rulings.on_id(id_)
        if verdict is None or verdict != situation.rulings.on(change):
            continue
        if (record := records.get(id_)) is not None:
            if verdict.ruling is Ruling.APPROVE and _worth_another_try(situation, record, verdict):
                yield change
            continue
        now = [advised for advised in situation.advised if differ_on_target(change, advised)]
        is_still_approved = verdict.ruling is Ruling.APPROVE and now and not any(map(situation.is_asked_for, now))
        if verdict.ruling is Ruling.PIN or is_still_approved:
            yield change


def _is_proven_otherwise(situation: Situation, change: Change, records: Mapping[str, Record]) -> bool:
    """Whether it was imported, and is not what this cohort has proven itself, or a person has pinned, in its place."""
    if not is_imported(change) or change.id in records or situation.is_asked_for(change):
        return False
    proven = (r for r in records.values() if r.standing in (Standing.PROMOTED, Standing.PINNED))
    return any(differ_on_target(change, record.decided.change) for record in proven)


def _completed(advised: Change, records: Mapping[str, Record]) -> Change:
    """With the rest of the change in force that it would replace: advisors see what a run had, and advise what it lacked.

    A trial of the part alone would take the rest out.
    """
    if advised.is_on_joins:
        return advised
    replaced = (
        r.decided.change for r in records.values() if r.standing in IN_FORCE and not r.decided.change.is_on_joins
    )
    rest = [a for change in replaced if share_target(advised, change) for a in change.carried_out]
    own = {action.target for action in advised.carried_out}
    missing = {action.target: action for action in rest if action.target not in own}
    if not missing:
        return advised
    actions = (*advised.carried_out, *missing.values(), *(a for a in advised.actions if a not in advised.carried_out))
    return replace(advised, id=change_id(actions), actions=actions)


def _decided(situation: Situation, change: Change, records: Mapping[str, Record]) -> DecidedChange | None:
    """Where an advised change stands now; None leaves it where its record, or that of its like, has it."""
    verdict = situation.verdict(change)
    ruling = verdict.ruling if verdict else None
    record = records.get(change.id)
    if record is not None and _lost_with_another_order(change, record, records):
        record = None
    if verdict is not None and ruling in (Ruling.REJECT, Ruling.ROLL_BACK):
        out = Standing.HELD if ruling is Ruling.REJECT else Standing.ROLLED_BACK
        return DecidedChange(change, out, ruled_by(verdict))
    if ruling is Ruling.PIN:
        return DecidedChange(change, Standing.PINNED, change.reason)
    if record is not None and not _worth_another_try(situation, record, verdict):
        return None
    if record is None and any(_is_tried_first(situation, r, change) for r in records.values()):
        return _held(change, Reason(ReasonCode.TRIED_AFTER_ANOTHER))
    if record is None and ruling is not Ruling.APPROVE:
        if any(_is_like(change, r) and r.standing in IN_FORCE for r in records.values()):
            return None
        if (kept_out := _out_alike(situation, change, records)) is not None:
            return kept_out
    if situation.mode is not Mode.AUTO and ruling is not Ruling.APPROVE:
        return DecidedChange(change, Standing.PROPOSED, change.reason)
    return _try(situation, change, records, approved=ruling is Ruling.APPROVE)


def _try(situation: Situation, change: Change, records: Mapping[str, Record], *, approved: bool) -> DecidedChange:
    if change.id in situation.unlike and not approved:
        return _held(change, situation.unlike[change.id])
    # What became of orders elsewhere is said of the hints that come with them, too; of what was imported, more is known.
    is_known = bool(change.needs) or is_imported(change)
    elsewhere = NOT_TRIED if is_known else _elsewhere(situation, change, records)
    return _trial(change, elsewhere, approved=approved)


def _held(change: Change, held: Reason) -> DecidedChange:
    return DecidedChange(change, Standing.HELD, change.reason, held)


def _lost_with_another_order(change: Change, record: Record, records: Mapping[str, Record]) -> bool:
    """Whether a hint that an order calls for was taken out for the times of another order that had called for it."""
    other = record.decided.change.needs
    return bool(change.needs and is_measured_loss(record.now) and other and other != change.needs and other in records)


def _elsewhere(situation: Situation, change: Change, records: Mapping[str, Record]) -> Tried:
    """What other cohorts know of such a change, until this one knows of its own."""
    mine = kinds_of_change(change)
    alike = (r for r in records.values() if not mine.isdisjoint(kinds_of_change(r.decided.change)))
    return NOT_TRIED if any(r.standing is Standing.PROMOTED for r in alike) else tried_like(change, situation.elsewhere)


def _trial(change: Change, elsewhere: Tried, *, approved: bool) -> DecidedChange:
    predicted = change.prediction
    budget = REGRESSION_BUDGET * predicted.before if predicted else 0.0
    if predicted and predicted.worst_loss > budget and not approved:
        numbers = {"worst_loss_seconds": predicted.worst_loss, "allowed_seconds": budget}
        return _held(change, Reason(ReasonCode.MAY_LOSE, numbers))
    jobs = {"won": elsewhere.won, "jobs": elsewhere.won + elsewhere.lost}
    if elsewhere.is_losing and not approved:
        return _held(change, Reason(ReasonCode.LOST_ELSEWHERE, jobs))
    if not elsewhere.won:
        return DecidedChange(change, Standing.TRIAL, change.reason)
    return DecidedChange(change, Standing.TRIAL, Reason(ReasonCode.WON_ELSEWHERE, jobs, (change.reason,)))


def _is_like(change: Change, record: Record) -> bool:
    """Whether a record sets the same properties to nearly the same numbers."""
    set_ = [action for action in change.actions if action.kind is ActionKind.SET_CONF]
    return bool(set_) and all(any(_nearly(a, b) for b in record.decided.change.actions) for a in set_)


def _is_tried_first(situation: Situation, record: Record, change: Change) -> bool:
    """Whether it is yet to be held against the run without it: one that came from another cohort (the other is advised from that
    run), one that the next run leaves out, or, where each night's values would have another, the first of these."""
    if (
        situation.is_fleeting(change)
        and record.standing in IN_FORCE
        and differ_on_target(change, record.decided.change)
    ):
        return True
    borrowed = record.standing is Standing.TRIAL and record.why.code in (ReasonCode.LENT, ReasonCode.IMPORTED)
    waits = borrowed or record.held_out is not None
    return waits and record.decided.id != change.id and share_target(record.decided.change, change)


def _nearly(action: Action, other: Action) -> bool:
    if not same_target(action, other):
        return False
    if not (action.value.isdecimal() and other.value.isdecimal()):
        return action.value == other.value
    return abs(int(action.value) - int(other.value)) <= SAME_VALUE * int(other.value)


def _out_alike(situation: Situation, change: Change, records: Mapping[str, Record]) -> DecidedChange | None:
    """What keeps the same property out with another number: a person's word, or a loss."""
    if refused := situation.rulings.refusal_alike(change):
        return DecidedChange(change, Standing.HELD, ruled_by(refused))
    if lost := _lost_alike(situation, change, records):
        numbers = {"value": _shared_value(lost.decided.change, change)}
        return _held(change, Reason(ReasonCode.LOST_ALIKE, numbers, (lost.why,)))
    return None


def _lost_alike(situation: Situation, change: Change, records: Mapping[str, Record]) -> Record | None:
    """What was rolled back of the same property: advice that differs from it by a few bytes is the same advice."""
    if change.kind is not ActionKind.SET_CONF:
        return None
    alike = (r for r in records.values() if share_target(change, r.decided.change))
    lost = (r for r in alike if r.standing is Standing.ROLLED_BACK)
    return next((r for r in lost if not _worth_another_try(situation, r, None)), None)


def _shared_value(lost: Change, change: Change) -> str:
    """What the one that lost set a property to, which the other sets, too."""
    return next(a.value for a in lost.carried_out for b in change.carried_out if same_target(a, b))


def _worth_another_try(situation: Situation, record: Record, verdict: Verdict | None) -> bool:
    """Only what was taken out can come again: a person has asked since, or inputs or context are not what it ever lost with."""
    if record.standing not in TAKEN_OUT:
        return False
    if verdict is not None and verdict.ruling is Ruling.APPROVE:
        return record.judged_at is None or verdict.at > record.judged_at
    # A size says nothing against a failure; one that the job has had of late, on Sundays or once, will come again.
    runs = 1 if record.standing is Standing.EXPIRED else RUNS_OF_LATE

    @cache
    def sizes(query: str | None, since: datetime | None) -> list[int]:
        return _sizes_of_late(situation, runs, query, since)

    def is_past(loss: Loss) -> bool:
        if situation.context.difference(loss.context):
            return True
        if record.why.code in _FAILURES:
            return False
        # That a run before it read something is no news to what lost with nothing counted.
        since = None if loss.input_bytes else record.judged_at
        of_late = sizes(record.decided.change.query if loss.of_query else None, since)
        return all(loss.is_past(size, situation.context) for size in of_late)

    return bool(record.losses) and all(map(is_past, record.losses))


def _sizes_of_late(situation: Situation, runs: int, query: str | None, since: datetime | None) -> list[int]:
    """Input bytes of the latest runs whose times may be compared, of which those side by side count as one: dates of a backfill,
    instances of a mapped task. 0, which tells nothing, where there are fewer at hand. Those that ask other queries read other
    inputs, those whose upstream was late none. Of one `query` its own, in the runs that had it. None of those that began before
    `since` counts."""
    sizes: list[int] = []
    known = runs_of_its_queries(situation.runs, situation.instance)
    measured = [run for run in known if usable(run) and (since is None or run.started_at >= since)]
    nights: set[int] = set()
    for night, run in reversed([*zip(groups_beside(measured), measured, strict=True)]):
        read = list(executions(run, query))
        if not read or read_nothing(run, known, query):
            continue
        nights.add(night)
        if len(nights) > runs:
            break
        sizes.append(total_data_bytes(read))
    return [*sizes, 0] if len(nights) < runs else sizes
