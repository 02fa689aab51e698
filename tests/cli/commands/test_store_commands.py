"""`status`, `db upgrade` and the verdicts, on a store with a run in it."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.cli.conftest import Result
from tests.policy.histories import decided
from tuner.history.store import Store
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.cluster import Cluster
from tuner.model.decision import Decision, Mode, Standing
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.failure import Failure, FailureKind
from tuner.model.query import Query, QueryStatus
from tuner.model.reason import Reason, ReasonCode
from tuner.model.resource_use import ResourceUse
from tuner.model.run import Outcome, Run, RunDetails, RunState
from tuner.model.verdict import Ruling
from tuner.units import GIB
from tuner.words.actions import action_words
from tuner.words.query_names import NO_NAMES
from tuner.words.short_ids import short_id

Call = Callable[..., Result]
ACTION = Action(ActionKind.SET_CONF, "spark.sql.shuffle.partitions", "16")


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/history.db"


@pytest.fixture
def run(url: str) -> Run:
    proposed = decided(ACTION, Standing.PROPOSED, reason="16 shuffle partitions instead of 200: about 2.0 s less")
    decision = Decision(Mode.SUGGEST, (proposed,))
    run = Run("etl/1/nightly/-1/1", "etl.nightly", 1, datetime.now(UTC), RunState.RUNNING, decision, "/events")
    with Store.open(url) as store:
        store.begin(run)
    return run


def test_status_of_an_empty_store_says_which_it_is_and_how_to_fill_it(spark_tuner: Call, url: str) -> None:
    result = spark_tuner("status")
    assert result.code == 0
    assert result.said.startswith("no runs yet: ") and result.out.endswith(f"\n  store: {url}\n")
    assert "spark-tuner submit --cohort" in result.said


@pytest.mark.usefixtures("run")
def test_in_airflows_environment_its_store_is_asked(
    spark_tuner: Call, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a worker's pod the commands read, and spoke to, an empty file of the pod's own."""
    monkeypatch.delenv("SPARK_TUNER_DB")
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__SQL_ALCHEMY_CONN", url)
    assert "etl.nightly" in spark_tuner("status").out
    for command in (
        ["mode", "etl.nightly", "observe"],
        ["objective", "etl.nightly", "cost"],
        ["pin", "etl.nightly", "16"],
    ):
        assert spark_tuner(*command).said.endswith(f"store: {url}")
        assert "store:" not in spark_tuner(*command, "--db", url).out
    monkeypatch.delenv("AIRFLOW__SPARK_TUNER__SQL_ALCHEMY_CONN")
    monkeypatch.setenv("AIRFLOW__SPARK_TUNER__SQL_ALCHEMY_CONN_CMD", "cat /run/url")
    refused = spark_tuner("mode", "etl.nightly", "observe")
    assert (refused.code, refused.out) == (1, "")
    assert "SQL_ALCHEMY_CONN_CMD tells Airflow alone where the history store is" in refused.err


def test_status_lists_cohorts_and_shows_one(spark_tuner: Call, run: Run) -> None:
    assert "etl.nightly" in spark_tuner("status").out
    shown = spark_tuner("status", "etl.nightly").out
    assert "waits for a person: 1 proposed" in shown
    assert f"proposed (id {short_id(ACTION.id)}): {action_words(ACTION, NO_NAMES)}" in shown
    assert "spark-tuner approve etl.nightly ID lets the next run try one" in shown
    assert "about 2.0 s less" in shown


def test_a_run_that_cannot_be_read_makes_no_cohort_without_runs(spark_tuner: Call, run: Run, url: str) -> None:
    """The newest run of another version was taken for none: its cohort was said to wait for its first run."""
    with Store.open(url) as store:
        store.begin(replace(run, key="etl/2", started_at=datetime.now(UTC)))
    _damage(url, "etl/2")
    shown = spark_tuner("status", "etl.nightly")
    assert shown.code == 0 and run.key in shown.out and "waits for its first run" not in shown.out
    (kept,) = json.loads(spark_tuner("status", "etl.nightly", "--json").out)["runs"]
    assert kept["key"] == run.key
    _damage(url, run.key)
    for command in (["status"], ["status", "--json"], ["approve", "shuffle"], ["regressions"]):
        result = spark_tuner(command[0], "etl.nightly", *command[1:])
        assert (result.code, result.out) == (1, "")
        assert "the newest runs of cohort 'etl.nightly' cannot be read" in result.err


