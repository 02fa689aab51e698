"""What people said of changes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from tuner.history.store import Store
from tuner.model.verdict import Ruling, Verdict

from .database import database
from .samples import MIDNIGHT


def test_verdicts_are_kept_in_the_order_in_which_they_were_given_whatever_clocks_said(store: Store) -> None:
    approved = Verdict("c", "set_conf:x=1", Ruling.APPROVE, "ann", MIDNIGHT, "looks right")
    rejected = replace(approved, ruling=Ruling.REJECT, by="bob", reason="")
    earlier = replace(approved, ruling=Ruling.PIN, at=MIDNIGHT - timedelta(days=1))
    for verdict in (approved, rejected, approved, earlier, replace(approved, cohort="other")):
        store.record(verdict)
    assert store.verdicts("c") == [approved, rejected, approved, earlier]
    assert store.verdicts("none") == []


def test_one_that_cannot_be_read_counts_as_a_refusal(store: Store, url: str, caplog: pytest.LogCaptureFixture) -> None:
    pinned = Verdict("c", "a", Ruling.PIN, "ann", MIDNIGHT, "quarter end")
    store.record(pinned, replace(pinned, by="bob"), replace(pinned, by="eve"))
    with database(url) as connection:
        connection.execute(text("UPDATE spark_tuner_verdicts SET ruling = 'veto' WHERE by = 'bob'"))
    assert store.verdicts("c") == [
        pinned,
        replace(pinned, by="bob", ruling=Ruling.REJECT),
        replace(pinned, by="eve"),
    ]
    assert "a verdict on a cannot be read and counts as reject ('veto' is not a valid Ruling)" in caplog.text


def test_one_without_a_time_that_can_be_read_was_said_before_all_else(sqlite_url: str) -> None:
    with Store.open(sqlite_url) as store:
        store.record(Verdict("c", "a", Ruling.PIN, "ann", MIDNIGHT))
        with database(sqlite_url) as connection:
            connection.execute(text("UPDATE spark_tuner_verdicts SET at = 'never', reason = X'00'"))
        assert store.verdicts("c") == [Verdict("c", "a", Ruling.REJECT, "ann", datetime(1970, 1, 1, tzinfo=UTC))]
