"""One turn of the loop around one Spark job: with a real store and event logs as Spark writes them, but small."""

from __future__ import annotations

import gzip
import json
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import Any

import msgspec
import pytest
from sqlalchemy import text

from tests.conftest import wait_until
from tests.history.database import database
from tests.nightly import START_MS, Nightly, Spark, replace_in_loop
from tests.policy.histories import said
from tuner.advice.steering_reach import Reach
from tuner.errors import StoreError
from tuner.eventlog.location import local_path
from tuner.history.failure import Ending
from tuner.history.store import Store
from tuner.loop import complete as complete_module
from tuner.loop import (
    harvest,
    known_runs,
    logs_of_runs,
    loop,
    next_decision,
    recorded,
    settle_earlier,
    unstarted,
)
from tuner.loop import prepare as prepare_module
from tuner.loop.event_log_place import EventLogPlace
from tuner.loop.log_lines import report_lines, turn_details, turn_lines
from tuner.loop.loop import JobToRun, Report, Turn, complete, prepare
from tuner.loop.steered import unsteered as unsteered_job
from tuner.loop.withdraw import forget
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.agent_message import DIRECTIVES, decode_whole
from tuner.model.application import Completeness, Problem, ProblemCode
from tuner.model.change import Change, Evidence, Prediction
from tuner.model.decision import Decision, Mode, Standing
from tuner.model.failure import FailureKind
from tuner.model.plan_picture import StepKind
from tuner.model.reason import ReasonCode
from tuner.model.run import Origin, Run, RunState
from tuner.model.verdict import ModeChange, Ruling, Verdict
from tuner.spark.run_tags import KEY
from tuner.steering import directives_of_decision as carry_out
from tuner.steering.agent.spark_home import SparkAtHand
from tuner.steering.agent.submission import Submission
from tuner.steering.directives import Steering
from tuner.steering.order_sensitive import PROPERTY, OrderSensitive
from tuner.steering.submit_conf import EVENT_LOG_DIR
from tuner.within_time import aside
from tuner.words.decisions import decision_summary
from tuner.words.failures import failure_words
from tuner.words.query_names import QueryNames, query_name
from tuner.words.reasons import why_words

ADAPTIVE = "spark.sql.adaptive.autoBroadcastJoinThreshold"
MIDNIGHT = datetime(2026, 11, 20, tzinfo=UTC)
STATIC = "spark.sql.autoBroadcastJoinThreshold"
SALES = "SELECT * FROM sales s JOIN items i ON s.item = i.id"


@pytest.fixture
def nightly(tmp_path: Path) -> Nightly:
    return Nightly(tmp_path)


# --- The loop ---


def test_the_first_run_is_observed_and_the_second_is_steered(nightly: Nightly) -> None:
    first = nightly.night("etl/1/load/-1/1")
    assert decision_summary(first.turn.decision) == "first run: observed"
    assert first.problems == ()
    assert nightly.stored("etl/1/load/-1/1").state is RunState.SUCCEEDED

    second = nightly.night("etl/2/load/-1/1")
    assert [d.standing for d in second.turn.decision.changes] == [Standing.TRIAL]
    assert 14_274_936 <= int(second.turn.conf[STATIC]) < 57_234_440
    assert second.turn.directives.conf == {a.target: a.value for a in second.turn.decision.actions}
    assert second.turn.directives.conf.keys() == {STATIC, ADAPTIVE}

    third = nightly.prepare("etl/3/load/-1/1")
    assert [d.standing for d in third.decision.changes] == [Standing.PROMOTED]
    assert why_words(third.decision.changes[0]) == "1 query took 4.0 s instead of 7.0 s (over 99% sure of a gain)"


def test_a_change_that_loses_is_not_tried_again(nightly: Nightly) -> None:
    nightly.night("e/1/1")
    nightly.night("e/2/1", Spark(seconds=20, broadcast=True))
    held = nightly.night("e/3/1").turn
    assert not held.directives.conf
    assert {d.standing for d in held.decision.changes} == {Standing.HELD}
    found = nightly.prepare("e/4/1")
    assert not found.directives.conf
    assert {d.standing for d in found.decision.changes} == {Standing.ROLLED_BACK}


def test_observing_never_steers(nightly: Nightly) -> None:
    nightly.mode = Mode.OBSERVE
    nightly.night("e/1/1")
    found = nightly.prepare("e/2/1")
    assert not found.decision.in_force
    assert not found.directives.conf
    assert found.decision.changes[0].standing is Standing.PROPOSED


def test_suggesting_waits_for_a_person(nightly: Nightly) -> None:
    nightly.mode = Mode.SUGGEST
    nightly.night("e/1/1")
    proposed = nightly.night("e/2/1").turn
    assert not proposed.directives.conf
    with Store.open(nightly.url) as store:
        action = proposed.decision.changes[0].change.actions[0]
        store.record(Verdict(nightly.cohort, action.id, Ruling.APPROVE, "ana", proposed.started_at))
    assert nightly.prepare("e/3/1").directives.conf.keys() == {STATIC, ADAPTIVE}


def test_a_mode_that_a_person_gave_beats_the_jobs_own(nightly: Nightly) -> None:
    nightly.night("e/1/1")
    with Store.open(nightly.url) as store:
        store.set_mode(ModeChange(nightly.cohort, Mode.OBSERVE, "ana", MIDNIGHT))
    found = nightly.prepare("e/2/1").decision
    assert (found.mode, found.in_force) == (Mode.OBSERVE, ())
    with Store.open(nightly.url) as store:
        store.set_mode(ModeChange(nightly.cohort, None, "ana", MIDNIGHT))
    assert nightly.prepare("e/3/1").decision.mode is Mode.AUTO


def test_a_run_whose_mode_cannot_be_read_is_observed(nightly: Nightly, monkeypatch: pytest.MonkeyPatch) -> None:
    nightly.night("e/1/1")

    def unreadable(*_: object) -> None:
        raise StoreError("permission denied for table mode_changes")

    with monkeypatch.context() as patch:
        patch.setattr(Store, "mode", unreadable)
        found = nightly.prepare("e/2/1")
    assert (found.decision.mode, found.decision.in_force) == (Mode.OBSERVE, ())
    assert any("could not read the mode" in problem for problem in found.problems)
    assert nightly.prepare("e/3/1").decision.in_force


def test_a_run_whose_persons_mode_is_of_another_version_is_observed(nightly: Nightly) -> None:
    nightly.night("e/1/1")
    with Store.open(nightly.url) as store:
        for mode in (Mode.AUTO, Mode.OBSERVE):
            store.set_mode(ModeChange(nightly.cohort, mode, "ana", MIDNIGHT))
    with database(nightly.url) as connection:
        connection.execute(text("UPDATE spark_tuner_modes SET mode = 'canary' WHERE mode = 'observe'"))
    found = nightly.prepare("e/2/1").decision
    assert (found.mode, found.in_force) == (Mode.OBSERVE, ())


# --- Where the event log may be what keeps Spark from starting ---


def test_the_retry_of_a_try_that_left_no_log_has_none(nightly: Nightly) -> None:
    """The driver may lack the directory that was made here: each try would die at its start."""
    nightly.night("e/1/1")
    complete(nightly.prepare("e/2/1"), nightly.url, failed=True)
    second = nightly.prepare("e/2/2")
    assert (second.event_log_dir, dict(second.conf)) == ("", {})
    assert "an earlier try failed and left no event log" in decision_summary(second.decision)
    complete(second, nightly.url, failed=True)
    assert dict(nightly.prepare("e/2/3").conf) == {}, "the job may fail for other reasons, too"
    assert nightly.prepare("e/3/1").event_log_dir


def test_a_job_that_starts_only_without_a_log_has_none_for_a_week(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch
) -> None:
    complete(nightly.prepare("e/1/1"), nightly.url, failed=True)
    complete(nightly.prepare("e/1/2"), nightly.url, failed=False)
    complete(nightly.prepare("e/2/1"), nightly.url, failed=False)
    assert nightly.prepare("e/3/1").event_log_dir == ""
    monkeypatch.setattr(unstarted, "WITHOUT_FOR", timedelta())
    assert nightly.prepare("e/4/1").event_log_dir


def test_a_job_without_retries_that_left_no_log_has_none_the_next_night(nightly: Nightly) -> None:
    """Where its driver cannot write there, it would die each night."""
    complete(nightly.prepare("e/1/1"), nightly.url, failed=True)
    second = nightly.prepare("e/2/1")
    assert second.event_log_dir == ""
    assert "left no event log" in decision_summary(second.decision)
    complete(second, nightly.url, failed=False)
    assert nightly.prepare("e/3/1").event_log_dir == "", "it starts without one"


