"""The panel over a real store, asked as one viewer or another."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from tests.history import empty_store
from tuner.history.store import Store
from tuner.panel.app import create_app
from tuner.panel.models.home import Home

from .people import Someone

with warnings.catch_warnings():
    # Starlette would rather have another client; this one is what the oldest FastAPI takes too.
    warnings.simplefilter("ignore")
    from fastapi.testclient import TestClient

if TYPE_CHECKING:
    from fastapi import FastAPI

url, store = empty_store.url, empty_store.store
Ask = Callable[..., TestClient]


@pytest.fixture
def app_for(url: str) -> Callable[..., FastAPI]:
    """The panel as `viewer` sees it."""

    def make(
        viewer: Someone | None = None,
        home: Home = Home.AIRFLOW,
        core_hour_price: float | None = None,
        *,
        is_on: bool = True,
    ) -> FastAPI:
        return create_app(lambda: Store.open(url), lambda: viewer or Someone(), home, core_hour_price, is_on=is_on)

    return make


@pytest.fixture
def ask(app_for: Callable[..., FastAPI]) -> Iterator[Ask]:
    """A client of the panel, in the place of `viewer`: by default of one who may do everything. All of its requests are
    answered by one event loop, as a server's are.
    """
    with ExitStack() as stack:

        def client(
            viewer: Someone | None = None,
            home: Home = Home.AIRFLOW,
            core_hour_price: float | None = None,
            *,
            is_on: bool = True,
        ) -> TestClient:
            made = TestClient(app_for(viewer, home, core_hour_price, is_on=is_on), raise_server_exceptions=False)
            return stack.enter_context(made)

        yield client
