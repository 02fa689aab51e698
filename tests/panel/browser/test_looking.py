"""The page shows one set of facts to pointers, keyboards and screen readers, in both themes, in a frame or alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.panel.browser.becomes_true import becomes_true
from tests.panel.browser.canned import World
from tests.panel.browser.conftest import ORIGIN, Visit


def test_asks_no_other_host_and_breaks_no_rule_of_its_policy(visit: Callable[..., Visit]) -> None:
    going = visit()
    page = going.open_chart("ui?cohort=c")
    page.locator(".chart svg").first.wait_for()

    assert going.hosts == {ORIGIN.removeprefix("http://")}
    assert going.complaints == []


def test_what_runs_hold_with_other_sizes_stands_beside_what_they_held(visit: Callable[..., Visit]) -> None:
    page = visit().open("ui?cohort=c")
    figure = page.locator(".figure", has_text="GiB-hours a run")
    figure.wait_for()
    said = "instead of 2.25 as the job asks (60% less); core-hours 0.500 instead of 0.500"
    assert figure.inner_text().split("\n")[-1] == said


def test_arrow_keys_walk_over_the_runs(visit: Callable[..., Visit]) -> None:
    page = visit(timezone_id="UTC").open_chart("ui?cohort=c")
    chart = page.get_by_role("slider", name="Runs")
    chart.focus()

    chart.press("ArrowLeft")
    said = chart.get_attribute("aria-valuetext") or ""
    assert said.startswith("11 of 12: 11 Mar 2026, 02:00; succeeded; 2 min 8 s; expected 3 min 20 s")
    assert "in force: /*+ BROADCAST(date_dim) */ in query q72 (on trial)" in said
    assert "2 min 8 s" in page.locator(".tip").inner_text()

    chart.press("Home")
    assert (chart.get_attribute("aria-valuetext") or "").endswith("nothing in force")


@pytest.mark.parametrize(("runs", "bars"), [(2, 1), (12, 0)])
def test_a_band_that_one_run_alone_has_is_drawn(visit: Callable[..., Visit], runs: int, bars: int) -> None:
    page = visit(World(runs=runs)).open_chart("ui?cohort=c")
    page.locator(".chart svg").first.wait_for()
    assert page.locator(".chart .band-alone rect").count() == bars
    if bars:
        box = page.locator(".chart .band-alone rect").bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) > 5


def test_enter_opens_the_run_in_the_table(visit: Callable[..., Visit]) -> None:
    page = visit().open_chart("ui?cohort=c")
    chart = page.get_by_role("slider", name="Runs")
    chart.focus()
    chart.press("Home")
    chart.press("Enter")

    assert becomes_true(page, "document.activeElement.dataset.key === 'run-0'")
    assert page.get_by_role("tab", name="Runs").get_attribute("aria-selected") == "true"


def test_arrow_keys_walk_over_the_tabs(visit: Callable[..., Visit]) -> None:
    page = visit().open("ui?cohort=c")
    page.get_by_role("tab", name="Recommendations").focus()

    page.keyboard.press("ArrowLeft")

    page.get_by_role("table", name="Audit trail").wait_for()
    assert page.get_by_role("tab", name="Audit").evaluate("tab => tab === document.activeElement")


def test_marks_the_run_it_was_opened_from(visit: Callable[..., Visit]) -> None:
    run = "scheduled__2026-03-01T02:00:00+00:00/3"
    page = visit().open(
        f"ui?scope=task_instance&dag_id=sales&run_id={run}&task_id=nightly&map_index={{MAP_INDEX}}#runs"
    )

    marked = page.locator("tr", has_text="this run")
    assert marked.get_attribute("data-key") == "run-3"
    assert marked.count() == 1


def test_plans_name_changed_joins_in_picture_and_text(visit: Callable[..., Visit]) -> None:
    page = visit().open("ui?cohort=c#queries")
    page.get_by_role("button", name="Plan of").first.click()

    picture = page.get_by_role("img", name="Plan after")
    picture.wait_for()
    assert picture.locator(".step.changed").count() == 1
    assert picture.locator(".step.changed .mark").text_content() == "changed"
    assert picture.locator(".edge").all_text_contents() == ["28.8M rows", "73.0k rows"]

    page.get_by_role("button", name="Text", exact=True).click()
    assert "Changed: sort merge became broadcast" in page.locator(".plan-text").last.inner_text()
    page.get_by_role("button", name="All queries").click()
    assert becomes_true(page, "document.activeElement.dataset.query === 'q0'")


def test_more_queries_are_asked_for(visit: Callable[..., Visit]) -> None:
    page = visit().open("ui?cohort=c#queries")

    page.get_by_role("button", name="Show more").click()

    page.locator("table.queries tbody tr").nth(59).wait_for()
    assert page.get_by_role("button", name="Show more").count() == 0


@pytest.mark.parametrize(
    ("status", "title"), [(401, "Signed out"), (403, "No permission"), (404, "Not found"), (503, "That did not work")]
)
def test_failure_is_told_in_the_apis_words(visit: Callable[..., Visit], status: int, title: str) -> None:
    going = visit()
    going.failing["cohort"] = (status, "Because of this, do that.")
    page = going.open("ui?cohort=c")

    said = page.get_by_role("alert").inner_text()
    assert title in said
    assert "Because of this, do that." in said


def test_failure_that_may_pass_can_be_tried_again(visit: Callable[..., Visit]) -> None:
    going = visit()
    going.failing["cohort"] = (503, "The history store does not answer.")
    page = going.open("ui?cohort=c")

    going.failing.clear()
    page.get_by_role("button", name="Try again").click()

    page.get_by_role("heading", name="sales.nightly").wait_for()


def test_no_run_measured_is_said(visit: Callable[..., Visit]) -> None:
    page = visit(World(runs=1, measured=False)).open_chart("ui?cohort=c")

    page.get_by_text("No run has been measured yet.").first.wait_for()
    assert page.get_by_role("slider").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_alone_it_has_the_systems_theme_until_one_is_chosen(visit: Callable[..., Visit], scheme: str) -> None:
    page = visit(color_scheme=scheme).open("ui?cohort=c")
    other = {"light": "dark", "dark": "light"}[scheme]
    theme = page.locator("html")

    assert theme.get_attribute("data-theme") == scheme
    page.get_by_role("button", name=f"Use the {other} theme").click()
    assert theme.get_attribute("data-theme") == other
    page.reload()
    assert theme.get_attribute("data-theme") == other


def test_in_airflows_frame_it_has_airflows_theme(visit: Callable[..., Visit]) -> None:
    page = visit(color_scheme="light").open("airflow?cohort=c")
    theme = page.frame_locator("iframe").locator("html")

    assert theme.get_attribute("data-theme") == "dark"
    page.evaluate("document.documentElement.className = 'light'")
    page.frame_locator("iframe").locator("html[data-theme=light]").wait_for()


def test_in_airflows_frame_addresses_of_runs_are_to_copy(visit: Callable[..., Visit]) -> None:
    page = visit().open("airflow?cohort=c#runs")
    frame = page.frame_locator("iframe")
    frame.get_by_role("tab", name="Runs").click()

    assert frame.get_by_role("button", name="Copy the address of the run in Airflow").first.is_visible()
    assert frame.locator("table.runs a").count() == 0


def test_where_nothing_may_be_copied_the_text_is_selected(visit: Callable[..., Visit]) -> None:
    page = visit().open("ui?cohort=c")
    page.evaluate("void (navigator.clipboard.writeText = () => Promise.reject(new Error()))")
    page.evaluate("void (document.execCommand = () => false)")

    page.get_by_role("button", name="Copy").click()

    assert becomes_true(page, "String(window.getSelection()) === '/*+ BROADCAST(date_dim) */'")
