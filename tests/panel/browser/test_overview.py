"""The list of cohorts and the savings, as people sort, filter, share and leave them."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.panel.browser.canned import World
from tests.panel.browser.conftest import Visit
from tuner.model.run import RunState
from tuner.panel.models.cohort_list import CohortList


def asked(visit: Visit) -> dict[str, str]:
    """What the page's address says."""
    return {name: values[0] for name, values in parse_qs(urlsplit(visit.page.url).query).items()}


def first_row(visit: Visit) -> str:
    return visit.page.locator("table.cohorts tbody tr").first.inner_text()


def test_a_row_answers_what_it_took_gained_and_waits(visit: Callable[..., Visit]) -> None:
    going = visit()
    going.open("ui?scope=nav")

    row = first_row(going)

    for told in (
        "0.5",
        "2.25 GiB-hours",
        "cost 0.04",
        "2 min 8 s",
        "72.0 s less",
        "60.0 s to 84.0 s less",
        "3 changes in force",
        "finance",
    ):
        assert told in row, told
    totals = going.page.locator("dl.totals").inner_text()
    for told in ("1 measured in their last run", "36%", "72.0 s less", "Last run failed, or no log"):
        assert told in totals, told
    assert "Failed" in going.page.locator("table.cohorts tbody tr").nth(1).inner_text()
    assert "not measured" in going.page.locator("table.cohorts tbody tr").nth(1).inner_text()


def test_the_list_says_where_the_tuner_is_switched_off(visit: Callable[..., Visit]) -> None:
    page = visit(World(switched_off="this server has the tuner switched off")).open("ui")
    expect(page.locator(".notice")).to_have_text("this server has the tuner switched off")


def test_figures_of_an_older_run_say_of_when_they_are(visit: Callable[..., Visit]) -> None:
    row = visit(World(last_run=RunState.LOST)).open("ui").locator("table.cohorts tbody tr").first
    expect(row.locator(".took")).to_contain_text(re.compile(r"measured \S+"))
    expect(row).to_contain_text("No log")


@pytest.mark.parametrize(
    ("scope", "told"),
    [
        ("scope=dag_run&run_id=r", "No tuned Spark job has begun in this run yet."),
        ("scope=task&task_id=load", "This task has run no tuned Spark job."),
        ("scope=task_instance&run_id=r&task_id=load", "No tuned Spark job of this task has begun in this run yet."),
    ],
)
def test_a_run_or_a_task_without_a_spark_job_is_no_dag_without_one(
    visit: Callable[..., Visit], scope: str, told: str
) -> None:
    class NotBegun(World):
        def cohorts(self, asked: dict[str, str]) -> CohortList:
            none = {"items": [], "total": 0} if asked.get("run_id") or asked.get("task_id") else {}
            return World.cohorts(self, asked).model_copy(update=none)

    page = visit(NotBegun()).open(f"ui?dag_id=sales&{scope}")
    expect(page.locator(".empty-title")).to_have_text(told)
    assert "no cohort" not in page.locator(".empty").inner_text()

    page.get_by_role("link", name="All cohorts of the DAG").click()
    expect(page.locator("table.cohorts tbody tr")).to_have_count(2)


def test_on_a_phone_nothing_of_a_cohort_is_out_of_sight(visit: Callable[..., Visit]) -> None:
    page = visit(viewport={"width": 390, "height": 844}).open("ui?scope=nav")
    row = page.locator("table.cohorts tbody tr").first
    row.wait_for()

    places = [cell.bounding_box() for cell in row.locator("th, td").all()]
    assert len(places) == 7
    assert all(place is not None and place["x"] >= 0 and place["x"] + place["width"] <= 390 for place in places), places
    assert page.eval_on_selector(".scroller", "each => each.scrollWidth <= each.clientWidth")


def test_a_list_that_was_left_open_is_of_now_when_it_is_seen_again(visit: Callable[..., Visit]) -> None:
    going = visit()
    page = going.open("ui?scope=nav")
    going.world.last_run = RunState.FAILED
    link = page.locator("table.cohorts tbody a").first
    link.focus()

    page.evaluate("void (Date.now = ((now) => () => now() + 600_000)(Date.now))")
    page.evaluate("void document.dispatchEvent(new Event('visibilitychange'))")

    expect(page.locator("table.cohorts tbody tr").first).to_contain_text("Failed")
    assert page.evaluate("document.activeElement.className") == "scroller"