def test_a_job_without_retries_that_fails_without_a_log_too_has_one_again(nightly: Nightly) -> None:
    complete(nightly.prepare("e/1/1"), nightly.url, failed=True)
    complete(nightly.prepare("e/2/1"), nightly.url, failed=True)
    third = nightly.prepare("e/3/1")
    assert third.event_log_dir
    complete(third, nightly.url, failed=True)
    assert nightly.prepare("e/4/1").event_log_dir == "", "what it failed of then may be mended by now"


def test_a_job_that_fails_without_a_log_too_has_one_the_next_night(nightly: Nightly) -> None:
    complete(nightly.prepare("e/1/1"), nightly.url, failed=True)
    complete(nightly.prepare("e/1/2"), nightly.url, failed=True)
    assert nightly.prepare("e/2/1").event_log_dir


def test_a_job_that_once_left_a_log_has_one_each_night(nightly: Nightly) -> None:
    nightly.night("e/1/1")
    complete(nightly.prepare("e/2/1"), nightly.url, failed=True)
    complete(nightly.prepare("e/2/2"), nightly.url, failed=False)
    assert nightly.prepare("e/3/1").event_log_dir


def test_the_retry_of_a_try_that_left_a_log_has_one(nightly: Nightly) -> None:
    nightly.night("e/1/1", Spark(error="boom"), failed=True)
    assert nightly.prepare("e/1/2").event_log_dir
    complete(nightly.prepare("e/1/2"), nightly.url, failed=True)
    assert nightly.prepare("e/1/3").event_log_dir, "Spark has started with one"


def test_the_retry_of_a_try_that_nobody_saw_fail_has_one(nightly: Nightly) -> None:
    nightly.prepare("e/1/1")
    assert nightly.prepare("e/1/2").event_log_dir
    assert nightly.stored("e/1/1").state is RunState.FAILED


def test_a_log_that_lands_late_may_have_been_on_its_way(nightly: Nightly) -> None:
    late = replace(nightly.job("e/1/1"), log_lands_late=True)
    complete(prepare(late, nightly.url), nightly.url, failed=True)
    assert nightly.stored("e/1/1").state is RunState.FAILED
    assert prepare(replace(late, key="e/1/2", try_number=2), nightly.url).event_log_dir


def test_a_log_that_the_user_has_on_stays_on_in_a_retry(nightly: Nightly) -> None:
    nightly.user_conf = {"spark.eventLog.enabled": "true", EVENT_LOG_DIR: str(nightly.root)}
    complete(nightly.prepare("e/1/1"), nightly.url, failed=True)
    assert nightly.prepare("e/1/2").event_log_dir == nightly.root.as_uri()


def test_a_try_that_nobody_waited_for_is_known_to_the_next(nightly: Nightly) -> None:
    late = replace(nightly.prepare("e/1/1"), job=nightly.job("e/1/1-unsteered"))
    complete(late, nightly.url, failed=True)
    assert nightly.prepare("e/1/2").event_log_dir == ""


# --- Whose runs a cohort has ---


def test_tasks_that_are_called_the_same_by_default_are_told(nightly: Nightly) -> None:
    nightly.cohort = "a.b.c"
    first = replace(nightly.job("a.b/1/c/-1/1"), origin=Origin("a.b", "1", "c"))
    assert prepare(first, nightly.url).problems == ()
    assert prepare(replace(first, key="a.b/2/c/-1/1"), nightly.url).problems == ()
    second = replace(nightly.job("a/1/b.c/-1/1"), origin=Origin("a", "1", "b.c"))
    turn = prepare(second, nightly.url)
    assert turn.problems == (
        "cohort a.b.c has the runs of task c of DAG a.b, too, which is called the same: give each a cohort= of its own",
    )
    assert any("called the same" in line for line in turn_lines(turn))


def test_tasks_whose_author_gave_them_one_cohort_are_not(nightly: Nightly) -> None:
    nightly.cohort = "etl.load"
    for task in ("load", "load_big"):
        job = replace(nightly.job(f"etl/1/{task}/-1/1"), origin=Origin("etl", "1", task))
        assert prepare(job, nightly.url).problems == ()
    again = replace(nightly.job("etl/2/load/-1/1"), origin=Origin("etl", "2", "load"))
    assert prepare(again, nightly.url).problems == ()


# --- What people look at ---


def test_a_run_leaves_its_plans_and_what_would_be_decided_next(nightly: Nightly) -> None:
    nightly.night("e/1/1")
    details, run = nightly.details("e/1/1"), nightly.stored("e/1/1")
    assert details.outlook == nightly.prepare("e/2/1").decision
    assert [d.standing for d in details.outlook.changes] == [Standing.TRIAL]
    (picture,) = details.pictures
    (query,) = run.outcome.queries
    assert (picture.query, picture.description) == (query.fingerprint, "statement 1 of 1")
    assert [s.rows for s in picture.steps if s.kind is StepKind.JOIN] == [1_430_861]


def test_what_the_users_own_setting_keeps_out_is_held(nightly: Nightly) -> None:
    nightly.user_conf = {STATIC: "10m"}
    nightly.night("e/1/1")
    held = {
        d.change.actions[0].target: d for d in nightly.details("e/1/1").outlook.changes if d.standing is Standing.HELD
    }
    assert why_words(held[STATIC]).endswith(f"held: the job itself sets {STATIC}=10m")


def test_a_log_that_breaks_off_shows_plans_but_no_findings(nightly: Nightly) -> None:
    nightly.night("e/1/1", Spark(ended=False), failed=True)
    details = nightly.details("e/1/1")
    assert (details.insights, len(details.pictures)) == ((), 1)