def _damage(url: str, key: str) -> None:
    with sqlite3.connect(url.removeprefix("sqlite:///")) as connection:
        connection.execute("UPDATE spark_tuner_runs SET decision = '{}' WHERE key = ?", (key,))


def test_status_as_json(spark_tuner: Call, run: Run) -> None:
    found = json.loads(spark_tuner("status", "etl.nightly", "--json").out)
    assert [r["key"] for r in found["runs"]] == [run.key]
    assert found["runs"][0]["actions"][0]["standing"] == "proposed"


def test_status_tells_what_executors_held(spark_tuner: Call, run: Run, url: str) -> None:
    (before,) = json.loads(spark_tuner("status", "etl.nightly", "--json").out)["runs"]
    assert (before["allocated_core_hours"], before["allocated_gib_hours"]) == (None, None)
    use = ResourceUse(executor_ms=1_800_000, container_bytes=9 * GIB)
    outcome = Outcome("app-1", "4.0.1", 60_000, Cluster(8), (), allocated_core_ms=4_500_000, resources=use)
    with Store.open(url) as store:
        store.finish(run.key, RunState.SUCCEEDED, run.started_at, outcome)
    (after,) = json.loads(spark_tuner("status", "etl.nightly", "--json").out)["runs"]
    assert (after["allocated_core_hours"], after["allocated_gib_hours"]) == (1.25, 4.5)
    assert " 1.25 " in (shown := spark_tuner("status", "etl.nightly").out)
    assert " 4.5 " in shown
    assert after["cost"] is None
    assert after["objective"] == "time"
    (priced,) = json.loads(spark_tuner("status", "etl.nightly", "--json", "--core-hour-price", "0.05").out)["runs"]
    assert priced["cost"] == pytest.approx(0.0625)
    shown = spark_tuner("status", "etl.nightly", "--core-hour-price", "4").out
    assert "cost" in shown
    assert " 5.00 " in shown
    for wrong in ("-1", "nan", "inf", "cheap"):
        refused = spark_tuner("status", "etl.nightly", "--core-hour-price", wrong)
        assert refused.code == 2, wrong


def test_status_tells_which_directives_a_run_did_not_follow(spark_tuner: Call, run: Run, url: str) -> None:
    hint = Action(ActionKind.HINT_JOIN, "5160", Hint.BROADCAST, "q1", ("shop.days",))
    told = DirectiveResult(hint.id, DirectiveStatus.IGNORED, "told BROADCAST of days; Spark ran SortMergeJoin")
    query = Query(1, 1, "q1", "", 0, 1000, QueryStatus.SUCCEEDED, directives=(told,))
    steered = replace(run, key="etl/2/nightly/-1/1", decision=Decision(Mode.AUTO, (decided(hint),)))
    with Store.open(url) as store:
        store.begin(steered)
        store.finish(
            steered.key,
            RunState.SUCCEEDED,
            datetime.now(UTC),
            Outcome("app-2", "4.3.0", 1000, Cluster(cores=2), (query,)),
        )
    shown = spark_tuner("status", "etl.nightly").out
    assert "not followed by the last run:" in shown
    assert f"ignored in run {steered.key}: told BROADCAST of days; Spark ran SortMergeJoin" in shown
    found = json.loads(spark_tuner("status", "etl.nightly", "--json").out)["runs"][-1]
    assert found["queries"][0]["directives"] == [
        {"id": hint.id, "status": "ignored", "reason": "told BROADCAST of days; Spark ran SortMergeJoin"}
    ]


def test_status_tells_why_a_run_failed(spark_tuner: Call, run: Run, url: str) -> None:
    failure = Failure(FailureKind.BROADCAST_TIMEOUT, "broadcast timed out after 300 s", "q1", "SQL execution 4", 4)
    outcome = Outcome("app-1", "4.3.0", 1000, Cluster(cores=2), (), failure=failure)
    with Store.open(url) as store:
        store.finish(run.key, RunState.FAILED, datetime.now(UTC), outcome)
    said = "broadcast timed out after 300 s in query q1"
    assert f"run {run.key} failed: {said}" in spark_tuner("status", "etl.nightly").out
    (found,) = json.loads(spark_tuner("status", "etl.nightly", "--json").out)["runs"]
    assert found["failure"] == {"kind": "broadcast_timeout", "query": "q1", "name": "query q1", "words": said}


def test_status_of_an_unknown_cohort(spark_tuner: Call, run: Run) -> None:
    result = spark_tuner("status", "other")
    assert (result.code, result.err.count("\n")) == (1, 1)
    assert "no run of cohort 'other'" in result.err


