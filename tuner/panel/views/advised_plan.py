"""The plan of a query with what is advised for its joins, before any run has had it."""

from __future__ import annotations

from dataclasses import dataclass

from tuner.advice.picture.advised_picture import advised_picture
from tuner.model.action import ActionKind
from tuner.model.decision import TAKEN_OUT, DecidedChange
from tuner.model.join_graph import JoinGraph
from tuner.model.plan_picture import PlanPicture
from tuner.model.run import Run
from tuner.panel.facts import CohortFacts


@dataclass(frozen=True, slots=True)
class AdvisedPlan:
    """`not_drawn` are those of the changes that no picture shows."""

    picture: PlanPicture
    changes: tuple[DecidedChange, ...]
    not_drawn: tuple[DecidedChange, ...] = ()


def advised_plan(facts: CohortFacts, run: Run, picture: PlanPicture) -> AdvisedPlan | None:
    """By all that the outlook has for the query's joins, wherever it stands, but for what was taken out; None without any.

    `picture` is the query's in `run`.
    """
    changes = tuple(
        decided
        for decided in (facts.outlook.changes if facts.outlook else ())
        if decided.change.is_on_joins and decided.change.query == picture.query and decided.standing not in TAKEN_OUT
    )
    if not changes or not picture.steps:
        return None
    ordered = any(decided.change.kind is ActionKind.ORDER_JOINS for decided in changes)
    graphs = _graphs(facts, run, picture.query) if ordered else []
    drawn = advised_picture(picture, [action for decided in changes for action in decided.change.actions], graphs)
    return AdvisedPlan(drawn.picture, changes, tuple(d for d in changes if d.change.actions[0] in drawn.left))


def _graphs(facts: CohortFacts, run: Run, fingerprint: str) -> list[JoinGraph]:
    whole = facts.whole(run)
    queries = whole.outcome.queries if whole and whole.outcome else ()
    return [graph for query in queries if query.fingerprint == fingerprint for graph in query.graphs]
