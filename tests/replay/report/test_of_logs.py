"""From logs that Spark wrote to the report of their replay."""

from __future__ import annotations

from pathlib import Path

from tests.replay.report.test_write import front, packed, written
from tuner.eventlog.find import find_logs
from tuner.history.store import Store
from tuner.problems import Problems
from tuner.replay.local import LocalReplay
from tuner.replay.store_cohort import store_cohort
from tuner.replay.walk import Walker

LOGS = Path(__file__).parents[2] / "golden" / "logs" / "3.5.9"


def test_every_cohort_has_its_plans_and_every_unread_log_its_reason(tmp_path: Path) -> None:
    replay, problems = LocalReplay(Walker()), Problems()
    replay.read(find_logs(LOGS))
    cohorts = list(replay.walk())
    with Store.open(f"sqlite:///{tmp_path}/history.db") as store:
        for cohort in cohorts:
            store_cohort(store, cohort, replay, problems)
        page = written(tmp_path / "out.html", replay, store)
    shown, summary = front(page), replay.summary
    assert problems.found == []
    assert len(shown["cohorts"]) == len(cohorts) == len(packed(page))
    assert sum(row["runs"] for row in shown["cohorts"]) == sum(cohort.runs for cohort in cohorts)
    assert shown["unread_in_all"] == len(summary.unread) == sum(group["logs"] for group in shown["unread"]) > 0
    plans = [plan for answers in packed(page).values() for plan in answers["plans"].values()]
    joins = {step["strategy"] for plan in plans for step in plan["before"]["steps"] if step["kind"] == "join"}
    assert joins >= {"SortMergeJoin", "BroadcastHashJoin"}
