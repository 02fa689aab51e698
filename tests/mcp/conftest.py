"""Tools over a real store, asked as one viewer or another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.history import empty_store
from tests.panel.people import Someone
from tuner.history.store import Store
from tuner.mcp.store_tools import StoreTools
from tuner.mcp.tools import Tools
from tuner.panel.access import Access
from tuner.panel.models.home import Home
from tuner.panel.recent_runs import RecentRuns

url, store = empty_store.url, empty_store.store
Call = Callable[..., dict[str, Any]]


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
