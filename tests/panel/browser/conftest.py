"""A headless Chromium that gets the page from this folder and its answers from `canned`: nothing else answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

import pytest

import tuner.panel
from tests.panel.browser.canned import World
from tuner.panel.guarded_answers import HEADERS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

STATIC = Path(tuner.panel.__file__).parent / "static"
# By this name browsers allow what they allow to https: the clipboard.
ORIGIN = "http://localhost"
KINDS = {".js": "text/javascript", ".css": "text/css", ".html": "text/html; charset=utf-8"}
# Airflow's own, as of 3.1.
SANDBOX = "allow-scripts allow-same-origin allow-forms"


class Visit:
    """A browser's page on the panel, what it asked of whom, and what its console said."""

    def __init__(self, page: Page, world: World) -> None:
        self.page, self.world = page, world
        self.hosts: set[str] = set()
        self.complaints: list[str] = []
        self.failing: dict[str, tuple[int, str]] = {}
        page.route("**/*", self._answer)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)

    def open(self, address: str) -> Page:
        self.page.goto(f"{ORIGIN}/{address}")
        self.page.wait_for_load_state("networkidle")
        return self.page

    def open_chart(self, address: str) -> Page:
        """As `open`, and unfolds the chart of runs."""
        page = self.open(address)
        page.locator(".chart-fold > summary").click()
        return page

    def _answer(self, route: Route) -> None:
        asked = urlsplit(route.request.url)
        self.hosts.add(asked.netloc)
        path = asked.path.removeprefix("/")
        if path == "airflow":
            frame = f'<!doctype html><html class="dark"><iframe sandbox="{SANDBOX}" src="ui?{asked.query}" width=900 height=700>'
            route.fulfill(body=frame, content_type="text/html")
        elif path.startswith("api/"):
            self._answer_api(route, path.removeprefix("api/"), dict(parse_qsl(asked.query)))
        else:
            file = STATIC / ("index.html" if path == "ui" else path.removeprefix("static/"))
            route.fulfill(body=file.read_bytes(), headers=HEADERS | {"Content-Type": KINDS[file.suffix]})

    def _answer_api(self, route: Route, path: str, query: dict[str, str]) -> None:
        if path in self.failing:
            status, detail = self.failing[path]
            route.fulfill(status=status, json={"detail": detail})
        elif route.request.method == "POST":
            body: dict[str, Any] = json.loads(route.request.post_data or "{}")
            route.fulfill(body=self.world.accept(path, body).model_dump_json(), content_type="application/json")
        else:
            found = self.world.answer(path, query)
            assert found is not None, path
            route.fulfill(body=found.model_dump_json(), content_type="application/json")


@pytest.fixture
def visit(chromium: Browser) -> Iterator[Callable[..., Visit]]:
    """Starts a visit to a world; `options` are those of a browser's context."""
    contexts = []

    def start(world: World | None = None, **options: Any) -> Visit:
        context = chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        context.set_default_timeout(15_000)
        return Visit(context.new_page(), world or World())

    yield start
    for context in contexts:
        context.close()