@pytest.mark.parametrize(
    ("command", "ruling"),
    [("approve", Ruling.APPROVE), ("reject", Ruling.REJECT), ("pin", Ruling.PIN), ("rollback", Ruling.ROLL_BACK)],
)
def test_a_verdict_is_stored_with_who_and_why(
    spark_tuner: Call, run: Run, url: str, command: str, ruling: Ruling
) -> None:
    result = spark_tuner(command, "etl.nightly", "shuffle.partitions", "--reason", "seen on staging")
    assert result.code == 0
    with Store.open(url) as store:
        (verdict,) = store.verdicts("etl.nightly")
    assert (verdict.change_id, verdict.ruling, verdict.reason) == (ACTION.id, ruling, "seen on staging")
    assert verdict.by


def test_a_change_is_named_by_its_short_id(spark_tuner: Call, run: Run, url: str) -> None:
    (found,) = json.loads(spark_tuner("status", "etl.nightly", "--json").out)["runs"][0]["actions"]
    short = found["short_id"]
    assert f"proposed (id {short}): " in spark_tuner("status", "etl.nightly").out
    result = spark_tuner("approve", "etl.nightly", short)
    assert result.out.startswith(f"approve: {action_words(ACTION, NO_NAMES)} (from the next run of etl.nightly on)")
    with Store.open(url) as store:
        assert [v.change_id for v in store.verdicts("etl.nightly")] == [ACTION.id]


@pytest.mark.parametrize("command", ["approve", "pin"])
def test_in_mode_observe_no_run_is_promised(spark_tuner: Call, run: Run, url: str, command: str) -> None:
    spark_tuner("mode", "etl.nightly", "observe")
    said = spark_tuner(command, "etl.nightly", ACTION.id).said
    assert "(mode observe changes nothing: no run of etl.nightly applies it before its mode is another)" in said
    with Store.open(url) as store:
        assert [v.change_id for v in store.verdicts("etl.nightly")] == [ACTION.id]
    assert "(from the next run of etl.nightly on)" in spark_tuner("rollback", "etl.nightly", ACTION.id).said


def test_what_is_held_though_it_was_approved_is_said_with_why(spark_tuner: Call, run: Run, url: str) -> None:
    why = Reason(ReasonCode.OVERRULED, {"property": ACTION.target, "value": "8"})
    held = replace(run.decision.changes[0], standing=Standing.HELD, held=why)
    with Store.open(url) as store:
        store.finish(run.key, RunState.SUCCEEDED, datetime.now(UTC), Outcome("a", "4.3.0", 1, Cluster(2), ()))
        store.add_details(run.key, RunDetails(Decision(Mode.AUTO, (held,))))
    result = spark_tuner("approve", "etl.nightly", ACTION.id)
    assert result.code == 0 and "the next run of etl.nightly does not try it yet: approved by" in result.said
    assert f"the job itself sets {ACTION.target}=8" in result.said


@pytest.mark.parametrize("mode", [Mode.AUTO, Mode.SUGGEST])
@pytest.mark.parametrize(("command", "said"), [("approve", "approved"), ("pin", "pinned")])
def test_an_order_of_joins_that_no_agent_carries_out_is_promised_of_no_run(
    spark_tuner: Call, run: Run, url: str, command: str, said: str, mode: Mode
) -> None:
    order = Action(ActionKind.ORDER_JOINS, "block", "((a c) b)", "q1")
    why = Reason(ReasonCode.LEFT_TO_PEOPLE, {"kinds": (order.kind.value,)})
    left = replace(decided(order, Standing.PROPOSED), held=why)
    spark_tuner("mode", "etl.nightly", mode.value)
    with Store.open(url) as store:
        store.finish(run.key, RunState.SUCCEEDED, datetime.now(UTC), Outcome("a", "4.3.0", 1, Cluster(2), ()))
        store.add_details(run.key, RunDetails(Decision(mode, (left,))))
    told = spark_tuner(command, "etl.nightly", order.id).said
    assert f"does not try it: {said} by" in told and "proposed: only a person can reorder joins here" in told


