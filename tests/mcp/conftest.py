"""Tools over a real store, asked as one viewer or another."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.panel.people import Someone
from tuner.history.store import Store
from tuner.mcp.store_tools import StoreTools
from tuner.mcp.tools import Tools
from tuner.panel.access import Access
from tuner.panel.models import Home
from tuner.panel.recent_runs import RecentRuns

Call = Callable[..., dict[str, Any]]


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


@pytest.fixture
def tools(store: Store) -> Callable[..., Tools]:
    """The tools of `viewer`: by default of one who may do everything."""

    def of(viewer: Someone | None = None, home: Home = Home.AIRFLOW) -> Tools:
        return Tools(StoreTools(Access(lambda: store, viewer or Someone(), RecentRuns()), home), home)

    return of


@pytest.fixture
def call(tools: Callable[..., Tools]) -> Call:
    """What a tool answers to `viewer`."""

    def answered(name: str, viewer: Someone | None = None, **arguments: Any) -> dict[str, Any]:
        found = tools(viewer).call(name, arguments)
        assert not found.isError, found.content
        assert found.structuredContent is not None
        return found.structuredContent

    return answered


@pytest.fixture
def refused(tools: Callable[..., Tools]) -> Callable[..., str]:
    """What is said to `viewer` in place of an answer."""

    def said(name: str, viewer: Someone | None = None, **arguments: Any) -> str:
        found = tools(viewer).call(name, arguments)
        assert found.isError
        assert found.structuredContent is None
        (content,) = found.content
        assert content.type == "text"
        return content.text

    return said
