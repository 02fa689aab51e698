"""Replayed runs in a history store: for the panel, and for live runs to go on from."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.eventlog.samples import (
    application_start,
    event,
    execution_end,
    execution_start,
    head,
    whole_log,
    write,
)
from tests.nightly import START_MS, Nightly, Spark
from tests.replay.test_by_hand import STATIC, night
from tests.replay.test_live_histories import DAY_MS, Nights, only, replayed
from tuner.eventlog.location import shown
from tuner.eventlog.read import read_application
from tuner.history.store import Store
from tuner.model.decision import DecidedChange, Mode, Standing
from tuner.model.run import Run, RunState
from tuner.model.verdict import ModeChange, Ruling, Verdict
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


def test_of_a_zip_file_the_newest_run_alone_is_read_once_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    for number in range(3):
        night(logs, number, 7)
    zipped = Path(shutil.make_archive(str(tmp_path / "logs"), "zip", logs))
    url = f"sqlite:///{tmp_path}/new.db"
    read: list[str] = []
    monkeypatch.setattr(
        "tuner.replay.newest_run.read_application",
        lambda source: (read.append(shown(source.path)), read_application(source))[1],
    )
    keep(zipped, url)
    with Store.open(url) as store:
        newest = store.runs("etl")[-1]
        assert store.details(newest.key) is not None
    assert len(read) == 1


@pytest.mark.parametrize("ruling", [Ruling.REJECT, Ruling.PIN])
def test_what_people_ruled_holds_for_the_next_import(tmp_path: Path, ruling: Ruling) -> None:
    """A walk over logs knows nothing of it."""
    logs, url = tmp_path / "logs", f"sqlite:///{tmp_path}/new.db"
    logs.mkdir()
    for number in range(2):
        night(logs, number, 7)
    keep(logs, url)
    with Store.open(url) as store:
        (trial,) = _coming(store)
        assert trial.standing is Standing.TRIAL
        store.record(Verdict("etl", trial.id, ruling, "bea", datetime.now(UTC), "days grows"))
    night(logs, 2, 7)
    assert keep(logs, url) == 1
    with Store.open(url) as store:
        (now,) = _coming(store)
        assert now.standing is (Standing.HELD if ruling is Ruling.REJECT else Standing.PINNED)
        assert store.cohorts()[0].stance.waiting == 0
        store.set_mode(ModeChange("etl", Mode.OBSERVE, "bea", datetime.now(UTC)))
    night(logs, 3, 7)
    assert keep(logs, url) == 1
    with Store.open(url) as store:
        assert not any(one.is_in_force for one in _coming(store))
        assert store.cohorts()[0].stance.mode is Mode.OBSERVE


def _coming(store: Store) -> tuple[DecidedChange, ...]:
    details = store.details(store.runs("etl")[-1].key)
    assert details is not None and details.outlook is not None
    return details.outlook.changes


def test_a_later_attempt_of_an_application_is_a_run_of_its_own(tmp_path: Path) -> None:
    """On YARN a driver that was lost is started again, with a log of its own."""
    url = f"sqlite:///{tmp_path}/new.db"
    for attempt in ("1", "2"):
        lines = [head("application_1_7")[0], application_start("application_1_7", attempt=attempt), *whole_log()[2:]]
        write(tmp_path / "logs" / f"application_1_7_{attempt}", lines)
        assert keep(tmp_path / "logs", url) == 1
        assert keep(tmp_path / "logs", url) == 0
    assert [run.key for run in runs(url, "nightly")] == [f"imported/application_1_7/{number}" for number in (1, 2)]


def test_one_that_was_taken_as_ended_and_went_on_is_stored_anew(tmp_path: Path) -> None:
    """A cluster of Databricks, whose log tells no end, and was quiet for an hour."""
    url, logs = f"sqlite:///{tmp_path}/new.db", tmp_path / "logs"
    start = [event("DBCEventLoggingListenerMetadata", Spark_Version="3.5.0", Rollover_Number=0), *head()[1:]]
    first = [*start, execution_start(), execution_end(time=3000)]
    write(logs / "eventlog", first)
    assert keep(logs, url) == 1
    write(logs / "eventlog", [*first, execution_start(1, time=80_000), execution_end(1, time=90_000)])
    assert keep(logs, url) == 1
    (run,) = runs(url, "nightly")
    assert run.outcome is not None
    assert (run.outcome.duration_ms, len(run.outcome.queries)) == (89_000, 2)
    assert run.ended_at == datetime.fromtimestamp(90, UTC)
    assert keep(logs, url) == 0
    write(logs / "eventlog", first)
    assert keep(logs, url) == 0, "less than is known"


def test_a_run_that_broke_off_ended_with_the_last_that_its_log_tells(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/new.db"
    write(tmp_path / "logs" / "local-1", whole_log()[:-1])
    write(tmp_path / "logs" / "local-2", head("local-2"))
    keep(tmp_path / "logs", url)
    ends = {run.key: run.ended_at for run in runs(url, "nightly")}
    assert ends == {
        "imported/local-1/1": datetime.fromtimestamp(8, UTC),
        "imported/local-2/1": datetime.fromtimestamp(1, UTC),
    }


@pytest.mark.parametrize("state", [RunState.LOST, RunState.FAILED, None])
def test_a_run_that_was_given_up_as_lost_gets_what_its_log_tells(tmp_path: Path, state: RunState | None) -> None:
    """The logs of a weekend came after two days, or lie where only who imports them can read."""
    nights = Nights(tmp_path)
    for _ in range(2):
        nights.run(7, 4)
    turn = nights.prepare("etl/3/load/-1/1")
    assert turn.decision.in_force
    Spark(4, broadcast=True, start_ms=START_MS + 3 * DAY_MS).run(turn)
    if state is not None:
        with Store.open(nights.url) as store:
            store.finish(turn.job.key, state, turn.started_at, None)
    (*_, before) = runs(nights.url, "etl.load")
    is_lost = state is RunState.LOST
    assert keep(nights.root / "events", nights.url) == int(is_lost), (
        "what failed its driver saw; what runs is harvested"
    )
    (*others, run) = runs(nights.url, "etl.load")
    assert len(others) == 2
    if not is_lost:
        assert run == before
        return
    assert (run.key, run.origin, run.decision) == (turn.job.key, before.origin, turn.decision)
    assert run.outcome is not None and run.state is RunState.SUCCEEDED
    assert keep(nights.root / "events", nights.url) == 0


def test_two_imports_at_once_of_applications_of_the_same_id_store_each_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both find the key free, and one of them is first."""
    url = f"sqlite:///{tmp_path}/new.db"
    for name, seconds in (("ads", 7), ("finance", 70)):
        (tmp_path / name).mkdir()
        night(tmp_path / name, 0, seconds)
    assert keep(tmp_path / "ads", url, "ads") == 1
    before = runs(url, "ads")
    with monkeypatch.context() as patch:
        patch.setattr(Store, "cohort_of", _none_at_first(Store.cohort_of))
        assert keep(tmp_path / "finance", url, "finance") == 0
    assert runs(url, "ads") == before
    assert keep(tmp_path / "finance", url, "finance") == 1


def _none_at_first(cohort_of: Callable[[Store, str], str | None]) -> Callable[[Store, str], str | None]:
    asked = list[str]()

    def other(store: Store, key: str) -> str | None:
        asked.append(key)
        return cohort_of(store, key) if len(asked) > 1 else None

    return other
