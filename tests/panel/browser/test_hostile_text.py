"""Text of logs, queries and people is shown as text, whatever it holds and however long it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

import pytest

from tests.panel.browser.canned import Texts, World
from tests.panel.browser.conftest import Visit

MARKUP = '<img src=x onerror="window.ran=1"><script>window.ran=1</script><svg onload="window.ran=1">'
TURNED = "\u202esecret\u202c \u2066x\u200f\u200b\U000e0049"
TABS = ["Recommendations", "Queries and plans", "Insights", "Runs", "Audit"]


def all_texts(text: str) -> World:
    return World(Texts(**{field.name: text for field in fields(Texts)}))


def walk(visit: Visit) -> str:
    """Opens everything there is, and returns all the text seen."""
    seen = "".join(visit.open(address).locator("main").inner_text() for address in ("ui", "ui?view=savings"))
    page = visit.open_chart("ui?cohort=c")
    page.locator(".chart svg").first.wait_for()
    page.locator(".chart").hover()
    for name in TABS:
        page.get_by_role("tab", name=name).click()
        page.wait_for_load_state("networkidle")
        seen += page.locator("body").inner_text()
    page.get_by_role("tab", name="Queries and plans").click()
    page.locator("table.queries a").first.click()
    page.locator(".plan-picture svg").first.wait_for()
    seen += page.locator("body").inner_text()
    page.get_by_role("tab", name="Runs").click()
    page.get_by_role("button", name="Compare the run").first.click()
    page.get_by_text("Details").click()
    return seen + page.locator("body").inner_text()


def test_markup_stays_text(visit: Callable[..., Visit]) -> None:
    going = visit(all_texts(MARKUP))

    seen = walk(going)

    assert MARKUP[:40] in seen
    assert going.page.evaluate("window.ran") is None
    assert going.page.locator("main img, main script").count() == 0
    assert going.complaints == []


def test_marks_that_turn_or_hide_writing_are_made_visible(visit: Callable[..., Visit]) -> None:
    seen = walk(visit(all_texts(TURNED)))

    assert "\ufffdsecret\ufffd" in seen
    assert not set(seen) & set("\u202e\u202c\u2066\u200f\u200b\U000e0049")


@pytest.mark.parametrize("width", [pytest.param(1280, marks=pytest.mark.nightly), 700])
def test_long_names_keep_the_layout(visit: Callable[..., Visit], width: int) -> None:
    going = visit(all_texts("n" * 10_000), viewport={"width": width, "height": 900})

    walk(going)

    assert going.page.evaluate("document.documentElement.scrollWidth") <= width


def test_what_is_copied_is_what_is_shown(visit: Callable[..., Visit]) -> None:
    going = visit(World(Texts(copied="spark.a=1\u202e2")), permissions=["clipboard-read", "clipboard-write"])
    page = going.open("ui?cohort=c")
    page.evaluate("void (navigator.clipboard.writeText = async (text) => { window.written = text; })")

    page.get_by_role("button", name="Copy").click()

    assert page.evaluate("window.written") == page.locator(".code").inner_text() == "spark.a=1\ufffd2"
