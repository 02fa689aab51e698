"""What was decided ahead comes back whole, or not at all."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import update

from tuner.errors import StoreError
from tuner.history.store import Store
from tuner.history.tables import LookAheadRow
from tuner.model.look_ahead import LookAhead

from .samples import full_decision


def test_what_was_decided_ahead_comes_back_as_it_went_in_until_the_next(store: Store) -> None:
    assert store.look_ahead("etl.load") is None
    decision = full_decision()
    kept = LookAhead(
        "stamp", decision, "4.0.1", 7, True, "told", ((decision.actions[0], "why"),), {"q72": "«b»"}, {"scan": 20.5}
    )
    whole = replace(kept, advised=tuple(d.change for d in decision.changes), advice_stamp="advice")
    for ahead in (kept, whole):
        store.keep_look_ahead("etl.load", ahead)
        assert store.look_ahead("etl.load") == ahead
    assert store.look_ahead("another") is None


@pytest.mark.parametrize("column", ["digest", "document"])
def test_what_was_decided_ahead_and_is_damaged_is_none(store: Store, column: str) -> None:
    store.keep_look_ahead("etl.load", LookAhead("stamp", full_decision()))
    with store._engine.begin() as connection:
        connection.execute(update(LookAheadRow).values({column: "{}"}))
    assert store.look_ahead("etl.load") is None


def test_what_would_not_come_back_is_not_decided_ahead(store: Store) -> None:
    with pytest.raises(StoreError, match=r"what was decided ahead for etl\.load .* finite"):
        store.keep_look_ahead("etl.load", LookAhead("stamp", full_decision(), prices={"scan": float("inf")}))
    assert store.look_ahead("etl.load") is None
