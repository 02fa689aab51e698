"""The panel over a real store, asked as one viewer or another."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from typing import TYPE_CHECKING

import pytest
from fastapi import Request

from tests.history import empty_store
from tuner.history.store import Store
from tuner.panel.access import Access
from tuner.panel.app import app_over
from tuner.panel.kept_store import KeptStore
from tuner.panel.models.home import Home
from tuner.panel.recent_runs import RecentRuns

from .people import Someone

with warnings.catch_warnings():
    # Starlette would rather have another client; this one is what the oldest FastAPI takes too.
    warnings.simplefilter("ignore")
    from fastapi.testclient import TestClient

if TYPE_CHECKING:
    from fastapi import FastAPI

url, store = empty_store.url, empty_store.store
Ask = Callable[..., TestClient]

# What each client of the test that runs may see, by the header that it sends.
_HEADER = "spark-tuner-client"
_seen: dict[str, Access] = {}


def _access(request: Request) -> Access:
    return _seen[request.headers[_HEADER]]


@cache
def _app(home: Home, core_hour_price: float | None) -> FastAPI:
    """Once in a process: to make one takes longer than most tests."""
    return app_over(_access, home, core_hour_price)


@pytest.fixture
def ask(url: str) -> Iterator[Ask]:
    """A client of the panel, in the place of `viewer`: by default of one who may do everything. All of its requests are
    answered by one event loop, as a server's are.
    """
    with ExitStack() as stack:
        stack.callback(_seen.clear)

        def client(
            viewer: Someone | None = None,
            home: Home = Home.AIRFLOW,
            core_hour_price: float | None = None,
            *,
            is_on: bool = True,
        ) -> TestClient:
            name = str(len(_seen))
            _seen[name] = Access(KeptStore(lambda: Store.open(url)), viewer or Someone(), RecentRuns(), is_on)
            app = _app(home, core_hour_price)
            made = TestClient(app, headers={_HEADER: name}, raise_server_exceptions=False)
            return stack.enter_context(made)

        yield client
