"""The modes that people gave cohorts."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import text

from tuner.history.store import Store
from tuner.model.decision import Mode
from tuner.model.verdict import ModeChange

from .database import database
from .samples import LATER, MIDNIGHT


def test_the_newest_mode_that_a_person_gave_counts(store: Store) -> None:
    assert store.mode("etl.load") is None
    first = ModeChange("etl.load", Mode.OBSERVE, "ann", MIDNIGHT, "quarter end")
    second = ModeChange("etl.load", Mode.SUGGEST, "bob", LATER)
    store.set_mode(first)
    store.set_mode(second)
    store.set_mode(ModeChange("other", Mode.OBSERVE, "ann", LATER))
    assert store.mode("etl.load") is Mode.SUGGEST
    store.set_mode(ModeChange("etl.load", None, "bob", LATER, "back to the DAG's"))
    assert store.mode("etl.load") is None
    assert store.mode_changes("etl.load")[:2] == [first, second]


def test_one_that_cannot_be_read_counts_as_observe(store: Store, url: str, caplog: pytest.LogCaptureFixture) -> None:
    first = ModeChange("etl.load", Mode.AUTO, "ann", MIDNIGHT)
    newest = ModeChange("etl.load", Mode.SUGGEST, "bob", LATER, "five nights only")
    store.set_mode(first)
    store.set_mode(newest)
    with database(url) as connection:
        connection.execute(text("UPDATE spark_tuner_modes SET mode = 'canary' WHERE by = 'bob'"))
    assert store.mode_changes("etl.load") == [first, replace(newest, mode=Mode.OBSERVE)]
    assert store.mode("etl.load") is Mode.OBSERVE
    assert store.said_of({"etl.load"})[1] == {"etl.load": Mode.OBSERVE}
    assert (
        "a mode of cohort etl.load cannot be read and counts as observe ('canary' is not a valid Mode)" in caplog.text
    )


def test_what_can_be_read_of_one_is_kept(sqlite_url: str) -> None:
    with Store.open(sqlite_url) as store:
        store.set_mode(ModeChange("etl.load", None, "ann", MIDNIGHT, "back to the DAG's"))
        with database(sqlite_url) as connection:
            connection.execute(text("UPDATE spark_tuner_modes SET at = 'never', by = X'00'"))
        left = ModeChange("etl.load", Mode.OBSERVE, "", datetime(1970, 1, 1, tzinfo=UTC), "back to the DAG's")
        assert store.mode_changes("etl.load") == [left]
