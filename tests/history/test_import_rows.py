"""What was imported, kept for its cohort."""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest
from sqlalchemy import text

from tuner.errors import SpokenMeanwhileError, StoreError
from tuner.history.store import Store
from tuner.model.cluster import Cluster
from tuner.model.imported_change import ImportedChange
from tuner.model.reason import Reason, ReasonCode
from tuner.model.verdict import Ruling, Verdict

from .samples import MIDNIGHT, full_decision

CHANGE = full_decision().changes[0].change
FIRST = ImportedChange("etl.load", CHANGE, "ana", MIDNIGHT, "4.0.1", Cluster(8), 2 * 10**9)
SECOND = replace(FIRST, change=replace(CHANGE, id="another"))
PIN = Verdict("etl.load", CHANGE.id, Ruling.PIN, "ana", MIDNIGHT, "imported")


def test_what_is_imported_comes_back_and_replaces_what_was(store: Store) -> None:
    store.keep_imports([FIRST, SECOND, replace(FIRST, cohort="other")], [PIN])
    assert store.imports("etl.load") == sorted([FIRST, SECOND], key=lambda one: one.change.id)
    assert store.verdicts("etl.load") == [PIN]
    newer = replace(FIRST, by="ben", input_bytes=0)
    store.keep_imports([newer])
    assert store.imports("etl.load") == sorted([newer, SECOND], key=lambda one: one.change.id)
    assert store.imports("other") == [replace(FIRST, cohort="other")]
    assert store.imports("none") == []


def test_nothing_is_stored_over_what_was_said_since(store: Store) -> None:
    since = store.last_word("etl.load")
    store.keep_imports([FIRST], [PIN], since=since)
    for imported, verdicts in (([SECOND], []), ([], [PIN])):
        with pytest.raises(SpokenMeanwhileError, match=r"somebody spoke of cohort etl\.load meanwhile"):
            store.keep_imports(imported, verdicts, since=since)
    assert (store.imports("etl.load"), store.verdicts("etl.load")) == ([FIRST], [PIN])
    store.keep_imports([SECOND], since=store.last_word("etl.load"))
    assert len(store.imports("etl.load")) == 2


def test_of_what_cannot_be_stored_nothing_is(store: Store) -> None:
    bad = replace(SECOND, change=replace(SECOND.change, reason=Reason(ReasonCode.IMPORTED, {"seconds": object()})))  # type: ignore[dict-item]
    with pytest.raises(StoreError, match="what cohort etl.load imports cannot be stored"):
        store.keep_imports([FIRST, bad], [PIN])
    assert (store.imports("etl.load"), store.verdicts("etl.load")) == ([], [])


def test_one_that_cannot_be_read_is_left_out(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    store.keep_imports([FIRST, SECOND])
    with store._writing() as connection:
        connection.execute(text("UPDATE spark_tuner_imports SET document = '{}' WHERE change_id = 'another'"))
    with caplog.at_level(logging.WARNING):
        assert store.imports("etl.load") == [FIRST]
    assert "what cohort etl.load imported cannot be read" in caplog.text
