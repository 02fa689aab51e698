"""Groups that are made once in the order of joins that is tried with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.advice.joins import facts
from tests.plan.trees import plan
from tuner.advice.advisors.join_order import advise_join_orders
from tuner.advice.steering_reach import Reach
from tuner.model.action import ActionKind, Hint
from tuner.model.change import Change
from tuner.model.decision import DecidedChange, Decision, Mode, Standing
from tuner.model.query import Query
from tuner.model.shared_subplan import SharedSubplan
from tuner.plan.joins import find_joins
from tuner.steering.agent.agent_directives import agent_directives
from tuner.words.reasons import reason_words

from .test_order_broadcasts import DAYS, ORDERED, RETURNS, SALES, query

LAST = find_joins(plan(ORDERED))[0].signature


def twice(**subplan: object) -> Query:
    """Groups that a query makes twice of its block, for two weeks, say."""
    one = query()
    groups = SharedSubplan(
        one.joins[0].signature,
        (DAYS, RETURNS, SALES),
        times=2,
        scanned_rows=100_000_000,
        rows=80_000,
        saved_amounts={"scan": 100e6, "shuffle_write": 6e9, "merge": 100e6},
        added_amounts={"shuffle_read": 1e6},
    )
    return replace(
        one, relations=(DAYS, RETURNS, SALES), graphs=one.graphs * 2, shared_subplans=(replace(groups, **subplan),)
    )  # type: ignore[arg-type]


def trial(measured: Query, reach: Reach = Reach.AGENT, **conf: str) -> Sequence[Change]:
    return list(advise_join_orders(facts(measured, reach=reach, conf=conf)))


def shares(changes: Sequence[Change]) -> list[Change]:
    return [change for change in changes if change.actions[0].value == Hint.SHARE]


def test_the_hint_is_for_the_join_that_the_order_makes_last() -> None:
    order, *others = trial(twice())
    (share,) = shares(others)
    (action,) = share.actions
    assert (order.kind, share.needs) == (ActionKind.ORDER_JOINS, order.id)
    assert action.target == LAST != twice().joins[0].signature
    assert action.relations == (DAYS, RETURNS, SALES)


def test_both_are_one_trial_that_says_so() -> None:
    order, *others = trial(twice())
    (share,) = shares(others)
    alone, *_ = trial(replace(twice(), shared_subplans=()))
    assert order.prediction == share.prediction
    assert order.prediction and alone.prediction and order.prediction.gain > alone.prediction.gain
    assert reason_words(order.reason).endswith("; what the query groups from them 2 times it then groups once")
    assert "groups once" not in reason_words(alone.reason)
    told = {evidence.what: evidence for evidence in order.evidence}
    assert told["times that their groups were made"].value == 2
    assert told["times that their groups were made"].of == "days and returns and sales"
    saved = told["making them once in that order"].value
    assert 0 < saved < 6e9


def test_the_agent_is_told_of_both() -> None:
    changes = trial(twice())
    on_trial = tuple(DecidedChange(change, Standing.TRIAL, change.reason) for change in changes)
    directives = agent_directives(Decision(Mode.AUTO, on_trial), [twice()])
    assert directives.skipped == ()
    assert '"SHARE"' in directives.text and LAST in directives.text


@pytest.mark.parametrize(
    "measured",
    [
        pytest.param(twice(times=3), id="a copy of another block"),
        pytest.param(twice(join="elsewhere"), id="above another join"),
        pytest.param(twice(saved_amounts={"scan": 1.0}), id="too little"),
        pytest.param(twice(reused=True), id="made once by Spark itself"),
    ],
)
def test_where_the_order_comes_alone(measured: Query) -> None:
    changes = trial(measured)
    assert changes[0].kind is ActionKind.ORDER_JOINS
    assert not shares(changes)


def test_where_nothing_is_reused_the_order_comes_alone() -> None:
    changes = trial(twice(), **{"spark.sql.exchange.reuse": "false"})
    assert changes[0].kind is ActionKind.ORDER_JOINS
    assert not shares(changes)


def test_what_is_made_once_stays_so_in_another_order() -> None:
    """Its block ran once, and the order gains once."""
    apart = twice(reused=True)
    merged = replace(apart, merged=True, graphs=apart.graphs[:1])
    order, *others = trial(merged)
    (share,) = shares(others)
    assert share.actions[0].target == LAST
    assert order.prediction == trial(replace(merged, shared_subplans=()))[0].prediction
    twofold = trial(replace(apart, shared_subplans=()))[0].prediction
    assert order.prediction and twofold and order.prediction.gain < twofold.gain
