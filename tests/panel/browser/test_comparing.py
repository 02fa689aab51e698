"""Two runs side by side: chosen by keyboard, told in words, and at an address that can be passed on."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.panel.browser.becomes_true import becomes_true
from tests.panel.browser.canned import START, World
from tests.panel.browser.conftest import Visit
from tuner.panel.models.runs import RunItem


def test_a_run_is_compared_with_the_one_before_by_one_button(visit: Callable[..., Visit]) -> None:
    going = visit(timezone_id="UTC")
    page = going.open("ui?cohort=sales.nightly#runs")
    button = page.get_by_role("button", name="Compare the run of 12 Mar 2026, 02:00 UTC with the one before")
    button.focus()
    button.press("Enter")

    page.locator(".headline", has_text="72.0 s slower (56.2%): 3 min 20 s instead of 2 min 8 s").wait_for()
    assert becomes_true(page, "document.activeElement.textContent === 'Two runs compared'")
    why = page.get_by_role("table", name="What the difference comes from")
    assert "60.0 s more" in why.inner_text() and "plan" in why.inner_text()
    queries = page.get_by_role("table", name="Queries, those that differ most first")
    first, _, second = queries.locator("> tbody > tr").all()
    assert [cell in first.inner_text() for cell in ("50.0 s", "110.0 s", "83%", "3 times instead of 2")] == [True] * 4
    assert "noise" in second.inner_text()
    assert page.get_by_text("and 3 more queries, which differ less").is_visible()
    assert going.complaints == []


@pytest.mark.nightly
def test_details_show_operators_before_and_after(visit: Callable[..., Visit]) -> None:
    page = visit().open("ui?cohort=c&before=run-10&after=run-11#runs")
    page.get_by_text("Details").click()

    row = page.get_by_role("table", name="Operators that differ, before and after").locator("tbody tr")
    assert "sort merge join instead of broadcast hash join" in row.inner_text()
    assert "1.4M → 1.4M" in row.inner_text()
    assert "– → 9.0 MB" in row.inner_text()


@pytest.mark.nightly
def test_its_address_leads_to_it_and_back_leads_to_the_runs(visit: Callable[..., Visit]) -> None:
    page = visit(timezone_id="UTC").open("ui?cohort=c&before=run-10&after=run-11")

    page.get_by_role("heading", name="Two runs compared").wait_for()
    expect(page.get_by_label("Run before")).to_have_value("run-10")
    expect(page.get_by_role("tab", name="Runs")).to_have_attribute("aria-selected", "true")
    page.get_by_role("button", name="All runs").click()

    assert becomes_true(page, "document.activeElement.dataset.key === 'run-11'")
    assert "before" not in parse_qs(urlsplit(page.url).query)


@pytest.mark.nightly
def test_other_runs_are_chosen_from_lists(visit: Callable[..., Visit]) -> None:
    page = visit(timezone_id="UTC").open("ui?cohort=c&before=gone&after=run-11#runs")
    before = page.get_by_label("Run before")
    assert before.locator("option:checked").inner_text() == "gone"

    before.select_option(label="1 Mar 2026, 02:00 UTC · succeeded · 4 min 0 s")

    assert becomes_true(page, "window.location.search.includes('before=run-0')")
    page.locator(".headline", has_text="72.0 s slower").wait_for()
    assert parse_qs(urlsplit(page.url).query)["after"] == ["run-11"]


@pytest.mark.nightly
def test_runs_of_one_moment_are_told_apart(visit: Callable[..., Visit]) -> None:
    class Mapped(World):
        def run(self, night: int) -> RunItem:
            alike = {"started_at": START, "query_seconds": 128.0, "run_id": f"run {night}"}
            return World.run(self, night).model_copy(update=alike | {"map_index": night % 2})

    page = visit(Mapped(runs=5), timezone_id="UTC").open("ui?cohort=c#runs")
    page.get_by_role("button", name="Compare the run").first.click()
    expect(page.get_by_label("Run before")).to_have_value("run-2")
    label = "1 Mar 2026, 02:00 UTC · succeeded · 4 min 0 s · map {} · run {}"
    assert page.get_by_label("Run after").locator("option").all_inner_texts() == [
        label.format(night % 2, night) for night in reversed(range(5))
    ]


@pytest.mark.nightly
def test_its_address_is_to_be_copied_by_hand_where_nothing_else_may(visit: Callable[..., Visit]) -> None:
    going = visit()
    page = going.open("ui?cohort=c&before=run-10&after=run-11#runs")
    page.evaluate("void (navigator.clipboard.writeText = () => Promise.reject(new Error()))")
    page.evaluate("void (document.execCommand = () => false)")
    page.get_by_role("button", name="Copy the address of this comparison").click()

    field = page.get_by_role("textbox", name="the address of this comparison")
    expect(field).to_have_value(f"{going.origin}/ui?cohort=c&before=run-10&after=run-11#runs")
    assert field.evaluate("field => field.selectionEnd - field.selectionStart === field.value.length")


def test_what_cannot_be_compared_says_why(visit: Callable[..., Visit]) -> None:
    going = visit()
    going.failing["cohort/compare"] = (404, "no such run of this cohort")
    page = going.open("ui?cohort=c&before=x&after=run-11#runs")

    assert "no such run of this cohort" in page.get_by_role("alert").inner_text()
    assert page.get_by_label("Run after").is_visible()


@pytest.mark.nightly
def test_nothing_is_to_compare_where_one_run_alone_was_measured(visit: Callable[..., Visit]) -> None:
    page = visit(World(runs=1)).open("ui?cohort=c#runs")
    page.locator("tr[data-key]").wait_for()
    assert page.get_by_role("button", name="Compare").count() == 0


@pytest.mark.nightly
@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.nightly)])
def test_no_column_is_cut_at_800_pixels(visit: Callable[..., Visit], scheme: str) -> None:
    page = visit(viewport={"width": 800, "height": 900}, color_scheme=scheme).open(
        "ui?cohort=c&before=run-0&after=run-11#runs"
    )
    page.locator(".headline", has_text="72.0 s slower").wait_for()
    page.get_by_text("Details").click()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    tables = ".comparison .scroller"
    assert page.evaluate(
        f"[...document.querySelectorAll('{tables}')].every((each) => each.scrollWidth <= each.clientWidth)"
    )