@pytest.mark.nightly
def test_sorting_is_in_the_address_and_back_undoes_it(visit: Callable[..., Visit]) -> None:
    going = visit()
    page = going.open("ui?scope=nav")
    head = page.get_by_role("columnheader", name="Core-hours")
    expect(head).to_have_attribute("aria-sort", "descending")

    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "ascending")

    assert asked(going)["reverse"] == "true"
    assert "not measured" in first_row(going)
    assert page.evaluate("document.activeElement.dataset.sort") == "core_hours", "the focus stays on the head"
    page.go_back()
    expect(head).to_have_attribute("aria-sort", "descending")
    assert "reverse" not in asked(going)


def test_what_waits_is_shown_alone_by_a_press(visit: Callable[..., Visit]) -> None:
    going = visit()
    page = going.open("ui?scope=nav")
    wait = page.locator("dl.totals .figure", has_text="Wait for a person").get_by_role("button")

    wait.click()
    expect(page.locator("table.cohorts tbody tr")).to_have_count(1)

    assert asked(going)["waits"] == "true"
    expect(wait).to_have_attribute("aria-pressed", "true")
    assert page.evaluate("document.activeElement.dataset.total") == "waits", "the focus stays on the figure"
    wait.click()
    expect(page.locator("table.cohorts tbody tr")).to_have_count(2)


@pytest.mark.nightly
def test_a_tag_filters_and_a_shared_address_shows_the_same(visit: Callable[..., Visit]) -> None:
    going = visit()
    page = going.open("ui?scope=nav")
    page.get_by_role("button", name="finance").first.click()
    expect(page).to_have_url(re.compile(r"\btag=finance\b"))
    expect(page.get_by_label("DAG tag")).to_have_value("finance")
    expect(page.get_by_label("DAG tag")).to_be_focused()

    going.open("ui?scope=nav&tag=finance&sort=gained&state=trial")

    expect(page.get_by_label("DAG tag")).to_have_value("finance")
    expect(page.get_by_label("State")).to_have_value("trial")
    expect(page.get_by_role("columnheader", name="Gained a run")).to_have_attribute("aria-sort", "descending")


@pytest.mark.nightly
def test_a_page_behind_the_last_is_the_first(visit: Callable[..., Visit]) -> None:
    going = visit()
    page = going.open("ui?scope=nav&offset=100")
    expect(page.locator("table.cohorts tbody tr")).to_have_count(2)
    assert "offset" not in asked(going)


@pytest.mark.nightly
def test_a_page_to_sign_in_in_the_place_of_an_answer_is_told_as_that(visit: Callable[..., Visit]) -> None:
    going = visit()
    going.page.route("**/api/cohorts*", lambda route: route.fulfill(content_type="text/html", body="<title>Sign in"))
    page = going.open("ui?scope=nav")
    assert "Signed out" in page.get_by_role("alert").inner_text()


@pytest.mark.nightly
def test_back_after_a_search_stays_in_the_panel(visit: Callable[..., Visit]) -> None:
    going = visit()
    page = going.open("ui?scope=nav")
    page.get_by_role("searchbox").type("nightly", delay=120)
    expect(page).to_have_url(re.compile(r"\bsearch=nightly\b"))

    page.go_back()
    expect(page).not_to_have_url(re.compile("search="))

    expect(page.get_by_role("searchbox")).to_have_value("")
    expect(page.locator("table.cohorts tbody tr")).to_have_count(2)


def test_savings_are_a_link_away_and_lead_back(visit: Callable[..., Visit]) -> None:
    going = visit()
    page = going.open("ui?scope=nav")
    page.get_by_role("link", name="Savings").click()
    page.get_by_role("heading", name="By week").wait_for()

    seen = page.locator("main").inner_text()

    for told in (
        "5 min 0 s less",
        "40.0 s",
        "1 run that a change made fail",
        "By team",
        "no tag",
        "Other sizes than the job asks for",
        "1 of 3: those that gained or lost most",
    ):
        assert told in seen, told
    page.get_by_label("Time").select_option("52")
    expect(page).to_have_url(re.compile(r"\bweeks=52\b"))
    page.get_by_role("link", name="All cohorts").click()
    page.locator("table.cohorts").wait_for()


@pytest.mark.nightly
@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.nightly)])
@pytest.mark.parametrize("address", ["ui", "ui?view=savings"])
def test_no_column_is_cut_at_800_pixels(visit: Callable[..., Visit], address: str, scheme: str) -> None:
    page = visit(viewport={"width": 800, "height": 900}, color_scheme=scheme).open(address)
    page.locator("main table").first.wait_for()

    cut = page.eval_on_selector_all(
        ".scroller", "all => all.filter((each) => each.scrollWidth > each.clientWidth).length"
    )

    assert cut == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 800
