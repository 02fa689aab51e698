"""Groups are not made once in a query whose joins have an order in force: blocks are known by what filters them, and where
groups are made once, one filter serves several. The next run could not be told of the order."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.action import ActionKind, Hint
from tuner.model.decision import DecidedChange
from tuner.model.reason import Reason, ReasonCode
from tuner.policy.held_back import held_back
from tuner.policy.measured_values import act_on_others
from tuner.policy.situation import Situation


def not_beside_an_order(situation: Situation, decided: Sequence[DecidedChange]) -> list[DecidedChange]:
    """Holds what shares parts of a query beside an order of its joins; not what is for other values than that, nor pinned."""
    orders = [d for d in decided if d.is_in_force and d.change.kind is ActionKind.ORDER_JOINS]
    why = Reason(ReasonCode.SHARED_BESIDE_ORDER)
    return [held_back(d, why) if _shares(d) and _is_ordered(d, orders) else d for d in decided]


def _shares(decided: DecidedChange) -> bool:
    return any(action.kind is ActionKind.HINT_JOIN and action.value == Hint.SHARE for action in decided.change.actions)


def _is_ordered(decided: DecidedChange, orders: Sequence[DecidedChange]) -> bool:
    return any(o.change.query == decided.change.query and not act_on_others(decided, o) for o in orders)
