"""The benchmark of decisions over a long history, on a short one."""

from __future__ import annotations

from pathlib import Path

from tests.benchmarks.decision_speed import COHORT, GOLDEN, Laps, fill, fill_beside, measure, templates
from tuner.history.store import Store


def test_a_decision_on_a_history_of_real_queries_is_measured_step_by_step(tmp_path: Path) -> None:
    url, laps = f"sqlite:///{tmp_path}/history.db", Laps()
    fill(url, templates([GOLDEN / "4.2.1"]), runs=4, count=6)
    fill_beside(url, 10)
    decision = measure(url, tmp_path, 2, laps)
    assert decision.in_force, "some of its hints are proven"
    assert {len(each) for each in laps.of.values()} == {2}
    assert len(list(laps.lines())) == 8
    with Store.open(url) as store:
        listed = [summary.cohort for summary in store.cohorts()]
        assert (store.count(COHORT), listed) == (4, [COHORT]), "what was measured leaves nothing behind"
