"""What trials of a kind came to in other cohorts of the same deployment: a reason to wait, or to go on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tuner.model.action import Action, ActionKind
from tuner.model.change import Change
from tuner.model.decision import DecidedChange, Decision, Standing
from tuner.model.reason import MEASURED_LOSSES

# So many cohorts must have lost with it, and so many for each that won, before it is not tried in another one.
MIN_LOST = 3
LOST_PER_WON = 2


@dataclass(frozen=True, slots=True)
class Tried:
    """How many cohorts a kind of change won in, and lost in: by what was measured."""

    won: int = 0
    lost: int = 0

    @property
    def is_losing(self) -> bool:
        return self.lost >= max(MIN_LOST, LOST_PER_WON * self.won)


NOT_TRIED = Tried()


def kinds_of_change(change: Change) -> frozenset[str]:
    """What changes of the same kind in other cohorts have in common with this one: its properties, or its hint."""
    return frozenset(map(_kind, change.carried_out))


def _kind(action: Action) -> str:
    what = {ActionKind.SET_CONF: action.target, ActionKind.HINT_JOIN: action.value}.get(action.kind)
    return f"{action.kind} {what}" if what else str(action.kind)


def is_measured_loss(decided: DecidedChange) -> bool:
    """Whether it was rolled back for its times; not for a failure, nor by a person."""
    return decided.standing is Standing.ROLLED_BACK and decided.why.code in MEASURED_LOSSES


def tried(decisions: Iterable[Decision]) -> dict[str, Tried]:
    """By kind, what became of it in other cohorts, of each of which this is the latest decision.

    A cohort counts once for a kind: as won where any of its changes is proven, else as lost where any was rolled back for
    its times. A hint that came with an order tells nothing of hints: it won or lost with that.
    """
    won: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    for decision in decisions:
        alone = [d for d in decision.changes if not d.change.needs]
        proven = {kind for d in alone if d.standing is Standing.PROMOTED for kind in kinds_of_change(d.change)}
        out = {kind for d in alone if is_measured_loss(d) for kind in kinds_of_change(d.change)}
        won.update(proven)
        lost.update(out - proven)
    return {name: Tried(won[name], lost[name]) for name in won.keys() | lost.keys()}


def tried_like(change: Change, elsewhere: Mapping[str, Tried]) -> Tried:
    """What became of changes of this kind elsewhere: of several kinds_of_change, of the one that lost most."""
    found = [elsewhere.get(kind, NOT_TRIED) for kind in sorted(kinds_of_change(change))]
    return max(found, key=lambda t: (t.is_losing, t.lost - t.won), default=NOT_TRIED)


def asked_elsewhere(changes: Iterable[Change], elsewhere: Mapping[str, Tried]) -> list[tuple[str, bool, bool]]:
    """What decides on each of these changes, by its id: whether those like it lose elsewhere, and whether any won. How many did
    is told in its reason, as it was when that was decided."""
    found = {change.id: tried_like(change, elsewhere) for change in changes}
    return [(id_, found[id_].is_losing, found[id_].won > 0) for id_ in sorted(found)]
