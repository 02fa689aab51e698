"""What other cohorts hold for one."""

from __future__ import annotations

import random

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
    assert len(few.decisions) == 1
    assert (sorted(o.app_id for o in few.outcomes), few.jobs) == (["a/1", "b/3", "c/1"], 3), "each before any has two"
    assert store.elsewhere("mine", 20, 0).outcomes == ()
    assert Store.elsewhere(store, "b", 20, 10).jobs == 3


def test_the_same_cohorts_teach_whichever_ran_last(store: Store) -> None:
    """What three of twenty lost with is not tried: others each time would let it through as soon as they have had their turn."""
    chance = random.Random(1)

    def ran(minute: int, names: list[str]) -> set[str]:
        for place, name in enumerate(chance.sample(names, len(names))):
            store.begin(running(key := f"{name}/{minute}", name, 60 * minute + place, summary=name))
            store.finish(key, RunState.SUCCEEDED, MIDNIGHT, measured(key))
        return {decision_summary(decision) for decision in store.elsewhere("mine", 5, 0).decisions}

    jobs = [f"job{number}" for number in range(25)]
    found = ran(1, jobs)
    assert [ran(minute, jobs) for minute in range(2, 5)] == [found] * 3
    assert len(ran(5, ["a new one"]) & found) >= 4
    assert {decision_summary(decision) for decision in store.elsewhere("another", 5, 0).decisions} != found
