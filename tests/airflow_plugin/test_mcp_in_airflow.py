"""Tools for agents on a real API server: by the token of Airflow's users, with their rights, where it is asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.airflow_plugin.api_server import FAB, FAB_PASSWORD, SIMPLE, Airflow, ApiServer, api_server
from tests.airflow_plugin.panel_history import LITERAL, OF_DAGS, SHARED, fill

pytest.importorskip("airflow.providers.fab", reason="pip install apache-airflow-providers-fab")
pytestmark = [pytest.mark.airflow, pytest.mark.nightly]

MCP = "/spark-tuner/mcp"
LISTING = {"name": "list_cohorts", "arguments": {}}


def message(method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def ask(client: httpx.Client, method: str = "tools/call", **params: Any) -> httpx.Response:
    return client.post(MCP, json=message(method, params or LISTING))


def listed(client: httpx.Client) -> set[str]:
    answer = ask(client)
    assert answer.status_code == 200, answer.text
    return {item["cohort"] for item in answer.json()["result"]["structuredContent"]["items"]}


@pytest.fixture(scope="module")
def server(migrated_airflow: Airflow, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    home = tmp_path_factory.mktemp("mcp")
    fill(url := f"sqlite:///{home}/history.db")
    airflow = migrated_airflow.with_settings(
        AIRFLOW__CORE__AUTH_MANAGER=FAB, SPARK_TUNER_DB=url, AIRFLOW__SPARK_TUNER__MCP="True"
    )
    with api_server(airflow, home / "api-server.log") as running:
        yield running


@pytest.fixture(scope="module")
def tokens(server: ApiServer) -> dict[str, str]:
    return {user: server.token(user, FAB_PASSWORD) for user in ("etl", "admin", "titles", "half")}


def test_each_user_sees_his_cohorts_by_the_token_in_the_header(server: ApiServer, tokens: dict[str, str]) -> None:
    expected = {"admin": {*OF_DAGS, SHARED}, "etl": {"etl.nightly"}, "titles": set(), "half": {*OF_DAGS, SHARED}}
    for user, cohorts in expected.items():
        with server.client(tokens[user]) as client:
            assert listed(client) == cohorts, user


def test_what_a_user_may_not_read_is_not_there(server: ApiServer, tokens: dict[str, str]) -> None:
    with server.client(tokens["etl"]) as client:
        for cohort in ("sales.nightly", SHARED, "gone.nightly", "no-such"):
            result = ask(client, name="explain_cohort", arguments={"cohort": cohort}).json()["result"]
            assert result["isError"] and "no such cohort" in result["content"][0]["text"]
        own = ask(client, name="list_queries", arguments={"cohort": "etl.nightly"})
        assert "structuredContent" in own.json()["result"]
        assert LITERAL not in own.text
    with server.client(tokens["admin"]) as client:
        assert LITERAL in ask(client, name="list_queries", arguments={"cohort": "etl.nightly"}).text


def test_a_cookie_is_nobodys(server: ApiServer, tokens: dict[str, str]) -> None:
    """A page of another site could send it along."""
    with server.client() as client:
        client.cookies.set("_token", tokens["admin"])
        assert client.get("/spark-tuner/api/cohorts").status_code == 200
        assert ask(client).status_code == 401
        client.headers["Authorization"] = "Basic YWRtaW46c2VjcmV0"
        assert ask(client).status_code == 401


def test_the_header_counts_and_not_the_cookie_beside_it(server: ApiServer, tokens: dict[str, str]) -> None:
    with server.client(tokens["etl"]) as client:
        client.cookies.set("_token", tokens["admin"])
        assert listed(client) == {"etl.nightly"}


def test_nobody_and_who_forges_are_refused(server: ApiServer, tokens: dict[str, str]) -> None:
    head, payload, _ = tokens["admin"].split(".")
    with server.client() as nobody, server.client(f"{head}.{payload}.{'A' * 43}") as forger:
        assert ask(nobody).status_code == 401
        assert ask(forger).status_code == 403


def test_a_page_in_a_browser_cannot_ask(server: ApiServer, tokens: dict[str, str]) -> None:
    with server.client(tokens["admin"]) as client:
        for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}):
            assert client.post(MCP, json=message("tools/call", LISTING), headers=headers).status_code == 403
        asked = client.post(MCP, content=json.dumps(message("ping", {})), headers={"Content-Type": "text/plain"})
        assert asked.status_code == 415
        preflight = client.options(MCP, headers={"Origin": "https://evil.example"})
        assert "access-control-allow-origin" not in preflight.headers


def test_there_are_no_tools_over_logs_and_none_that_change_anything(server: ApiServer, tokens: dict[str, str]) -> None:
    with server.client(tokens["admin"]) as client:
        tools = ask(client, "tools/list", cursor=None).json()["result"]["tools"]
    assert not {"list_logs", "advise_on_log", "replay"} & {tool["name"] for tool in tools}
    assert {tool["annotations"]["readOnlyHint"] for tool in tools} == {True}


def test_it_is_not_there_unless_asked_for(migrated_airflow: Airflow, tmp_path_factory: pytest.TempPathFactory) -> None:
    home = tmp_path_factory.mktemp("without")
    airflow = migrated_airflow.with_settings(
        AIRFLOW__CORE__AUTH_MANAGER=SIMPLE,
        AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS="True",
        SPARK_TUNER_DB=f"sqlite:///{home}/history.db",
    )
    with api_server(airflow, home / "api-server.log") as server, server.client() as client:
        token = client.get("/auth/token").json()["access_token"]
        client.headers["Authorization"] = f"Bearer {token}"
        assert client.get("/spark-tuner/api/session").status_code == 200
        assert ask(client).status_code == 404
