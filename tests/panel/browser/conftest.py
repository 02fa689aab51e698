"""A headless Chromium that gets the page and its answers from a `WorldServer`: nothing else answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from tests.panel.browser.canned import World
from tests.panel.browser.world_server import WorldServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Request

# So long nothing is asked once a page is drawn.
STEP_MS, QUIET_STEPS = 20, 5


class Visit:
    """A browser's page on the panel, what it asked of whom, and what its console said."""

    def __init__(self, page: Page, server: WorldServer) -> None:
        self.page, self.world, self.failing, self.origin = page, server.world, server.failing, server.origin
        self.hosts: set[str] = set()
        self.complaints: list[str] = []
        self._asked: set[Request] = set()
        page.on("request", self._ask)
        for end in ("requestfinished", "requestfailed"):
            page.on(end, lambda request: self._asked.discard(request))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)

    def _ask(self, request: Request) -> None:
        self.hosts.add(urlsplit(request.url).netloc)
        self._asked.add(request)

    def open(self, address: str) -> Page:
        self.page.goto(f"{self.origin}/{address}")
        # As Playwright's networkidle, which waits for half a second.
        quiet = 0
        while quiet < QUIET_STEPS:
            self.page.wait_for_timeout(STEP_MS)
            quiet = 0 if self._asked else quiet + 1
        return self.page

    def open_chart(self, address: str) -> Page:
        """As `open`, and unfolds the chart of runs."""
        page = self.open(address)
        page.locator(".chart-fold > summary").click()
        return page


@pytest.fixture
def visit(chromium: Browser) -> Iterator[Callable[..., Visit]]:
    """Starts a visit to a world; `options` are those of a browser's context."""
    to_close: list[Callable[[], None]] = []

    def start(world: World | None = None, **options: Any) -> Visit:
        context = chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        context.set_default_timeout(15_000)
        server = WorldServer(world or World())
        to_close.extend((context.close, server.close))
        return Visit(context.new_page(), server)

    yield start
    for close in to_close:
        close()
