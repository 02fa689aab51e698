"""A person acts without a dialog, is told what happened, and stays where he was."""

from __future__ import annotations

from collections.abc import Callable

from tests.panel.browser.becomes_true import becomes_true
from tests.panel.browser.canned import HINT, World
from tests.panel.browser.conftest import Visit
from tuner.model.decision import Mode, Standing
from tuner.model.verdict import Ruling
from tuner.panel.models.recommendations import Recommendation

FOCUSED = "document.activeElement.textContent"


def test_approve(visit: Callable[..., Visit]) -> None:
    going = visit()
    page = going.open("ui?cohort=c")

    page.get_by_role("button", name="Approve").click()
    page.get_by_text("it holds from the next run on").first.wait_for()

    assert going.world.posted == [
        (
            "cohort/rulings",
            {
                "cohort": "c",
                "change_ids": ["hint"],
                "ruling": "approve",
                "reason": "",
                "seen": {"hint": "proposed"},
            },
        )
    ]
    assert becomes_true(page, "document.getElementById('said').textContent === 'it holds from the next run on'")
    assert HINT in page.evaluate(FOCUSED)


def test_reject_asks_for_a_reason(visit: Callable[..., Visit]) -> None:
    going = visit()
    page = going.open("ui?cohort=c")

    page.get_by_role("button", name="Reject").click()
    form = page.get_by_role("form", name="Reject")
    form.get_by_role("button", name="Reject").click()
    assert going.world.posted == []

    form.get_by_role("textbox").fill("  ")
    form.get_by_role("button", name="Reject").click()
    assert going.world.posted == []

    form.get_by_role("textbox").fill("not before the quarter's end")
    form.get_by_role("button", name="Reject").click()
    page.locator(".change-row .badge", has_text="Held").wait_for()
    assert [body["reason"] for _, body in going.world.posted] == ["not before the quarter's end"]
    assert page.get_by_role("button", name="Reject").count() == 0


def test_escape_closes_the_form_and_returns_to_its_button(visit: Callable[..., Visit]) -> None:
    page = visit().open("ui?cohort=c")

    page.get_by_role("button", name="Reject").click()
    page.keyboard.press("Escape")

    assert page.get_by_role("form").count() == 0
    assert page.evaluate(FOCUSED) == "Reject"


def test_refusal_is_told_and_can_be_tried_again(visit: Callable[..., Visit]) -> None:
    going = visit()
    going.failing["cohort/rulings"] = (403, "You may not edit this DAG.")
    page = going.open("ui?cohort=c")

    page.get_by_role("button", name="Approve").click()

    assert "You may not edit this DAG." in page.get_by_role("alert").inner_text()
    assert page.get_by_role("button", name="Approve").is_enabled()


def test_a_ruling_that_comes_too_late_shows_what_stands_now(visit: Callable[..., Visit]) -> None:
    going = visit()
    page = going.open("ui?cohort=c")
    going.world.standing = Standing.ROLLED_BACK
    going.failing["cohort/rulings"] = (409, "nothing was done: what was shown as proposed is rolled back")

    page.get_by_role("button", name="Approve").click()
    page.locator(".change-row .badge", has_text="Rolled back").wait_for()

    told = page.get_by_role("alert").inner_text()
    assert "Changed meanwhile" in told
    assert "nothing was done: what was shown as proposed is rolled back" in told
    going.failing.clear()
    page.get_by_role("button", name="Approve").click()
    page.get_by_role("alert").wait_for(state="detached")
    assert [body["seen"] for _, body in going.world.posted] == [{"hint": "rolled_back"}]


def test_what_was_done_is_told_as_done_though_the_page_cannot_show_it(visit: Callable[..., Visit]) -> None:
    going = visit()
    page = going.open("ui?cohort=c")
    going.failing["cohort"] = (503, "The history store does not answer.")

    page.get_by_role("button", name="Approve").click()

    told = page.get_by_role("alert").inner_text()
    assert "Done, but not shown yet\nit holds from the next run on" in told.replace("\n\n", "\n")
    assert "The history store does not answer." in told
    assert becomes_true(page, "document.activeElement.textContent === 'Load anew'")
    going.failing.clear()
    page.get_by_role("button", name="Load anew").click()
    page.locator(".note").wait_for()
    assert len(going.world.posted) == 1
    assert HINT in page.evaluate(FOCUSED)


def test_a_reason_is_sent_once_and_stays_where_it_is_refused(visit: Callable[..., Visit]) -> None:
    going = visit()
    going.failing["cohort/rulings"] = (503, "The history store does not answer.")
    page = going.open("ui?cohort=c")
    page.get_by_role("button", name="Reject").click()
    form = page.get_by_role("form", name="Reject")
    form.get_by_role("textbox").fill("not yet")
    form.get_by_role("button", name="Reject").click()

    form.get_by_role("alert").wait_for()
    assert form.get_by_role("textbox").input_value() == "not yet"
    assert becomes_true(page, "document.activeElement.tagName === 'TEXTAREA'")

    going.failing.clear()
    form.evaluate(
        "form => { form.requestSubmit(); form.querySelector('[type=button]').click(); form.requestSubmit(); }"
    )
    form.wait_for(state="detached")
    assert [body["reason"] for _, body in going.world.posted] == ["not yet"]