@pytest.mark.parametrize("command", ["approve", "pin", "rollback", "reject"])
def test_what_no_run_can_carry_out_is_only_rejected(spark_tuner: Call, run: Run, url: str, command: str) -> None:
    analyze = decided(Action(ActionKind.ANALYZE_TABLE, "shop.days", "day"), Standing.PROPOSED)
    later = replace(run, key="etl/2", started_at=datetime.now(UTC), decision=Decision(Mode.AUTO, (analyze,)))
    with Store.open(url) as store:
        store.begin(later)
    result = spark_tuner(command, "etl.nightly", analyze.id)
    with Store.open(url) as store:
        verdicts = store.verdicts("etl.nightly")
    if command == "reject":
        assert (result.code, len(verdicts)) == (0, 1)
        return
    assert (result.code, result.out, verdicts) == (1, "", [])
    assert "no run can carry this out; do it yourself, or `spark-tuner reject etl.nightly " in result.err


def test_what_is_tried_together_is_ruled_on_together(spark_tuner: Call, run: Run, url: str) -> None:
    order = Action(ActionKind.ORDER_JOINS, "block", "((a c) b)", "q1")
    hints = [Action(ActionKind.HINT_JOIN, f"join{n}", Hint.BROADCAST, "q1", ("dim",)) for n in range(2)]
    trial = [decided(order, Standing.PROMOTED), *(decided(h, Standing.PROMOTED, needs=order.id) for h in hints)]
    other = decided(replace(hints[0], target="another"), Standing.PROMOTED)
    later = replace(run, key="etl/2", decision=Decision(Mode.AUTO, (*trial, other)))
    with Store.open(url) as store:
        store.begin(later)
    result = spark_tuner("rollback", "etl.nightly", short_id(hints[1].id), "--reason", "too slow")
    assert result.code == 0
    ids = [d.id for d in trial]
    with Store.open(url) as store:
        said = store.verdicts("etl.nightly")
    assert sorted(v.change_id for v in said) == sorted(ids)
    assert {(v.ruling, v.reason, v.at) for v in said} == {(Ruling.ROLL_BACK, "too slow", said[0].at)}
    assert result.said.startswith(f"rollback: {action_words(hints[1], NO_NAMES)} (from the next run of etl.nightly on)")
    assert all(f"id: {short_id(id_)}" in result.out for id_ in ids)
    shown = spark_tuner("status", "etl.nightly").out
    assert (shown.count("rolled back (id"), shown.count("promoted (id")) == (3, 1)


def test_what_may_be_several_changes_is_told_apart(spark_tuner: Call, run: Run, url: str) -> None:
    other = decided(Action(ActionKind.SET_CONF, "spark.sql.shuffle.partitions", "8"))
    later = replace(run, key="etl/2", decision=Decision(Mode.AUTO, (other,)))
    with Store.open(url) as store:
        store.begin(later)
    result = spark_tuner("approve", "etl.nightly", "shuffle.partitions")
    assert result.code == 1
    for change in (ACTION.id, other.id):
        assert f"{short_id(change)}: " in result.err
    assert spark_tuner("approve", "etl.nightly", short_id(other.id)).code == 0


def test_what_the_next_run_is_to_have_can_be_approved_before_any_had_it(spark_tuner: Call, run: Run, url: str) -> None:
    new = decided(Action(ActionKind.SET_CONF, "spark.sql.autoBroadcastJoinThreshold", "64m"), Standing.PROPOSED)
    with Store.open(url) as store:
        store.finish(run.key, RunState.SUCCEEDED, datetime.now(UTC), Outcome("a", "4.3.0", 1, Cluster(2), ()))
        store.add_details(run.key, RunDetails(Decision(Mode.SUGGEST, (new,))))
    assert f"(id {short_id(new.id)})" in spark_tuner("status", "etl.nightly").out
    assert spark_tuner("approve", "etl.nightly", short_id(new.id)).code == 0
    later = replace(run, key="etl/2", started_at=datetime.now(UTC))
    with Store.open(url) as store:
        store.begin(later)
        store.finish(later.key, RunState.FAILED, datetime.now(UTC), None)
    assert "(a run has ended since that was decided)" in spark_tuner("status", "etl.nightly").said


def test_a_verdict_on_an_unknown_change(spark_tuner: Call, run: Run) -> None:
    result = spark_tuner("approve", "etl.nightly", "no.such.setting")
    assert result.code == 1
    assert "`spark-tuner status etl.nightly` lists them" in result.err


def test_a_verdict_on_an_unknown_cohort(spark_tuner: Call, run: Run, url: str) -> None:
    result = spark_tuner("approve", "nope", "foo")
    assert (result.code, result.out) == (1, "")
    assert f"no run of cohort 'nope' in the store {url}; `spark-tuner status` lists its cohorts" in result.err


