"""The panel over a real store, asked as one viewer or another."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tuner.history.store import Store
from tuner.panel.app import create_app
from tuner.panel.models import Home

from .people import Someone

with warnings.catch_warnings():
    # Starlette would rather have another client; this one is what the oldest FastAPI takes too.
    warnings.simplefilter("ignore")
    from fastapi.testclient import TestClient

if TYPE_CHECKING:
    from fastapi import FastAPI

Ask = Callable[..., TestClient]


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
def app_for(url: str) -> Callable[..., FastAPI]:
    """The panel as `viewer` sees it."""

    def make(viewer: Someone | None = None, home: Home = Home.AIRFLOW, core_hour_price: float | None = None) -> FastAPI:
        return create_app(lambda: Store.open(url), lambda: viewer or Someone(), home, core_hour_price)

    return make


@pytest.fixture
def ask(app_for: Callable[..., FastAPI]) -> Ask:
    """A client of the panel, in the place of `viewer`: by default of one who may do everything."""

    def client(
        viewer: Someone | None = None, home: Home = Home.AIRFLOW, core_hour_price: float | None = None
    ) -> TestClient:
        return TestClient(app_for(viewer, home, core_hour_price), raise_server_exceptions=False)

    return client
