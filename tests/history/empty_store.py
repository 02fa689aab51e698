"""A store of a test's own, with nothing in it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tuner.history.store import Store


@pytest.fixture(scope="session")
def empty_history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the schema and nothing in it: making one takes longer than most tests."""
    path = tmp_path_factory.mktemp("history") / "empty.db"
    Store.open(f"sqlite:///{path}").close()
    return path


@pytest.fixture
def url(tmp_path: Path, empty_history: Path) -> str:
    shutil.copy(empty_history, tmp_path / "history.db")
    return f"sqlite:///{tmp_path}/history.db"


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with Store.open(url) as opened:
        yield opened
