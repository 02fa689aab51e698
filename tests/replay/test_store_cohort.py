"""Replayed runs in a history store: for the panel, and for live runs to go on from."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.nightly import Nightly
from tests.replay.test_by_hand import STATIC, night
from tests.replay.test_live_histories import Nights, only, replayed
from tuner.history.store import Store
from tuner.model.decision import Standing
from tuner.model.run import Run, RunState
from tuner.problems import Problems
from tuner.replay.store_cohort import store_cohort
from tuner.words.decisions import decision_summary


def keep(directory: Path, url: str, name: str = "") -> int:
    replay, problems = replayed(directory), Problems()
    with Store.open(url) as store:
        added = store_cohort(store, only(replay), replay, problems, name)
    assert problems.found == []
    return added


def runs(url: str, cohort: str) -> list[Run]:
    with Store.open(url) as store:
        return store.runs(cohort)


def test_the_first_live_run_is_steered_by_old_logs(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    for number in range(3):
        night(logs, number, 7)
    live = Nightly(tmp_path)
    assert decision_summary(live.prepare("etl/0/load/-1/1").decision) == "first run: observed"
    other = Nightly(tmp_path / "imported")
    other.root.mkdir()
    assert keep(logs, other.url, other.cohort) == 3
    turn = other.prepare("etl/1/load/-1/1")
    assert {d.standing for d in turn.decision.changes} == {Standing.TRIAL}
    assert STATIC in turn.conf


def test_what_old_runs_proved_stays_proven(tmp_path: Path) -> None:
    nights = Nights(tmp_path / "old")
    nights.root.mkdir()
    for _ in range(3):
        nights.run(7, 4)
    new = Nightly(tmp_path)
    assert keep(nights.root / "events", new.url) == 3
    (first, _, third) = runs(new.url, "etl.load")
    assert third.decision.in_force == nights.runs[-1].decision.in_force
    assert new.prepare("etl/9/load/-1/1").decision == nights.prepare("etl/9/load/-1/1").decision
    assert (first.state, first.outcome and first.outcome.app_id) == (RunState.SUCCEEDED, nights.runs[0].outcome.app_id)  # type: ignore[union-attr]


def test_what_is_there_is_not_put_in_again(tmp_path: Path) -> None:
    nights = Nights(tmp_path)
    for _ in range(2):
        nights.run(7, 4)
    # The very runs that are in this store already.
    assert keep(nights.root / "events", nights.url) == 0
    assert [run.key for run in runs(nights.url, "etl.load")] == ["etl/1/load/-1/1", "etl/2/load/-1/1"]


def test_imported_runs_have_keys_of_their_own_and_no_task(tmp_path: Path) -> None:
    """A log could claim the key of a run to come, or a task that its reader may not see."""
    nights = Nights(tmp_path / "old")
    nights.root.mkdir()
    nights.run(7, 4)
    url = f"sqlite:///{tmp_path}/new.db"
    keep(nights.root / "events", url)
    (run,) = runs(url, "etl.load")
    assert run.outcome is not None
    assert (run.key, run.origin) == (f"imported/{run.outcome.app_id}/1", None)


@pytest.mark.parametrize("broke_off", [False, True])
def test_another_cohorts_application_of_the_same_id_is_another_run(tmp_path: Path, broke_off: bool) -> None:
    """Clusters that start in the same second give their applications the same id (app-20260101020011-0000)."""
    url = f"sqlite:///{tmp_path}/new.db"
    for name, ended in (("ads", not broke_off), ("finance", True)):
        (tmp_path / name).mkdir()
        night(tmp_path / name, 0, 7, ended=ended)
        assert keep(tmp_path / name, url, name) == 1
        assert keep(tmp_path / name, url, name) == 0
    (ads,), (finance,) = runs(url, "ads"), runs(url, "finance")
    assert ads.key != finance.key
    assert ads.outcome and finance.outcome and ads.outcome.app_id == finance.outcome.app_id
    assert (ads.outcome.duration_ms is None) is broke_off and finance.outcome.duration_ms is not None


def test_the_newest_run_has_plans_and_the_decision_to_come(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    for number in range(2):
        night(logs, number, 7)
    url = f"sqlite:///{tmp_path}/new.db"
    keep(logs, url)
    with Store.open(url) as store:
        older, newest = (store.details(run.key) for run in store.runs("etl"))
    assert older is None
    assert newest is not None
    assert len(newest.pictures) == 1
    assert newest.outlook is not None
    assert decision_summary(newest.outlook) == "1 on trial"
