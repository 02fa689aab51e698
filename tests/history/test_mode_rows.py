"""The modes that people gave cohorts."""

from __future__ import annotations

from tuner.history.store import Store
from tuner.model.decision import Mode
from tuner.model.verdict import ModeChange

from .samples import LATER, MIDNIGHT


def test_the_newest_mode_that_a_person_gave_counts(store: Store) -> None:
    assert store.mode("etl.load") is None
    first = ModeChange("etl.load", Mode.OBSERVE, "ann", MIDNIGHT, "quarter end")
    second = ModeChange("etl.load", Mode.SUGGEST, "bob", LATER)
    store.set_mode(first)
    store.set_mode(second)
    store.set_mode(ModeChange("other", Mode.OBSERVE, "ann", LATER))
    assert store.mode("etl.load") is Mode.SUGGEST
    store.set_mode(ModeChange("etl.load", None, "bob", LATER, "back to the DAG's"))
    assert store.mode("etl.load") is None
    assert store.mode_changes("etl.load")[:2] == [first, second]
