"""The panel leaves Airflow's server what it needs, whatever is sent and however slow the store is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from threading import Event
from typing import Any

import pytest
from fastapi import FastAPI, HTTPException
from starlette.types import Message, Scope

from tuner.errors import StoreError
from tuner.history.store import Store
from tuner.panel import bounded_requests
from tuner.panel.app import create_app
from tuner.panel.bounded_requests import BUSY, MOST_AT_ONCE, MOST_BODY_BYTES, TOO_LARGE
from tuner.panel.models.home import Home

from .conftest import TestClient
from .nights import COHORT, HINT, decided, keep, night, query
from .people import Someone

Ask = Callable[..., Any]
# As many threads as a server has for all of its apps.
THREADS = 40


def ruling(reason: str) -> bytes:
    body = {"cohort": COHORT, "change_ids": [HINT.id], "ruling": "approve", "reason": reason}
    return json.dumps(body).encode()


def test_a_body_that_is_too_large_is_refused(ask: Ask, store: Store) -> None:
    keep(store, night(0, query("q1", 20), changes=[decided()]))
    client, large = ask(), ruling("x" * MOST_BODY_BYTES)
    headers = {"content-type": "application/json"}
    pieces: Iterator[bytes] = (large[start : start + 60_000] for start in range(0, len(large), 60_000))
    for content in (large, pieces):
        answer = client.post("/api/cohort/rulings", content=content, headers=headers)
        assert (answer.status_code, answer.json()) == (413, {"detail": TOO_LARGE})
        assert "content-security-policy" in answer.headers
    assert not store.verdicts(COHORT)


def test_who_is_unknown_cannot_send_more_either() -> None:
    def nobody() -> Someone:
        raise HTTPException(401, "sign in first")

    client = TestClient(create_app(_no_store, nobody, Home.AIRFLOW))
    assert client.post("/api/cohort/mode", content=b"x" * (MOST_BODY_BYTES + 1)).status_code == 413


def test_a_store_that_hangs_leaves_the_server_its_threads() -> None:
    """As where a migration holds the lock of a table: Airflow's own routes go on."""
    release = Event()
    asyncio.run(_with_a_hanging_store(release))


async def _with_a_hanging_store(release: Event) -> None:
    def hanging() -> Store:
        release.wait(20)
        return _no_store()

    airflow = FastAPI()

    @airflow.get("/health")
    def health() -> str:
        return "fine"

    airflow.mount("/spark-tuner", create_app(hanging, Someone, Home.AIRFLOW))
    asked = [asyncio.create_task(_get(airflow, "/spark-tuner/api/cohorts")) for _ in range(THREADS + 5)]
    try:
        await asyncio.sleep(0.5)
        assert (await asyncio.wait_for(_get(airflow, "/health"), 5))[0] == 200
        assert (await asyncio.wait_for(_get(airflow, "/spark-tuner/ui"), 5))[0] == 200
    finally:
        release.set()
    assert {status for status, _ in await asyncio.gather(*asked)} == {503}


def test_who_waits_too_long_is_told_to_try_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_requests, "MOST_WAIT_SECONDS", 0.2)
    release = Event()

    def hanging() -> Store:
        release.wait(20)
        return _no_store()

    async def one_too_many() -> tuple[int, bytes]:
        app = create_app(hanging, Someone, Home.AIRFLOW)
        held = [asyncio.create_task(_get(app, "/api/cohorts")) for _ in range(MOST_AT_ONCE)]
        await asyncio.sleep(0.3)
        try:
            return await _get(app, "/api/cohorts")
        finally:
            release.set()
            await asyncio.gather(*held)

    status, body = asyncio.run(one_too_many())
    assert (status, json.loads(body)) == (503, {"detail": BUSY})


def _no_store() -> Store:
    raise StoreError("history store: no answer")


async def _get(app: Callable[..., Awaitable[None]], path: str) -> tuple[int, bytes]:
    """Status and body, as an ASGI server asks."""
    scope: Scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(b"host", b"testserver")],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    status, body = 0, b""

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        nonlocal status, body
        status = message.get("status", status)
        body += message.get("body", b"")

    await app(scope, receive, send)
    return status, body
