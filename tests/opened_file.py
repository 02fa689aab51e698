"""A page opened from a file, which must ask nobody for anything."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@contextmanager
def opened(chromium: Browser, path: Path, scheme: str = "light") -> Iterator[Page]:
    """A page on the file; what it asked of others, and what its console said, are failures."""
    with chromium.new_context(color_scheme=scheme, timezone_id="UTC") as context:
        context.set_default_timeout(15_000)
        asked: list[str] = []
        complaints: list[str] = []
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
        page.goto(path.as_uri())
        yield page
        assert {urlsplit(url).scheme for url in asked} <= {"file", "data", "blob"}
        assert {urlsplit(url).path for url in asked if url.startswith("file:")} == {urlsplit(path.as_uri()).path}
        assert complaints == []
