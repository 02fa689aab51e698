"""A person finds what waits, sees what it gains and risks, and rules on one or on several, by pointer or by keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.panel.browser.becomes_true import becomes_true
from tests.panel.browser.canned import HINT, World
from tests.panel.browser.conftest import Visit
from tuner.model.decision import Mode, Standing
from tuner.model.run import RunState
from tuner.model.verdict import Ruling
from tuner.panel.models.cohort import Cohort
from tuner.panel.models.recommendations import Recommendation
from tuner.panel.models.runs import RunItem

if TYPE_CHECKING:
    from playwright.sync_api import Locator

FOCUSED = "document.activeElement.textContent"
MANY = 16


class WithoutBands(World):
    """No run in view was without what is in force."""

    def run(self, night: int) -> RunItem:
        return World.run(self, night).model_copy(update={"band": None})


def many(**world: object) -> World:
    return World(recommendations=MANY, **world)  # type: ignore[arg-type]


def told(row: Locator) -> list[str]:
    """Its cells, each in one line."""
    return [" ".join(cell.split()) for cell in row.locator("th, td").all_inner_texts()]


def test_the_first_screen_has_what_matters_and_the_head_of_the_table(visit: Callable[..., Visit]) -> None:
    page = visit(many(), viewport={"width": 1400, "height": 900}).open("ui?cohort=c")

    cells = [text.split("\n") for text in page.locator(".glance-cell").all_inner_texts()]
    assert [cell[:2] for cell in cells] == [
        ["Needs you", "3 changes wait"],
        ["Changed since the latest run", "3 changes"],
        ["Gained, latest run", "72.0 s less"],
        ["May harm", "1 change"],
    ]
    assert page.locator("table.recommendations thead").bounding_box()["y"] < 700  # type: ignore[index]
    assert page.locator(".chart").count() == 0


def test_rows_are_grouped_by_query_with_what_waits_first(visit: Callable[..., Visit]) -> None:
    page = visit(many()).open("ui?cohort=c")
    heads = [head.split("\n")[:2] for head in page.locator(".group-head").all_inner_texts()]
    assert heads[:3] == [
        ["query 0", "2 changes, 2 wait"],
        ["query 1", "2 changes, 1 waits"],
        ["query 2", "2 changes"],
    ]
    row = page.locator("tr.change-row")
    assert told(row.nth(0)) == ["", "change 0", "12.0 s less predicted, 6.0 s to 16.0 s", "Proposed", "low"]
    assert told(row.nth(5)) == ["", "change 5", "9.0 s less measured, 7.0 s to 11.0 s", "Promoted", "low"]
    assert "may cost up to 2.0 s (predicted)" in row.nth(1).inner_text()


def test_a_row_opens_by_keyboard_to_all_that_is_known(visit: Callable[..., Visit]) -> None:
    page = visit(many()).open("ui?cohort=c")
    opener = page.get_by_role("button", name="change 4", exact=True)
    opener.focus()
    expect(opener).to_have_attribute("aria-expanded", "false")

    page.keyboard.press("Enter")
    below = page.locator(f"#{opener.get_attribute('aria-controls')}")
    expect(opener).to_have_attribute("aria-expanded", "true")
    said = below.inner_text()
    assert "Broadcasting date_dim saves the shuffle of 28.8M rows." in said
    assert "9.0 s less 7.0 s to 11.0 s with 90%; 98% sure of a gain, by 4 runs over 1 query" in said
    assert "12.0 s less 6.0 s to 16.0 s, of 52.0 s, before it was measured" in said

    page.keyboard.press("Enter")
    assert below.is_hidden()


def test_several_are_approved_in_one_request(visit: Callable[..., Visit]) -> None:
    going = visit(many())
    page = going.open("ui?cohort=c")

    page.get_by_role("button", name="Select the 3 that wait").press("Enter")
    bar = page.get_by_role("group", name="Rule on the selected")
    page.keyboard.press("Enter")
    assert going.world.posted == [], "a key that is held down rules on nothing"
    assert "3 changes selected" in bar.inner_text()
    bar.get_by_role("button", name="Approve").click()
    page.locator(".change-row .badge", has_text="On trial").nth(2).wait_for()

    assert going.world.posted == [
        (
            "cohort/rulings",
            {
                "cohort": "c",
                "change_ids": ["hint 0", "hint 1", "hint 2"],
                "ruling": "approve",
                "reason": "",
                "seen": dict.fromkeys(["hint 0", "hint 1", "hint 2"], "proposed"),
            },
        )
    ]
    assert page.locator(".table-note").inner_text() == "it holds from the next run on"
    assert page.evaluate(FOCUSED) == "change 0"
    assert bar.count() == 0
    assert page.locator(".glance-cell").first.inner_text().split("\n")[1] == "Nothing"


class FarMoreWait(World):
    """A trial of two changes, and 199 of one: one more than can be ruled on at once."""

    def one_of_several(self, number: int) -> Recommendation:
        one = World.one_of_several(self, number)
        asked = {"standing": Standing.PROPOSED, "rulings": [Ruling.APPROVE, Ruling.REJECT]}
        actions = [one.actions[0].model_copy(update=asked)]
        if number == 0:
            actions.append(actions[0].model_copy(update={"change_id": "needs it"}))
        return one.model_copy(update={"waits": True, "actions": actions, **asked})


def test_no_more_are_chosen_by_one_button_than_can_be_ruled_on_at_once(visit: Callable[..., Visit]) -> None:
    going = visit(FarMoreWait(recommendations=200))
    page = going.open("ui?cohort=c")
    page.get_by_role("checkbox", name="Select change 199").check()

    page.get_by_role("button", name="Select the first 199 of 200 that wait").click()
    page.get_by_role("group", name="Rule on the selected").get_by_role("button", name="Approve").click()
    page.locator(".table-note").wait_for()

    ((_, body),) = going.world.posted
    assert len(body["change_ids"]) == 200
    assert "hint 199" not in body["change_ids"]


def test_several_are_rejected_with_one_reason(visit: Callable[..., Visit]) -> None:
    going = visit(many())
    page = going.open("ui?cohort=c")

    page.get_by_role("checkbox", name="Select change 0").check()
    page.get_by_role("checkbox", name="Select change 2").press("Space")
    page.get_by_role("group", name="Rule on the selected").get_by_role("button", name="Reject").click()
    form = page.get_by_role("form", name="Reject")
    form.get_by_role("textbox").fill("quarter's end")
    form.get_by_role("button", name="Reject").click()
    form.wait_for(state="detached")

    ((_, body),) = going.world.posted
    assert (body["change_ids"], body["ruling"], body["reason"]) == (["hint 0", "hint 2"], "reject", "quarter's end")


def test_what_no_ruling_fits_is_said(visit: Callable[..., Visit]) -> None:
    page = visit(many()).open("ui?cohort=c")
    page.get_by_role("checkbox", name="Select all shown").check()
    bar = page.get_by_role("group", name="Rule on the selected")
    assert "No ruling fits all of these" in bar.inner_text()

    bar.get_by_role("button", name="Clear").click()
    assert bar.count() == 0
    assert page.evaluate("document.activeElement.ariaLabel") == "Select change 0"


def test_rolling_back_says_first_what_it_costs(visit: Callable[..., Visit]) -> None:
    page = visit(many()).open("ui?cohort=c")
    page.get_by_role("button", name="change 4", exact=True).click()
    page.locator(".details").get_by_role("button", name="Roll back").click()
    cost = page.get_by_role("form", name="Roll back").locator(".cost")
    assert cost.inner_text() == "Without it a run takes about 9.0 s more (7.0 s to 11.0 s), by what was measured."

    for name in ("change 4", "change 5"):
        page.get_by_role("checkbox", name=f"Select {name}").check()
    page.get_by_role("group", name="Rule on the selected").get_by_role("button", name="Roll back").click()
    both = page.locator(".choice-bar .cost").inner_text()
    assert both == "Without these 2 changes a run takes about 18.0 s more (14.0 s to 22.0 s), by what was measured."


def test_what_was_never_measured_costs_nobody_knows(visit: Callable[..., Visit]) -> None:
    world = World(standing=Standing.TRIAL, rulings=(Ruling.ROLL_BACK,), gained_seconds=None)
    page = visit(world).open("ui?cohort=c")
    page.get_by_role("button", name="Roll back").click()
    said = page.locator(".cost").inner_text()
    assert said == "What it gains is not known: no run has measured it (predicted: 12.0 s less)."


def test_a_glance_leads_to_what_it_is_about(visit: Callable[..., Visit]) -> None:
    page = visit(many()).open("ui?cohort=c#queries")
    page.get_by_role("button", name="3 changes wait").click()

    expect(page.get_by_role("tab", name="Recommendations")).to_have_attribute("aria-selected", "true")
    assert becomes_true(page, "document.activeElement.dataset.filter === 'waits'")
    assert page.locator("tr.change-row").count() == 3

    page.get_by_role("button", name="All", exact=False).first.click()
    assert page.locator("tr.change-row").count() == MANY


def test_a_gain_that_cannot_be_known_is_not_told_as_nothing_in_force(visit: Callable[..., Visit]) -> None:
    """As where every run that was measured had changes."""

    class NeverWithout(WithoutBands):
        def cohort(self) -> Cohort:
            return World.cohort(self).model_copy(update={"gained": None})

    page = visit(NeverWithout()).open("ui?cohort=c")
    gained = page.locator(".glance-cell", has_text="Gained, latest run")
    expect(gained).to_contain_text("too little of it was measured without changes")
    assert "nothing was in force" not in gained.inner_text()


def test_a_gain_of_nothing_that_was_held_is_not_told(visit: Callable[..., Visit]) -> None:
    class AllHeld(World):
        def cohort(self) -> Cohort:
            return World.cohort(self).model_copy(update={"gained": None, "baseline_seconds": None})

    gained = visit(AllHeld()).open("ui?cohort=c").locator(".glance-cell", has_text="Gained, latest run")
    expect(gained).to_contain_text("nothing that was in force reached a query")


def test_a_gain_that_older_runs_alone_tell_is_told(visit: Callable[..., Visit]) -> None:
    page = visit(WithoutBands()).open("ui?cohort=c")
    gained = page.locator(".glance-cell", has_text="Gained, latest run")
    expect(gained).to_contain_text("72.0 s less")
    expect(gained).to_contain_text("90% sure: 60.0 s to 84.0 s, of 3 min 20 s")


def test_a_run_that_was_slower_on_purpose_says_so(visit: Callable[..., Visit]) -> None:
    going = visit(World(leaves_out=True))
    page = going.open("ui?cohort=c#runs")
    expect(page.locator(".glance-cell", has_text="Gained")).to_contain_text("; 1 change left out once, to compare")
    first = page.locator("table.runs tbody tr").first
    expect(first).to_contain_text(f"Left out once:{going.world.texts.words}{going.world.texts.sentence}")


def test_what_may_have_been_in_force_before_the_runs_in_view_says_so(visit: Callable[..., Visit]) -> None:
    class Longer(World):
        def recommendation(self) -> Recommendation:
            return World.recommendation(self).model_copy(update={"or_earlier": True})

    page = visit(Longer(standing=Standing.PINNED), timezone_id="UTC").open("ui?cohort=c")
    expect(page.locator(".card-body")).to_contain_text(
        "In force since 1 Mar 2026, 02:00 UTC or earlier, measured in 2 runs."
    )


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.nightly)])
def test_changes_can_be_read_on_a_phone(visit: Callable[..., Visit], scheme: str) -> None:
    page = visit(many(), viewport={"width": 390, "height": 844}, color_scheme=scheme).open("ui?cohort=c")
    row = page.locator("tr.change-row").nth(1)
    row.wait_for()

    widths = [cell.bounding_box() for cell in (row.locator("th"), *row.locator("td:not(.choice-cell)").all())]
    assert all(box is not None and box["width"] > 300 for box in widths), widths
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    row.locator(".expander").click()
    details = page.locator("tr.details:not([hidden])")
    box = details.bounding_box()
    assert box is not None and box["width"] > 350
    assert page.eval_on_selector(".scroller", "each => each.scrollWidth <= each.clientWidth")


def test_nobody_rules_on_what_a_filter_hides(visit: Callable[..., Visit]) -> None:
    page = visit(many()).open("ui?cohort=c")
    page.get_by_role("checkbox", name="Select change 5").check()
    page.locator("[data-filter=waits]").click()
    assert page.get_by_role("group", name="Rule on the selected").count() == 0


def test_what_a_filter_comes_to_hide_is_chosen_no_more(visit: Callable[..., Visit]) -> None:
    going = visit(many())
    page = going.open("ui?cohort=c")
    page.locator("[data-filter=waits]").click()
    page.get_by_role("checkbox", name="Select change 1").check()
    page.get_by_role("button", name="change 0", exact=True).click()
    going.world.approved.add("hint 1")
    page.locator(".details").get_by_role("button", name="Approve").click()

    page.locator(".table-note").wait_for()
    assert page.locator("tr.change-row").count() == 1
    assert page.get_by_role("group", name="Rule on the selected").count() == 0


def test_after_the_last_of_a_filter_is_ruled_on_the_rest_is_shown(visit: Callable[..., Visit]) -> None:
    page = visit(many()).open("ui?cohort=c")
    page.locator("[data-filter=waits]").click()
    page.get_by_role("checkbox", name="Select all shown").check()
    page.locator(".choice-bar").get_by_role("button", name="Approve").click()
    page.locator("tr.change-row").nth(MANY - 1).wait_for()
    assert page.evaluate(FOCUSED) == "change 0"


def test_a_last_run_that_failed_needs_a_person(visit: Callable[..., Visit]) -> None:
    page = visit(many(last_run=RunState.FAILED)).open("ui?cohort=c")
    why = "an executor ran out of memory in query q72"
    expect(page.locator(".glance .failed-why")).to_have_text(why)
    page.get_by_role("button", name="Last run: failed with changes in force").click()
    assert becomes_true(page, "document.activeElement.dataset.key === 'run-11'")
    expect(page.locator("tr[data-key='run-11'] .failed-why")).to_have_text(why)
    sized = page.locator("tr[data-key='run-3'] td", has_text="spark.executor.memory=16g instead of 8g")
    expect(sized).to_contain_text("run run-2 died with 8g: an executor ran out of memory")


def test_an_instance_that_failed_needs_a_person_though_another_ended_later(visit: Callable[..., Visit]) -> None:
    class Mapped(World):
        def run(self, night: int) -> RunItem:
            # Two tries of instance 0: the last counts.
            instance = {"run_id": "last night", "map_index": max(night - 1, 0)}
            state = RunState.FAILED if night in (0, 7) else RunState.SUCCEEDED
            return World.run(self, night).model_copy(update={**instance, "state": state})

    page = visit(Mapped()).open("ui?cohort=c")
    page.get_by_role("button", name="Last run: failed with changes in force, 1 of 11 instances").click()
    assert becomes_true(page, "document.activeElement.dataset.key === 'run-7'")


@pytest.mark.parametrize(
    ("failed", "said", "focused"),
    [
        (0, re.compile("^Last run: failed, .+ ago$"), "textContent.startsWith('Runs')"),
        (290, re.compile("^Last run: failed with changes in force, .+ ago$"), "dataset.key === 'run-290'"),
    ],
)
def test_an_instance_that_failed_needs_a_person_also_where_not_all_of_them_are_loaded(
    visit: Callable[..., Visit], failed: int, said: re.Pattern[str], focused: str
) -> None:
    class Mapped(World):
        def cohort(self) -> Cohort:
            of_it = {"last_ended_state": RunState.FAILED, "last_round_at": self.run(0).started_at}
            return World.cohort(self).model_copy(update=of_it)

        def run(self, night: int) -> RunItem:
            state = RunState.FAILED if night == failed else RunState.SUCCEEDED
            return World.run(self, night).model_copy(
                update={"run_id": "last night", "map_index": night, "state": state}
            )

    page = visit(Mapped(runs=300, hours_between_runs=1)).open("ui?cohort=c")
    page.get_by_role("button", name=said).click()
    assert becomes_true(page, f"document.activeElement.{focused}")


def test_a_last_run_that_failed_does_so_while_it_is_tried_again(visit: Callable[..., Visit]) -> None:
    class TriedAgain(World):
        def run(self, night: int) -> RunItem:
            states = {self.runs - 1: RunState.RUNNING, self.runs - 2: RunState.FAILED}
            return World.run(self, night).model_copy(update={"state": states.get(night, RunState.SUCCEEDED)})

    page = visit(TriedAgain()).open("ui?cohort=c")
    page.get_by_role("button", name="Last run: failed with changes in force").click()
    assert becomes_true(page, "document.activeElement.dataset.key === 'run-10'")


def test_a_try_that_its_task_saw_succeed_needs_nobody_though_its_log_has_not_landed(
    visit: Callable[..., Visit],
) -> None:
    class Landing(World):
        def run(self, night: int) -> RunItem:
            run, is_last = World.run(self, night), night == self.runs - 1
            state, ended = (RunState.RUNNING, run.started_at) if is_last else (RunState.FAILED, None)
            return run.model_copy(update={"run_id": "last night", "state": state, "ended_at": ended})

    page = visit(Landing(recommendations=0)).open("ui?cohort=c")
    page.locator(".glance-cell").first.wait_for()
    assert page.get_by_role("button", name="Last run").count() == 0


def test_a_run_whose_log_was_not_read_yet_is_not_said_to_run(visit: Callable[..., Visit]) -> None:
    class Landing(World):
        def run(self, night: int) -> RunItem:
            run = World.run(self, night)
            return run.model_copy(update={"ended_at": run.started_at})

        def cohort(self) -> Cohort:
            return World.cohort(self).model_copy(update={"last_has_ended": True})

    page = visit(Landing(last_run=RunState.RUNNING, recommendations=0)).open("ui?cohort=c#runs")
    page.locator("table.runs").wait_for()
    assert "Ended, log not read yet" in page.locator("table.runs tbody tr").first.inner_text()
    assert "ended, log not read yet" in page.locator(".figures").last.inner_text()
    page.get_by_role("tab", name="Recommendations").click()
    expect(page.locator(".empty")).to_contain_text("The latest run has ended, and its log was not read yet")
    assert "running" not in page.locator("main").inner_text().lower()


def test_an_instance_that_failed_before_its_dag_run_was_cleared_needs_nobody(visit: Callable[..., Visit]) -> None:
    class Cleared(World):
        def cohort(self) -> Cohort:
            return World.cohort(self).model_copy(update={"last_round_at": self.run(self.runs - 1).started_at})

        def run(self, night: int) -> RunItem:
            of_it = {"run_id": "one night", "map_index": night} if night in (3, self.runs - 1) else {}
            state = RunState.FAILED if night == 3 else RunState.SUCCEEDED
            return World.run(self, night).model_copy(update={**of_it, "state": state})

    page = visit(Cleared(recommendations=0)).open("ui?cohort=c")
    page.locator(".glance-cell").first.wait_for()
    assert page.get_by_role("button", name="Last run").count() == 0


@pytest.mark.parametrize(
    ("last_run", "said"),
    [
        (RunState.SUCCEEDED, "The latest run was measured, and no change"),
        (RunState.LOST, "The latest run left no log: what is advised rests on an older one, and no change"),
        (
            RunState.RUNNING,
            "The latest run has not ended, or its log was not read yet: what is advised rests on an older one, and no change",
        ),
    ],
)
def test_why_nothing_is_advised_says_which_run_was_measured(
    visit: Callable[..., Visit], last_run: RunState, said: str
) -> None:
    """Of a run that left no log it said that it was measured."""
    page = visit(World(recommendations=0, last_run=last_run)).open("ui?cohort=c")
    page.get_by_role("tab", name="Recommendations").click()
    expect(page.get_by_role("tabpanel")).to_contain_text(said)


def test_a_page_that_was_left_open_is_of_now_when_it_is_seen_again(visit: Callable[..., Visit]) -> None:
    going = visit(many())
    page = going.open("ui?cohort=c")
    going.world.runs, going.world.recommendations = 14, 15
    runs = page.get_by_role("tab", name="Runs")

    def seen_again() -> None:
        page.evaluate("void (Date.now = ((now) => () => now() + 600_000)(Date.now))")
        page.evaluate("void document.dispatchEvent(new Event('visibilitychange'))")

    box = page.get_by_role("checkbox", name="Select change 0")
    box.check()
    seen_again()
    page.wait_for_load_state("networkidle")
    assert runs.inner_text().split() == ["Runs", "12"], "not below what somebody is about to rule on"
    box.uncheck()
    seen_again()
    expect(page.locator("tr.change-row")).to_have_count(15)
    assert runs.inner_text().split() == ["Runs", "14"]
    runs.click()
    page.locator("tr[data-key=run-13]").wait_for()


def test_mode_observe_says_plainly_that_nothing_will_be_changed(visit: Callable[..., Visit]) -> None:
    page = visit(World(mode=Mode.OBSERVE, mode_by="anna")).open("ui?cohort=c")
    said = page.locator(".cohort-header .decision").inner_text()
    assert said == "Next run: nothing will be changed (1 on trial, 2 promoted)"


def test_a_mode_that_no_person_set_is_said_to_be_the_latest_runs(visit: Callable[..., Visit]) -> None:
    """The configuration may have another by now, of which the store knows nothing."""
    header = visit(World()).open("ui?cohort=c").locator(".cohort-header")
    expect(header.locator(".decision")).to_have_text("Next run: if its mode is still auto: 1 on trial, 2 promoted")
    expect(header.locator(".mode-row")).to_contain_text("as the latest run had it, from its job or the configuration")


def test_the_page_says_where_steering_is_off(visit: Callable[..., Visit]) -> None:
    header = (
        visit(World(mode=Mode.OBSERVE, steering_off="steering is off")).open("ui?cohort=c").locator(".cohort-header")
    )
    expect(header.locator(".mode-row .notice", has_text="steering is off")).to_be_visible()
    expect(header.locator(".decision")).to_have_text("Next run: nothing will be changed (1 on trial, 2 promoted)")


def test_the_page_says_where_a_run_has_ended_since_the_next_one_was_decided_on(visit: Callable[..., Visit]) -> None:
    page = visit(World(a_run_has_ended_since=True, mode_by="anna")).open("ui?cohort=c")
    said = page.locator(".cohort-header .decision").inner_text()
    assert said == "Next run: 1 on trial, 2 promoted (a run has ended since that was decided)"


def test_who_may_only_look_can_choose_none(visit: Callable[..., Visit]) -> None:
    page = visit(many(may_act=False)).open("ui?cohort=c")
    page.locator("tr.change-row").first.wait_for()
    assert page.get_by_role("checkbox").count() == 0
    assert page.get_by_text("Needs a person", exact=True).is_visible()


@pytest.mark.parametrize("width", [800, pytest.param(1400, marks=pytest.mark.nightly)])
def test_no_column_is_cut(visit: Callable[..., Visit], width: int) -> None:
    page = visit(many(), viewport={"width": width, "height": 900}).open("ui?cohort=c")
    page.get_by_role("button", name="change 4", exact=True).click()
    page.get_by_role("checkbox", name="Select all shown").check()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator(".panel .scroller").first.evaluate("place => place.scrollWidth <= place.clientWidth")


def test_the_chart_stays_as_it_was_left(visit: Callable[..., Visit]) -> None:
    page = visit().open("ui?cohort=c")
    assert page.locator(".spark-line").is_visible()
    assert page.get_by_role("slider").count() == 0

    page.locator(".chart-fold > summary").click()
    page.get_by_role("slider", name="Runs").wait_for()
    page.reload()
    page.get_by_role("slider", name="Runs").wait_for()


def test_a_browser_that_remembers_nothing_folds_the_chart_all_the_same(visit: Callable[..., Visit]) -> None:
    going = visit()
    going.page.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('forbidden'); } });"
    )
    page = going.open_chart("ui?cohort=c")
    page.get_by_role("slider", name="Runs").wait_for()
    assert going.complaints == []


def test_on_a_tall_screen_the_chart_is_open(visit: Callable[..., Visit]) -> None:
    page = visit(viewport={"width": 1400, "height": 1300}).open("ui?cohort=c")
    page.get_by_role("slider", name="Runs").wait_for()


def test_runs_of_one_day_have_their_times(visit: Callable[..., Visit]) -> None:
    page = visit(World(hours_between_runs=3, runs=8), timezone_id="UTC").open_chart("ui?cohort=c")
    page.locator(".chart svg").first.wait_for()
    ticks = page.locator('.chart [aria-label="x-axis tick label"] text').all_text_contents()
    assert ticks == ["1 Mar, 02:00", "05:00", "08:00", "11:00", "14:00", "17:00", "20:00", "23:00"]


def test_one_recommendation_is_open(visit: Callable[..., Visit]) -> None:
    page = visit().open("ui?cohort=c")
    opener = page.locator(".expander")
    expect(opener).to_have_attribute("aria-expanded", "true")
    assert HINT in opener.inner_text()
