"""The plan of a query with what is advised for its joins, before any run has had it."""

from __future__ import annotations

from dataclasses import dataclass

from tuner.advice.picture.advised_picture import advised_picture
from tuner.model.action import ON_JOINS, ActionKind
from tuner.model.decision import TAKEN_OUT, DecidedAction
from tuner.model.join_graph import JoinGraph
from tuner.model.plan_picture import PlanPicture
from tuner.model.run import Run
from tuner.panel.facts import CohortFacts


@dataclass(frozen=True, slots=True)
class AdvisedPlan:
    """`not_drawn` are those of the actions that no picture shows."""

    picture: PlanPicture
    actions: tuple[DecidedAction, ...]
    not_drawn: tuple[DecidedAction, ...] = ()


def advised_plan(facts: CohortFacts, run: Run, picture: PlanPicture) -> AdvisedPlan | None:
    """By all that the outlook has for the query's joins, wherever it stands, but for what was taken out; None without any.

    `picture` is the query's in `run`.
    """
    actions = tuple(
        decided
        for decided in (facts.outlook.actions if facts.outlook else ())
        if decided.action.kind in ON_JOINS
        and decided.action.query == picture.query
        and decided.standing not in TAKEN_OUT
    )
    if not actions or not picture.steps:
        return None
    ordered = any(decided.action.kind is ActionKind.ORDER_JOINS for decided in actions)
    graphs = _graphs(facts, run, picture.query) if ordered else []
    drawn = advised_picture(picture, [decided.action for decided in actions], graphs)
    return AdvisedPlan(drawn.picture, actions, tuple(d for d in actions if d.action in drawn.left))


def _graphs(facts: CohortFacts, run: Run, fingerprint: str) -> list[JoinGraph]:
    whole = facts.whole(run)
    queries = whole.outcome.queries if whole and whole.outcome else ()
    return [graph for query in queries if query.fingerprint == fingerprint for graph in query.graphs]
