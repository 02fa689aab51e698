"""axe finds nothing on any part of the page that keeps people from using it: at two widths, light and dark.

By day each part is looked at once.

It sees names, roles, contrast and what can be reached; what the other tests of this folder do by keyboard it does not.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from tests.panel.browser.conftest import Visit

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed: it is of the dev group")

# The page and what shows that it is drawn.
PARTS = {
    "overview": ("ui", "table.cohorts"),
    "savings": ("ui?view=savings", ".savings table"),
    "recommendations": ("ui?cohort=c#recommendations", ".recommendations tbody tr"),
    "queries": ("ui?cohort=c#queries", "table.queries"),
    "plan": ("ui?cohort=c&query=q0#queries", ".plan-picture svg >> nth=1"),
    "insights": ("ui?cohort=c#insights", ".insight"),
    "runs": ("ui?cohort=c#runs", "table.runs"),
    "comparison": ("ui?cohort=c&before=run-1&after=run-2#runs", ".comparison table"),
    "audit": ("ui?cohort=c#audit", "[role=tabpanel]:not([hidden]) table"),
}
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


# Where tables are widest; the rest is looked at wide and light.
NARROW_AND_DARK = {"overview", "recommendations", "queries", "runs"}


def _by_day(part: str, width: int, scheme: str) -> bool:
    return (width, scheme) == ((800, "dark") if part in NARROW_AND_DARK else (1400, "light"))


@pytest.mark.parametrize(
    ("part", "width", "scheme"),
    [
        pytest.param(*seen, marks=() if _by_day(*seen) else pytest.mark.nightly)
        for seen in product(PARTS, (1400, 800), ("light", "dark"))
    ],
)
def test_nothing_keeps_people_out(visit: Callable[..., Visit], part: str, width: int, scheme: str) -> None:
    going = visit(viewport={"width": width, "height": 900}, color_scheme=scheme)
    going.page.add_init_script(files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8"))
    address, drawn = PARTS[part]
    page = going.open_chart(address) if "cohort=" in address else going.open(address)
    page.locator(drawn).first.wait_for()

    assert violations(page) == []


def violations(page: Page) -> list[str]:
    """Each rule that is broken, and where."""
    asked: dict[str, Any] = {"runOnly": WCAG, "resultTypes": ["violations"]}
    found = page.evaluate("asked => axe.run(document, asked)", asked)
    assert len(found["passes"]) > 10, "axe looked at the page"
    return [
        f"{rule['id']}: {node['html'][:160]} ({' '.join(node['failureSummary'].split())[:300]})"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]
