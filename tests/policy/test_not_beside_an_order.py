"""What shares parts of a query waits while an order of its joins is in force."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tuner.model.action import ActionKind, Hint
from tuner.model.decision import Mode, Standing
from tuner.policy.decide import decide
from tuner.policy.rules.not_beside_an_order import not_beside_an_order
from tuner.policy.situation import BY_SUBMIT

from .histories import decided, hint, recommend, reorder, run, situation, standings, told

SHARED = replace(hint("q1"), value=Hint.SHARE)
NOTHING = situation(Mode.AUTO, 1, [])


@pytest.mark.parametrize("standing", [Standing.TRIAL, Standing.PROMOTED, Standing.PINNED])
def test_it_waits_beside_an_order_in_force(standing: Standing) -> None:
    order, found = not_beside_an_order(NOTHING, [decided(reorder("q1"), standing), decided(SHARED, Standing.PROMOTED)])
    assert order.standing is standing
    assert found.standing is Standing.HELD
    assert "the joins of its query are in another order" in told(found)


@pytest.mark.parametrize(
    ("order", "share"),
    [
        pytest.param(decided(reorder("q2")), decided(SHARED), id="of another query"),
        pytest.param(decided(reorder("q1"), Standing.PROPOSED), decided(SHARED), id="not in force"),
        pytest.param(decided(reorder("q1")), decided(SHARED, Standing.PINNED), id="pinned by a person"),
        pytest.param(
            replace(decided(reorder("q1")), literals=("monday",)),
            replace(decided(SHARED), literals=("tuesday",)),
            id="for other values",
        ),
        pytest.param(decided(reorder("q1")), decided(hint("q1")), id="another hint"),
    ],
)
def test_it_does_not_wait(order: object, share: object) -> None:
    assert not_beside_an_order(NOTHING, [order, share]) == [order, share]  # type: ignore[list-item]


def test_what_an_order_leaves_out_is_tried_once_the_order_is_rolled_back() -> None:
    by_agent = BY_SUBMIT | {ActionKind.ORDER_JOINS}
    base = run(0, {"q1": 10, "q2": 10})
    advice = [recommend(reorder("q1")), recommend(SHARED)]
    first = decide(situation(Mode.AUTO, 1, [base], advice, drivable=by_agent))
    won, lost = (run(1, {"q1": seconds, "q2": 10}, *first.changes) for seconds in (5, 20))
    after = {
        s: decide(situation(Mode.AUTO, 1, [base, r], advice, drivable=by_agent)) for s, r in ((5, won), (20, lost))
    }
    assert standings(after[5]) == {reorder("q1").id: Standing.PROMOTED, SHARED.id: Standing.HELD}
    assert standings(after[20]) == {reorder("q1").id: Standing.ROLLED_BACK, SHARED.id: Standing.TRIAL}
