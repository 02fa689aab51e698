"""The panel on this machine alone: for who has the token, by this machine's names."""

from __future__ import annotations

import getpass

import pytest

from tuner.history.store import Store
from tuner.panel.loopback import loopback_app

from .conftest import TestClient

TOKEN = "a-token"
HERE = "http://127.0.0.1:8999"
PLACE = "a-place"
HOME = f"/{PLACE}/"


@pytest.fixture
def client(url: str) -> TestClient:
    app = loopback_app(lambda: Store.open(url), TOKEN, PLACE)
    return TestClient(app, base_url=HERE, follow_redirects=False)


def test_the_token_is_taken_once_and_a_strict_cookie_from_then_on(client: TestClient) -> None:
    entry = client.get(HOME, params={"token": TOKEN})
    assert entry.status_code == 200
    assert 'content="0; url=ui"' in entry.text and TOKEN not in entry.text
    cookie = entry.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie and cookie.startswith("spark_tuner=")
    assert client.get(f"{HOME}api/session").json()["user"] == getpass.getuser()
    assert client.get(f"{HOME}api/session").json()["home"] == "standalone"
    assert client.get(HOME).headers["location"] == "ui"


def test_the_cookie_is_for_paths_that_no_other_port_of_the_host_is_asked_for(client: TestClient) -> None:
    """Browsers send it to all ports: another user's page would have all that it opens."""
    for entrance in (HOME, f"{HOME}ui"):
        client.cookies.clear()
        client.get(entrance, params={"token": TOKEN})
        (cookie,) = client.cookies.jar
        assert cookie.path == f"/{PLACE}"
        assert "cookie" not in client.get("/").request.headers
        assert "cookie" not in client.get(f"/{PLACE}ment/ui").request.headers
        assert client.get(f"{HOME}ui").status_code == 200


@pytest.mark.parametrize("path", ["/", "/ui", f"/{PLACE}"])
def test_the_token_opens_nothing_elsewhere(client: TestClient, path: str) -> None:
    """There the cookie would be for other paths, too."""
    answer = client.get(path, params={"token": TOKEN})
    assert (answer.status_code, answer.headers.get("set-cookie")) == (401, None)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/api/session",
        HOME,
        *(HOME + each for each in ("ui", "api/session", "static/x.js", "openapi.json", "nowhere")),
    ],
)
def test_without_it_nothing_is_answered(client: TestClient, path: str) -> None:
    for answer in (
        client.get(path),
        client.get(path, params={"token": "other"}),
        client.get(path, headers={"Cookie": "spark_tuner=x"}),
    ):
        assert answer.status_code == 401
        assert "spark-tuner ui" in answer.json()["detail"]
        assert "set-cookie" not in answer.headers
        assert "content-security-policy" in answer.headers


def test_the_token_opens_the_page_and_not_the_api(client: TestClient) -> None:
    assert client.get(f"{HOME}api/session", params={"token": TOKEN}).status_code == 401


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8999", "", "0.0.0.0"]
)
def test_a_name_that_was_made_to_resolve_to_here_is_refused(client: TestClient, host: str) -> None:
    answer = client.get(HOME, params={"token": TOKEN}, headers={"Host": host})
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("host", ["localhost:8999", "127.0.0.1", "[::1]:8999", "LOCALHOST"])
def test_this_machine_goes_by_its_names(client: TestClient, host: str) -> None:
    assert client.get(HOME, params={"token": TOKEN}, headers={"Host": host}).status_code == 200


def test_a_page_of_another_site_cannot_act_even_with_the_cookie(client: TestClient) -> None:
    client.get(HOME, params={"token": TOKEN})
    body = {"cohort": "etl", "mode": "auto"}
    refused = client.post(f"{HOME}api/cohort/mode", json=body, headers={"Sec-Fetch-Site": "cross-site"})
    assert refused.status_code == 403
    assert client.post(f"{HOME}api/cohort/mode", json=body).status_code == 404, "no such cohort in an empty history"
