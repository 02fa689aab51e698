"""What a person opens has an address: Back returns to what was there, and a new tab shows the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.panel.browser.becomes_true import becomes_true
from tests.panel.browser.conftest import Visit

if TYPE_CHECKING:
    from playwright.sync_api import Page

RUN = "manual__2026-03-01T02:00:00+00:00"
PLAN = "Plan after"


def tab(page: Page) -> str:
    return page.locator("[role=tab][aria-selected=true]").inner_text().split("\n")[0]


def test_back_returns_through_a_plan_its_list_and_the_tab_before(visit: Callable[..., Visit]) -> None:
    going = visit()
    page = going.open("ui?cohort=c")
    page.get_by_role("tab", name="Queries and plans").click()
    page.get_by_role("button", name="Show more").click()
    page.locator("table.queries tbody tr").nth(59).wait_for()
    page.locator("table.queries a").nth(7).click()
    page.get_by_role("img", name=PLAN).wait_for()
    assert page.url == f"{going.origin}/ui?cohort=c&query=q7#queries"
    assert becomes_true(page, "document.activeElement.tagName === 'H2'")

    page.go_back()
    page.locator("table.queries tbody tr").nth(59).wait_for()
    assert becomes_true(page, "document.activeElement.dataset.query === 'q7'")
    page.go_back()
    assert becomes_true(page, "document.querySelector('[role=tab][aria-selected=true]').innerText.startsWith('Rec')")
    page.go_forward()
    page.go_forward()
    page.get_by_role("img", name=PLAN).wait_for()
    assert page.get_by_role("heading", level=2).last.inner_text().endswith("rows. 7")


@pytest.mark.nightly
def test_all_queries_leads_to_the_list(visit: Callable[..., Visit]) -> None:
    going = visit()
    page = going.open("ui?cohort=c&query=q3#queries")
    page.get_by_role("link", name="All queries").click()

    page.get_by_role("table", name="Queries").wait_for()
    assert page.url == f"{going.origin}/ui?cohort=c#queries"


@pytest.mark.nightly
@pytest.mark.parametrize("address", ["ui?cohort=c&query=q7#queries", "ui?cohort=c&query=q7&sort=name#insights"])
def test_a_new_tab_shows_the_same(visit: Callable[..., Visit], address: str) -> None:
    page = visit().open(address)
    named = {"queries": "Queries and plans", "insights": "Insights"}[address.split("#")[1]]
    assert tab(page) == named
    page.get_by_role("tab", name="Queries and plans").click()
    page.get_by_role("img", name=PLAN).wait_for()
    assert page.get_by_role("link", name="All queries").is_visible()


@pytest.mark.nightly
def test_a_link_with_a_modifier_is_the_browsers(visit: Callable[..., Visit]) -> None:
    page = visit().open("ui?cohort=c#queries")
    link = page.locator("table.queries a").first
    expect(link).to_have_attribute("href", "/ui?cohort=c&query=q0#queries")
    with page.context.expect_page() as opened:
        link.click(modifiers=["Control"])
    opened.value.close()
    assert page.get_by_role("table", name="Queries").is_visible()


@pytest.mark.nightly
def test_a_recommendation_and_an_insight_lead_to_their_query_and_back(visit: Callable[..., Visit]) -> None:
    page = visit().open("ui?cohort=c#insights")
    page.locator(".insight").get_by_role("link").click()
    page.get_by_role("img", name=PLAN).wait_for()

    page.go_back()
    page.locator(".insight").wait_for()
    assert tab(page) == "Insights"


@pytest.mark.nightly
def test_walking_over_the_tabs_by_keys_is_one_step(visit: Callable[..., Visit]) -> None:
    page = visit().open("ui?cohort=c&query=q3#recommendations")
    before = page.evaluate("history.length")
    page.get_by_role("tab", name="Recommendations").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")

    assert page.url.endswith("#runs")
    assert page.get_by_role("tab", name="Runs").evaluate("tab => tab === document.activeElement")
    assert page.evaluate("history.length") == before + 1
    page.go_back()
    assert becomes_true(page, "document.querySelector('[role=tab][aria-selected=true]').innerText.startsWith('Rec')")


@pytest.mark.nightly
def test_skipping_to_the_content_keeps_the_tab(visit: Callable[..., Visit]) -> None:
    page = visit().open("ui?cohort=c#insights")
    page.locator(".skip").focus()
    page.keyboard.press("Enter")

    assert page.url.endswith("#main")
    assert tab(page) == "Insights"


@pytest.mark.nightly
def test_what_airflow_put_into_the_address_stays(visit: Callable[..., Visit]) -> None:
    """A run id with a `+`, and a name that Airflow left as it is."""
    page = visit().open(f"ui?scope=task_instance&dag_id=sales&run_id={RUN}&task_id={{TASK_ID}}&cohort=c#runs")
    page.get_by_role("tab", name="Queries and plans").click()
    page.locator("table.queries a").first.click()
    page.get_by_role("img", name=PLAN).wait_for()

    page.reload()
    page.get_by_role("img", name=PLAN).wait_for()
    scope = page.evaluate("import('/static/js/address.js').then((it) => it.readScope(location.search))")
    assert (scope["run_id"], scope["task_id"], scope["cohort"]) == (RUN, "", "c")


def test_back_in_airflows_frame_stays_in_the_panel(visit: Callable[..., Visit]) -> None:
    going = visit()
    page = going.open("airflow?cohort=c")
    frame = page.frame_locator("iframe")
    frame.get_by_role("tab", name="Queries and plans").click()
    frame.locator("table.queries a").first.click()
    frame.get_by_role("img", name=PLAN).wait_for()

    page.evaluate("history.back()")
    frame.get_by_role("table", name="Queries").wait_for()
    page.evaluate("history.back()")
    frame.get_by_role("tab", name="Recommendations", selected=True).wait_for()
    assert page.url == f"{going.origin}/airflow?cohort=c"
