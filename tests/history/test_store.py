"""What holds of all that a store keeps, whichever database it is in."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy import text

from tuner.errors import StoreError
from tuner.history.store import Store
from tuner.model.run import RunState

from .database import database
from .samples import LATER, running


def test_moments_come_back_in_utc_whatever_zone_they_were_given_in(store: Store) -> None:
    tokyo = timezone(timedelta(hours=9))
    store.begin(replace(running("k"), started_at=datetime(2026, 11, 20, 9, 0, 0, 123456, tokyo)))
    store.finish("k", RunState.LOST, datetime(2026, 11, 20, 10, 0, tzinfo=tokyo), None)
    run = store.run("k")
    assert run is not None and run.ended_at is not None
    assert (run.started_at, run.started_at.tzinfo) == (datetime(2026, 11, 20, 0, 0, 0, 123456, UTC), UTC)
    assert (run.ended_at, run.ended_at.tzinfo) == (datetime(2026, 11, 20, 1, 0, tzinfo=UTC), UTC)


def test_a_moment_without_a_zone_is_refused(store: Store) -> None:
    with pytest.raises(StoreError, match="has no time zone"):
        store.begin(replace(running("k"), started_at=datetime(2026, 11, 20)))
    assert store.run("k") is None


def test_states_of_a_newer_version_are_skipped(store: Store, url: str, caplog: pytest.LogCaptureFixture) -> None:
    store.begin(running("1", cohort="a"))
    store.begin(running("2", cohort="b"))
    with database(url) as connection:
        connection.execute(text("UPDATE spark_tuner_runs SET state = 'paused' WHERE key = '1'"))
    assert [run.key for run in (*store.runs("a"), *store.runs("b"))] == ["2"]
    assert "run 1 cannot be read" in caplog.text


def test_a_database_that_fails_under_way_is_a_store_error(store: Store, url: str) -> None:
    with database(url) as connection:
        connection.execute(text("DROP TABLE spark_tuner_runs"))
    for fails in (
        lambda: store.runs("c"),
        lambda: store.begin(running()),
        lambda: store.finish("k", RunState.LOST, LATER, None),
    ):
        with pytest.raises(StoreError, match="history store (sqlite|postgresql).*spark_tuner_runs") as raised:
            fails()
        assert "\n" not in str(raised.value) and "hunter2" not in str(raised.value)


def test_a_store_can_be_closed_twice(url: str) -> None:
    with Store.open(url) as store:
        store.begin(running())
    store.close()
    with Store.open(url) as again:
        assert again.run(running().key) == running()
