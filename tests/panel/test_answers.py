"""Every endpoint answers from a real store, as the types say, and only to somebody."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from fastapi import HTTPException
from starlette.types import Receive, Scope, Send

from tuner import __version__
from tuner.errors import StoreError
from tuner.history.store import Store
from tuner.model.decision import Mode, Standing
from tuner.model.run import RunState
from tuner.panel.app import create_app
from tuner.panel.guarded_answers import HEADERS, STORE_UNUSABLE, UNEXPECTED, GuardedAnswers
from tuner.panel.models.home import Home

from .conftest import TestClient
from .nights import COHORT, HINT, decided, keep, night, outlook, query
from .people import Someone

Ask = Callable[..., Any]
OF_COHORT = ["", "/runs", "/recommendations", "/insights", "/queries", "/plan", "/compare", "/audit"]
EVERY_GET = ["ui", "static/panel.js", "openapi.json", "api/session", "api/cohorts", "api/savings"]
EVERY_GET += [
    f"api/cohort{part}?cohort={COHORT}&query=q1&before=etl/{COHORT}/0/1&after=etl/{COHORT}/1/1" for part in OF_COHORT
]


@pytest.fixture
def filled(store: Store) -> Store:
    plain = [night(n, query("q1", 20, "SELECT 1"), query("q2", 10)) for n in range(3)]
    trial = decided(standing=Standing.TRIAL)
    tried = night(3, query("q1", 11, "SELECT 1"), query("q2", 10), changes=[trial])
    keep(store, *plain, tried, details=outlook(decided(standing=Standing.PROMOTED, why="20 s became 11 s")))
    return store


def test_the_session_says_who_looks_and_where(ask: Ask) -> None:
    answer = ask(Someone("ana"), Home.STANDALONE).get("/api/session").json()
    assert answer == {"user": "ana", "home": "standalone", "version": __version__}


def test_a_cohort_in_the_list_and_on_its_page(ask: Ask, filled: Store) -> None:
    (listed,) = ask().get("/api/cohorts").json()["items"]
    assert (listed["cohort"], listed["runs"], listed["state"], listed["mode"]) == (COHORT, 4, "tuned", "auto")
    assert listed["tasks"] == [{"dag_id": "etl", "task_id": "load"}]
    page = ask().get("/api/cohort", params={"cohort": COHORT}).json()
    # As the next run will have it: what was on trial has won.
    assert {name: page[name] for name in listed} == listed
    assert (page["baseline_seconds"], page["latest_seconds"], page["queries"]) == (pytest.approx(30, rel=0.01), 21.0, 2)
    assert page["counts"] == {"promoted": 1}
    job = {"mode": "auto", "is_known": True, "by": "", "at": None, "reason": "", "off": "", "gives_back": {}}
    assert page["mode_setting"] == job
    assert page["objective"] == "time"


def test_the_list_is_searched_filtered_and_paged(ask: Ask, store: Store) -> None:
    held = decided(standing=Standing.HELD)
    for name in ("a.load", "b.load", "c.other"):
        keep(store, night(0, query("q", 1), cohort=name, dag_id=name[0], changes=[held] if name[0] == "c" else []))
    client = ask()

    def names(**asked: object) -> list[str]:
        return [item["cohort"] for item in client.get("/api/cohorts", params=asked).json()["items"]]

    assert names() == ["a.load", "b.load", "c.other"]
    assert names(search="LOAD ") == ["a.load", "b.load", "c.other"], "the task's name is load in all"
    assert names(search="b.") == ["b.load"]
    assert names(state="held") == ["c.other"]
    assert names(dag_id="a") == ["a.load"]
    assert names(limit=1, offset=1) == ["b.load"]
    assert client.get("/api/cohorts", params={"limit": 1}).json()["total"] == 3


def test_a_run_under_way_is_listed_without_times(ask: Ask, store: Store) -> None:
    keep(store, night(0, query("q1", 1)), night(1, state=RunState.RUNNING, mode=Mode.OBSERVE))
    newest = ask().get("/api/cohort/runs", params={"cohort": COHORT}).json()["items"][0]
    assert (newest["state"], newest["query_seconds"], newest["band"]) == ("running", None, None)


def test_nothing_is_answered_to_nobody(filled: Store, url: str) -> None:
    def nobody() -> Someone:
        raise HTTPException(401, "sign in first")

    client = TestClient(create_app(lambda: Store.open(url), nobody, Home.AIRFLOW))
    assert {path: client.get(f"/{path}").status_code for path in EVERY_GET} == dict.fromkeys(EVERY_GET, 401)
    assert client.post("/api/cohort/mode", json={"cohort": COHORT, "mode": "auto"}).status_code == 401
    assert client.post("/api/cohort/rulings", content="x").status_code == 401


def test_every_answer_is_guarded_by_its_headers(ask: Ask, filled: Store) -> None:
    client = ask()
    for path in (*EVERY_GET, "api/cohort", "nowhere"):
        headers = client.get(f"/{path}").headers
        assert not [name for name in HEADERS if name not in headers], path
        assert "frame-ancestors 'self'" in headers["content-security-policy"]
        assert "script-src 'self';" in headers["content-security-policy"]
        if path.startswith("api/"):
            assert (headers["content-type"], headers["cache-control"]) == ("application/json", "no-store"), path


def test_the_schema_names_every_path(ask: Ask) -> None:
    paths = ask().get("/openapi.json").json()["paths"]
    assert {f"/api/cohort{part}" for part in OF_COHORT} <= set(paths)
    assert "Page_RunItem_" in str(paths["/api/cohort/runs"]["get"]["responses"]["200"])
    assert ask().get("/docs").status_code == ask().get("/redoc").status_code == 404


def test_what_makes_no_sense_is_said_in_a_sentence_that_does_not_quote_it(ask: Ask) -> None:
    client = ask()
    senseless = [
        ("limit", 0),
        ("limit", 201),
        ("offset", -1),
        ("offset", 10**30),
        ("limit", "x"),
        ("cohort", "x" * 3000),
    ]
    for name, value in senseless:
        answer = client.get("/api/cohort/runs", params={"cohort": COHORT, name: value})
        assert answer.status_code == 422
        assert answer.json()["detail"].startswith(f"{name}: ")
        assert len(answer.text) < 300


def test_a_page_after_the_last_is_empty(ask: Ask, filled: Store) -> None:
    for part in ("/runs", "/recommendations", "/insights", "/queries", "/audit"):
        answer = ask().get(f"/api/cohort{part}", params={"cohort": COHORT, "offset": 500}).json()
        assert answer["items"] == [], part
    assert ask().get("/api/cohort/runs", params={"cohort": COHORT, "offset": 500}).json()["total"] == 4


@pytest.mark.parametrize("home", Home)
def test_a_store_that_cannot_be_used_is_a_503_and_told_in_full_to_its_owner_alone(home: Home) -> None:
    def broken() -> Store:
        raise StoreError("history store postgresql://db.internal/tuner: no route to host")

    answer = TestClient(create_app(broken, Someone, home)).get("/api/cohorts")
    assert answer.status_code == 503
    assert ("db.internal" in answer.text) == (home is Home.STANDALONE)
    assert home is Home.STANDALONE or answer.json() == {"detail": STORE_UNUSABLE}


def test_what_nobody_expected_is_a_500_without_details(ask: Ask, filled: Store) -> None:
    class Broken(Someone):
        def readable_dags(self) -> frozenset[str] | None:
            raise RuntimeError("secret words")

    answer = ask(Broken()).get("/api/cohorts")
    assert (answer.status_code, answer.json()) == (500, {"detail": UNEXPECTED})
    assert "content-security-policy" in answer.headers


def test_nobody_writes_lines_of_their_own_into_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async def failing(scope: Scope, receive: Receive, send: Send) -> None:
        raise RuntimeError

    client = TestClient(GuardedAnswers(failing))
    assert client.get("/a%0aERROR%20forged%1b[2J").status_code == 500
    (message,) = caplog.messages
    assert message.startswith("the panel failed on GET /a ERROR forged\ufffd[2J (RuntimeError)\n  File ")


def test_runs_that_were_read_are_not_read_again(ask: Ask, filled: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    client = ask()
    before = client.get("/api/cohort/runs", params={"cohort": COHORT}).json()
    keep(filled, night(4, query("q1", 12, "SELECT 1"), changes=[decided(HINT, Standing.PROMOTED)]))
    read: list[str] = []
    import tuner.history.run_rows as run_rows

    readable = run_rows.readable_run

    def counted(row: Any, *how: Any) -> Any:
        read.append(row.key)
        return readable(row, *how)

    monkeypatch.setattr(run_rows, "readable_run", counted)
    after = client.get("/api/cohort/runs", params={"cohort": COHORT}).json()
    assert after["items"][1:] == before["items"]
    assert read == [after["items"][0]["key"]]