def test_status_knows_what_people_said_since_the_last_run(spark_tuner: Call, run: Run, url: str) -> None:
    proven = replace(run.decision.changes[0], standing=Standing.PROMOTED)
    later = replace(run, key="etl/2", started_at=datetime.now(UTC), decision=Decision(Mode.AUTO, (proven,)))
    with Store.open(url) as store:
        store.begin(later)
    id_ = short_id(ACTION.id)
    assert f"promoted (id {id_}): " in spark_tuner("status", "etl.nightly").out
    spark_tuner("rollback", "etl.nightly", ACTION.id, "--reason", "too slow")
    shown = spark_tuner("status", "etl.nightly").out
    assert f"rolled back (id {id_}): {action_words(ACTION, NO_NAMES)}" in shown
    assert "too slow" in shown
    assert "promoted (id" not in shown


@pytest.mark.parametrize("command", [["status"], ["ui"], ["approve", "etl.nightly", "foo"], ["mode", "etl", "auto"]])
def test_a_store_that_is_not_there_is_no_empty_one(spark_tuner: Call, tmp_path: Path, command: list[str]) -> None:
    place = tmp_path / "none.db"
    result = spark_tuner(*command, "--db", f"sqlite:///{place}")
    assert (result.code, result.out) == (1, "")
    assert (
        f"{place}: there is no history store; check --db (spark-tuner db upgrade --db URL makes a new one)"
        in result.err
    )
    assert not place.exists()


def test_db_upgrade_can_be_repeated(spark_tuner: Call) -> None:
    first, second = spark_tuner("db", "upgrade"), spark_tuner("db", "upgrade")
    assert (first.code, second.code) == (0, 0)
    assert first.out == second.out


def test_a_store_that_cannot_be_reached(spark_tuner: Call) -> None:
    result = spark_tuner("status", "--db", "postgresql://tuner:hunter2@127.0.0.1:1/tuner")
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
    assert "127.0.0.1" in result.err
    assert "hunter2" not in result.err


def test_a_short_id_is_no_part_of_another_change(spark_tuner: Call, run: Run, url: str) -> None:
    """An id spells the hash of its query, and that has another's short id in it: it was refused, and advised again."""
    action = Action(ActionKind.HINT_JOIN, "a=b", Hint.BROADCAST, f"8d{short_id(ACTION.id)}0f0ed138bc", ("a",))
    of_both = replace(run.decision, changes=(*run.decision.changes, decided(action, Standing.PROPOSED)))
    with Store.open(url) as store:
        store.begin(replace(run, decision=of_both))
    result = spark_tuner("reject", "etl.nightly", short_id(ACTION.id), "--reason", "no")
    assert (result.code, result.err) == (0, "")
    with Store.open(url) as store:
        assert [verdict.change_id for verdict in store.verdicts("etl.nightly")] == [ACTION.id]


@pytest.mark.parametrize("command", ["approve", "reject", "pin", "rollback"])
def test_an_empty_id_is_no_change(spark_tuner: Call, run: Run, url: str, command: str) -> None:
    result = spark_tuner(command, "etl.nightly", "")
    assert (result.code, "an empty id may be any change" in " ".join(result.err.split())) == (2, True)
    with Store.open(url) as store:
        assert store.verdicts("etl.nightly") == []


def test_who_has_no_name_here_is_told_by_his_number(
    spark_tuner: Call, run: Run, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nobody() -> str:
        raise KeyError("getpwuid(): uid not found: 12345")

    monkeypatch.setattr("getpass.getuser", nobody)
    assert spark_tuner("pin", "etl.nightly", short_id(ACTION.id)).code == 0
    with Store.open(url) as store:
        assert [verdict.by for verdict in store.verdicts("etl.nightly")] == [f"uid {os.getuid()}"]


@pytest.mark.parametrize("options", [("--runs", 3), ("--core-hour-price", "0.05")])
def test_what_only_one_cohort_has_is_not_ignored_for_all(spark_tuner: Call, options: tuple[object, ...]) -> None:
    result = spark_tuner("status", *options)
    told = " ".join(result.err.replace("│", " ").split())
    assert (result.code, "alone it changes nothing: give a COHORT" in told) == (2, True)


def test_a_price_in_the_environment_is_no_option(spark_tuner: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_TUNER_CORE_HOUR_PRICE", "0.05")
    assert spark_tuner("status").code == 0
