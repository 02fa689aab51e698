"""What people ruled on a change: on itself, on what it does, or on a change that did the same in part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tuner.model.action import Action, ActionKind
from tuner.model.change import Change, properties_of_id
from tuner.model.decision import Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.model.verdict import Ruling, Verdict
from tuner.policy.record import Record

# A verdict with its place among the others: two may have been given at one moment.
_Placed = tuple[int, Verdict]


@dataclass(frozen=True, slots=True)
class Rulings:
    """The newest verdict by the id of a change and of each action that it did: a value that moves a little makes another
    change, and verdicts of before there were changes are on single actions. `rolled_back` are the ids that ever were,
    `of_property` is the newest verdict on a change that sets a property, to whatever value, however long ago."""

    newest: Mapping[str, _Placed]
    rolled_back: frozenset[str]
    of_property: Mapping[str, Verdict]

    @classmethod
    def of(cls, verdicts: Sequence[Verdict], changes: Iterable[Change]) -> Rulings:
        """Verdicts are oldest first; `changes` are those that were decided on, as far as runs are looked at: older ones are known
        by their ids alone."""
        if not verdicts:
            return NOTHING_SAID
        actions = {change.id: ruled_actions(change) for change in changes}
        newest: dict[str, _Placed] = {}
        rolled_back: set[str] = set()
        of_property: dict[str, Verdict] = {}
        for place, verdict in enumerate(verdicts):
            ruled = actions.get(verdict.change_id, ())
            of_property.update((name, verdict) for name in properties_of_id(verdict.change_id))
            for id_ in (verdict.change_id, *(action.id for action in ruled)):
                newest[id_] = place, verdict
                if verdict.ruling is Ruling.ROLL_BACK:
                    rolled_back.add(id_)
        return cls(newest, frozenset(rolled_back), of_property)

    def on(self, change: Change) -> Verdict | None:
        """The newest ruling on a change; of what is said of its parts since, a refusal of one is a refusal of all."""
        own = self.newest.get(change.id)
        parts = (self.newest.get(action.id) for action in ruled_actions(change))
        said = [part for part in parts if part and (own is None or part[0] > own[0])]
        found = [one for one in (own, *said) if one]
        refused = [one for one in found if one[1].is_refusal]
        return max(refused or found, key=lambda one: one[0])[1] if found else None

    def refusal_alike(self, change: Change) -> Verdict | None:
        """The newest ruling on a property that a change sets, where it was refused with another value: advice moves with the
        data."""
        of_properties = (a for a in ruled_actions(change) if a.kind is ActionKind.SET_CONF)
        said = (self.of_property.get(action.target) for action in of_properties)
        return next((one for one in said if one is not None and one.is_refusal), None)

    def on_id(self, id_: str) -> Verdict | None:
        """The newest verdict on the change, or the action, of an id."""
        found = self.newest.get(id_)
        return found[1] if found else None

    def ever_rolled_back(self, change: Change) -> bool:
        """Whether a person ever took it back, or one of the things that it does."""
        return not self.rolled_back.isdisjoint((change.id, *(action.id for action in ruled_actions(change))))


def ruled_actions(change: Change) -> tuple[Action, ...]:
    """What a ruling on a change is on: what a run does of it, or the tables that people are to analyse."""
    return change.carried_out or change.actions


def apply_rulings(records: dict[str, Record], rulings: Rulings) -> None:
    """What a person said last counts more than what was measured; approval leaves the standing to the measurements, also of what
    was pinned before."""
    standings = {Ruling.PIN: Standing.PINNED, Ruling.REJECT: Standing.HELD, Ruling.ROLL_BACK: Standing.ROLLED_BACK}
    for id_, record in records.items():
        verdict = rulings.on(record.decided.change)
        if verdict is not None and (standing := standings.get(verdict.ruling)):
            why = ruled_by(verdict, (record.why,) if record.standing is Standing.EXPIRED else ())
            records[id_] = replace(record, standing=standing, why=why, held_out=None)
        elif verdict is not None and record.standing is Standing.PINNED:
            records[id_] = replace(record, standing=Standing.TRIAL, why=record.decided.change.reason)


def ruled_by(verdict: Verdict, because: tuple[Reason, ...] = ()) -> Reason:
    """What a person said of a change, as the reason for where it stands."""
    return Reason(
        ReasonCode.RULED, {"ruling": verdict.ruling.value, "by": verdict.by, "reason": verdict.reason}, because
    )


NOTHING_SAID = Rulings({}, frozenset(), {})
