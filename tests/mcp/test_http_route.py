"""Tools over HTTP: each message by itself, for the viewer who sent it, and not for a page in his browser."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import httpx
import pytest
from fastapi import Header, HTTPException
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.types import LATEST_PROTOCOL_VERSION

from tests.panel.nights import keep, night, query
from tests.panel.people import Someone, reader
from tuner.history.store import Store
from tuner.mcp.http_route import NO_MESSAGE, http_route
from tuner.mcp.instructions import INSTRUCTIONS
from tuner.panel.app import create_app
from tuner.panel.models.home import Home

with warnings.catch_warnings():
    # Starlette would rather have another client; this one is what the oldest FastAPI takes too.
    warnings.simplefilter("ignore")
    from fastapi.testclient import TestClient

if TYPE_CHECKING:
    from fastapi import FastAPI

PEOPLE = {"Bearer ana": reader("a"), "Bearer bob": reader("b")}
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


def viewer(authorization: Annotated[str, Header()] = "") -> Someone:
    if authorization not in PEOPLE:
        raise HTTPException(401, "sign in first")
    return PEOPLE[authorization]


@pytest.fixture
def app(store: Store) -> FastAPI:
    for name in ("a", "b"):
        keep(store, night(0, query("q1", 9, f"SELECT '{name}'"), cohort=f"{name}.load", dag_id=name))
    app = create_app(lambda: store, viewer, Home.AIRFLOW)
    app.include_router(http_route(lambda: store, viewer, Home.AIRFLOW))
    return app


Post = Callable[..., httpx.Response]


@pytest.fixture
def post(app: FastAPI) -> Post:
    client = TestClient(app, raise_server_exceptions=False)

    def sent(message: Any, who: str = "ana", **headers: str) -> Any:
        return client.post("/mcp", json=message, headers={"Authorization": f"Bearer {who}"} | headers)

    return sent


def request(method: str, number: int = 1, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def cohorts(answer: httpx.Response) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [item["cohort"] for item in answer.json()["result"]["structuredContent"]["items"]]


def test_a_client_of_the_sdk_asks_and_is_answered(app: FastAPI) -> None:
    async def ask() -> None:
        transport = httpx.ASGITransport(app=app)
        headers = {"Authorization": "Bearer ana"}
        async with (
            httpx.AsyncClient(transport=transport, base_url="http://airflow", headers=headers) as http,
            streamable_http_client("http://airflow/mcp", http_client=http) as (reading, writing, _),
            ClientSession(reading, writing) as session,
        ):
            said = await session.initialize()
            assert (said.serverInfo.name, said.instructions) == ("spark-tuner", INSTRUCTIONS)
            names = [tool.name for tool in (await session.list_tools()).tools]
            assert "list_cohorts" in names
            assert not {"list_logs", "advise_on_log", "replay"} & set(names)
            found = await session.call_tool("list_cohorts", {})
            assert found.structuredContent is not None
            assert [item["cohort"] for item in found.structuredContent["items"]] == ["a.load"]
            await session.send_ping()

    asyncio.run(ask())


def test_each_message_is_answered_by_the_rights_of_who_sent_it(post: Post) -> None:
    listing = request("tools/call", name="list_cohorts", arguments={})
    assert cohorts(post(listing)) == ["a.load"]
    assert cohorts(post(listing, "bob")) == ["b.load"]
    assert cohorts(post(listing)) == ["a.load"]
    other = post(request("tools/call", name="explain_cohort", arguments={"cohort": "b.load"})).json()["result"]
    assert other["isError"] and "no such cohort" in other["content"][0]["text"]


@pytest.mark.parametrize("message", [request("initialize", **HELLO), request("tools/list"), {"x": 1}, []])
def test_nobody_is_told_anything(message: Any, post: Post) -> None:
    assert post(message, "eve").status_code == 401


def test_a_cookie_in_the_place_of_the_header_is_nobody(app: FastAPI) -> None:
    client = TestClient(app, cookies={"_token": "ana", "Authorization": "Bearer ana"})
    assert client.post("/mcp", json=request("tools/list")).status_code == 401


@pytest.mark.parametrize(
    "headers", [{"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Origin": "https://evil.example"}]
)
def test_a_page_of_another_site_is_refused_even_with_the_header(headers: dict[str, str], post: Post) -> None:
    assert post(request("tools/list"), **headers).status_code == 403


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_what_a_form_can_send_is_refused(kind: str, post: Post) -> None:
    assert post(request("tools/list"), **{"Content-Type": kind}).status_code == 415


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS"])
def test_there_are_no_streams_and_no_sessions(method: str, app: FastAPI) -> None:
    asked = TestClient(app).request(method, "/mcp", headers={"Authorization": "Bearer ana"})
    assert asked.status_code == 405
    assert "mcp-session-id" not in asked.headers


def test_a_notification_is_taken_without_an_answer(post: Post) -> None:
    taken = post({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (taken.status_code, taken.content) == (202, b"")


@pytest.mark.parametrize("version", ["2025-03-26", "2025-06-18", "2025-11-25"])
def test_a_version_that_both_speak_is_spoken(version: str, post: Post) -> None:
    said = post(request("initialize", **HELLO | {"protocolVersion": version}), **{"MCP-Protocol-Version": version})
    assert said.json()["result"]["protocolVersion"] == version


def test_a_version_of_nobody_is_answered_with_the_newest_and_refused_as_a_header(post: Post) -> None:
    said = post(request("initialize", **HELLO | {"protocolVersion": "1999-01-01"})).json()["result"]
    assert said["protocolVersion"] == LATEST_PROTOCOL_VERSION
    assert post(request("ping"), **{"MCP-Protocol-Version": "1999-01-01"}).status_code == 400


@pytest.mark.parametrize("message", [[request("ping")], [], "ping", 7, {"method": "ping"}, {"jsonrpc": "2.0", "id": 1}])
def test_what_is_no_message_is_refused(message: Any, post: Post) -> None:
    refused = post(message)
    assert (refused.status_code, refused.json()) == (400, {"detail": NO_MESSAGE})


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (request("resources/list"), -32601),
        (request("no/such"), -32601),
        (request("tools/call", arguments={}), -32602),
        (request("initialize"), -32602),
    ],
)
def test_what_a_method_does_not_take_is_an_error_of_the_protocol(message: Any, code: int, post: Post) -> None:
    answer = post(message)
    assert (answer.status_code, answer.json()["error"]["code"], answer.json()["id"]) == (200, code, 1)


def test_answers_are_guarded_as_the_panels_are(post: Post) -> None:
    headers = post(request("ping")).headers
    assert (headers["cache-control"], headers["x-content-type-options"]) == ("no-store", "nosniff")
    assert headers["content-type"] == "application/json"


def test_the_panel_has_no_such_route_by_itself(store: Store) -> None:
    alone = TestClient(create_app(lambda: store, Someone, Home.AIRFLOW))
    assert alone.post("/mcp", json=request("tools/list")).status_code == 404
