"""What was imported from a baseline, as the panel shows it: before the next run, with where it came from and who did it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from tuner.history.store import Store
from tuner.model.change import Change
from tuner.model.cluster import Cluster
from tuner.model.imported_change import ImportedChange
from tuner.model.reason import Reason, ReasonCode

from .nights import COHORT, FIRST, PARTITIONS, keep, night, outlook, query

Ask = Callable[..., Any]
FROM = {
    "cohort": "etl.staging",
    "as_of": "2026-11-02",
    "seconds": 5.0,
    "low_seconds": 4.5,
    "high_seconds": 5.5,
    "runs": 9,
}
REASON = Reason(ReasonCode.IMPORTED, {**FROM, "spark_version": "4.0.1"})
CHANGE = Change.of("test", (PARTITIONS,), ("q1",), REASON, (), None)
SAID = (
    "imported from a baseline of etl.staging exported as of 2026-11-02: it gained 5.0 s a run there (4.5 s to 5.5 s, 9 runs), "
    "with Spark 4.0.1"
)


def test_it_stands_among_the_recommendations_before_a_run_has_it(ask: Ask, store: Store) -> None:
    keep(store, night(0, query("q1", 20)), details=outlook())
    client = ask()
    assert client.get("/api/cohort/recommendations", params={"cohort": COHORT}).json()["total"] == 0
    store.keep_imports(
        [ImportedChange(COHORT, CHANGE, "bea", FIRST + timedelta(hours=9), "4.0.1", Cluster(cores=8), 10**9)]
    )
    (one,) = client.get("/api/cohort/recommendations", params={"cohort": COHORT}).json()["items"]
    assert (one["standing"], one["sentence"], one["status"]) == ("trial", SAID, "")
    assert [action["change_id"] for action in one["actions"]] == [CHANGE.id]
    page = client.get("/api/cohort", params={"cohort": COHORT}).json()
    assert (page["in_force"], page["next_decision"]) == (1, "1 on trial")


def test_the_audit_says_who_imported_it(ask: Ask, store: Store) -> None:
    keep(store, night(0, query("q1", 20)), details=outlook())
    at = FIRST + timedelta(hours=9)
    store.keep_imports([ImportedChange(COHORT, CHANGE, "bea", at, "4.0.1", Cluster(cores=8), 10**9)])
    (one,) = ask().get("/api/cohort/audit", params={"cohort": COHORT}).json()["items"]
    assert (one["did"], one["by"], one["words"], one["reason"]) == (
        "import",
        "bea",
        "spark.sql.shuffle.partitions=16",
        SAID,
    )
