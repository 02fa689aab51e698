"""What finished runs have for people to look at."""

from __future__ import annotations

import pytest

from tuner.errors import StoreError
from tuner.history.store import Store
from tuner.model.change import Evidence
from tuner.model.insight import Insight, InsightKind
from tuner.model.plan_picture import PlanPicture, PlanStep, StepKind
from tuner.model.run import RunDetails

from .samples import full_decision, running


def test_details_come_back_as_they_went_in(store: Store) -> None:
    store.begin(running("k"))
    assert store.details("k") is None
    details = RunDetails(
        outlook=full_decision(),
        insights=(Insight(InsightKind.SPILL, "Sort", "q72", 3.5, (Evidence("spilled", 2.0, "bytes"),), "a", "b", "c"),),
        pictures=(PlanPicture("q72", "query72", (PlanStep(StepKind.SCAN, "Scan parquet", "date_dim", rows=7),)),),
    )
    store.add_details("k", details)
    assert store.details("k") == details
    with pytest.raises(StoreError, match="never began"):
        store.add_details("nowhere", details)
