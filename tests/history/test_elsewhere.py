"""What other cohorts hold for one."""

from __future__ import annotations

from tuner.history.store import Store
from tuner.model.run import RunState
from tuner.words.decisions import decision_summary

from .samples import MIDNIGHT, measured, running


def test_other_cohorts_teach_by_their_latest_decisions_and_newest_measured_runs(store: Store) -> None:
    for minute, (cohort, key) in enumerate(
        [("a", "a/1"), ("b", "b/1"), ("b", "b/2"), ("b", "b/3"), ("c", "c/1"), ("mine", "m/1")]
    ):
        store.begin(running(key, cohort, minute, summary=key))
        store.finish(key, RunState.SUCCEEDED, MIDNIGHT, measured(key))
    store.begin(running("c/2", "c", 9, summary="not measured yet"))
    store.begin(running("a/2", "a", 9, summary="failed"))
    store.finish("a/2", RunState.FAILED, MIDNIGHT, measured("a/2"))
    found = store.elsewhere("mine", 20, 10)
    assert sorted(map(decision_summary, found.decisions)) == ["a/1", "b/3", "c/1"]
    assert (sorted(o.app_id for o in found.outcomes), found.jobs) == (["a/1", "b/2", "b/3", "c/1"], 3)
    few = store.elsewhere("mine", 1, 3)
    assert [decision_summary(d) for d in few.decisions] == ["c/1"]
    assert (sorted(o.app_id for o in few.outcomes), few.jobs) == (["a/1", "b/3", "c/1"], 3), "each before any has two"
    assert store.elsewhere("mine", 20, 0).outcomes == ()
    assert Store.elsewhere(store, "b", 20, 10).jobs == 3
