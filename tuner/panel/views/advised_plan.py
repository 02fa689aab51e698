"""The plan of a query with what is advised for its joins, before any run has had it."""

from __future__ import annotations

from dataclasses import dataclass

from tuner.advice.advised_picture import advised_picture
from tuner.advice.model import ActionKind
from tuner.history.model import TAKEN_OUT, DecidedAction
from tuner.panel.facts import CohortFacts
from tuner.plan.picture import PlanPicture

_OF_JOINS = frozenset({ActionKind.HINT_JOIN, ActionKind.ORDER_JOINS})


@dataclass(frozen=True, slots=True)
class AdvisedPlan:
    """`not_drawn` are those of the actions that no picture shows."""

    picture: PlanPicture
    actions: tuple[DecidedAction, ...]
    not_drawn: tuple[DecidedAction, ...] = ()


def advised_plan(facts: CohortFacts, picture: PlanPicture) -> AdvisedPlan | None:
    """By all that the outlook has for the query's joins, wherever it stands, but for what was taken out; None without any."""
    actions = tuple(
        decided
        for decided in (facts.outlook.actions if facts.outlook else ())
        if decided.action.kind in _OF_JOINS
        and decided.action.query == picture.query
        and decided.standing not in TAKEN_OUT
    )
    if not actions or not picture.steps:
        return None
    drawn = advised_picture(picture, [decided.action for decided in actions])
    orders = tuple(decided for decided in actions if decided.action.kind is ActionKind.ORDER_JOINS)
    return AdvisedPlan(drawn, actions, orders)