@pytest.mark.parametrize("name", ["what_is_known", "facts_now"])
def test_what_cannot_be_looked_at_costs_neither_the_outcome_nor_the_job(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    turn = nightly.prepare("e/1/1")
    Spark().run(turn)
    replace_in_loop(monkeypatch, name, _boom)
    report = complete(turn, nightly.url, failed=False)
    assert nightly.stored("e/1/1").state is RunState.SUCCEEDED
    assert [p.split(":")[1] for p in report.problems] == [" a bug in two lines"]


def test_a_sql_job_is_hinted(nightly: Nightly) -> None:
    nightly.statements = (SALES,)
    nightly.night("e/1/1")
    found = nightly.prepare("e/2/1")
    assert found.directives.statements == (SALES.replace("SELECT", "SELECT /*+ BROADCAST(i) */"),)
    assert not found.directives.conf


def test_a_hint_that_found_no_place_is_not_in_force(nightly: Nightly) -> None:
    nightly.statements = (SALES,)
    nightly.night("e/1/1")
    nightly.statements = (SALES.replace("SELECT", "SELECT /*+ MERGE(i) */"),)
    found = nightly.prepare("e/2/1")
    assert not found.decision.in_force
    assert found.directives.statements == nightly.statements
    assert "MERGE(i)" in found.directives.overruled[0][1]
    # Whoever reads that looks for the query by the name that he gave it, though nothing of it is in force.
    (query,) = {action.query for action, _ in found.directives.overruled}
    assert found.query_names[query] != f"query {query}"


def test_a_job_that_is_no_longer_sql_text_is_not_judged_by_its_hints(nightly: Nightly) -> None:
    nightly.statements = (SALES,)
    nightly.night("e/1/1")
    nightly.night("e/2/1")
    nightly.statements = ()
    found = nightly.prepare("e/3/1")
    assert all(a.kind is not ActionKind.HINT_JOIN for a in found.decision.actions)
    assert any("no longer SQL" in why for _, why in found.directives.overruled)


def test_the_users_own_setting_wins_and_is_reported(nightly: Nightly) -> None:
    nightly.night("e/1/1")
    nightly.user_conf = {ADAPTIVE: "30m", STATIC: "5m", KEY: "mine"}
    turn = nightly.prepare("e/2/1")
    assert not turn.conf.keys() & nightly.user_conf.keys()
    assert not turn.decision.in_force
    assert any(f"the job itself sets {ADAPTIVE}=30m" in line for line in turn_details(turn))
    assert any("not applied: " in line and "the job itself sets" in line for line in turn_lines(turn))
    assert {a["reason"] for a in Report(turn, None).as_json()["not_applied"]}  # type: ignore[index,union-attr]


def test_what_the_program_sets_by_itself_is_no_trial_and_is_left_to_it(nightly: Nightly) -> None:
    def night(number: int, program: dict[str, str], seconds: float = 7.0) -> Report:
        turn = nightly.prepare(f"e/{number}/1")
        Spark(seconds=seconds).run(turn, program)
        return complete(turn, nightly.url, failed=False)

    night(1, {})
    second = night(2, {STATIC: "1m"}, seconds=4.0)
    assert STATIC in second.turn.conf
    assert any(f"the job itself sets {STATIC}=1m" in line for line in report_lines(second))
    third = night(3, {STATIC: "1m"})
    assert not third.turn.decision.in_force
    assert STATIC not in third.turn.conf
    assert any(f"the job itself sets {STATIC}=1m" in line for line in turn_details(third.turn))
    assert not night(4, {}).turn.decision.in_force
    assert STATIC in nightly.prepare("e/5/1").conf, "its program no longer does"


def test_a_heap_that_the_program_sets_is_no_new_cluster_each_night(nightly: Nightly) -> None:
    """A log tells the program's, a submission the operator's or that of spark-defaults.conf."""

    def night(number: int) -> Turn:
        turn = nightly.prepare(f"e/{number}/1")
        ran = Spark(seconds=4.0, broadcast=True) if turn.decision.in_force else Spark()
        ran.run(turn, {"spark.master": "yarn", "spark.executor.memory": "8g", "spark.executor.cores": "4"})
        complete(turn, nightly.url, failed=False)
        return turn

    nightly.user_conf = {"spark.executor.memory": "4g"}
    nightly.submission = Submission(conf={"spark.executor.cores": "2"})
    night(1)
    assert [d.standing for d in night(2).decision.changes] == [Standing.TRIAL]
    nightly.user_conf = {"spark.executor.memory": "6g"}
    (held,) = night(3).decision.changes
    assert held.held is not None
    assert held.held.code is ReasonCode.NEW_CONTEXT, "who asks for another may get it"
    assert [d.standing for d in night(4).decision.changes] == [Standing.PROMOTED]


# --- Failures of the job ---


def test_a_failed_run_is_harvested_and_its_trial_is_out(nightly: Nightly) -> None:
    nightly.night("e/1/1")
    assert nightly.night("e/2/1", Spark(ended=True, error="OutOfMemoryError"), failed=True).run is not None
    assert nightly.stored("e/2/1").state is RunState.FAILED
    retry = nightly.prepare("e/2/2")
    assert not retry.decision.in_force
    assert "runs without changes" in decision_summary(retry.decision)
    Spark().run(retry)
    complete(retry, nightly.url, failed=False)
    assert not nightly.prepare("e/3/1").decision.in_force


def test_why_a_run_failed_is_stored_and_said(nightly: Nightly) -> None:
    nightly.night("e/1/1")
    error = "org.apache.spark.SparkException: Could not execute broadcast in 300 secs. You can increase"
    report = nightly.night("e/2/1", Spark(error=error), failed=True)
    (query,) = report.run.outcome.queries  # type: ignore[union-attr]
    name = query_name(query)
    said = f"broadcast timed out after 300 s in {name}"
    assert f"spark-tuner: run e/2/1 failed: {said}" in report_lines(report)
    assert report.as_json()["failure"] == {
        "kind": "broadcast_timeout",
        "query": query.fingerprint,
        "name": name,
        "words": said,
    }
    assert failure_words(nightly.stored("e/2/1").failure, QueryNames([query])) == said


def test_how_the_driver_ended_is_told_where_the_log_breaks_off(nightly: Nightly) -> None:
    turn = nightly.prepare("e/1/1")
    Spark(ended=False).run(turn)
    complete(turn, nightly.url, failed=True, ending=Ending(-9))
    assert nightly.stored("e/1/1").failure.kind is FailureKind.SIGKILLED


def test_without_a_log_the_exit_code_is_said(nightly: Nightly) -> None:
    report = complete(nightly.prepare("e/1/1"), nightly.url, failed=True, ending=Ending(143))
    assert "spark-tuner: run e/1/1 failed: killed by SIGTERM" in report_lines(report)


def test_a_job_that_got_over_a_failed_query_has_not_failed(nightly: Nightly) -> None:
    report = nightly.night("e/1/1", Spark(error="Could not execute broadcast in 300 secs"))
    assert report.failure is None
    assert nightly.stored("e/1/1").failure is None


def test_a_job_that_fails_before_spark_starts_leaves_no_log(nightly: Nightly) -> None:
    nightly.night("e/1/1")
    turn = nightly.prepare("e/2/1")
    report = complete(turn, nightly.url, failed=True)
    assert report.run is None
    assert nightly.stored("e/2/1").state is RunState.FAILED
    assert not nightly.prepare("e/3/1").decision.in_force
    (problem,) = report.problems
    assert "no event log" in problem


def test_a_retry_of_a_run_that_was_not_steered_tries_nothing_new(nightly: Nightly) -> None:
    nightly.night("e/1/1")
    nightly.mode = Mode.OBSERVE
    nightly.night("e/2/1", failed=True)
    nightly.mode = Mode.AUTO
    (decided,) = nightly.prepare("e/2/2").decision.changes
    assert (decided.standing, decided.held and decided.held.code) == (Standing.HELD, ReasonCode.ONLY_PROVEN_ON_RETRY)
    assert nightly.prepare("e/3/1").decision.in_force


def test_a_run_that_is_made_again_under_its_key_carries_nothing_that_nobody_records(nightly: Nightly) -> None:
    """A DAG run that was deleted and is there again: its runs have the keys of the earlier ones."""
    nightly.night("e/1/1")
    nightly.night("e/2/1")
    before = nightly.stored("e/2/1")
    again = nightly.prepare("e/2/1")
    assert not again.decision.in_force
    assert again.decision.unsteered is not None
    assert nightly.stored("e/2/1").decision == before.decision
    Spark(error="boom").run(again)
    report = complete(again, nightly.url, failed=True)
    assert "its DAG run was made again under its id; this one is not stored" in report.problems[-1]
    assert nightly.stored("e/2/1") == before


def test_a_run_that_is_made_again_leaves_what_its_key_had_without_an_end(nightly: Nightly) -> None:
    """Its success is none of the changes that killed the first."""
    nightly.night("e/1/1")
    killed = nightly.prepare("e/2/1")
    assert killed.decision.in_force
    Spark(ended=False).run(killed)
    complete(killed, nightly.url, failed=True)
    before = nightly.stored("e/2/1")
    assert before.outcome.duration_ms is None
    again = nightly.prepare("e/2/1")
    Spark(start_ms=START_MS + 1).run(again)
    complete(again, nightly.url, failed=False)
    assert nightly.stored("e/2/1") == before


def test_a_run_that_is_made_again_while_its_key_runs_is_as_old_as_the_second(nightly: Nightly) -> None:
    """The first was killed (`airflow dags test`), days ago."""
    with Store.open(nightly.url) as store:
        first = datetime.now(UTC) - timedelta(days=3)
        store.begin(Run("e/1/1", nightly.cohort, 1, first, RunState.RUNNING, Decision(Mode.AUTO, ()), ""))
    again = nightly.prepare("e/1/1")
    Spark(ended=False).run(again)
    nightly.prepare("f/1/1")
    assert (nightly.stored("e/1/1").state, nightly.stored("e/1/1").started_at) == (RunState.RUNNING, again.started_at)


def test_a_try_that_was_killed_with_changes_is_followed_by_one_without(nightly: Nightly) -> None:
    nightly.night("e/1/1")
    killed = nightly.prepare("e/2/1")
    assert killed.decision.in_force
    Spark(ended=False).run(killed)
    assert not nightly.prepare("e/2/2").decision.in_force
    assert nightly.stored("e/2/1").state is RunState.FAILED
    assert nightly.stored("e/2/1").outcome is not None


def test_a_record_that_came_too_late_for_its_run_accuses_nothing(nightly: Nightly) -> None:
    """It hung in its commit for as long as its process lived; the run has a key of its own."""
    nightly.night("e/1/1")
    recorded = nightly.prepare("e/2/1")
    assert recorded.decision.in_force
    job = replace(recorded.job, key="e/2/1-unsteered")
    run = replace(recorded, job=job, decision=Decision(Mode.AUTO, ()), conf={**recorded.conf, KEY: job.key})
    with Store.open(nightly.url) as store:
        store.begin(run.run)
    Spark(error="boom").run(run)
    nightly.prepare("e/2/2")
    states = [nightly.stored(key).state for key in (recorded.job.key, job.key)]
    assert states == [RunState.LOST, RunState.FAILED]


def test_a_dag_run_made_again_is_not_lost_though_its_first_run_was_unsteered(nightly: Nightly) -> None:
    first = nightly.prepare("e/1/1")
    with Store.open(nightly.url) as store:
        store.forget("e/1/1")
        store.begin(replace(first, job=replace(first.job, key="e/1/1-unsteered")).run)
    nightly.prepare("e/1/1")
    nightly.prepare("f/1/1")
    assert nightly.stored("e/1/1").state is RunState.RUNNING


def test_of_many_mapped_instances_a_retry_still_knows_its_earlier_try(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch
) -> None:
    nightly.night("e/1/load/-1/1")
    assert nightly.prepare("e/2/load/0/1").decision.in_force
    for index in range(1, 6):
        nightly.night(f"e/2/load/{index}/1")
    monkeypatch.setattr(known_runs, "HISTORY_RUNS", 4)
    monkeypatch.setattr(known_runs, "MOST_HISTORY_RUNS", 4)
    assert "runs without changes" in decision_summary(nightly.prepare("e/2/load/0/2").decision)


def test_mapped_instances_share_what_they_learn_and_one_tries(nightly: Nightly) -> None:
    nightly.night("e/1/load/0/1")
    trying, waiting = nightly.prepare("e/2/load/0/1"), nightly.prepare("e/2/load/1/1")
    assert trying.decision.in_force
    assert not waiting.decision.in_force
    assert waiting.decision.changes[0].standing is Standing.HELD
    for turn in (trying, waiting):
        Spark(seconds=4 if turn is trying else 7, broadcast=turn is trying).run(turn)
        complete(turn, nightly.url, failed=False)
    assert nightly.prepare("e/2/load/2/1").decision.in_force


@pytest.mark.parametrize(
    "dag_runs",
    [
        pytest.param(known_runs.HISTORY_DAG_RUNS, id="as it is"),
        pytest.param(0, id="as many runs as ever", marks=pytest.mark.nightly),
    ],
)
def test_a_night_of_many_mapped_instances_does_not_make_the_one_before_it_forgotten(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch, dag_runs: int
) -> None:
    monkeypatch.setattr(known_runs, "HISTORY_RUNS", 4)
    monkeypatch.setattr(known_runs, "LEARN_RUNS", 4)
    monkeypatch.setattr(known_runs, "HISTORY_DAG_RUNS", dag_runs)

    def night(number: int) -> list[Turn]:
        jobs = [
            replace(nightly.job(f"e/{number}/load/{index}/1"), origin=Origin("e", str(number), "load", index))
            for index in range(8)
        ]
        turns = [prepare(job, nightly.url) for job in jobs]
        for turn in turns:
            kills = bool(turn.decision.in_force)
            Spark(broadcast=kills, error="out of memory" if kills else None).run(turn)
            complete(turn, nightly.url, failed=kills)
        return turns

    killed = [sum(bool(turn.decision.in_force) for turn in night(number)) for number in range(6)]
    # What nobody knows the cause of is tried once more after a night without it: those beside it have other data.
    assert killed == ([0, 1, 0, 1, 0, 0] if dag_runs else [0, 1, 1, 1, 1, 1])


@pytest.mark.parametrize("is_logged", [True, pytest.param(False, marks=pytest.mark.nightly)])
@pytest.mark.parametrize(
    ("tried", "standing"), [(4.0, Standing.PROMOTED), (20.0, Standing.ROLLED_BACK)], ids=["proven", "taken out"]
)
def test_an_outage_does_not_make_what_runs_have_shown_forgotten(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch, tried: float, standing: Standing, is_logged: bool
) -> None:
    monkeypatch.setattr(known_runs, "HISTORY_RUNS", 4)
    monkeypatch.setenv("XDG_DATA_HOME", str(nightly.root / "data"))
    if is_logged:  # else the agent's jar may have been what failed
        nightly.steering, nightly.submission = Steering.AGENT, Submission(agent_jar="hdfs:///jars/agent.jar")
    for number in range(4):
        turn = nightly.prepare(f"e/{number}/1")
        is_told = bool(turn.decision.in_force)
        Spark(seconds=tried if is_told else 7.0, broadcast=is_told, agent=DIRECTIVES in turn.conf).run(turn)
        complete(turn, nightly.url, failed=False)
    before = nightly.prepare("e/4/1")
    assert {d.standing for d in before.decision.changes} == {standing}
    forget([before], nightly.url)
    for number in range(4, 14):  # every other one without it, to find the cause
        turn = nightly.prepare(f"e/{number}/1")
        if is_logged:
            Spark(error="[PATH_NOT_FOUND] Path does not exist", agent=DIRECTIVES in turn.conf).run(turn)
            complete(turn, nightly.url, failed=True)
        else:
            with Store.open(nightly.url) as store:
                store.finish(turn.job.key, RunState.FAILED, turn.started_at, None)
    after = nightly.prepare("e/14/1")
    assert {d.id: d.standing for d in after.decision.changes} == {d.id: standing for d in before.decision.changes}
    assert set(after.conf) == set(before.conf)


def test_a_query_that_seldom_comes_is_steered_when_it_does(nightly: Nightly, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once it has come twice; however much other queries of the job read."""
    monkeypatch.setattr(known_runs, "LEARN_RUNS", 2)
    monkeypatch.setenv("XDG_DATA_HOME", str(nightly.root / "data"))
    nightly.steering, nightly.submission = Steering.AGENT, Submission(agent_jar="hdfs:///jars/agent.jar")

    def run(key: str, schema: str) -> bool:
        turn = nightly.prepare(key)
        is_told = DIRECTIVES in turn.conf
        relations = {r for q in decode_whole(turn.conf[DIRECTIVES]).queries for r in q.relations} if is_told else set()
        has_it = f"{schema}.items" in relations
        Spark(4.0 if has_it else 7.0, broadcast=has_it, agent=is_told, schema=schema).run(turn)
        complete(turn, nightly.url, failed=False)
        return has_it

    told = []
    for load in range(4):
        told.append(run(f"e/load{load}/1", "db"))
        for poll in range(4):
            run(f"e/poll{load}.{poll}/1", "polls")
    assert told == [False, False, True, True]


@pytest.mark.parametrize("siblings", [1, 2, 5])
def test_of_runs_that_begin_at_the_same_moment_one_tries(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch, siblings: int
) -> None:
    nightly.night("e/1/load/0/1")
    turns: list[Turn] = []
    genuine = Store.begin

    def others_first(store: Store, run: Run, *given: Any) -> bool:
        if len(turns) < siblings and run.key == "e/2/load/0/1":
            with monkeypatch.context() as alone:
                alone.setattr(Store, "begin", genuine)
                turns.append(nightly.prepare(f"e/2/load/{len(turns) + 1}/1"))
        return genuine(store, run, *given)

    monkeypatch.setattr(Store, "begin", others_first)
    turns.append(nightly.prepare("e/2/load/0/1"))
    assert [bool(turn.decision.in_force) for turn in turns] == [True] + [False] * (len(turns) - 1)
    last = nightly.stored("e/2/load/0/1").decision
    assert last == turns[-1].decision
    assert [d.held and d.held.code for d in last.changes] == [ReasonCode.ON_TRIAL_IN_ANOTHER_RUN]
    assert not turns[-1].directives.conf
    assert turns[-1].problems == ()


def test_threads_that_prepare_at_once_try_a_change_once(nightly: Nightly) -> None:
    nightly.night("e/1/load/0/1")
    with ThreadPoolExecutor(6) as pool:
        turns = list(pool.map(nightly.prepare, [f"e/2/load/{index}/1" for index in range(6)]))
    assert sum(bool(turn.decision.in_force) for turn in turns) == 1
    assert [problem for turn in turns for problem in turn.problems] == []


@pytest.mark.parametrize(("tries_left", "is_tried"), [(1, True), (0, False), (None, False)])
def test_a_job_whose_first_tries_never_find_their_input_tries_in_a_retry_that_is_not_the_last(
    nightly: Nightly, tries_left: int | None, is_tried: bool
) -> None:
    in_force: list[Standing] = []
    for number in range(8):
        first = nightly.prepare(f"e/{number}/1")
        Spark(error="[PATH_NOT_FOUND] Path does not exist").run(first)
        complete(first, nightly.url, failed=True)
        retry = prepare(replace(nightly.job(f"e/{number}/2"), tries_left=tries_left), nightly.url)
        has_it = bool(retry.decision.in_force)
        in_force += [d.standing for d in retry.decision.in_force]
        Spark(4.0 if has_it else 7.0, broadcast=has_it).run(retry)
        complete(retry, nightly.url, failed=False)
    assert in_force == ([Standing.TRIAL, Standing.PROMOTED] if is_tried else [])


def test_a_log_cut_in_the_middle_is_partial_and_no_evidence_on_a_change(nightly: Nightly) -> None:
    nightly.night("e/1/1")
    report = nightly.night("e/2/1", Spark(seconds=1, cut=20))
    assert report.run is not None
    assert report.run.state is RunState.PARTIAL
    tried, again = report.run.decision, nightly.prepare("e/3/1").decision
    assert [d.id for d in again.in_force] == [d.id for d in tried.in_force] != []


def test_no_log_at_all_is_a_lost_run(nightly: Nightly) -> None:
    turn = nightly.prepare("e/1/1")
    report = complete(turn, nightly.url, failed=False)
    assert report.run is None
    assert nightly.stored("e/1/1").state is RunState.LOST
    assert decision_summary(nightly.prepare("e/2/1").decision) == "no earlier run's log has been read: observed"


@pytest.mark.parametrize("failed", [False, None])
def test_a_log_that_could_not_be_read_is_read_at_the_next_decision(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch, failed: bool | None
) -> None:
    turn = nightly.prepare("e/1/1")
    Spark().run(turn)
    with monkeypatch.context() as broken:
        broken.setattr(complete_module, "log_of_run", _slow_down)
        report = complete(turn, nightly.url, failed=failed)
    assert report.run is None
    assert report.problems == (
        "could not harvest the event log: 503: slow down",
        "the event log could not be read: the cohort's next decision reads it",
    )
    assert nightly.stored("e/1/1").state is RunState.RUNNING
    assert nightly.prepare("e/2/1").decision.in_force
    assert nightly.stored("e/1/1").state is RunState.SUCCEEDED


def test_the_log_of_a_run_that_failed_while_it_could_not_be_read_tells_the_retry(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = nightly.prepare("e/1/1")
    Spark(error="[DIVIDE_BY_ZERO] Division by zero").run(turn)
    with monkeypatch.context() as broken:
        broken.setattr(complete_module, "log_of_run", _slow_down)
        report = complete(turn, nightly.url, failed=True)
    assert report.problems[-1] == (
        "the event log could not be read: the cohort's next decision reads what more it tells of the failure"
    )
    assert (nightly.stored("e/1/1").state, nightly.stored("e/1/1").outcome) == (RunState.FAILED, None)
    prepare(nightly.job("e/1/2"), nightly.url)
    assert nightly.stored("e/1/1").failure.kind is FailureKind.DATA_OR_CODE


def test_a_log_that_breaks_off_as_it_is_read_is_read_again(nightly: Nightly, monkeypatch: pytest.MonkeyPatch) -> None:
    turn, genuine = nightly.prepare("e/1/1"), harvest.read_log
    Spark().run(turn)

    def broken_off(*given: Any) -> Any:
        problem = Problem("local-1", 7, ProblemCode.UNREADABLE_FILE, "cannot be read any further: Input/output error")
        return replace(genuine(*given), problems=(problem,), status=Completeness.PARTIAL)

    with monkeypatch.context() as broken:
        broken.setattr(harvest, "read_log", broken_off)
        complete(turn, nightly.url, failed=False)
    nightly.prepare("e/2/1")
    assert nightly.stored("e/1/1").state is RunState.SUCCEEDED


def test_a_failed_run_whose_log_cannot_be_read_has_failed(nightly: Nightly, monkeypatch: pytest.MonkeyPatch) -> None:
    turn = nightly.prepare("e/1/1")
    monkeypatch.setattr(complete_module, "log_of_run", _slow_down)
    complete(turn, nightly.url, failed=True)
    assert nightly.stored("e/1/1").state is RunState.FAILED


def test_a_log_that_can_never_be_read_is_given_up(nightly: Nightly, monkeypatch: pytest.MonkeyPatch) -> None:
    turn = nightly.prepare("e/1/1")
    monkeypatch.setattr(complete_module, "log_of_run", _slow_down)
    complete(turn, nightly.url, failed=False)
    _backdate(monkeypatch, 1)
    nightly.prepare("e/2/1")
    assert nightly.stored("e/1/1").state is RunState.LOST


def _slow_down(*_: Any) -> Any:
    raise OSError("503: slow down")


def test_to_complete_twice_changes_nothing(nightly: Nightly) -> None:
    report = nightly.night("e/1/1")
    before = nightly.stored("e/1/1")
    again = complete(report.turn, nightly.url, failed=False)
    assert again.problems == ()
    assert nightly.stored("e/1/1") == before


# --- Tries that are ended before they submit ---


def test_a_try_that_is_ended_while_it_is_decided_leaves_no_run(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a timeout, or a signal: nothing was submitted, and a retry must not blame what it would have had."""
    genuine = prepare_module._prepared

    def ended(*given: Any) -> Any:
        genuine(*given)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(prepare_module, "_prepared", ended)
        with pytest.raises(KeyboardInterrupt):
            nightly.prepare("e/1/1")
    assert nightly.stored("e/1/1") is None
    assert nightly.prepare("e/1/2").event_log_dir


def test_what_was_not_decided_when_a_try_is_ended_is_never_recorded(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch
) -> None:
    nightly.night("e/1/1")
    goes_on, begun, begin = Event(), list[Any](), recorded._begin
    monkeypatch.setattr(
        recorded, "_begin", lambda *given: (goes_on.wait(30), begun.append(begin(*given)), begun[-1])[2]
    )

    def ended(seconds: float, work: Any, late: Any = None) -> Any:
        aside(work)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(prepare_module, "within", ended)
        patch.setattr(prepare_module, "_looked_up", prepare_module._prepared)
        with pytest.raises(KeyboardInterrupt):
            nightly.prepare("e/2/1")
    goes_on.set()
    wait_until(lambda: begun == [recorded._Begun.NOT_RECORDED], 40)
    assert nightly.stored("e/2/1") is None


# --- Runs whose driver did not live to harvest them ---


def _backdate(monkeypatch: pytest.MonkeyPatch, days: float) -> None:
    monkeypatch.setattr(settle_earlier, "LOST_AFTER", timedelta(days=-days))


def test_a_run_that_ended_unseen_is_harvested_at_the_next_decision_once(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch
) -> None:
    Spark().run(nightly.prepare("e/1/1"))
    harvested: list[str] = []
    genuine = logs_of_runs.log_of_run
    monkeypatch.setattr(logs_of_runs, "log_of_run", lambda *given: (harvested.append(given[1]), genuine(*given))[1])
    assert nightly.prepare("e/2/1").decision.in_force, "what it measured is advised on at once"
    assert nightly.stored("e/1/1").state is RunState.SUCCEEDED
    nightly.prepare("e/3/1")
    assert harvested.count("e/1/1") == 1


@pytest.mark.parametrize("log_is_there", [True, False])
def test_a_job_that_fails_when_its_log_has_ended_has_failed_though_another_run_read_that(
    nightly: Nightly, log_is_there: bool
) -> None:
    nightly.night("e/1/1")
    turn = nightly.prepare("e/2/1")
    Spark(4.0, broadcast=True).run(turn)
    assert turn.decision.in_force
    nightly.prepare("f/1/1")
    assert nightly.stored("e/2/1").state is RunState.SUCCEEDED
    if not log_is_there:
        shutil.rmtree(local_path(turn.event_log_dir))
    complete(turn, nightly.url, failed=True)
    assert nightly.stored("e/2/1").state is RunState.FAILED
    assert nightly.stored("e/2/1").outcome is not None
    assert not nightly.prepare("e/2/2").decision.in_force, "its retry tries nothing"


@pytest.mark.parametrize(
    ("failed", "may_go_on"), [(False, False), (None, False), (False, True)], ids=["seen", "unseen", "submission seen"]
)
def test_a_job_that_got_over_a_failed_query_has_not_failed_though_another_run_read_its_log(
    nightly: Nightly, failed: bool | None, may_go_on: bool
) -> None:
    turn = nightly.prepare("e/1/1")
    Spark(error="boom").run(turn)
    nightly.prepare("f/1/1")
    assert nightly.stored("e/1/1").state is RunState.FAILED
    complete(replace(turn, job=replace(turn.job, may_go_on=may_go_on)), nightly.url, failed=failed)
    told, is_seen = nightly.stored("e/1/1"), failed is False and not may_go_on
    assert (told.state, told.failure is None) == (RunState.SUCCEEDED if is_seen else RunState.FAILED, is_seen)


def test_an_unseen_run_whose_queries_failed_counts_as_failed(nightly: Nightly) -> None:
    Spark(error="boom").run(nightly.prepare("e/1/1"))
    nightly.prepare("e/2/1")
    assert nightly.stored("e/1/1").state is RunState.FAILED


def test_a_run_still_under_way_is_left_alone_and_not_even_read(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch
) -> None:
    Spark(ended=False).run(nightly.prepare("e/1/1"))
    monkeypatch.setattr(harvest, "read_log", lambda *_: pytest.fail("read a log that is being written"))
    assert nightly.prepare("e/2/1").problems == ()
    assert nightly.stored("e/1/1").state is RunState.RUNNING


@pytest.mark.parametrize(("log", "state"), [(True, RunState.FAILED), (False, RunState.LOST)])
def test_a_run_not_heard_of_for_long_is_given_up(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch, log: bool, state: RunState
) -> None:
    turn = nightly.prepare("e/1/1")
    if log:
        Spark(ended=False).run(turn)
    _backdate(monkeypatch, 1)
    nightly.prepare("e/2/1")
    assert nightly.stored("e/1/1").state is state


def test_one_unreadable_run_does_not_keep_others_from_being_harvested(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch
) -> None:
    Spark().run(nightly.prepare("e/1/1"))
    genuine = Store.finish

    def finish(self: Store, key: str, *rest: Any) -> bool:
        if key == "e/1/1":
            raise RuntimeError("disk full\nand more")
        return genuine(self, key, *rest)

    monkeypatch.setattr(Store, "finish", finish)
    Spark().run(nightly.prepare("e/2/1"))
    (problem,) = nightly.prepare("e/3/1").problems
    assert problem == "could not harvest run e/1/1: disk full and more"
    assert nightly.stored("e/1/1").state is RunState.RUNNING
    assert nightly.stored("e/2/1").state is RunState.SUCCEEDED


# --- The tuner's own failures ---


def _boom(*_: Any, **__: Any) -> Any:
    raise RuntimeError("a bug\n  in two lines")


def _unsteered(turn: Turn) -> None:
    assert not turn.decision.in_force
    assert not turn.directives.conf
    assert not turn.directives.statements
    assert ADAPTIVE not in turn.conf
    assert all("\n" not in problem for problem in turn.problems)


@pytest.mark.parametrize("url", ["nonsense", "mysql://x/y", "sqlite:////proc/nowhere/x.db", ""])
def test_without_a_store_the_job_runs_unsteered(nightly: Nightly, url: str) -> None:
    turn = prepare(nightly.job("e/1/1"), url)
    _unsteered(turn)
    assert any("open the history store" in problem for problem in turn.problems)
    assert turn.conf[KEY] == "e/1/1", "its log may yet be harvested"
    Spark().run(turn)
    report = complete(turn, url, failed=False)
    assert any("store the outcome" in problem for problem in report.problems)
    assert report.run is not None


def test_when_a_run_ends_the_store_is_opened_once_and_closed(nightly: Nightly, monkeypatch: pytest.MonkeyPatch) -> None:
    nightly.night("e/1/1")
    turn = nightly.prepare("e/2/1")
    Spark(broadcast=True).run(turn)
    happened: list[str] = []
    opened, closed = Store.open, Store.close
    monkeypatch.setattr(Store, "open", lambda url: happened.append("opened") or opened(url))
    monkeypatch.setattr(Store, "close", lambda store: happened.append("closed") or closed(store))
    # For what is kept beside the harvest nobody waits.
    monkeypatch.setattr("tuner.loop.complete.aside", lambda _: None)
    report = complete(turn, nightly.url, failed=False)
    assert report.run and report.judgement and report.problems == ()
    assert happened == ["opened", "closed"]


def test_a_run_the_store_did_not_know_of_is_stored_when_it_ends(nightly: Nightly) -> None:
    turn = prepare(nightly.job("e/1/1"), "nonsense")
    Spark().run(turn)
    complete(turn, nightly.url, failed=False)
    assert nightly.stored("e/1/1").outcome is not None
    assert nightly.prepare("e/2/1").decision.in_force


@pytest.mark.parametrize("method", ["pending", "recent", "verdicts", "begin", "run", "close"])
def test_a_store_that_breaks_steers_nothing_or_is_only_reported(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    nightly.night("e/1/1")
    with monkeypatch.context() as broken:
        broken.setattr(Store, method, _boom)
        turn = nightly.prepare("e/2/2" if method == "run" else "e/2/1")
    assert any("a bug in two lines" in problem for problem in turn.problems)
    recorded = nightly.stored(turn.job.key)
    assert (recorded.decision.in_force if recorded else ()) == turn.decision.in_force
    if method in ("recent", "verdicts", "begin", "run"):
        _unsteered(turn)


@pytest.mark.parametrize(
    ("name", "steered"),
    [
        ("_advise", False),
        ("_learned", True),
        ("next_decision", False),
        ("decide", False),
        ("oversized_hints", False),
        ("choose_method", False),
        ("by_conf", False),
        ("only_carried_out", False),
        ("failed_with_changes", False),
        ("observing_conf", False),
        ("event_log_place", False),
        ("_begin", False),
        ("_catch_up", True),
    ],
)
def test_a_bug_while_preparing_never_stops_the_job(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch, name: str, steered: bool
) -> None:
    nightly.night("e/1/1")
    with monkeypatch.context() as broken:
        replace_in_loop(broken, name, _boom)
        turn = nightly.prepare("e/2/1")
    assert any("could not " in p and "a bug in two lines" in p for p in turn.problems)
    assert bool(turn.decision.in_force) is steered
    if not steered:
        _unsteered(turn)
    recorded = nightly.stored("e/2/1")
    assert (recorded.decision.in_force if recorded else ()) == turn.decision.in_force
    assert turn_lines(turn)


def test_a_bug_in_the_advisors_keeps_what_was_proven(nightly: Nightly, monkeypatch: pytest.MonkeyPatch) -> None:
    nightly.night("e/1/1")
    nightly.night("e/2/1")
    monkeypatch.setattr(next_decision, "_advise", _boom)
    turn = nightly.prepare("e/3/1")
    assert turn.decision.changes[0].standing is Standing.PROMOTED
    assert turn.problems == ("could not advise: a bug in two lines",)


@pytest.mark.parametrize("name", ["log_of_run", "harvest", "_harvest_of", "in_full", "outcome_of", "_finish"])
@pytest.mark.parametrize("failed", [True, False])
def test_a_bug_while_completing_never_fails_the_job(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch, name: str, failed: bool
) -> None:
    turn = nightly.prepare("e/1/1")
    Spark().run(turn)
    with monkeypatch.context() as broken:
        replace_in_loop(broken, name, _boom)
        report = complete(turn, nightly.url, failed=failed)
    problem, *_ = report.problems
    assert "a bug in two lines" in problem
    assert any(problem in line for line in report_lines(report))
    json.dumps(report.as_json())


def test_plans_that_cannot_be_read_do_not_keep_a_run_pending_for_ever(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch
) -> None:
    Spark().run(nightly.prepare("e/1/1"))
    monkeypatch.setattr(harvest, "in_full", _boom)
    assert any("read the plans of run e/1/1" in p for p in nightly.prepare("e/2/1").problems)
    assert nightly.stored("e/1/1").state is RunState.SUCCEEDED
    assert nightly.prepare("e/3/1").problems == ()


def test_an_error_without_words_is_named(nightly: Nightly, monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(*_: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(next_decision, "decide", silent)
    nightly.night("e/1/1")
    assert "could not decide: ZeroDivisionError" in nightly.prepare("e/2/1").problems


# --- Where the log goes ---


def test_without_a_directory_for_its_log_nothing_is_tried(nightly: Nightly) -> None:
    nightly.night("e/1/1")
    (nightly.root / "file").write_text("")
    turn = prepare(replace(nightly.job("e/2/1"), event_log_base=str(nightly.root / "file")), nightly.url)
    _unsteered(turn)
    assert turn.conf == {}
    assert decision_summary(turn.decision).startswith(
        f"no event log can be had below {nightly.root}/file (Not a directory)"
    )
    report = complete(turn, nightly.url, failed=False)
    assert report.run is None


def test_a_job_that_switches_its_log_off_is_not_steered(nightly: Nightly) -> None:
    nightly.night("e/1/1")
    nightly.user_conf = {"spark.eventLog.enabled": "false"}
    turn = nightly.prepare("e/2/1")
    _unsteered(turn)
    assert "spark.eventLog.enabled" not in turn.conf
    assert "spark.eventLog.enabled=false" in decision_summary(turn.decision)


def test_the_users_own_directory_is_used_and_searched_by_key(nightly: Nightly) -> None:
    own = nightly.root / "logs of all"
    own.mkdir()
    nightly.user_conf = {EVENT_LOG_DIR: own.as_uri()}
    turn = nightly.prepare("e/1/1")
    assert EVENT_LOG_DIR not in turn.conf
    assert turn.event_log_dir == own.as_uri()
    for name, key in (("a-1", "e/0/1"), ("a-2", "e/1/1"), ("a-3", "e/1/2")):
        Spark(seconds=int(name[-1])).write({EVENT_LOG_DIR: own.as_uri(), KEY: key}, name)
    report = complete(turn, nightly.url, failed=False)
    assert report.run is not None
    assert report.run.outcome is not None
    assert report.run.outcome.app_id == "a-2"


def test_a_directory_that_cannot_be_looked_at_from_here_is_not_used(nightly: Nightly) -> None:
    nightly.night("e/1/1")
    turn = prepare(replace(nightly.job("e/2/1"), event_log_base="nosuch://bucket/events/"), nightly.url)
    _unsteered(turn)
    assert (turn.conf, turn.problems) == ({}, ())
    assert "install the fsspec package for nosuch" in decision_summary(turn.decision)
    assert complete(turn, nightly.url, failed=False).problems == ()


@pytest.mark.parametrize(
    "key",
    [
        "dag/manual__2026-01-02T03:04:05+00:00/task/-1/1",
        "../../../etc/1",
        "a//b/./1",
        "token_refresh/1/1",
        "äöü ☃/1",
        "a b;c$(d)`e`/1",
        "x" * 400 + "/1",
        "1",
        "",
    ],
)
def test_whatever_the_key_its_run_is_found_again(nightly: Nightly, key: str) -> None:
    report = nightly.night(key)
    assert report.problems == ()
    assert report.run is not None
    directory = local_path(report.turn.event_log_dir)
    assert directory is not None
    assert (nightly.root / "events") in directory.parents
    assert ".." not in directory.parts


def test_whatever_the_cohort_its_directory_stays_below_the_base(nightly: Nightly) -> None:
    nightly.cohort = ".."
    own = local_path(nightly.prepare("e/1/1").event_log_dir)
    assert own is not None
    assert (nightly.root / "events") in own.parents


def test_each_key_has_a_directory_of_its_own(nightly: Nightly) -> None:
    keys = ["a:b/1", "a+b/1", "a_b/1", "a/b/1"]
    assert len({nightly.prepare(key).event_log_dir for key in keys}) == len(keys)


# --- By which way ---

SPARK = SparkAtHand(Path("/opt/spark"), "4.0.1", "2.13")


@pytest.fixture
def by_agent(nightly: Nightly, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Nightly:
    """A job that the agent steers, whose jar is deployed, and which has run once."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    nightly.steering = Steering.AGENT
    nightly.submission = Submission(SPARK, {"spark.jars": "/own.jar"}, "hdfs:///agent.jar")
    nightly.night("e/1/1")
    return nightly


@pytest.mark.parametrize("statements", [(), (SALES,)])
def test_the_agent_changes_single_joins_of_any_application(by_agent: Nightly, statements: tuple[str, ...]) -> None:
    by_agent.statements = statements
    turn = by_agent.prepare("e/2/1")
    (hint,) = [a for a in turn.decision.actions if a.kind is ActionKind.HINT_JOIN]
    told = json.loads(turn.conf[DIRECTIVES])
    assert [h["id"] for q in told["queries"] for h in q["hints"]] == [hint.id]
    assert told["queries"][0]["relations"] == ["db.items", "db.sales"]
    assert turn.directives.merged == {
        "spark.jars": "/own.jar,hdfs:///agent.jar",
        "spark.sql.extensions": "tuner.steering.agent.Extensions",
    }
    assert turn.directives.statements == ()
    assert turn.problems == ()
    report = Report(turn, None)
    assert "spark-tuner: the agent applies changes to single joins" in turn_lines(turn)
    assert report.as_json()["steering"] == "agent"


@pytest.mark.parametrize(
    ("asked", "own", "told"),
    [
        (OrderSensitive.STABLE, {}, None),
        (OrderSensitive.LEAVE, {}, "leave"),
        (OrderSensitive.LEAVE, {PROPERTY: "allow"}, None),
    ],
)
def test_the_agent_is_told_what_to_leave_for_the_order_of_rows(
    by_agent: Nightly, asked: OrderSensitive, own: dict[str, str], told: str | None
) -> None:
    by_agent.order_sensitive = asked
    by_agent.user_conf = own
    assert by_agent.prepare("e/2/1").conf.get(PROPERTY) == told


def test_without_anything_for_it_to_do_the_agent_stays_away(by_agent: Nightly) -> None:
    by_agent.mode = Mode.OBSERVE
    turn = by_agent.prepare("e/2/1")
    assert turn.directives.steering is Steering.AGENT
    assert (turn.directives.merged, turn.directives.conf) == ({}, {})
    assert DIRECTIVES not in turn.conf


@pytest.mark.parametrize(
    "action",
    [
        Action(ActionKind.ORDER_JOINS, "block", "((a c) b)", "gone"),
        Action(ActionKind.HINT_JOIN, "join", Hint.BROADCAST, "gone", ("shop.days",)),
    ],
)
def test_what_the_agent_cannot_be_told_is_not_in_force(
    by_agent: Nightly, monkeypatch: pytest.MonkeyPatch, action: Action
) -> None:
    predicted, of = Prediction(7.0, 4.0, 3.0, 5.0), Evidence("rows", 9, "rows")
    advice = (Change.of("test", (action,), ("gone",), said("why"), (of,), predicted),)
    monkeypatch.setattr(next_decision, "_advise", lambda _: advice)
    turn = by_agent.prepare("e/2/1")
    (held,) = turn.decision.changes
    assert (held.change.actions, held.standing) == ((action,), Standing.HELD)
    assert why_words(held).endswith(
        "the agent cannot apply it: its query did not run in the latest run, and has not come back so far"
    )
    assert turn.directives.merged == {}
    assert not any("not applied" in line for line in turn_lines(turn)), "it was not to be"


def test_what_comes_into_force_for_another_that_the_agent_cannot_be_told_is_looked_at_too(
    by_agent: Nightly, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hint waits for an order of its query, on a join that is not there."""
    query = by_agent.stored("e/1/1").outcome.queries[0].fingerprint
    order = Action(ActionKind.ORDER_JOINS, "block", "((a c) b)", query)
    hint = Action(ActionKind.HINT_JOIN, "join", Hint.BROADCAST, query, ("shop.days",))
    predicted, of = Prediction(7.0, 4.0, 3.0, 5.0), Evidence("rows", 9, "rows")
    advice = tuple(Change.of("test", (one,), (query,), said("why"), (of,), predicted) for one in (order, hint))
    monkeypatch.setattr(next_decision, "_advise", lambda _: advice)
    decided = by_agent.prepare("e/2/1").decision.changes
    codes = {d.change.actions[0]: d.held.code for d in decided if d.held}
    assert codes == dict.fromkeys((order, hint), ReasonCode.UNDIRECTABLE)


@pytest.mark.parametrize("statements", [(), (SALES,)])
def test_where_the_agent_cannot_be_built_the_run_is_steered_by_conf(
    by_agent: Nightly, monkeypatch: pytest.MonkeyPatch, statements: tuple[str, ...]
) -> None:
    by_agent.statements = statements
    monkeypatch.setattr(carry_out, "hand_over", _boom)
    turn = by_agent.prepare("e/2/1")
    assert turn.problems == ("could not steer by the agent: a bug in two lines",)
    assert turn.directives.steering is Steering.CONF
    assert not turn.decision.in_force
    assert not turn.directives.statements, "its hints are for who looks at sizes in the run"
    assert [why for _, why in turn.directives.overruled] == ["it could not be handed over"]
    assert DIRECTIVES not in turn.conf
    said = "spark-tuner: steered by conf, not by the agent: it could not be handed over"
    assert any(line.startswith(said) for line in turn_lines(turn))


def test_where_the_agent_cannot_go_the_run_is_steered_by_conf_and_says_why(by_agent: Nightly) -> None:
    by_agent.submission = replace(by_agent.submission, spark=replace(SPARK, version="3.2.4"))
    by_agent.night("e/2/1", Spark(version="3.2.4"))
    turn = by_agent.prepare("e/3/1")
    assert turn.problems == ()
    assert {a.kind for a in turn.decision.actions} == {ActionKind.SET_CONF}
    told = Report(turn, None).as_json()
    assert told["steering"] == "conf"
    assert "Spark 3.2.4 is older than 3.3" in str(told["steering_reason"])


def test_the_first_run_by_another_spark_is_observed(by_agent: Nightly) -> None:
    by_agent.submission = replace(by_agent.submission, spark=replace(SPARK, version="4.1.0"))
    turn = by_agent.prepare("e/2/1")
    assert turn.decision.changes
    assert not turn.decision.in_force
    assert all("first run with Spark 4.1 instead of 4.0: observed" in why_words(d) for d in turn.decision.changes)


def test_steering_may_be_off(by_agent: Nightly) -> None:
    by_agent.night("e/2/1")
    by_agent.steering = Steering.OFF
    turn = by_agent.prepare("e/3/1")
    assert turn.decision.in_force == ()
    assert (turn.decision.mode, turn.decision.steering_off) == (Mode.OBSERVE, True)
    assert turn.decision.changes
    assert (turn.directives.conf, turn.directives.merged) == ({}, {})
    assert turn.conf["spark.eventLog.enabled"] == "true"
    assert "spark-tuner: steering is off: nothing is changed" in turn_lines(turn)


@pytest.mark.parametrize(
    ("steering", "statements", "reach"),
    [
        (Steering.AGENT, (), Reach.AGENT),
        (Steering.AGENT, (SALES,), Reach.AGENT),
        (Steering.CONF, (SALES,), Reach.TEXT),
        (Steering.CONF, (), Reach.CONF),
    ],
)
def test_advice_is_on_what_the_way_can_reach(
    by_agent: Nightly,
    monkeypatch: pytest.MonkeyPatch,
    steering: Steering,
    statements: tuple[str, ...],
    reach: Reach,
) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(next_decision, "_advise", lambda facts: seen.append(facts) or ())
    by_agent.steering, by_agent.statements = steering, statements
    by_agent.prepare("e/2/1")
    assert [facts.reach for facts in seen] == [reach]


def test_only_the_agent_is_asked_for_orders(by_agent: Nightly, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    decide = next_decision.decide
    monkeypatch.setattr(next_decision, "decide", lambda situation: seen.append(situation) or decide(situation))
    for steering in (Steering.AGENT, Steering.CONF):
        by_agent.steering = steering
        by_agent.prepare(f"e/{steering}/1")
    assert [ActionKind.ORDER_JOINS in situation.drivable for situation in seen] == [True, False]


# --- What a driver is told ---


def test_a_report_has_numbers_and_fits_json(nightly: Nightly) -> None:
    nightly.night("e/1/1")
    report = nightly.night("e/2/1")
    assert turn_lines(report.turn)[0].startswith(
        "spark-tuner: etl.load: 1 on trial (prices learned from 1 run of its own)"
    )
    assert f"on trial: {STATIC}=" in turn_lines(report.turn)[1]
    assert "198k rows, 14.3 MB" in turn_lines(report.turn)[1]
    measured, gained, _ = report_lines(report)
    assert measured == "spark-tuner: measured 1 query in 4.5 s (Spark 4.0.1, local-1)"
    assert gained == "spark-tuner: gained 3.0 s: 1 query took 4.0 s instead of 7.0 s; 1 promoted"
    told = json.loads(json.dumps(report.as_json(), allow_nan=False))
    assert told["state"] == "succeeded"
    assert told["duration_ms"] == 4500
    assert told["conf"] == report.turn.directives.conf
    assert (told["steering"], told["steering_reason"]) == ("conf", "")
    assert told["actions"][0]["standing"] == "trial"
    assert told["queries"][0]["duration_ms"] == 4000
    assert told["gained_seconds"] == pytest.approx(3, rel=0.03)
    assert {a["standing"] for a in told["judged"]} == {"promoted"}


def test_a_turn_survives_being_stored(nightly: Nightly) -> None:
    nightly.statements = (SALES,)
    nightly.night("e/1/1")
    turn = nightly.prepare("e/2/1")
    assert turn.decision.in_force
    assert msgspec.json.decode(msgspec.json.encode(turn), type=Turn) == turn
    assert msgspec.convert(json.loads(msgspec.json.encode(turn.job)), JobToRun) == turn.job


def test_the_decision_that_was_submitted_is_the_one_that_is_judged(nightly: Nightly) -> None:
    """The store said it had failed to record the run, but had not."""
    nightly.night("e/1/1")
    steered = nightly.prepare("e/2/1")
    assert steered.decision.in_force
    unsteered = replace(steered, decision=unsteered_job(steered.job, EventLogPlace(), "not recorded").decision)
    Spark().run(unsteered)
    complete(unsteered, nightly.url, failed=False)
    assert not nightly.stored("e/2/1").decision.in_force


def test_an_action_is_what_a_person_can_name(nightly: Nightly) -> None:
    nightly.night("e/1/1")
    for action in nightly.prepare("e/2/1").decision.actions:
        assert isinstance(action, Action)
        assert action.id == f"set_conf:{action.target}={action.value}"


def test_what_fails_while_preparing_is_told_without_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        raise ValueError("near WHERE token = 'hunter2' in s3a://key:hunter2@bucket")

    monkeypatch.setattr(next_decision, "decide", failing)
    nightly = Nightly(tmp_path)
    nightly.night("a/1/1")
    (problem,) = nightly.prepare("a/2/1").problems
    assert "hunter2" not in problem
    assert problem.startswith("could not decide: near WHERE")


def test_what_no_driver_can_carry_out_is_proposed_and_never_applied(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = Action(ActionKind.ORDER_JOINS, "block", "((a c) b)", "q1")
    cbo = Action(ActionKind.SET_CONF, "spark.sql.cbo.enabled", "true")
    analyze = Action(ActionKind.ANALYZE_TABLE, "db.sales", "item")
    predicted, of = Prediction(7.0, 4.0, 3.0, 5.0), Evidence("rows", 9, "rows")
    advice = tuple(
        Change.of("test", actions, ("q1",), said("why"), (of,), predicted) for actions in ((order,), (cbo, analyze))
    )
    monkeypatch.setattr(next_decision, "_advise", lambda _: advice)
    nightly.night("e/1/1")
    for night in (2, 3):
        found = nightly.night(f"e/{night}/1").turn
        assert {d.change.actions: d.standing for d in found.decision.changes} == dict.fromkeys(
            ((order,), (cbo, analyze)), Standing.PROPOSED
        )
        assert not found.directives.conf
        assert cbo.target not in found.conf
    assert nightly.stored("e/3/1").decision.changes[0].change.actions == (order,)


def test_advisors_look_at_earlier_runs_too(nightly: Nightly, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(next_decision, "_advise", lambda facts: seen.append(facts) or ())
    replace_in_loop(monkeypatch, "advice_stamp", lambda *_: "")  # no advice is taken up
    for night in (1, 2, 3):
        nightly.night(f"e/{night}/1", Spark(seconds=night))
    nightly.night("e/4/1", failed=True)
    nightly.prepare("e/5/1")
    looked_ahead, decided = seen[::2], seen[1::2]  # at the end of each run, and at the start of the next
    durations = [[q.duration_ms for run in facts.earlier for q in run.queries] for facts in decided]
    assert durations == [[], [1000], [1000, 2000], [1000, 2000]]
    assert [facts.queries[0].duration_ms for facts in decided] == [1000, 2000, 3000, 3000]
    assert looked_ahead == decided


def test_the_log_says_what_prices_were_learned_from(nightly: Nightly, monkeypatch: pytest.MonkeyPatch) -> None:
    assert any("(prices are those that ship with the tuner)" in line for line in turn_lines(nightly.prepare("etl/0/1")))
    for night in (1, 2, 3):
        nightly.night(f"etl/{night}/1")
    assert nightly.prepare("etl/4/1").taught == "prices learned from 3 runs of its own"
    other = replace(nightly, cohort="other.job")
    assert other.night("other/1/1").turn.taught == "prices learned from 2 runs of 1 other job"
    turn = other.prepare("other/2/1")
    assert any("learned from 1 run of its own and 2 runs of 1 other job" in line for line in turn_lines(turn))
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    without = other.prepare("other/2/2")
    assert any("learned from no run: scipy is not installed (pip install" in line for line in turn_lines(without))
    assert any("a similar change gained in 1 of 1 other job" in why_words(d) for d in turn.decision.changes)


# --- Logs that Databricks delivers ---


def _delivered(directory: str, *, ended: bool) -> None:
    """What the run left, as Databricks leaves it: in pieces, and without an end."""
    place = local_path(directory)
    assert place is not None
    (log,) = place.glob("local-*")
    _, *lines = log.read_text().splitlines(keepends=True)
    lines = [json.dumps({"Event": "DBCEventLoggingListenerMetadata", "Spark Version": "4.0.1"}) + "\n", *lines[:-1]]
    lines = lines if ended else lines[:-1]
    log.unlink()
    made = f"{datetime.now(UTC):%m%d-%H%M%S}"
    logs = place / f"{made}-abc" / "eventlog" / f"{made}-abc_10_0_0_1" / "1"
    logs.mkdir(parents=True)
    (logs / "eventlog-2026-11-20--00-10.gz").write_bytes(gzip.compress("".join(lines[:5]).encode()))
    (logs / "eventlog").write_text("".join(lines[5:]))


def test_one_that_lacks_an_end_counts_once_no_work_came_for_long(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = nightly.prepare("e/1/1")
    Spark().run(turn)
    _delivered(turn.event_log_dir, ended=True)
    assert nightly.prepare("e/2/1").decision.in_force
    run = nightly.stored("e/1/1")
    assert (run.state, run.outcome.duration_ms, run.outcome.problems) == (RunState.SUCCEEDED, 7000, ())


def test_one_that_ends_in_a_query_does_not(nightly: Nightly) -> None:
    turn = nightly.prepare("e/1/1")
    Spark().run(turn)
    _delivered(turn.event_log_dir, ended=False)
    assert not nightly.prepare("e/2/1").decision.in_force
    assert nightly.stored("e/1/1").state is RunState.RUNNING


def test_who_asks_for_what_was_submitted_before_waits_no_longer_than_it_may(
    nightly: Nightly, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin = Origin("e", "1", "load", -1)
    job = replace(nightly.job("e/1/load/-1/1"), origin=origin)
    prepare(job, nightly.url)
    found = loop.submitted(origin, lambda _: job, nightly.url, most_seconds=30.0)
    assert [turn.job.key for turn in found] == [job.key]
    hangs = Event()
    monkeypatch.setattr(Store, "open", lambda *_, **__: hangs.wait(60))
    since = time.monotonic()
    assert loop.submitted(origin, lambda _: job, nightly.url, most_seconds=0.2) == []
    assert time.monotonic() - since < 30
    hangs.set()
