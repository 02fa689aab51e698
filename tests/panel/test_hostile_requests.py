"""Requests that no page of ours makes, and rows that no version of ours wrote: never a 5xx, and the rest is shown."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import AT_LENGTH
from tuner.history.store import Store

from .nights import COHORT, HINT, decided, keep, night, query

Ask = Callable[..., Any]
PARTS = ["", "s", "/runs", "/recommendations", "/insights", "/queries", "/plan", "/compare", "/audit"]
KEY = f"etl/{COHORT}/0/1"
BYTES = [
    "%00",
    "a%00b",
    "%ED%A0%80",
    "%FF%FE",
    "x" * 10_000,
    "a/b",
    "..",
    "%2e%2e%2f",
    "q'%22--",
    "%E2%80%AE",
    "",
    "%20",
]
TEXTS = ["\0", "a\ud800", "x" * 10_000, "..", "\u202e", "", "  ", None, 1, ["x"]]
JSON = {"content-type": "application/json", "sec-fetch-site": "same-origin"}
ROW = (
    "INSERT INTO spark_tuner_runs (key, cohort, try_number, state, mode, started_at, event_log_dir, decision) "
    "VALUES (?, {cohort}, ?, ?, 'auto', ?, '', ?)"
)
FINE = ("bad", 1, "running", "2027-01-01 00:00:00.000000", '{"mode":"auto","summary":"","actions":[]}')
# What another program may have written: the cohort as SQL, the columns, and whether the row is of a cohort that is read.
ROWS = {
    "half of a surrogate pair": ("CAST(X'EDA080' AS TEXT)", FINE, False),
    "a NUL": ("CAST(X'610062' AS TEXT)", FINE, False),
    "bytes": ("X'00FF'", FINE, False),
    "no time": (f"'{COHORT}'", ("bad", 1, "running", "yesterday", FINE[4]), True),
    "no state": (f"'{COHORT}'", ("bad", 1, "huh", *FINE[3:]), True),
    "no number": (f"'{COHORT}'", ("bad", "one", *FINE[2:]), True),
    "no decision": (f"'{COHORT}'", (*FINE[:4], b"\xff{"), True),
}


@pytest.mark.parametrize("sent", BYTES if AT_LENGTH else BYTES[::3])
def test_whatever_is_asked_for(ask: Ask, store: Store, sent: str) -> None:
    keep(store, night(0, query("q1", 20), changes=[decided()]))
    client = ask()
    for part in PARTS:
        names = (
            "cohort",
            "query",
            "search",
            "dag_id",
            "task_id",
            "run_id",
            "state",
            "limit",
            "offset",
            "before",
            "after",
        )
        for name in names:
            rest = "" if name == "cohort" else f"&cohort={COHORT}"
            rest += f"&before={KEY}" * (name != "before") + f"&after={KEY}" * (name != "after")
            answer = client.get(f"/api/cohort{part}?{name}={sent}{rest}")
            assert answer.status_code in (200, 403, 404, 422), (part, name)
    for path in (f"/{sent}", f"/static/{sent}", f"/api/{sent}", f"/ui?dag_id={sent}"):
        assert client.get(path).status_code < 500, path


@pytest.mark.parametrize("sent", TEXTS, ids=[ascii(text)[:12] for text in TEXTS])
def test_whatever_is_to_be_done(ask: Ask, store: Store, sent: object) -> None:
    keep(store, night(0, query("q1", 20), changes=[decided()]))
    client = ask()
    fine = {"cohort": COHORT, "change_ids": [HINT.id], "ruling": "approve", "reason": ""}
    changes = [{"cohort": sent}, {"change_ids": [sent]}, {"ruling": sent}, {"reason": sent}]
    bodies = [("rulings", {**fine, **change}) for change in changes]
    bodies += [("mode", {"cohort": COHORT, "mode": "auto", "reason": "", key: sent}) for key in ("cohort", "mode")]
    keys = [sent] if isinstance(sent, str) else []
    bodies += [("rulings", {**fine, "seen": {key: "huh"}}) for key in keys]
    bodies += [("mode", {"cohort": COHORT, "mode": "auto", key: 1}) for key in keys]
    for path, body in bodies:
        for raw in (json.dumps(body), json.dumps(body, ensure_ascii=False)):
            answer = client.post(f"/api/cohort/{path}", content=raw.encode(errors="surrogatepass"), headers=JSON)
            assert answer.status_code in (200, 400, 404, 422), body
            assert answer.status_code == 200 or len(answer.text) < 1000, body
    assert all(v.cohort == COHORT for v in store.verdicts(COHORT))


@pytest.mark.parametrize("kind", ROWS)
def test_one_malformed_row_is_named_in_the_log_and_the_rest_is_shown(
    ask: Ask, store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    keep(store, night(0, query("q1", 20), changes=[decided()]))
    cohort, columns, is_of_cohort = ROWS[kind]
    with closing(sqlite3.connect(tmp_path / "history.db")) as connection, connection:
        connection.execute(ROW.format(cohort=cohort), columns)
    client = ask()
    for part in PARTS:
        asked = {"cohort": COHORT, "query": "q1", "before": KEY, "after": KEY}
        assert client.get(f"/api/cohort{part}", params=asked).status_code == 200, part
    assert [item["cohort"] for item in client.get("/api/cohorts").json()["items"]] == [COHORT]
    assert not is_of_cohort or "run bad" in caplog.text


# What may be wrong with what is kept of a cohort: the column, and the value as SQL.
COHORT_ROWS = {
    "no time": ("last_started_at", "'yesterday'"),
    "no state": ("state", "'asleep'"),
    "no number": ("runs", "'many'"),
    "no JSON": ("tasks", "'[['"),
    "bytes": ("tags", "X'00FF'"),
}


@pytest.mark.parametrize("kind", COHORT_ROWS)
def test_a_malformed_cohort_is_named_in_the_log_and_the_rest_is_listed(
    ask: Ask, store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    keep(store, night(0, query("q1", 20)), night(0, query("q1", 20), cohort="bad"))
    column, value = COHORT_ROWS[kind]
    with closing(sqlite3.connect(tmp_path / "history.db")) as connection, connection:
        connection.execute(f"UPDATE spark_tuner_cohorts SET {column} = {value} WHERE cohort = 'bad'")
    assert [item["cohort"] for item in ask().get("/api/cohorts").json()["items"]] == [COHORT]
    assert "cohort bad cannot be read" in caplog.text


def test_what_people_said_is_told_a_malformed_row_as_a_refusal(
    ask: Ask, store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    keep(store, night(0, query("q1", 20)))
    with closing(sqlite3.connect(tmp_path / "history.db")) as connection, connection:
        for at in ("never", "2026-11-01 00:00:00.000000"):
            row = (COHORT, "ana", at, "")
            connection.execute(
                "INSERT INTO spark_tuner_modes (cohort, mode, by, at, reason) VALUES (?, 'auto', ?, ?, ?)", row
            )
            connection.execute(
                "INSERT INTO spark_tuner_verdicts (cohort, change_id, ruling, by, at, reason) VALUES (?, 'a', 'pin', ?, ?, ?)",
                row,
            )
    said = ask().get("/api/cohort/audit", params={"cohort": COHORT}).json()["items"]
    assert sorted((item["at"][:4], item["did"], item["mode"]) for item in said) == [
        ("1970", "mode", "observe"),
        ("1970", "reject", ""),
        ("2026", "mode", "auto"),
        ("2026", "pin", ""),
    ]
    assert "a verdict on a" in caplog.text
    assert f"a mode of cohort {COHORT}" in caplog.text
