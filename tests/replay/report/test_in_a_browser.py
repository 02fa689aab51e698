"""A report opened as a file shows its parts to pointers and keyboards, and asks nobody for anything."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.opened_file import opened
from tests.replay.report.made import Made, cohort, replay, store_cohort
from tests.replay.report.test_unused import HELD
from tuner.history.store import Store
from tuner.replay.cohort_replay import UnreadLog
from tuner.replay.cohort_resources import CohortResources
from tuner.replay.report.write import write_report

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HOSTILE = 'etl.<img src=x onerror="document.title=1">"&\u202e'


@pytest.fixture
def report(tmp_path: Path) -> Path:
    cohorts = [cohort(HOSTILE, 20), cohort("sales.nightly", 8, runs=12, live=4), cohort("idle", 0.5, share=None)]
    unread = [UnreadLog(f"/logs/{n}<i>", f"breaks off at byte {n}") for n in range(80)]
    return made(tmp_path, replay(*cohorts, unread=unread, scored=True), most_pages=2, core_hour_price=0.05)


def made(tmp_path: Path, found: Made, most_pages: int = 50, core_hour_price: float | None = None) -> Path:
    with Store.open(f"sqlite:///{tmp_path}/history.db") as store:
        for each in found.summary.cohorts:
            store_cohort(store, each)
        write_report(tmp_path / "out report.html", found, store, most_pages=most_pages, core_hour_price=core_hour_price)
    return tmp_path / "out report.html"


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.nightly)])
def test_front_page_and_every_part_of_a_cohort(chromium: Browser, report: Path, scheme: str) -> None:
    with opened(chromium, report, scheme) as page:
        page.get_by_role("heading", name="What the tuner would have done").wait_for()
        assert page.locator("html").get_attribute("data-theme") == scheme
        rows = page.get_by_role("table", name="Cohorts, most core-hours first").locator("tbody tr")
        assert [row.split()[0] for row in rows.locator("th").all_inner_texts()] == ["etl.<img", "sales.nightly", "idle"]
        assert rows.nth(2).get_by_role("link").count() == 0
        assert page.locator(".ranked article").first.get_by_text("BROADCAST(days)").is_visible()
        assert page.get_by_text("3 of 4").is_visible()
        assert page.get_by_text("worth 0.56; ").is_visible()
        page.get_by_text("80 logs", exact=True).last.click()
        assert page.get_by_text("/logs/0<i>").is_visible()

        rows.nth(1).get_by_role("link").click()
        page.get_by_role("heading", name="sales.nightly", exact=True).wait_for()
        page.locator(".chart-fold > summary").click()
        page.locator(".chart svg").first.wait_for()
        assert page.get_by_role("button", name="Approve").count() == 0
        page.get_by_role("tab", name="Queries").click()
        queries = page.get_by_role("table", name="Queries")
        queries.get_by_role("button", name="Query", exact=True).click()
        queries.get_by_role("columnheader", name="Query", exact=True).and_(
            page.locator("[aria-sort=ascending]")
        ).wait_for()
        queries.get_by_role("link", name="SELECT sum(amount)").click()
        page.get_by_role("img", name="Plan before").wait_for()
        page.get_by_role("img", name="Plan after").wait_for()
        assert page.get_by_text("As advised, not yet run").is_visible()
        page.go_back()
        queries.wait_for()
        page.go_forward()
        page.reload()
        page.get_by_role("img", name="Plan after").wait_for()
        page.get_by_role("tab", name="Insights").click()
        page.get_by_text("name the alias").wait_for()
        page.get_by_role("tab", name="Runs").click()
        assert page.get_by_role("table", name="Runs, newest first").locator("tbody tr").count() == 12
        page.get_by_role("tab", name="Audit").click()
        page.get_by_text("Nobody has acted on this cohort.").wait_for()
        page.get_by_role("link", name="All cohorts").click()
        page.get_by_role("heading", name="What the tuner would have done").wait_for()


@pytest.mark.nightly
def test_what_is_asked_for_and_never_used(chromium: Browser, tmp_path: Path) -> None:
    silent = CohortResources(held_runs=1, held_core_ms=0, executors=2)
    cohorts = [
        replace(cohort(HOSTILE, 20), resources=HELD),
        replace(cohort("silent"), resources=silent),
        cohort("none"),
    ]
    with opened(chromium, made(tmp_path, replay(*cohorts), core_hour_price=0.05)) as page:
        rows = page.get_by_role("table", name="Cohorts, most idle core-hours first").locator("tbody tr")
        said = [row.split("\t") for row in rows.all_inner_texts()]
        assert [row[1:] for row in said] == [
            ["3", "8.0", "2.0 of 6.0 (33%)", "4.0", "3.0 (75%)", "8", "3"],
            ["1", "0.0", "–", "0.0", "–", "2", "–"],
        ]
        page.get_by_text("3.0 (75%) of these ran no task, worth 0.15.").wait_for()
        assert page.locator("img").count() == 0


def test_what_asks_for_settings_to_be_taken_out_stands_apart(chromium: Browser, tmp_path: Path) -> None:
    some = cohort("etl.load")
    advised = replace(some.advised[0], already_set={"spark.sql.shuffle.partitions": "2000"})
    some = replace(some, advised=(advised,), saved_core_hours_if_unset=2.0)
    only_so = replace(some, cohort="etl.other", saved=None, saved_core_hours=0.0)
    with opened(chromium, made(tmp_path, replay(some, only_so))) as page:
        page.get_by_text("; 4.0 more if you take out settings that runs had").wait_for()
        rows = page.get_by_role("table", name="Cohorts, most core-hours first").locator("tbody tr")
        assert ["2.0 if you take out settings" in row for row in rows.all_inner_texts()] == [True, True]
        assert page.get_by_text("where it sets that itself, the tuner leaves it").first.is_visible()


def test_names_are_never_markup(chromium: Browser, report: Path) -> None:
    with opened(chromium, report) as page:
        page.get_by_role("link", name="etl.<img").first.click()
        page.get_by_role("heading", name='etl.<img src=x onerror="document.title=1">').first.wait_for()
        assert page.locator("img").count() == 0


@pytest.mark.nightly
def test_cohorts_are_searched_and_shown_some_at_a_time(chromium: Browser, tmp_path: Path) -> None:
    found = replay(*(cohort(f"dag{n % 7}.task_{n}", core_hours=n + 1.0, runs=1) for n in range(60)))
    with opened(chromium, made(tmp_path, Made(found.summary), most_pages=1)) as page:
        rows = page.get_by_role("table", name="Cohorts, most core-hours first").locator("tbody tr")
        rows.nth(24).wait_for()
        page.locator(".cohort-table").get_by_role("button", name="Show more").press("Enter")
        rows.nth(49).wait_for()
        page.get_by_role("searchbox", name="Search cohorts").fill("task_59")
        page.get_by_text("1 cohort", exact=True).wait_for()
        assert rows.count() == 1
        assert page.get_by_text("1 of 60 cohorts has a page").is_visible()


@pytest.mark.nightly
def test_a_replay_of_nothing_says_so(chromium: Browser, tmp_path: Path) -> None:
    with opened(chromium, made(tmp_path, replay(unread=[UnreadLog("/logs/x", "ran no SQL query")]))) as page:
        page.get_by_text("No run was replayed.").wait_for()
        assert page.get_by_text("ran no SQL query").is_visible()


@pytest.mark.nightly
def test_a_cohort_without_a_page_is_told_of(chromium: Browser, report: Path) -> None:
    with opened(chromium, report) as page:
        page.goto(f"{report.as_uri()}?cohort=idle")
        assert "no page in this report" in page.get_by_role("alert").inner_text()
