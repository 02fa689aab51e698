"""What a log holds comes back as text in JSON, whatever it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tuner.history.store import Store
from tuner.model.change import Evidence
from tuner.model.decision import Decision, Mode, Standing
from tuner.model.insight import Insight, InsightKind
from tuner.model.plan_picture import PlanPicture, PlanStep, StepKind
from tuner.model.run import RunDetails
from tuner.model.verdict import Ruling
from tuner.words.query_names import query_name

from .nights import HINT, decided, keep, night, query, said

Ask = Callable[..., Any]
HOSTILE = {
    "markup": "<script>alert('x')</script>\"'><img src=x onerror=alert(1)>",
    "lines": 'a\r\nSet-Cookie: x=1\n\n"quoted" \\ \t \u2028',
    "right to left": "\u202egnp.exe \u0639\u0631\u0628\u064a \U0001f4a5",
    "path": "../../../etc/passwd?cohort=%2e%2e#x&y={DAG_ID}",
    "long": "x" * 1_000_000,
}
PARTS = ["", "/runs", "/recommendations", "/insights", "/queries", "/plan", "/compare", "/audit"]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_only_ever_text(ask: Ask, store: Store, name: str) -> None:
    text = HOSTILE[name]
    cohort, dag = text[:1500], text[:100]
    hint = replace(HINT, relations=(text,), target=text[:500])
    advice = decided(hint, Standing.TRIAL, f"because of {text}", evidence=(Evidence("rows", 1.0, "rows", text),))
    described = query("q1", 20, text)
    run = night(0, described, changes=[advice], cohort=cohort, dag_id=dag)
    insight = Insight(InsightKind.SPILL, text, "q1", 1.0, (), text, text, text)
    picture = PlanPicture("q1", text, (PlanStep(StepKind.SCAN, text, text),))
    keep(store, run, details=RunDetails(Decision(Mode.AUTO, (advice,)), (insight,), (picture,)))
    store.record(said(hint, Ruling.PIN, 1, text, cohort))

    client = ask()
    listed = client.get("/api/cohorts", params={"search": cohort[:500], "dag_id": dag})
    assert [item["cohort"] for item in listed.json()["items"]] == [cohort]
    for part in PARTS:
        asked = {"cohort": cohort, "query": "q1", "before": run.key, "after": run.key}
        answer = client.get(f"/api/cohort{part}", params=asked)
        assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json"), part
        assert "set-cookie" not in answer.headers
        if part != "/recommendations":
            # Of actions all is needed: their ids say which is meant, and what is pasted must be whole.
            assert len(answer.content) < 4_100_000, part
    name = client.get("/api/cohort/queries", params={"cohort": cohort}).json()["items"][0]["query"]["name"]
    assert name == query_name(described)
    assert len(name) <= 80


def test_a_name_that_is_no_text_at_all_is_refused_without_a_trace(ask: Ask, store: Store) -> None:
    keep(store, night(0, query("q1", 20)))
    client = ask()
    for cohort in ("\x00", "%00", "' OR 1=1 --", "\ud800".encode("utf-8", "surrogatepass")):
        answer = client.get("/api/cohort", params={"cohort": cohort})
        assert answer.status_code == 404
        assert "sqlite" not in answer.text.lower()
