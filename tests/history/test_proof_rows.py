"""What cohorts have shown, kept for others."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import text

from tuner.history.store import Store
from tuner.model.agent_message import HintDirective, OrderDirective, QueryDirectives, SizeBounds
from tuner.model.cluster import Cluster
from tuner.model.decision import Mode
from tuner.model.proof import Proof
from tuner.model.run import RunState
from tuner.model.verdict import ModeChange, Ruling, Verdict

from .samples import LATER, MIDNIGHT, full_decision, measured, running

HINT = HintDirective("hint", "a" * 16, "BROADCAST", ("db.a",), 1 << 40, 9, ("b" * 16,), ("db.a.day",))
ORDER = OrderDirective(
    "order", (("a",), ("b",), ("c",)), (((0,), (1, 2), "x", "ü"),), ((1, 2), 0), (), (SizeBounds(1, 2),) * 3
)
DIRECTIVES = QueryDirectives("f" * 16, ("db.a",), "c" * 16, (HINT,), (ORDER,))


def proof(cohort: str, query: str, gained: float = 1.0, **known: Any) -> Proof:
    found = Proof(
        cohort, query, MIDNIGHT, "4.0.1", Cluster(8), full_decision().changes, DIRECTIVES, gained, 3, ("out",)
    )
    return replace(found, **known)


def test_what_is_kept_comes_back_and_the_next_run_replaces_it(store: Store) -> None:
    first = [proof("a", "q1", 2.0), proof("a", "q2", 5.0)]
    store.prove("a", first)
    store.prove("b", [proof("b", "q1", 3.0)])
    assert store.proofs("c", MIDNIGHT, 10) == [first[1], proof("b", "q1", 3.0), first[0]]
    store.prove("a", [first[0]])
    assert store.proofs("b", MIDNIGHT, 10) == [first[0]], "nothing of its own"
    store.prove("a", [])
    assert store.proofs("b", MIDNIGHT, 10) == []


@pytest.mark.parametrize("state", [RunState.SUCCEEDED, RunState.LOST])
def test_what_a_run_that_ended_meanwhile_has_shown_stays(store: Store, state: RunState) -> None:
    for minute, key in enumerate(("k1", "k2")):
        store.begin(running(key, "a", minute))
    store.finish("k1", RunState.SUCCEEDED, LATER, measured())
    known = store.marks("a", 10)
    store.finish("k2", state, LATER, None)
    store.prove("a", [proof("a", "q1")], store.marks("a", 10))
    store.prove("a", [proof("a", "q2")], known)
    assert [found.query for found in store.proofs("b", MIDNIGHT, 10)] == ["q1" if state is RunState.SUCCEEDED else "q2"]


def test_those_that_gained_most_come_with_all_that_is_known_of_their_queries(store: Store) -> None:
    lost = proof("loser", "q3", 0.0, changes=(), directives=None)
    store.prove("loser", [lost, replace(lost, query="q9")])
    store.prove("a", [proof("a", f"q{number}", float(number)) for number in range(1, 4)])
    assert store.proofs("c", MIDNIGHT, 2) == [proof("a", "q3", 3.0), proof("a", "q2", 2.0), lost]


def test_what_is_old_is_left_out(store: Store) -> None:
    store.prove("a", [proof("a", "q1")])
    assert store.proofs("c", MIDNIGHT + timedelta(seconds=1), 10) == []


def test_one_that_cannot_be_read_is_left_out(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    store.prove("a", [proof("a", "q1"), proof("a", "q2", 2.0)])
    with store._writing() as connection:
        connection.execute(text("UPDATE spark_tuner_proofs SET proof = '{}' WHERE query = 'q1'"))
    with caplog.at_level(logging.WARNING):
        assert store.proofs("c", MIDNIGHT, 10) == [proof("a", "q2", 2.0)]
    assert "what cohort a lends cannot be read" in caplog.text


def test_what_people_said_of_some_cohorts(store: Store) -> None:
    said = [
        Verdict(name, "change", Ruling.REJECT, "ana", MIDNIGHT + timedelta(days=n), "") for n, name in enumerate("bac")
    ]
    for verdict in said:
        store.record(verdict)
    for mode in (Mode.AUTO, Mode.OBSERVE):
        store.set_mode(ModeChange("a", mode, "ana", MIDNIGHT))
    store.set_mode(ModeChange("b", None, "ana", MIDNIGHT))
    store.set_mode(ModeChange("c", Mode.OBSERVE, "ana", MIDNIGHT))
    assert store.said_of({"a", "b"}) == (said[:2], {"a": Mode.OBSERVE, "b": None})
    assert store.said_of(set()) == ([], {})