def test_an_answer_leaves_what_is_being_written_elsewhere(visit: Callable[..., Visit]) -> None:
    going = visit(World(recommendations=16))
    page = going.open("ui?cohort=c")
    page.get_by_role("button", name="change 4", exact=True).click()
    page.locator(".details").get_by_role("button", name="Roll back").click()
    page.get_by_role("form", name="Roll back").get_by_role("textbox").fill("slow on Mondays")
    page.get_by_role("button", name="Change mode").click()
    page.get_by_role("form", name="Change the mode").get_by_role("textbox").fill("holidays")

    page.get_by_role("checkbox", name="Select change 0").check()
    page.locator(".choice-bar").get_by_role("button", name="Approve").click()
    page.locator(".table-note", has_text="it holds from the next run on").wait_for()

    assert page.get_by_role("form", name="Roll back").get_by_role("textbox").input_value() == "slow on Mondays"
    assert page.get_by_role("form", name="Change the mode").get_by_role("textbox").input_value() == "holidays"
    assert page.evaluate(FOCUSED) == "change 0"


def test_of_what_is_tried_in_part_each_part_is_ruled_on_by_itself(visit: Callable[..., Visit]) -> None:
    going = visit(TriedInPart())
    page = going.open("ui?cohort=c")
    assert page.get_by_text("a part waits").is_visible()
    approve = page.get_by_role("button", name="Approve", exact=True)
    assert approve.get_attribute("title") == "On 1 of 2 changes: those that it fits"

    for name in ("Pin", "Approve"):
        with page.expect_response("**/api/cohort/recommendations*"):
            page.get_by_role("button", name=name, exact=True).click()

    assert [(body["ruling"], body["change_ids"]) for _, body in going.world.posted] == [
        ("pin", ["order"]),
        ("approve", ["needs"]),
    ]


class TriedInPart(World):
    """Its recommendation is an order on trial, and what needs it and is only proposed."""

    def recommendation(self) -> Recommendation:
        one = World.recommendation(self)
        parts = {
            "order": (Standing.TRIAL, [Ruling.PIN, Ruling.ROLL_BACK]),
            "needs": (Standing.PROPOSED, [Ruling.APPROVE, Ruling.REJECT, Ruling.ROLL_BACK]),
        }
        actions = [
            one.actions[0].model_copy(update={"change_id": name, "standing": standing, "rulings": rulings})
            for name, (standing, rulings) in parts.items()
        ]
        known = {"standing": Standing.TRIAL, "waits": True, "actions": actions, "rulings": list(Ruling)}
        return one.model_copy(update=known)


def test_a_mode_that_nobody_knows_yet_is_not_told_as_a_fact(visit: Callable[..., Visit]) -> None:
    page = visit(World(mode=Mode.OBSERVE, mode_is_known=False)).open("ui?cohort=c")
    row = " ".join(page.locator(".mode-row").inner_text().split())
    assert row.startswith("Mode the job's own known when the next run starts")
    assert "if its mode is observe, as the latest run's: nothing" in page.locator(".decision").first.inner_text()


def test_mode_goes_back_to_the_jobs_own(visit: Callable[..., Visit]) -> None:
    going = visit()
    page = going.open("ui?cohort=c")

    page.get_by_role("button", name="Change mode").click()
    page.get_by_label("suggest", exact=True).check()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("form").wait_for(state="detached")
    page.get_by_role("button", name="Change mode").click()
    page.get_by_label("the job's own").check()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("form").wait_for(state="detached")

    assert [body["mode"] for _, body in going.world.posted] == ["suggest", None]


def test_what_a_mode_gives_back_is_told_before_it_is_saved_and_stays_beside_it(visit: Callable[..., Visit]) -> None:
    back = "spark.executor.memory goes back from 16g to 8g: run run-2 died with 8g"
    page = visit(World(gives_back={Mode.OBSERVE: [back]})).open("ui?cohort=c")
    page.get_by_role("button", name="Change mode").click()
    form = page.get_by_role("form", name="Change the mode")
    for mode, told in (("observe", back), ("suggest", "")):
        form.get_by_label(mode, exact=True).check()
        assert form.get_by_role("status").inner_text() == told

    form.get_by_role("button", name="Save", exact=True).click()
    form.wait_for(state="detached")
    said = page.locator(".cohort-header .note")
    assert said.inner_text() == "it holds from the next run on"
    page.get_by_role("button", name="Approve").click()
    said.wait_for(state="detached")


def test_a_mode_that_somebody_gave_meanwhile_is_seen_before_it_is_replaced(visit: Callable[..., Visit]) -> None:
    going = visit(World(mode=Mode.AUTO, mode_by="ana"))
    page = going.open("ui?cohort=c")
    page.get_by_role("button", name="Change mode").click()
    page.get_by_label("suggest", exact=True).check()
    going.world.mode, going.world.mode_by = Mode.OBSERVE, "bea"
    going.failing["cohort/mode"] = (409, "nothing was done: bea gave it mode observe meanwhile: incident 42")

    page.get_by_role("button", name="Save", exact=True).click()
    told = page.get_by_role("alert").inner_text()
    row = " ".join(page.locator(".mode-row").inner_text().split())
    going.failing.clear()
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("form").wait_for(state="detached")

    assert "Changed meanwhile" in told
    assert "bea gave it mode observe meanwhile: incident 42" in told
    assert row.startswith("Mode observe set by bea")
    assert [(body["mode"], body["seen"]) for _, body in going.world.posted] == [("suggest", "observe")]


def test_who_may_only_look_sees_no_button(visit: Callable[..., Visit]) -> None:
    page = visit(World(may_act=False)).open("ui?cohort=c")

    assert page.get_by_text("You may look but not act").is_visible()
    assert page.locator("[data-ruling]").count() == 0
    assert page.get_by_role("button", name="Change mode").count() == 0
