"""One store for a process, opened when it is first asked for."""

from __future__ import annotations

import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tuner.errors import StoreError
from tuner.history.store import Store
from tuner.model.decision import Mode
from tuner.model.verdict import ModeChange
from tuner.panel import kept_store
from tuner.panel.kept_store import KeptStore


class Opener:
    """Opens the store of a URL, or fails while `broken`; counts how often."""

    def __init__(self, url: str, *, broken: bool = False) -> None:
        self.url, self.broken, self.count = url, broken, 0

    def __call__(self) -> Store:
        self.count += 1
        if self.broken:
            raise StoreError("no route to host")
        return Store.open(self.url)


def test_threads_share_one(url: str) -> None:
    opener = Opener(url)
    kept = KeptStore(opener)
    assert opener.count == 0
    with ThreadPoolExecutor(8) as threads:
        assert len({id(store) for store in threads.map(lambda _: kept(), range(32))}) == 1
    assert opener.count == 1


def test_a_database_that_does_not_answer_is_tried_again_only_after_a_while(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opener = Opener(url, broken=True)
    kept = KeptStore(opener)
    for _ in range(3):
        with pytest.raises(StoreError, match="no route to host"):
            kept()
    assert opener.count == 1
    opener.broken = False
    monkeypatch.setattr(kept_store, "SAME_ANSWER_SECONDS", 0.0)
    assert isinstance(kept(), Store)


def test_a_forked_process_opens_its_own(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opener = Opener(url)
    kept = KeptStore(opener)
    mine = kept()
    own = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: own + 1)
    assert kept() is not mine
    monkeypatch.setattr(os, "getpid", lambda: own)
    assert kept() is mine
    assert opener.count == 2


OBSERVED = ModeChange("etl.load", Mode.OBSERVE, "ana", datetime(2026, 11, 20, tzinfo=UTC))


def test_what_is_said_once_a_backup_is_restored_goes_into_it(url: str, tmp_path: Path) -> None:
    history, backup = tmp_path / "history.db", tmp_path / "backup.db"
    Store.open(f"sqlite:///{backup}").close()
    kept = KeptStore(lambda: Store.open(url))
    app = KeptStore(kept)
    app().set_mode(OBSERVED)
    for left in ("history.db-wal", "history.db-shm"):
        (tmp_path / left).unlink()
    backup.rename(history)
    assert app().mode("etl.load") is None, "the backup is from before that"
    app().set_mode(OBSERVED)
    with closing(sqlite3.connect(history)) as connection:
        assert connection.execute("SELECT mode FROM spark_tuner_modes").fetchall() == [("observe",)]


def test_nothing_is_said_into_a_file_that_is_gone_nor_into_one_made_in_its_place(url: str, tmp_path: Path) -> None:
    history, away = tmp_path / "history.db", tmp_path / "away.db"
    kept = KeptStore(lambda: Store.open(url))
    kept().set_mode(OBSERVED)
    history.rename(away)
    with pytest.raises(
        StoreError, match=r"sqlite:///.*/history\.db: its file cannot be found: No such .*; put it back"
    ):
        kept()
    assert not history.exists()
    away.rename(history)
    assert kept().mode("etl.load") is Mode.OBSERVE


def test_a_file_that_is_restored_only_in_part_is_left_as_it_is(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_store, "SAME_ANSWER_SECONDS", 0.0)
    history, backup = tmp_path / "history.db", tmp_path / "backup.db"
    kept = KeptStore(lambda: Store.open(url))
    kept().set_mode(OBSERVED)
    history.rename(backup)
    history.touch()
    for _ in range(2):
        with pytest.raises(StoreError, match=r"sqlite:///.*/history\.db: its file is empty: put the whole one there"):
            kept()
        assert history.stat().st_size == 0
    history.write_bytes(b"half of a file of another program" * 99)
    for _ in range(2):
        with pytest.raises(StoreError, match="not a database"):
            kept()
    history.write_bytes(b"")
    with pytest.raises(StoreError, match="its file is empty"):
        kept()
    assert history.stat().st_size == 0, "also after an attempt that failed"
    backup.rename(history)
    assert kept().mode("etl.load") is Mode.OBSERVE
