"""A job that switches broadcasts off is not given any, wherever it says so, and a person is told what that costs."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.nightly import Nightly, Spark
from tests.policy.histories import advised, recommend, told
from tuner.advice.forbidden_broadcasts import forbidden_broadcasts
from tuner.eventlog.location import local_path
from tuner.history.store import Store
from tuner.loop import known_runs
from tuner.loop.loop import Turn, complete
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.decision import DecidedChange, Mode, Standing
from tuner.model.query import Query, QueryStatus
from tuner.model.reason import Reason, ReasonCode
from tuner.model.verdict import Ruling, Verdict
from tuner.spark.broadcasts_off import broadcasts_off
from tuner.spark.knobs import ADAPTIVE_BROADCAST_THRESHOLD, BROADCAST_THRESHOLD
from tuner.steering.agent.spark_home import SparkAtHand
from tuner.steering.agent.submission import Submission
from tuner.steering.directives import Steering

ADAPTIVE = ADAPTIVE_BROADCAST_THRESHOLD.property
STATIC = BROADCAST_THRESHOLD.property

SPARK = SparkAtHand(Path("/opt/spark"), "4.0.1", "2.13")
OFF = {STATIC: "-1"}
SALES = "SELECT * FROM sales s JOIN items i ON s.item = i.id"
WHY = f"held: the job switches broadcasts off ({STATIC}=-1)"
HINT = Action(ActionKind.HINT_JOIN, "a=b", Hint.BROADCAST, "q", ("b",))
ORDER = Action(ActionKind.ORDER_JOINS, "block", "((a c) b)", "q")
HASH = replace(HINT, value=Hint.SHUFFLE_HASH)


@pytest.fixture
def nightly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Nightly:
    """A job that the agent steers, whose jar is deployed."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return Nightly(tmp_path, steering=Steering.AGENT, submission=Submission(SPARK, {}, "hdfs:///agent.jar"))


def hint_of(turn: Turn) -> DecidedChange:
    (found,) = [d for d in turn.decision.changes if d.change.actions[0].value == Hint.BROADCAST]
    return found


def assert_held(turn: Turn) -> None:
    held = hint_of(turn)
    assert held.standing is Standing.HELD
    assert told(held).endswith(WHY)
    assert held.change.prediction is not None, "a person is told what it costs"
    assert not turn.decision.in_force
    assert not turn.directives.merged


def test_from_the_first_run_on(nightly: Nightly) -> None:
    nightly.user_conf = OFF
    nightly.night("e/1/1", Spark())
    assert_held(nightly.prepare("e/2/1"))


@pytest.mark.parametrize("where", ["conf", "defaults"])
def test_what_is_in_force_stops_at_once(nightly: Nightly, where: str) -> None:
    nightly.steering, nightly.statements = Steering.CONF, (SALES,)
    nightly.night("e/1/1")
    assert nightly.night("e/2/1").turn.decision.in_force
    if where == "conf":
        nightly.user_conf = OFF
    else:
        nightly.submission = replace(nightly.submission, conf=OFF)
    assert_held(nightly.prepare("e/3/1"))


def test_set_by_the_application_as_it_starts(nightly: Nightly) -> None:
    turn = nightly.prepare("e/1/1")
    Spark().run(turn, OFF)
    complete(turn, nightly.url, failed=False)
    assert_held(nightly.prepare("e/2/1"))


def test_set_while_the_application_runs(nightly: Nightly) -> None:
    turn = nightly.prepare("e/1/1")
    Spark().run(turn)
    directory = local_path(turn.event_log_dir)
    assert directory is not None
    for log in directory.iterdir():
        log.write_text("".join(json.dumps(modified(json.loads(line))) + "\n" for line in log.read_text().splitlines()))
    complete(turn, nightly.url, failed=False)
    assert_held(nightly.prepare("e/2/1"))


def modified(event: dict[str, Any]) -> dict[str, Any]:
    return {**event, "modifiedConfigs": OFF} if event["Event"].endswith("SQLExecutionStart") else event


def test_what_a_person_approves_afterwards_is_tried_and_what_was_approved_before_is_not(nightly: Nightly) -> None:
    nightly.mode = Mode.OBSERVE
    nightly.night("e/1/1")
    change = hint_of(nightly.prepare("e/2/1")).change
    nightly.mode = Mode.AUTO
    said = Verdict(nightly.cohort, change.id, Ruling.APPROVE, "ana", datetime.now(UTC))
    with Store.open(nightly.url) as store:
        store.record(said)
    nightly.user_conf = OFF
    assert_held(nightly.prepare("e/3/1"))
    nightly.night("e/4/1", Spark())
    assert_held(nightly.prepare("e/5/1"))
    with Store.open(nightly.url) as store:
        store.record(replace(said, at=datetime.now(UTC) + timedelta(seconds=1)))
    assert nightly.prepare("e/6/1").decision.actions == change.actions


