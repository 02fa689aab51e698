"""A run begins once, and not beside another that tries the same."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import Connection, text

from tuner.errors import StoreError, TriedMeanwhileError
from tuner.history.schema import upgrade
from tuner.history.store import Store
from tuner.model.decision import Decision, Mode, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run, RunState
from tuner.words.decisions import decision_summary

from .database import database
from .samples import LATER, full_decision, measured, running, said


def test_a_run_begun_twice_is_one_run_with_the_newer_decision_and_start(store: Store) -> None:
    assert store.begin(running("k", summary="first"))
    second = replace(
        running("k", minute=5),
        decision=Decision(Mode.OBSERVE, (), unsteered=said("second")),
        event_log_dir="/logs/second",
    )
    assert store.begin(second)
    assert store.runs("etl.load") == [second]
    (cohort,) = store.cohorts()
    assert (cohort.last_started_at, cohort.runs) == (second.started_at, 1)


def test_what_was_seen_of_its_end_stays_where_the_same_run_begins_once_more(store: Store) -> None:
    store.begin(running("k"))
    store.keep_success("k", LATER)
    assert store.begin(running("k", summary="what it had"))
    assert store.pending("etl.load") == [replace(running("k", summary="what it had"), ended_at=LATER)]
    store.begin(running("k", minute=5))
    assert store.pending("etl.load") == [running("k", minute=5)]


@pytest.mark.parametrize("outcome", [None, measured()])
def test_a_finished_run_cannot_begin_again(store: Store, outcome: None) -> None:
    store.begin(running("k", summary="first"))
    store.finish("k", RunState.FAILED, LATER, outcome)
    finished = store.run("k")
    assert not store.begin(running("k", summary="second"))
    assert store.run("k") == finished
    assert finished is not None and decision_summary(finished.decision) == "first"


def test_a_key_of_another_cohorts_run_begins_nothing(store: Store) -> None:
    store.begin(running("k", cohort="ads", summary="first"))
    assert not store.begin(running("k", cohort="finance", summary="second"))
    assert store.run("k") == running("k", cohort="ads", summary="first")
    assert (store.cohort_of("k"), store.cohort_of("none")) == ("ads", None)


def test_only_a_running_run_begins(store: Store) -> None:
    with pytest.raises(ValueError, match="only a running one can begin"):
        store.begin(replace(running("k"), state=RunState.SUCCEEDED))
    assert store.run("k") is None


def test_a_number_that_json_cannot_hold_is_refused_when_written(store: Store) -> None:
    decision = full_decision()
    first = decision.changes[0]
    prediction = replace(first.change.prediction, high=float("inf"))  # type: ignore[type-var]
    endless = replace(decision, changes=(replace(first, change=replace(first.change, prediction=prediction)),))
    with pytest.raises(StoreError, match="decision of run k cannot be stored.*finite"):
        store.begin(replace(running("k"), decision=endless))
    assert store.run("k") is None


def trying(key: str, minute: int = 0) -> Run:
    """A run that has just started and has a change on trial."""
    return replace(running(key, minute=minute), decision=replace(full_decision(), unsteered=None))


def test_what_a_run_tries_that_began_since_is_not_tried_beside_it(store: Store) -> None:
    store.begin(running("known"))
    store.begin(trying("first", minute=1), decided_with=["known"])
    with pytest.raises(TriedMeanwhileError, match="run first began meanwhile"):
        store.begin(trying("second", minute=2), decided_with=["known"])
    assert store.run("second") is None
    assert [found.runs for found in store.cohorts()] == [2]

    assert store.begin(trying("second", minute=2), decided_with=["known", "first"]), "it was decided with that"
    assert store.begin(running("third", minute=3), decided_with=["known"]), "it tries nothing"
    assert store.begin(trying("first", minute=1), decided_with=["known", "second"]), "it began already"
    assert store.begin(trying("fourth")), "nobody asked"


def test_what_is_proven_is_left_out_of_one_of_the_runs_that_begin_at_once(store: Store) -> None:
    def without(key: str, minute: int) -> Run:
        begun = trying(key, minute)
        (held, *_) = begun.decision.changes
        held = replace(held, standing=Standing.HELD, held=Reason(ReasonCode.LONG_IN_FORCE, {"run": "known"}))
        return replace(begun, decision=replace(begun.decision, changes=(held,)))

    store.begin(running("known"))
    store.begin(without("first", minute=1), decided_with=["known"])
    with pytest.raises(TriedMeanwhileError, match="run first began meanwhile"):
        store.begin(without("second", minute=2), decided_with=["known"])
    assert store.run("second") is None
    assert store.begin(without("second", minute=2), decided_with=["known", "first"]), "it was decided with that"


@pytest.mark.parametrize(
    "state", [pytest.param(RunState.SUCCEEDED, id="it ended"), pytest.param(RunState.LOST, id="it was lost")]
)
def test_what_a_run_tried_may_be_tried_once_that_is_over(store: Store, state: RunState) -> None:
    store.begin(trying("first"))
    store.finish("first", state, LATER, None)
    assert store.begin(trying("second"), decided_with=[])


def test_a_run_older_than_all_that_a_decision_looked_at_did_not_begin_since(store: Store) -> None:
    store.begin(trying("older"))
    store.begin(running("known", minute=1))
    assert store.begin(trying("now", minute=2), decided_with=["known"])


def test_a_run_that_was_never_submitted_is_forgotten_and_one_that_ended_is_not(store: Store) -> None:
    begun, ended = running(), replace(running(), key="another")
    for run in (begun, ended):
        store.begin(run)
    store.finish(ended.key, RunState.FAILED, LATER, None)
    for key in (begun.key, ended.key, "nowhere"):
        store.forget(key)
    assert store.run(begun.key) is None
    assert [run.key for run in store.runs(ended.cohort)] == [ended.key]


@pytest.mark.postgres
def test_a_run_is_forgotten_while_it_ends(postgres_url: str) -> None:
    """A task is killed while what decided it records that it was given up: each waited for what the other one held."""
    upgrade(postgres_url)
    with Store.open(postgres_url) as store, ThreadPoolExecutor(1) as aside:
        store.begin(running())
        with database(postgres_url) as ending:
            ending.execute(text("UPDATE spark_tuner_runs SET state = 'lost'"))
            forgotten = aside.submit(store.forget, running().key)
            await_lock(ending, forgotten)
            ending.execute(text("UPDATE spark_tuner_cohorts SET last_state = 'lost'"))
        forgotten.result(timeout=30)
        assert [run.state for run in store.runs(running().cohort)] == [RunState.LOST]


@pytest.mark.postgres
def test_a_run_that_begins_while_the_only_other_one_is_forgotten_has_a_cohort(postgres_url: str) -> None:
    upgrade(postgres_url)
    with Store.open(postgres_url) as store, ThreadPoolExecutor(1) as aside:
        store.begin(running("first"))
        with database(postgres_url) as forgetting:
            forgetting.execute(text("DELETE FROM spark_tuner_runs"))
            forgetting.execute(text("SELECT * FROM spark_tuner_cohorts FOR UPDATE"))
            begun = aside.submit(store.begin, running("second"))
            await_lock(forgetting, begun)
            forgetting.execute(text("DELETE FROM spark_tuner_cohorts"))
        assert begun.result(timeout=30)
        assert [(found.runs, found.last_key) for found in store.cohorts()] == [(1, "second")]


def await_lock(connection: Connection, waiting: Future[Any]) -> None:
    """Until what is under way waits for what this connection holds."""
    asked = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
    while not connection.scalar(asked):
        assert not waiting.done(), waiting.result()
