"""The page shows one set of facts to pointers, keyboards and screen readers, in both themes, in a frame or alone."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.panel.browser.becomes_true import becomes_true
from tests.panel.browser.canned import World
from tests.panel.browser.conftest import Visit


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        (12, "No run of this job is on record for the run that this page was opened from"),
        (201, "is not among the newest 200 of 201, which are shown here"),
    ],
)
def test_a_run_that_is_not_shown_is_said_to_be_none_of_those(visit: Callable[..., Visit], runs: int, said: str) -> None:
    """Other runs were shown, and nothing told that they were."""
    here = "ui?scope=task_instance&dag_id=sales&task_id=nightly&cohort=c&run_id="
    going = visit(World(runs=runs))
    page = going.open(f"{here}long+ago")
    expect(page.locator(".glance-place .notice")).to_contain_text(said)
    page.get_by_role("tab", name="Runs").click()
    expect(page.get_by_role("tabpanel").locator(".notice")).to_contain_text(said)
    page = going.open(f"{here}scheduled__2026-03-01T02:00:00%2B00:00/{runs - 1}")
    page.locator(".glance-cell").first.wait_for()
    assert page.locator(".notice", has_text="opened from").count() == 0


def test_asks_no_other_host_and_breaks_no_rule_of_its_policy(visit: Callable[..., Visit]) -> None:
    going = visit()
    page = going.open_chart("ui?cohort=c")
    page.locator(".chart svg").first.wait_for()

    assert going.hosts == {going.origin.removeprefix("http://")}
    assert going.complaints == []


@pytest.mark.nightly
def test_what_runs_hold_with_other_sizes_stands_beside_what_they_held(visit: Callable[..., Visit]) -> None:
    page = visit().open("ui?cohort=c")
    figure = page.locator(".figure", has_text="GiB-hours a run")
    figure.wait_for()
    said = "instead of 2.25 as the job asks (60% less); core-hours 0.5 instead of 0.5"
    assert figure.inner_text().split("\n")[-1] == said


@pytest.mark.nightly
def test_what_was_prevented_since_spark_changed_stands_with_what_would_have_got_slower(
    visit: Callable[..., Visit],
) -> None:
    page = visit(timezone_id="UTC").open("ui?cohort=c")
    figure = page.locator(".figure", has_text="Prevented a run")
    figure.wait_for()
    value, below = figure.inner_text().split("\n")[-2:]
    assert value == "9.5 s"
    assert below.startswith(
        "since 1 Mar 2026, 02:00 UTC runs have Spark 4.1 instead of 4.0 (9 runs); without the tuner 1 of 60"
    )


@pytest.mark.parametrize(
    ("browsers", "airflows", "shown"),
    [
        ("America/New_York", None, "28 Feb 2026, 21:00 UTC-5"),
        ("America/New_York", "Asia/Kolkata", "1 Mar 2026, 07:30 UTC+5:30"),
    ],
)
def test_moments_are_in_one_zone_that_is_told(
    visit: Callable[..., Visit], browsers: str, airflows: str | None, shown: str
) -> None:
    """The zone that a person chose in Airflow, where there is one."""
    going = visit(timezone_id=browsers)
    if airflows:
        going.page.add_init_script(f"localStorage.setItem('timezone', JSON.stringify('{airflows}'))")
    page = going.open("ui?cohort=c#runs")
    page.locator("table.runs").wait_for()
    page.get_by_role("tab", name="Queries and plans").click()
    page.locator("table.queries").wait_for()
    told = page.locator("body").inner_text()

    assert f"since {shown} runs have Spark 4.1" in told
    assert f"The run of {shown}, and what" in told
    assert not re.search(r"\d\d:\d\d(?! UTC)", told)


@pytest.mark.parametrize(
    "kept", ["Nowhere/At all", *(pytest.param(one, marks=pytest.mark.nightly) for one in ("UTC", "{", "7", "null"))]
)
def test_what_is_kept_for_a_zone_and_is_none_is_as_nothing(visit: Callable[..., Visit], kept: str) -> None:
    going = visit(timezone_id="America/New_York")
    going.page.add_init_script(f"localStorage.setItem('timezone', {kept!r})")
    page = going.open("ui?cohort=c#queries")
    page.get_by_text("The run of 28 Feb 2026, 21:00 UTC-5").wait_for()


@pytest.mark.nightly
def test_arrow_keys_walk_over_the_runs(visit: Callable[..., Visit]) -> None:
    page = visit(timezone_id="UTC").open_chart("ui?cohort=c")
    chart = page.get_by_role("slider", name="Runs")
    chart.focus()

    chart.press("ArrowLeft")
    said = chart.get_attribute("aria-valuetext") or ""
    assert said.startswith("11 of 12: 11 Mar 2026, 02:00 UTC; succeeded; 2 min 8 s; expected 3 min 20 s")
    assert "in force: /*+ BROADCAST(date_dim) */ in query q72 (on trial)" in said
    assert "2 min 8 s" in page.locator(".tip").inner_text()

    chart.press("Home")
    assert (chart.get_attribute("aria-valuetext") or "").endswith("nothing in force")


@pytest.mark.nightly
@pytest.mark.parametrize(("runs", "bars"), [(2, 1), (12, 0)])
def test_a_band_that_one_run_alone_has_is_drawn(visit: Callable[..., Visit], runs: int, bars: int) -> None:
    page = visit(World(runs=runs)).open_chart("ui?cohort=c")
    page.locator(".chart svg").first.wait_for()
    assert page.locator(".chart .band-alone rect").count() == bars
    if bars:
        box = page.locator(".chart .band-alone rect").bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) > 5


@pytest.mark.nightly
def test_enter_opens_the_run_in_the_table(visit: Callable[..., Visit]) -> None:
    page = visit().open_chart("ui?cohort=c")
    chart = page.get_by_role("slider", name="Runs")
    chart.focus()
    chart.press("Home")
    chart.press("Enter")

    assert becomes_true(page, "document.activeElement.dataset.key === 'run-0'")
    expect(page.get_by_role("tab", name="Runs")).to_have_attribute("aria-selected", "true")


@pytest.mark.nightly
def test_a_tap_on_the_chart_opens_the_run_below_the_finger(visit: Callable[..., Visit]) -> None:
    page = visit().open_chart("ui?cohort=c")
    picture = page.locator(".chart-picture svg").first
    box = picture.bounding_box()
    assert box is not None
    picture.dispatch_event("click", {"clientX": box["x"] + 62, "clientY": box["y"] + 50})
    assert becomes_true(page, "document.activeElement.dataset.key === 'run-0'")


@pytest.mark.nightly
def test_numbers_are_never_powers_of_ten(visit: Callable[..., Visit]) -> None:
    page = visit().open("ui?cohort=c")
    written = page.evaluate(
        """import('/static/js/units.js').then(({ hours, measured, money }) => [
            measured(1234.5, "runs"), measured(0.25, ""), measured(3e-9, ""), hours(1e-9), hours(0.0167), hours(1203.6),
            money(1.4e-10), money(0.001), money(0), money(-1203.6),
        ])"""
    )
    assert written == ["1,235 runs", "0.250", "0", "0", "0.0167", "1,204", "0", "0.001", "0.00", "-1,204"]


def test_an_answer_that_comes_too_late_is_not_shown(visit: Callable[..., Visit]) -> None:
    page = visit().open("ui?cohort=c")
    shown = page.evaluate(
        """import('/static/js/status.js').then(async ({ loadInto }) => {
            const place = document.createElement("div");
            let answer;
            const late = loadInto(place, () => new Promise((resolve) => { answer = resolve; }), (text) => text);
            await loadInto(place, async () => "new", (text) => text);
            answer("old");
            await late;
            return place.textContent;
        })"""
    )
    assert shown == "new"


@pytest.mark.nightly
def test_arrow_keys_walk_over_the_tabs(visit: Callable[..., Visit]) -> None:
    page = visit().open("ui?cohort=c")
    page.get_by_role("tab", name="Recommendations").focus()

    page.keyboard.press("ArrowLeft")

    page.get_by_role("table", name="Audit trail").wait_for()
    assert page.get_by_role("tab", name="Audit").evaluate("tab => tab === document.activeElement")


@pytest.mark.nightly
def test_marks_the_run_it_was_opened_from(visit: Callable[..., Visit]) -> None:
    run = "scheduled__2026-03-01T02:00:00+00:00/3"
    page = visit().open(
        f"ui?scope=task_instance&dag_id=sales&run_id={run}&task_id=nightly&map_index={{MAP_INDEX}}#runs"
    )

    marked = page.locator("tr", has_text="this run")
    expect(marked).to_have_attribute("data-key", "run-3")
    assert marked.count() == 1


def test_plans_name_changed_joins_and_the_costliest_step_in_picture_and_text(visit: Callable[..., Visit]) -> None:
    page = visit().open("ui?cohort=c#queries")
    page.locator("table.queries a").first.click()

    picture = page.get_by_role("img", name="Plan after")
    picture.wait_for()
    assert picture.locator(".step.changed .mark").all_text_contents() == ["changed"]
    assert picture.locator(".step.costliest .mark").all_text_contents() == ["most expensive"]
    assert picture.locator(".step-time").all_text_contents() == ["4.0 s", "36.0 s"]
    assert picture.locator(".edge").all_text_contents() == ["28.8M rows", "73.0k rows"]
    after = page.get_by_role("region", name="Plan after", exact=True)
    assert "Changed: sort merge became broadcast" in after.locator(".plan-text").inner_text()
    assert "most expensive" in after.locator(".plan-text .costliest").inner_text()
    assert "most expensive: Scan inv_date_sk = d_date_sk, 36.0 s (90%)" in after.inner_text()
    assert "In force on it: nothing" in " ".join(page.get_by_role("region", name="Plan before").inner_text().split())


@pytest.mark.nightly
@pytest.mark.parametrize("width", [pytest.param(1400, marks=pytest.mark.nightly), 800])
def test_a_plan_can_be_read_at_its_first_zoom(visit: Callable[..., Visit], width: int) -> None:
    page = visit(viewport={"width": width, "height": 900}).open("ui?cohort=c&query=q0#queries")
    picture = page.get_by_role("img", name="Plan after")
    picture.wait_for()

    drawn = picture.evaluate("svg => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width")
    sizes = picture.locator("text").evaluate_all(
        "each => each.map(text => parseFloat(getComputedStyle(text).fontSize))"
    )
    assert min(sizes) * drawn >= 11
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    picture_box, text_box = (
        page.locator(f".plan-sides {name}").last.bounding_box() for name in (".plan-picture", ".plan-text")
    )
    assert picture_box and text_box
    assert (text_box["x"] > picture_box["x"] + 100) == (width == 1400), "the text is beside it where there is room"


@pytest.mark.nightly
def test_no_column_of_the_queries_is_cut_on_a_small_screen(visit: Callable[..., Visit]) -> None:
    page = visit(viewport={"width": 800, "height": 900}).open("ui?cohort=c#queries")
    table = page.get_by_role("region", name="Queries, scrolls sideways")
    table.wait_for()
    assert table.evaluate("region => region.scrollWidth <= region.clientWidth")


def test_queries_add_up_and_say_what_is_in_force(visit: Callable[..., Visit]) -> None:
    page = visit().open("ui?cohort=c#queries")
    table = page.get_by_role("table", name="Queries")

    total = table.locator("tfoot tr").inner_text().split("\t")
    assert total[0].strip().split("\n") == [
        "All 60 queries",
        "1 new query counted as it ran, without 2 queries of earlier runs",
    ]
    assert total[1:5] == ["2 min 8 s", "3 min 20 s", "72.0 s less (36%)", "100%"]
    first = table.locator("tbody tr").first.inner_text().split("\t")
    assert [cell.strip() for cell in first[1:5]] == ["70.0 s", "80.0 s", "10.0 s less (13%)", "2.0%"]
    assert "on trial" in first[5]
    assert page.get_by_text("In force on every query:").is_visible()


@pytest.mark.nightly
def test_a_column_sorts_by_itself_and_says_so(visit: Callable[..., Visit]) -> None:
    page = visit().open("ui?cohort=c#queries")
    head = page.get_by_role("columnheader", name="Latest run")
    expect(head).to_have_attribute("aria-sort", "descending")

    head.get_by_role("button").press("Enter")
    page.get_by_role("row", name="saves the shuffle of 28.8M rows. 59").first.wait_for()

    expect(page.get_by_role("columnheader", name="Latest run")).to_have_attribute("aria-sort", "ascending")
    assert becomes_true(page, "document.activeElement.dataset.sort === 'latest'")
    assert "sort=latest&descending=false" in page.url
    page.get_by_role("button", name="Query", exact=True).click()
    expect(page.get_by_role("columnheader", name="Query", exact=True)).to_have_attribute("aria-sort", "ascending")
    assert page.get_by_role("columnheader", name="Latest run").get_attribute("aria-sort") is None


@pytest.mark.nightly
def test_more_queries_are_asked_for(visit: Callable[..., Visit]) -> None:
    page = visit().open("ui?cohort=c#queries")

    page.get_by_role("button", name="Show more").evaluate("button => { button.click(); button.click(); }")

    page.locator("table.queries tbody tr").nth(59).wait_for()
    assert page.get_by_role("button", name="Show more").count() == 0
    assert page.locator("table.queries tbody tr").count() == 60, "asked for twice at once, they come once"


@pytest.mark.parametrize(
    ("status", "title"),
    [
        (401, "Signed out"),
        (403, "No permission"),
        pytest.param(404, "Not found", marks=pytest.mark.nightly),
        pytest.param(503, "That did not work", marks=pytest.mark.nightly),
    ],
)
def test_failure_is_told_in_the_apis_words(visit: Callable[..., Visit], status: int, title: str) -> None:
    going = visit()
    going.failing["cohort"] = (status, "Because of this, do that.")
    page = going.open("ui?cohort=c")

    said = page.get_by_role("alert").inner_text()
    assert title in said
    assert "Because of this, do that." in said


@pytest.mark.nightly
def test_failure_that_may_pass_can_be_tried_again(visit: Callable[..., Visit]) -> None:
    going = visit()
    going.failing["cohort"] = (503, "The history store does not answer.")
    page = going.open("ui?cohort=c")

    going.failing.clear()
    page.get_by_role("button", name="Try again").click()

    page.get_by_role("heading", name="sales.nightly").wait_for()


@pytest.mark.nightly
def test_no_run_measured_is_said(visit: Callable[..., Visit]) -> None:
    page = visit(World(runs=1, measured=False)).open_chart("ui?cohort=c")

    page.get_by_text("No run has been measured yet.").first.wait_for()
    assert page.get_by_role("slider").count() == 0


@pytest.mark.nightly
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_alone_it_has_the_systems_theme_until_one_is_chosen(visit: Callable[..., Visit], scheme: str) -> None:
    page = visit(color_scheme=scheme).open("ui?cohort=c")
    other = {"light": "dark", "dark": "light"}[scheme]
    theme = page.locator("html")

    expect(theme).to_have_attribute("data-theme", scheme)
    page.get_by_role("button", name=f"Use the {other} theme").click()
    expect(theme).to_have_attribute("data-theme", other)
    page.reload()
    expect(theme).to_have_attribute("data-theme", other)


@pytest.mark.nightly
def test_in_airflows_frame_it_has_airflows_theme(visit: Callable[..., Visit]) -> None:
    page = visit(color_scheme="light").open("airflow?cohort=c")
    theme = page.frame_locator("iframe").locator("html")

    expect(theme).to_have_attribute("data-theme", "dark")
    page.evaluate("document.documentElement.className = 'light'")
    page.frame_locator("iframe").locator("html[data-theme=light]").wait_for()


@pytest.mark.nightly
def test_in_airflows_frame_addresses_of_runs_are_to_copy(visit: Callable[..., Visit]) -> None:
    page = visit().open("airflow?cohort=c#runs")
    frame = page.frame_locator("iframe")
    frame.get_by_role("tab", name="Runs").click()

    assert frame.get_by_role("button", name="Copy the address of the run in Airflow").first.is_visible()
    assert frame.locator("table.runs a").count() == 0


@pytest.mark.nightly
def test_where_nothing_may_be_copied_the_text_is_selected(visit: Callable[..., Visit]) -> None:
    page = visit().open("ui?cohort=c")
    page.evaluate("void (navigator.clipboard.writeText = () => Promise.reject(new Error()))")
    page.evaluate("void (document.execCommand = () => false)")

    page.get_by_role("button", name="Copy").click()

    assert becomes_true(page, "String(window.getSelection()) === '/*+ BROADCAST(date_dim) */'")