@pytest.mark.parametrize("approved", [True, False], ids=["approved since", "approved before"])
def test_what_a_person_approved_stays_when_the_runs_before_that_are_forgotten(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch, approved: bool
) -> None:
    monkeypatch.setattr(known_runs, "HISTORY_RUNS", 4)
    monkeypatch.setattr(known_runs, "LEARN_RUNS", 4)
    nightly.user_conf = OFF
    nightly.night("e/0/1", Spark())
    change = hint_of(nightly.prepare("e/1/1")).change
    at = datetime.now(UTC) - timedelta(days=0 if approved else 1)
    with Store.open(nightly.url) as store:
        store.record(Verdict(nightly.cohort, change.id, Ruling.APPROVE, "ana", at))
    for number in range(1, 8):
        turn = nightly.prepare(f"e/{number}/1")
        has_it, held = bool(turn.decision.in_force), hint_of(turn).held
        assert (held is None or held.code is not ReasonCode.BROADCASTS_OFF) is approved, number
        Spark(4.0 if has_it else 7.0, broadcast=has_it, agent=has_it).run(turn)
        complete(turn, nightly.url, failed=False)


def test_what_a_person_approved_against_a_setting_for_one_query_stays_when_its_run_is_no_longer_read_whole(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of older runs a decision reads only what times rest on."""
    monkeypatch.setattr(known_runs, "LEARN_RUNS", 1)
    for number in range(6):
        turn = nightly.prepare(f"e/{number}/1")
        has_it = bool(turn.decision.in_force)
        assert has_it is bool(number)
        Spark(4.0 if has_it else 7.0, broadcast=has_it, agent=has_it).run(turn)
        switch_off_in_the_first_of_two_queries(turn)
        complete(turn, nightly.url, failed=False)
        if not number:
            change = hint_of(nightly.prepare("e/1/1")).change
            with Store.open(nightly.url) as store:
                store.record(Verdict(nightly.cohort, change.id, Ruling.APPROVE, "ana", datetime.now(UTC)))


def switch_off_in_the_first_of_two_queries(turn: Turn) -> None:
    directory = local_path(turn.event_log_dir)
    assert directory is not None
    for log in directory.iterdir():
        events = [json.loads(line) for line in log.read_text().splitlines()]
        of_second = [
            {**e, "executionId": 1, **({"rootExecutionId": 1, "description": "count"} if "description" in e else {})}
            for e in events
            if e["Event"].endswith(("SQLExecutionStart", "SQLExecutionEnd"))
        ]
        for start in of_second[:1]:
            start["sparkPlanInfo"] = start["sparkPlanInfo"]["children"][0]
        events = [modified(e) for e in events]
        log.write_text("".join(json.dumps(e) + "\n" for e in [*events[:-1], *of_second, events[-1]]))


def test_a_positive_threshold_is_their_word_on_the_property_alone(nightly: Nightly) -> None:
    nightly.user_conf = {STATIC: "5m"}
    nightly.night("e/1/1", Spark())
    assert hint_of(nightly.prepare("e/2/1")).standing is Standing.TRIAL


def test_an_order_goes_with_the_broadcasts_that_it_calls_for() -> None:
    changes = advised(recommend(ORDER, HINT), recommend(HASH), recommend(replace(ORDER, target="other")))
    assert forbidden_broadcasts(changes, [OFF], ()).keys() == {ORDER.id, HINT.id}
    assert forbidden_broadcasts(changes, [{STATIC: "10m"}], ()) == {}


def test_aqes_threshold_speaks_of_aqes_broadcasts_alone() -> None:
    adaptive, static = (Action(ActionKind.SET_CONF, name, "9") for name in (ADAPTIVE, STATIC))
    (both,) = recommend(static, adaptive)
    found = forbidden_broadcasts([both, *recommend(HINT)], [{ADAPTIVE: "-1"}], ())
    assert found == {both.id: Reason(ReasonCode.BROADCASTS_OFF, {"property": ADAPTIVE})}
    assert forbidden_broadcasts([both], [OFF], ()) == {both.id: Reason(ReasonCode.BROADCASTS_OFF, {"property": STATIC})}


def test_what_one_query_sets_is_said_of_its_own_joins_and_of_properties() -> None:
    off, on = (Query(n, n, name, "", 0, 1, QueryStatus.SUCCEEDED) for n, name in enumerate(("q", "other")))
    queries = (replace(off, broadcasts_off=(STATIC,)), on)
    adaptive = Action(ActionKind.SET_CONF, ADAPTIVE, "9")
    found = forbidden_broadcasts(
        advised(*map(recommend, (HINT, replace(HINT, query="other"), adaptive))), [{}], queries
    )
    assert found.keys() == {HINT.id, adaptive.id}


@pytest.mark.parametrize("first", [(), (STATIC,)])
def test_what_one_execution_of_a_query_sets_is_said_of_all(first: tuple[str, ...]) -> None:
    found = Query(0, 0, "q", "", 0, 1, QueryStatus.SUCCEEDED, broadcasts_off=first)
    again = replace(found, id=1, broadcasts_off=() if first else (STATIC,))
    assert forbidden_broadcasts(recommend(HINT), [{}], (found, again)).keys() == {HINT.id}


@pytest.mark.parametrize("value", ["-1", " -1 ", "-1b", "-5m"])
def test_below_zero(value: str) -> None:
    assert broadcasts_off({STATIC: value, ADAPTIVE: "0"}) == (STATIC,)
