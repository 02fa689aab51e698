"""What a viewer may not read is not there for him; what he may not change he cannot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tuner.history.store import Store
from tuner.model.decision import Standing
from tuner.model.verdict import Ruling
from tuner.panel.access import MAY_NOT_ACT, UNKNOWN_COHORT, UNREADABLE_DAG

from .nights import HINT, decided, keep, night, outlook, query, said
from .people import Someone, editor, reader

Ask = Callable[..., Any]
PARTS = ["", "/runs", "/recommendations", "/insights", "/queries", "/plan", "/compare", "/audit"]


@pytest.fixture(autouse=True)
def cohorts(store: Store) -> None:
    """One of each team, one of both, and one outside Airflow; all advise the same."""
    advice = decided(standing=Standing.PROPOSED)
    for name, dags in {"a.load": ["a"], "b.load": ["b"], "both": ["a", "b"], "cli": [""]}.items():
        runs = [
            night(n, query("q1", 9, "SELECT 'secret'"), cohort=name, dag_id=dag, changes=[advice])
            for n, dag in enumerate(dags)
        ]
        keep(store, *runs, details=outlook(advice))


def listed(client: Any, **asked: str) -> list[str]:
    return [item["cohort"] for item in client.get("/api/cohorts", params=asked).json()["items"]]


def test_lists_have_the_cohorts_whose_every_dag_is_readable(ask: Ask) -> None:
    assert listed(ask(Someone())) == ["a.load", "b.load", "both", "cli"]
    assert listed(ask(reader("a"))) == ["a.load"]
    assert listed(ask(reader("a", "b"))) == ["a.load", "b.load", "both"]
    assert listed(ask(reader())) == []
    assert ask(reader("a")).get("/api/cohorts").json()["total"] == 1


@pytest.mark.parametrize("cohort", ["b.load", "both", "cli", "no.such"])
def test_a_cohort_that_may_not_be_read_is_as_one_that_does_not_exist(ask: Ask, cohort: str) -> None:
    client = ask(reader("a"))
    for part in PARTS:
        answer = client.get(f"/api/cohort{part}", params={"cohort": cohort, "query": "q1", "before": "b", "after": "b"})
        assert (answer.status_code, answer.json()) == (404, {"detail": UNKNOWN_COHORT})


@pytest.mark.parametrize("dag_id", ["b", "no-such-dag"])
def test_a_dag_asked_for_by_name_is_refused_whether_it_exists_or_not(ask: Ask, dag_id: str) -> None:
    answer = ask(reader("a")).get("/api/cohorts", params={"dag_id": dag_id})
    assert (answer.status_code, answer.json()) == (403, {"detail": UNREADABLE_DAG})
    assert listed(ask(reader("a")), dag_id="a") == ["a.load"]


@pytest.mark.parametrize(
    ("path", "body"),
    [("mode", {"mode": "auto"}), ("rulings", {"change_ids": [HINT.id], "ruling": "approve"})],
)
def test_who_only_reads_cannot_change(ask: Ask, store: Store, path: str, body: dict[str, Any]) -> None:
    refused = ask(reader("a")).post(f"/api/cohort/{path}", json={"cohort": "a.load", **body})
    assert (refused.status_code, refused.json()) == (403, {"detail": MAY_NOT_ACT})
    hidden = ask(reader("a")).post(f"/api/cohort/{path}", json={"cohort": "b.load", **body})
    assert (hidden.status_code, hidden.json()) == (404, {"detail": UNKNOWN_COHORT})
    assert not store.verdicts("a.load") and not store.mode_changes("a.load")
    assert ask(editor("a")).post(f"/api/cohort/{path}", json={"cohort": "a.load", **body}).status_code == 200


def test_the_page_of_a_dag_is_for_its_readers(ask: Ask) -> None:
    client = ask(reader("a"))
    refused = [client.get("/ui", params={"scope": "dag", "dag_id": dag}) for dag in ("b", "no-such-dag")]
    assert [(answer.status_code, answer.json()) for answer in refused] == [(403, {"detail": UNREADABLE_DAG})] * 2
    for dag in ("a", "", "{DAG_ID}"):
        assert client.get("/ui", params={"scope": "nav", "dag_id": dag}).status_code != 403


def test_lists_say_where_the_viewer_may_act(ask: Ask) -> None:
    mixed = Someone("mia", frozenset("ab"), frozenset("a"), frozenset("a"))
    items = ask(mixed).get("/api/cohorts").json()["items"]
    assert {item["cohort"]: item["may_act"] for item in items} == {"a.load": True, "b.load": False, "both": False}


def test_descriptions_of_queries_are_for_who_may_read_the_code(ask: Ask, store: Store) -> None:
    trial = decided(standing=Standing.TRIAL)
    keep(store, night(1, query("q1", 9, "SELECT 'secret'"), cohort="a.load", dag_id="a", changes=[trial]))
    store.record(said(HINT, Ruling.PIN, 1, cohort="a.load"))
    asked = {"cohort": "a.load", "query": "q1", "before": "a/a.load/0/1", "after": "a/a.load/1/1"}
    reading, editing = ask(reader("a")), ask(editor("a"))
    told = {part for part in PARTS if "SELECT 'secret'" in editing.get(f"/api/cohort{part}", params=asked).text}
    assert told == {"/runs", "/recommendations", "/queries", "/plan", "/compare", "/audit"}
    assert not [part for part in PARTS if "secret" in reading.get(f"/api/cohort{part}", params=asked).text]
