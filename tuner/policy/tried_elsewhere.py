"""What trials of a kind came to in other cohorts of the same deployment: a reason to wait, or to be of good cheer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tuner.model.action import Action, ActionKind
from tuner.model.decision import DecidedAction, Decision, Standing
from tuner.policy.together import together

# So many cohorts must have lost with it, and so many for each that won, before it is not tried in another one.
MIN_LOST = 3
LOST_PER_WON = 2
# How the ledger begins what it says of a loss that it measured; what people turned down is their own affair.
_MEASURED_LOSSES = ("slower", "no gain")


@dataclass(frozen=True, slots=True)
class Tried:
    """How many cohorts a kind of change won in, and lost in: by what was measured."""

    won: int = 0
    lost: int = 0

    @property
    def is_losing(self) -> bool:
        return self.lost >= max(MIN_LOST, LOST_PER_WON * self.won)

    @property
    def words(self) -> str:
        """`won in 3 of 4 other jobs`; "" where it was not tried."""
        total = self.won + self.lost
        return f"won in {self.won} of {total} other job{'s' if total > 1 else ''}" if total else ""


NOT_TRIED = Tried()


def lever(action: Action) -> str:
    """What changes of the same kind in other cohorts have in common with this one: the property, or the hint."""
    what = {ActionKind.SET_CONF: action.target, ActionKind.HINT_JOIN: action.value}.get(action.kind)
    return f"{action.kind} {what}" if what else str(action.kind)


def is_measured_loss(decided: DecidedAction) -> bool:
    """Whether it was rolled back for its times; not for a failure, nor by a person."""
    return decided.standing is Standing.ROLLED_BACK and decided.reason.startswith(_MEASURED_LOSSES)


def tried(decisions: Iterable[Decision]) -> dict[str, Tried]:
    """By lever, what became of it in other cohorts, of each of which this is the latest decision.

    A cohort counts once for a lever: as won where any of its changes is proven, else as lost where any was rolled back for
    its times. A hint that came with an order tells nothing of hints: it won or lost with that.
    """
    won: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    for decision in decisions:
        orders = {together(d) for d in decision.actions if d.action.kind is ActionKind.ORDER_JOINS}
        alone = [d for d in decision.actions if d.action.kind is not ActionKind.HINT_JOIN or together(d) not in orders]
        proven = {lever(d.action) for d in alone if d.standing is Standing.PROMOTED}
        out = {lever(d.action) for d in alone if is_measured_loss(d)}
        won.update(proven)
        lost.update(out - proven)
    return {name: Tried(won[name], lost[name]) for name in won.keys() | lost.keys()}


def tried_like(action: Action, elsewhere: Mapping[str, Tried]) -> Tried:
    """What became of changes of this kind elsewhere."""
    return elsewhere.get(lever(action), NOT_TRIED)
