"""However much a store holds, an answer fits what an agent can take in."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.panel.browser.canned import World
from tests.panel.nights import COHORT, HINT, decided, keep, night, outlook, query
from tuner.history.store import Store
from tuner.mcp.bounded_answer import MOST_CHARACTERS, AnswerTooLongError, bounded_answer, json_text
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.decision import Standing
from tuner.panel.models.answer import Answer
from tuner.panel.models.page import Page
from tuner.panel.models.savings import SavedOfCohort, SavedOfTag, SavedOfWeek

from .conftest import Call


class Item(Answer):
    name: str
    parts: list[str]


class Two(Answer):
    left: Page[Item]
    right: Page[Item] | None


def page_of(count: int, name: str = "x", parts: int = 0) -> Page[Item]:
    items = [Item(name=name, parts=[name] * parts) for _ in range(count)]
    return Page[Item](items=items, total=count, offset=0, limit=200)


def test_what_fits_is_answered_whole() -> None:
    assert bounded_answer(page_of(200)) == page_of(200).model_dump(mode="json")


def test_a_page_is_cut_to_fewer_items_and_says_so() -> None:
    found = bounded_answer(page_of(200, "x" * 1000))
    assert len(json_text(found)) <= MOST_CHARACTERS
    assert (len(found["items"]), found["limit"], found["total"]) == (50, 50, 200)


def test_pages_inside_an_answer_are_cut_alike() -> None:
    found = bounded_answer(Two(left=page_of(200, "x" * 1000), right=page_of(40)))
    assert (len(found["left"]["items"]), found["left"]["limit"]) == (50, 50)
    assert (len(found["right"]["items"]), found["right"]["limit"]) == (40, 50)
    assert bounded_answer(Two(left=page_of(1), right=None))["right"] is None


def test_a_comparison_has_fewer_queries_and_counts_those_left_out() -> None:
    whole = World().comparison("a", "b")
    slower = whole.queries[0].model_copy(update={"operators": whole.queries[0].operators * 30})
    found = bounded_answer(whole.model_copy(update={"queries": [slower] * 60, "more_queries": 3}))
    assert len(json_text(found)) <= MOST_CHARACTERS
    assert {len(query["operators"]) for query in found["queries"]} == {30}
    assert 1 < len(found["queries"]) < 60
    assert len(found["queries"]) + found["more_queries"] == 63


def test_savings_keep_what_lost_most_and_the_newest_weeks() -> None:
    whole = World().savings()
    gained, lost = (change.saved for change in whole.changes)
    cohorts = [
        SavedOfCohort(cohort=f"{number:03}{'x' * 400}", tags=["y" * 200], saved=gained if number < 100 else lost)
        for number in range(200)
    ]
    weeks = [SavedOfWeek(week=str(number), saved=gained) for number in range(300)]
    tags = [SavedOfTag(tag=one.cohort, cohorts=1, saved=one.saved) for one in cohorts]
    found = bounded_answer(whole.model_copy(update={"cohorts": cohorts, "weeks": weeks, "tags": tags}))
    assert len(json_text(found)) <= MOST_CHARACTERS
    for listed, name in (("cohorts", "cohort"), ("tags", "tag")):
        names = [one[name][:3] for one in found[listed]]
        assert 2 <= len(names) < 200
        assert (names[0], names[-1]) == ("000", "199")
    assert found["weeks"][-1]["week"] == "299"


def test_a_text_is_cut_and_printable() -> None:
    (item,) = bounded_answer(page_of(1, "a\x1b[2J\u202eb\n" + "x" * 5000))["items"]
    assert item["name"].startswith("a\ufffd[2J\ufffdb x")
    assert len(item["name"]) == 1000 and item["name"].endswith("…")


def test_an_item_too_long_by_itself_is_cut_short() -> None:
    (item,) = bounded_answer(page_of(1, "x" * 5000, parts=5000))["items"]
    assert len(item["parts"]) == 10
    assert {len(part) for part in item["parts"]} == {100}


def test_what_does_not_fit_at_all_is_an_error() -> None:
    class Wide(Answer):
        texts: dict[str, str]

    wide = Wide(texts={str(number): "x" * 100 for number in range(1000)})
    with pytest.raises(AnswerTooLongError, match="ask for less"):
        bounded_answer(wide)


def test_numbers_that_json_does_not_have_are_null() -> None:
    class Number(Answer):
        value: float

    assert json.loads(json_text(bounded_answer(Number(value=float("inf"))))) == {"value": None}


def test_a_store_of_many_cohorts_answers_a_page(call: Call, store: Store) -> None:
    for number in range(120):
        keep(store, night(0, query("q", 1), cohort=f"{number:03}{'x' * 400}", dag_id="y" * 200))
    found = call("list_cohorts", limit=200)
    assert found["total"] == 120
    assert len(found["items"]) == found["limit"] < 120
    assert len(json_text(found)) <= MOST_CHARACTERS
    rest = call("list_cohorts", limit=200, offset=len(found["items"]))
    assert rest["items"][0]["cohort"] != found["items"][-1]["cohort"]


def test_a_change_of_many_long_actions_is_told(call: Call, store: Store) -> None:
    actions = tuple(
        Action(ActionKind.HINT_JOIN, f"{number}{'x' * 300}", Hint.BROADCAST, "q1", ("y" * 300,))
        for number in range(300)
    )
    many = decided(actions, Standing.TRIAL)
    keep(store, night(0, query("q1", 20), changes=[many, decided(HINT)]), details=outlook(many))
    for name, asked in {"explain_cohort": {}, "list_runs": {}, "explain_run": {"run": f"etl/{COHORT}/0/1"}}.items():
        assert len(json_text(call(name, cohort=COHORT, **asked))) <= MOST_CHARACTERS, name


@pytest.mark.parametrize(
    ("name", "value"), [("limit", 0), ("limit", 201), ("offset", -1), ("offset", 10**30), ("limit", "x"), ("weeks", 3)]
)
def test_what_makes_no_sense_is_said_by_name(name: str, value: object, refused: Callable[..., str]) -> None:
    said = refused("list_cohorts", **{name: value})
    assert said.startswith(f"list_cohorts: {name}: ")
    assert len(said) < 300
