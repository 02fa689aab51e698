"""A person acts without a dialog, is told what happened, and stays where he was."""

from __future__ import annotations

from collections.abc import Callable

from tests.panel.browser.becomes_true import becomes_true
from tests.panel.browser.canned import HINT, World
from tests.panel.browser.conftest import Visit

FOCUSED = "document.activeElement.textContent"


def test_approve(visit: Callable[..., Visit]) -> None:
    going = visit()
    page = going.open("ui?cohort=c")

    page.get_by_role("button", name="Approve").click()
    page.get_by_text("it holds from the next run on").first.wait_for()

    assert going.world.posted == [
        ("cohort/rulings", {"cohort": "c", "change_ids": ["hint"], "ruling": "approve", "reason": ""})
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


def test_who_may_only_look_sees_no_button(visit: Callable[..., Visit]) -> None:
    page = visit(World(may_act=False)).open("ui?cohort=c")

    assert page.get_by_text("You may look but not act").is_visible()
    assert page.locator("[data-ruling]").count() == 0
    assert page.get_by_role("button", name="Change mode").count() == 0
