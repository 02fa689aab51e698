"""`spark-tuner import --watch`: runs get into the history as their logs come in."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import wait_until
from tests.nightly import START_MS, Spark
from tests.replay.test_by_hand import night
from tests.replay.test_live_histories import DAY_MS, Nights
from tuner.cli.reading.import_watch import WatchedImport
from tuner.errors import StoreError
from tuner.eventlog.log_watch import QUIET_SECONDS
from tuner.history.store import Store
from tuner.model.run import RunState
from tuner.replay.imported import Imported
from tuner.replay.local import LocalReplay
from tuner.replay.walk import Walker
from tuner.steering.submit_conf import EVENT_LOG_DIR


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    (tmp_path / "logs").mkdir()
    return tmp_path / "logs"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path}/history.db") as opened:
        yield opened


@pytest.fixture
def watched(logs: Path, store: Store) -> WatchedImport:
    return WatchedImport([str(logs)], LocalReplay(Walker(agent=False)), store)


def added(imported: Imported) -> dict[str, int]:
    return {cohort.cohort: count for cohort, count in imported.kept}


def unfinished(logs: Path, number: int, **how: object) -> Path:
    spark = Spark(7, start_ms=START_MS + number * DAY_MS, **how)  # type: ignore[arg-type]
    spark.write({EVENT_LOG_DIR: logs.as_uri(), "spark.master": "local[2]"}, f"local-{number}")
    return next(logs.glob(f"local-{number}*"))


def test_each_look_takes_in_what_has_come_since(watched: WatchedImport, logs: Path, store: Store) -> None:
    night(logs, 0, 7)
    assert added(watched.look()) == {"etl": 1}
    assert not watched.look().is_news
    night(logs, 1, 7)
    night(logs, 2, 7)
    third = watched.look()
    assert added(third) == {"etl": 2}
    # It is decided on all of them, and says what the next run would be given.
    assert third.kept[0][0].runs == 3
    newest = store.runs("etl")[-1]
    details = store.details(newest.key)
    assert details and details.outlook and len(details.outlook.changes) == 1


def test_only_cohorts_with_new_logs_are_looked_at(watched: WatchedImport, logs: Path) -> None:
    night(logs, 0, 7)
    watched.look()
    (logs / "others").mkdir()
    Nights(logs / "others").run(7, 4)
    assert added(watched.look()) == {"etl.load": 1}


def test_a_log_that_is_still_written_is_left_until_it_has_ended(
    watched: WatchedImport, logs: Path, store: Store
) -> None:
    log = unfinished(logs, 0, ended=False)
    assert log.suffix == ".inprogress" and not watched.look().kept
    log.unlink()
    night(logs, 0, 7)
    assert added(watched.look()) == {"etl": 1}
    assert [run.state for run in store.runs("etl")] == [RunState.SUCCEEDED]


def test_one_that_nothing_writes_to_any_more_is_taken_as_far_as_it_goes(
    watched: WatchedImport, logs: Path, store: Store
) -> None:
    log = unfinished(logs, 0, ended=False)
    before = log.stat().st_mtime - QUIET_SECONDS - 1
    os.utime(log, (before, before))
    first = watched.look()
    assert [run.state for run in store.runs("etl")] == [RunState.PARTIAL]
    assert [u.why.partition(";")[0] for u in first.unread] == ["is not whole"]
    # It was alive all the same.
    log.unlink()
    night(logs, 0, 7)
    second = watched.look()
    assert [run.state for run in store.runs("etl")] == [RunState.SUCCEEDED]
    assert (added(second), second.unread) == ({"etl": 1}, [])


def test_a_copy_of_a_log_from_before_its_end_is_left_beside_it(
    watched: WatchedImport, logs: Path, store: Store
) -> None:
    copy = unfinished(logs, 0, ended=False)
    before = copy.stat().st_mtime - QUIET_SECONDS - 1
    os.utime(copy, (before, before))
    night(logs, 0, 7)
    assert added(watched.look()) == {"etl": 1}
    assert [run.state for run in store.runs("etl")] == [RunState.SUCCEEDED]
    assert not watched.look().is_news


def test_a_log_that_was_still_being_copied_is_read_again(watched: WatchedImport, logs: Path, store: Store) -> None:
    log = unfinished(logs, 0, cut=200)
    watched.look()
    assert [run.state for run in store.runs("etl")] == [RunState.PARTIAL]
    log.unlink()
    night(logs, 0, 7)
    watched.look()
    assert [run.state for run in store.runs("etl")] == [RunState.SUCCEEDED]


def test_runs_of_the_tuners_own_are_left_to_it(tmp_path: Path, logs: Path) -> None:
    nights = Nights(tmp_path)
    turn = nights.prepare("etl/1/load/-1/1")
    Spark(7, start_ms=START_MS + DAY_MS).run(turn)
    with Store.open(nights.url) as store:
        watched = WatchedImport([str(nights.root / "events")], LocalReplay(Walker(agent=False)), store)
        assert added(watched.look()) == {"etl.load": 0}
        assert [run.key for run in store.runs("etl.load")] == ["etl/1/load/-1/1"]


def test_what_could_not_be_stored_is_stored_at_the_next_look(
    watched: WatchedImport, logs: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    night(logs, 0, 7)

    def down(*_: object) -> bool:
        raise StoreError("the database is down")

    with monkeypatch.context() as broken:
        broken.setattr(Store, "begin", down)
        with pytest.raises(StoreError):
            watched.look()
    assert added(watched.look()) == {"etl": 1}


def test_a_log_whose_reading_failed_is_read_at_the_next_look(
    watched: WatchedImport, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(2):
        night(logs, number, 7)

    def full(self: LocalReplay, log: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(LocalReplay, "_take", full)
        with pytest.raises(OSError, match="No space"):
            watched.look()
    assert added(watched.look()) == {"etl": 2}
    assert not watched.look().is_news


def test_a_place_without_logs_is_told_once(tmp_path: Path, store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    watched = WatchedImport([str(tmp_path / "nowhere")], LocalReplay(Walker()), store)
    watched.look()
    assert "no such file or directory" in capsys.readouterr().err
    watched.look()
    assert capsys.readouterr().err == ""


@pytest.mark.processes
@pytest.mark.parametrize(("by", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_it_goes_on_until_it_is_asked_to_end(logs: Path, tmp_path: Path, by: signal.Signals, code: int) -> None:
    url = f"sqlite:///{tmp_path}/watched.db"
    command = ["-m", "tuner.cli", "import", str(logs), "--watch", "--every", "1", "--db", url]
    night(logs, 0, 7)
    started = subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def has(runs: int) -> Callable[[], bool]:
        def counted() -> bool:
            assert started.poll() is None
            with Store.open(url) as store:
                return store.count("etl") == runs

        return counted

    try:
        wait_until(has(1))
        night(logs, 1, 7)
        wait_until(has(2))
        started.send_signal(by)
        out, err = started.communicate(timeout=30)
    finally:
        started.kill()
    assert (started.returncode, err) == (code, f"spark-tuner: importing into {url} as logs come; Ctrl+C ends it\n")
    assert [line.partition(";")[0] for line in out.splitlines()] == [
        "etl: 1 of 1 run imported",
        "etl: 1 of 2 runs imported",
    ]
