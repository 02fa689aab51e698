"""The list of cohorts: chosen, sorted, summed."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import pytest

from tests.savings.fleet import book
from tuner.history.store import Store
from tuner.model.cohort_stance import CohortStance
from tuner.model.decision import CohortState, Mode
from tuner.model.last_round import LastRound
from tuner.model.run import RunState
from tuner.panel.access import RUN_WITHOUT_DAG

from .nights import keep, night, query
from .people import Someone, editor, reader

Ask = Callable[..., Any]


@pytest.fixture(autouse=True)
def filled(store: Store) -> None:
    """Three that were measured, one of which waits for somebody; one that failed and one that runs, without figures."""
    book(store)
    store.keep_stance("shop.report", CohortStance(CohortState.TRIAL, Mode.SUGGEST, 1, 3))
    keep(store, night(0, query("q", 1), cohort="new.failed", dag_id="new", state=RunState.FAILED))
    keep(store, night(0, cohort="new.running", dag_id="new", state=RunState.RUNNING))


def names(client: Any, **asked: object) -> list[str]:
    answer = client.get("/api/cohorts", params=asked)
    assert answer.status_code == 200, answer.text
    return [item["cohort"] for item in answer.json()["items"]]


def test_what_holds_most_cores_comes_first_and_what_is_not_known_last(ask: Ask) -> None:
    unknown = ["new.failed", "new.running"]
    assert names(ask()) == ["ads.clean", "shop.report", "etl.load", *unknown]
    assert names(ask(), reverse=True) == ["etl.load", "shop.report", "ads.clean", *unknown]


@pytest.mark.parametrize(
    ("sort", "first"),
    [
        ("name", "ads.clean"),
        ("seconds", "ads.clean"),
        ("gained", "etl.load"),
        ("waiting", "shop.report"),
        ("runs", "ads.clean"),
        ("last_run", "ads.clean"),
        ("state", "new.failed"),
    ],
)
def test_sorted_by_anything(ask: Ask, sort: str, first: str) -> None:
    assert names(ask(), sort=sort)[0] == first
    assert sorted(names(ask(), sort=sort, reverse=True)) == sorted(names(ask(), sort=sort))


def test_nobody_sorts_by_what_there_is_not(ask: Ask) -> None:
    assert ask().get("/api/cohorts", params={"sort": "colour"}).status_code == 422


def test_filtered_by_tag_by_what_waits_and_by_what_failed(ask: Ask, store: Store) -> None:
    assert names(ask(), tag="finance", sort="name") == ["etl.load", "shop.report"]
    assert names(ask(), search="FINANCE", sort="name") == ["etl.load", "shop.report"]
    assert names(ask(), waits=True) == ["shop.report"]
    assert names(ask(), failed=True) == ["new.failed"]
    keep(store, night(1, cohort="new.failed", dag_id="new", state=RunState.RUNNING))
    assert names(ask(), failed=True) == ["new.failed"], "the next one has begun"
    lost = night(0, cohort="new.running", dag_id="new", state=RunState.LOST)
    store.finish(lost.key, RunState.LOST, lost.started_at, None)
    answer = ask().get("/api/cohorts", params={"failed": True}).json()
    assert {item["cohort"]: item["last_ended_state"] for item in answer["items"]} == {
        "new.failed": "failed",
        "new.running": "lost",
    }
    assert answer["totals"]["failed"] == 2
    assert names(ask(), state="trial") == ["shop.report"]
    assert names(ask(), tag="no such tag") == []


def test_totals_are_those_of_all_pages_of_what_is_listed(ask: Ask) -> None:
    answer = ask().get("/api/cohorts", params={"limit": 1}).json()
    totals = answer["totals"]
    assert (answer["total"], totals["known"], totals["measured"], totals["waiting"]) == (5, 3, 3, 3)
    assert totals["failed"] == 1
    assert totals["query_seconds"] == pytest.approx(40 + 45 + 56)
    assert totals["gained"]["seconds"] == pytest.approx(9, rel=0.1)
    assert totals["gained"]["low"] < totals["gained"]["seconds"] < totals["gained"]["high"]
    assert answer["tags"] == ["daily", "finance"]
    only = ask().get("/api/cohorts", params={"search": "etl"}).json()
    assert (only["totals"]["query_seconds"], only["tags"]) == (pytest.approx(40), ["daily", "finance"])


def test_figures_of_an_older_run_say_which_and_count_as_measured_no_more(ask: Ask, store: Store) -> None:
    """A job whose logs stopped coming told its figures of months ago as those of its last run."""
    before = ask().get("/api/cohorts", params={"search": "etl"}).json()["items"][0]
    assert (before["is_measured"], before["measured_at"]) == (True, before["last_run_at"])
    assert before["last_round_at"] == before["last_run_at"]
    keep(store, night(30, cohort="etl.load", state=RunState.LOST))
    answer = ask().get("/api/cohorts", params={"search": "etl"}).json()
    (item,) = answer["items"]
    assert (item["query_seconds"], item["is_measured"]) == (40.0, False)
    assert item["measured_at"] == before["measured_at"] < item["last_run_at"]
    assert (answer["totals"]["known"], answer["totals"]["measured"]) == (1, 0)


def test_a_row_tells_the_last_run_its_trend_and_what_was_gained(ask: Ask) -> None:
    (item,) = ask().get("/api/cohorts", params={"search": "etl"}).json()["items"]
    assert (item["query_seconds"], item["in_force"], item["tags"]) == (40.0, 1, ["finance"])
    assert item["trend"] == [50.0] * 4 + [40.0] * 10
    assert item["gained"]["seconds"] == pytest.approx(10, rel=0.05)
    assert item["core_hours"] == pytest.approx(8 * 45 / 3600, rel=0.01)
    assert item["cost"] is None


def test_a_row_and_totals_of_one_are_as_sure_as_its_own_page(ask: Ask) -> None:
    answer = ask().get("/api/cohorts", params={"search": "etl"}).json()
    latest = ask().get("/api/cohort/runs", params={"cohort": "etl.load", "limit": 1}).json()["items"][0]
    of_page = [latest["band"][end] - latest["query_seconds"] for end in ("low", "high")]
    for gained in (answer["items"][0]["gained"], answer["totals"]["gained"]):
        assert [gained["low"], gained["high"]] == pytest.approx(of_page, abs=0.01)


def test_totals_tags_and_savings_are_only_of_what_the_viewer_may_read(ask: Ask) -> None:
    client = ask(reader("ads"))
    answer = client.get("/api/cohorts").json()
    assert (answer["total"], answer["totals"]["query_seconds"], answer["tags"]) == (1, pytest.approx(56), [])
    saved = client.get("/api/savings", params={"weeks": 520}).json()
    assert [one["cohort"] for one in saved["cohorts"]] == ["ads.clean"]
    assert saved["total"]["seconds"] < 0
    assert client.get("/api/savings", params={"dag_id": "etl"}).status_code == 403
    nobody = ask(reader()).get("/api/savings", params={"weeks": 520}).json()
    assert (nobody["total"]["runs"], nobody["cohorts"], nobody["changes"]) == (0, [], [])


def test_savings_name_queries_for_who_may_read_the_code(ask: Ask) -> None:
    asked = {"weeks": 520}
    assert "revenue" in ask(editor("etl")).get("/api/savings", params=asked).text
    assert "revenue" not in ask(reader("etl")).get("/api/savings", params=asked).text
    assert ask(Someone()).get("/api/savings", params={"weeks": 0}).status_code == 422


def test_a_ruling_and_a_mode_change_what_waits_at_once(ask: Ask, store: Store) -> None:
    ask().post("/api/cohort/mode", json={"cohort": "etl.load", "mode": "observe"})
    (summary,) = store.cohorts(cohort="etl.load")
    assert (summary.stance.mode, summary.stance.in_force) == (Mode.OBSERVE, 0)


def test_a_dag_run_is_asked_for_with_its_dag(ask: Ask) -> None:
    """Without it nothing leads to its runs: all of the store would be read."""
    found = {"dag_id": "new", "run_id": "scheduled__2026-11-01T02:00:00+00:00"}
    assert names(ask(), **found) == ["new.failed", "new.running"]
    answer = ask().get("/api/cohorts", params={"run_id": found["run_id"]})
    assert (answer.status_code, answer.json()) == (422, {"detail": RUN_WITHOUT_DAG})


def test_how_rounds_ended_is_read_for_lists_and_a_cohorts_own_page_alone(
    ask: Ask, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Collection[str] | None] = []

    def read_last_rounds(_: object, cohorts: Collection[str] | None) -> dict[str, LastRound]:
        read.append(cohorts)
        return {}

    monkeypatch.setattr("tuner.history.store.read_last_rounds", read_last_rounds)
    client, of_it = ask(), {"cohort": "etl.load"}
    for path in ("savings", "cohort/runs", "cohort/recommendations", "cohort/insights", "cohort/audit"):
        assert client.get(f"/api/{path}", params=of_it).status_code == 200
    assert read == []
    client.get("/api/cohort", params=of_it)
    client.get("/api/cohorts", params={"dag_id": "new"})
    client.get("/api/cohorts")
    assert read == [["etl.load"], ["new.failed", "new.running"], None]
