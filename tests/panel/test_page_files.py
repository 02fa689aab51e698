"""The page and its files as they were shipped, and nothing else of the machine."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from fastapi import FastAPI

from tuner.panel.page_files import page_routes

from .conftest import TestClient


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "static"
    (folder / "js").mkdir(parents=True)
    (folder / "index.html").write_text('<!doctype html><title>panel</title><script src="static/js/chart.js"></script>')
    (folder / "js" / "chart.js").write_text("export const a = 1")
    (folder / "icon.svg").write_text("<svg/>")
    (folder / "notes.py").write_text("secret = 1")
    (tmp_path / "outside.js").write_text("secret")
    return folder


@pytest.fixture
def client(folder: Path) -> TestClient:
    return client_of(folder)


def client_of(folder: Path, changed: str = "") -> TestClient:
    if changed:
        (folder / "js" / "chart.js").write_text(changed)
    app = FastAPI()
    app.include_router(page_routes(folder))
    return TestClient(app)


def test_the_page_is_the_same_whatever_is_asked(client: TestClient) -> None:
    answer = client.get("/ui", params={"scope": "<script>", "dag_id": "{DAG_ID}"})
    assert answer.text == client.get("/ui").text
    assert answer.headers["content-type"] == "text/html; charset=utf-8"


def test_a_page_that_is_not_installed_says_what_to_do(client: TestClient, folder: Path) -> None:
    (folder / "index.html").unlink()
    answer = client.get("/ui")
    assert (answer.status_code, "install airflow-spark-tuner again" in answer.text) == (500, True)


@pytest.mark.parametrize(
    ("file", "media_type"), [("js/chart.js", "text/javascript; charset=utf-8"), ("icon.svg", "image/svg+xml")]
)
def test_files_have_their_media_types_and_are_not_sent_twice(client: TestClient, file: str, media_type: str) -> None:
    first = client.get(f"/static/{file}")
    assert (first.status_code, first.headers["content-type"]) == (200, media_type)
    assert first.headers["cache-control"] == "private, no-cache"
    again = client.get(f"/static/{file}", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get(f"/static/{file}", headers={"If-None-Match": '"other"'}).status_code == 200


def versioned(client: TestClient) -> str:
    """Where the page has its files."""
    found = re.search(r'src="(static/[0-9a-f]{16})/js/chart.js"', client.get("/ui").text)
    assert found
    return found[1]


def test_the_page_asks_for_files_that_a_browser_keeps(client: TestClient) -> None:
    answer = client.get(f"/{versioned(client)}/js/chart.js")
    assert (answer.status_code, answer.text) == (200, "export const a = 1")
    assert answer.headers["cache-control"] == "private, max-age=31536000, immutable"


def test_an_upgrade_has_other_addresses_and_those_of_before_are_no_more(folder: Path, tmp_path: Path) -> None:
    before = versioned(client_of(folder))
    upgraded = client_of(shutil.copytree(folder, tmp_path / "upgraded"), changed="export const a = 2")
    assert versioned(upgraded) != before
    assert upgraded.get(f"/{versioned(upgraded)}/js/chart.js").text == "export const a = 2"
    assert upgraded.get(f"/{before}/js/chart.js").status_code == 404


def test_files_fit_the_server_that_started_with_them(client: TestClient, folder: Path) -> None:
    asked = versioned(client)
    (folder / "js" / "chart.js").write_text("export const a = 2")
    assert client.get(f"/{asked}/js/chart.js").text == "export const a = 1"
    assert client.get("/static/js/chart.js").text == "export const a = 1"


@pytest.mark.parametrize(
    "file",
    [
        "../outside.js",
        "..%2foutside.js",
        "js/..%2f..%2foutside.js",
        "%2e%2e/outside.js",
        "/etc/passwd",
        "//etc/passwd",
        "notes.py",
        "index.html",
        "js",
        "",
        "js/chart.js%00",
        "JS/chart.js",
    ],
)
def test_nothing_else_is_served(client: TestClient, file: str) -> None:
    answer = client.get(f"/static/{file}")
    assert answer.status_code == 404
    assert "secret" not in answer.text
