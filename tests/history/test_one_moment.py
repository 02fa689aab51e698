"""What one question is answered with stood in the store at one moment, whatever others write while it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import event

from tuner.history.store import Store
from tuner.model.decision import Mode
from tuner.model.run import Origin, RunState
from tuner.model.saving import Saving
from tuner.model.verdict import ModeChange, Ruling, Verdict

from .samples import LATER, MIDNIGHT, full_outcome, running

COHORT, CHANGE = "etl.load", "x"
EVER = LATER.replace(year=2099)


@pytest.fixture
def runs(store: Store) -> Store:
    """Two runs that succeeded, of which one is booked, and one that runs."""
    for minute, key in enumerate("123"):
        store.begin(replace(running(key, COHORT, minute), origin=Origin("etl", "monday", "load")))
    for key in "12":
        store.finish(key, RunState.SUCCEEDED, LATER, full_outcome())
    store.keep_books(COHORT, None, {"1": MIDNIGHT}, [Saving("1", CHANGE, 1.0)])
    return store


def write_all(store: Store) -> None:
    """Those that succeeded turn out to have failed, the third one ends, and people speak."""
    for key in "12":
        store.finish(key, RunState.FAILED, LATER, full_outcome(), seen=True)
    store.finish("3", RunState.SUCCEEDED, LATER, full_outcome())
    store.keep_books(COHORT, None, {"3": MIDNIGHT}, [Saving("3", CHANGE, 2.0)])
    store.let_go_of_plans(["1", "2"])
    store.record(Verdict(COHORT, CHANGE, Ruling.PIN, "ann", LATER))
    store.set_mode(ModeChange(COHORT, Mode.OBSERVE, "ann", LATER))


@contextmanager
def meanwhile(store: Store, happens: Callable[[], None]) -> Iterator[None]:
    """Lets something happen once, right after the first that is read of the store."""
    waiting = [happens]

    def read(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if waiting and statement.startswith("SELECT"):
            waiting.pop()()

    event.listen(store._engine, "after_cursor_execute", read)
    try:
        yield
    finally:
        event.remove(store._engine, "after_cursor_execute", read)


QUESTIONS: dict[str, Callable[[Store], Any]] = {
    "brief_runs": lambda store: store.brief_runs(COHORT, 9, {}),
    "recent": lambda store: store.recent(COHORT, 9, 9),
    "never_booked": lambda store: store.never_booked(COHORT, EVER, 9),
    "last_runs_with": lambda store: store.last_runs_with([(COHORT, CHANGE)]),
    "elsewhere": lambda store: store.elsewhere("other", 9, 9),
    "said_of": lambda store: store.said_of([COHORT]),
    "cohorts": lambda store: store.cohorts(run_id="monday"),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_answer_is_of_one_moment(runs: Store, url: str, question: str) -> None:
    asked = QUESTIONS[question]
    before = asked(runs)
    with Store.open(url) as other, meanwhile(runs, lambda: write_all(other)):
        assert asked(runs) == before
    assert asked(runs) != before, "as others left it since"


def test_runs_that_are_known_are_as_they_were_when_the_others_were_read(runs: Store, url: str) -> None:
    known = {run.key: run for run in runs.brief_runs(COHORT, 9, {})}
    with Store.open(url) as other, meanwhile(runs, lambda: write_all(other)):
        found = runs.brief_runs(COHORT, 9, known)
    assert [run.state for run in found] == [RunState.SUCCEEDED, RunState.SUCCEEDED, RunState.RUNNING]
