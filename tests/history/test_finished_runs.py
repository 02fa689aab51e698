"""A run ends once, but where more is learnt of its end."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tuner.errors import StoreError
from tuner.history.store import Store
from tuner.model.run import RunState

from .samples import LATER, measured, running


def test_an_outcome_is_stored_once(store: Store) -> None:
    store.begin(running("k"))
    assert store.finish("k", RunState.SUCCEEDED, LATER, measured("first"))
    stored = store.run("k")
    assert not store.finish("k", RunState.FAILED, LATER + timedelta(1), measured("second"))
    assert not store.finish("k", RunState.LOST, LATER + timedelta(1), None)
    assert store.run("k") == stored


def test_a_lost_run_takes_its_outcome_later(store: Store) -> None:
    store.begin(running("k"))
    assert store.finish("k", RunState.LOST, LATER, None)
    assert store.finish("k", RunState.SUCCEEDED, LATER + timedelta(1), measured())
    run = store.run("k")
    assert run is not None
    assert (run.state, run.ended_at, run.outcome) == (RunState.SUCCEEDED, LATER + timedelta(1), measured())


def test_a_run_given_up_while_its_log_had_no_end_takes_the_whole_one(store: Store) -> None:
    broken_off = replace(measured("a"), duration_ms=None)
    store.begin(running("k"))
    assert store.finish("k", RunState.FAILED, LATER, broken_off)
    assert not store.finish("k", RunState.PARTIAL, LATER + timedelta(1), broken_off)
    assert store.finish("k", RunState.SUCCEEDED, LATER + timedelta(1), measured("a"))
    run = store.run("k")
    assert run is not None
    assert (run.state, run.outcome) == (RunState.SUCCEEDED, measured("a"))


def test_a_run_is_lost_once(store: Store) -> None:
    store.begin(running("k"))
    assert store.finish("k", RunState.LOST, LATER, None)
    assert not store.finish("k", RunState.FAILED, LATER + timedelta(1), None)
    run = store.run("k")
    assert run is not None and (run.state, run.ended_at) == (RunState.LOST, LATER)


def test_a_run_that_was_seen_to_succeed_runs_on_until_its_log_is_there(store: Store) -> None:
    store.begin(running("k"))
    assert store.keep_success("k", LATER)
    assert store.pending("etl.load") == [replace(running("k"), ended_at=LATER)]
    assert store.finish("k", RunState.SUCCEEDED, LATER + timedelta(1), measured())
    stored = store.run("k")
    assert not store.keep_success("k", LATER)
    assert store.run("k") == stored
    assert store.pending("etl.load") == []


@pytest.mark.parametrize(
    ("told", "seen"), [(RunState.FAILED, RunState.SUCCEEDED), (RunState.SUCCEEDED, RunState.FAILED)]
)
def test_how_a_run_was_seen_to_end_takes_the_place_of_what_its_log_told(
    store: Store, told: RunState, seen: RunState
) -> None:
    store.begin(running("k"))
    store.finish("k", told, LATER, measured())
    assert not store.finish("k", seen, LATER, measured())
    assert store.finish("k", seen, LATER, measured(), seen=True)
    assert [run.state for run in store.runs("etl.load")] == [seen]


def test_a_run_that_never_began_cannot_finish(store: Store) -> None:
    with pytest.raises(StoreError, match="run k is not in the history store"):
        store.finish("k", RunState.SUCCEEDED, LATER, measured())


def test_running_is_no_way_to_finish(store: Store) -> None:
    store.begin(running("k"))
    with pytest.raises(ValueError, match="cannot finish as running"):
        store.finish("k", RunState.RUNNING, LATER, None)
