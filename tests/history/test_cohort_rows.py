"""Cohorts as a list shows them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import event, text

from tuner.history.cohort_rows import CohortSummary
from tuner.history.store import Store
from tuner.model.cohort_figures import CohortFigures, Gained
from tuner.model.cohort_stance import CohortStance
from tuner.model.decision import CohortState, Decision, Mode
from tuner.model.run import Origin, RunState
from tuner.model.saving import Saving

from .database import database
from .samples import LATER, MIDNIGHT, running


def test_cohorts_are_counted_and_show_their_newest_run(store: Store) -> None:
    assert store.cohorts() == []
    for key, cohort, minute in [("1", "b", 5), ("2", "b", 7), ("3", "b", 6), ("4", "a", 1)]:
        store.begin(running(key, cohort, minute))
    store.finish("2", RunState.FAILED, LATER, None)
    stance = CohortStance(CohortState.OBSERVING, Mode.AUTO)
    assert store.cohorts() == [
        CohortSummary("a", 1, MIDNIGHT + timedelta(minutes=1), RunState.RUNNING, (), "4", stance),
        CohortSummary("b", 3, MIDNIGHT + timedelta(minutes=7), RunState.FAILED, (), "2", stance),
    ]
    assert store.decisions(["2", "4", "none"]) == dict.fromkeys(["2", "4"], Decision(Mode.AUTO, ()))


def test_a_run_that_is_forgotten_counts_no_more(store: Store) -> None:
    for key, minute in [("1", 1), ("2", 2)]:
        store.begin(running(key, "a", minute))
    store.forget("2")
    (summary,) = store.cohorts()
    assert (summary.runs, summary.last_key) == (1, "1")
    store.forget("1")
    assert store.cohorts() == []


def test_a_run_that_begins_is_counted_once_without_counting_all_others(store: Store) -> None:
    """A task of 500 instances a night has half a million runs after three years: each counted all, while the others waited."""
    store.begin(running("1", "a", 1))
    with statements(store) as said:
        store.begin(running("2", "a", 2))
        store.begin(running("2", "a", 2))
        store.begin(running("0", "a", 0))
        store.forget("2")
        store.forget("nobody")
    assert not any("count(" in statement.lower() for statement in said)
    (summary,) = store.cohorts()
    assert (summary.runs, summary.last_key) == (2, "1")


@contextmanager
def statements(store: Store) -> Iterator[list[str]]:
    """What is said to the store's database meanwhile."""
    said = list[str]()

    def hear(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        said.append(statement)

    event.listen(store._engine, "before_cursor_execute", hear)
    yield said
    event.remove(store._engine, "before_cursor_execute", hear)


def test_tags_are_those_of_the_newest_run_that_knew_them(store: Store) -> None:
    store.begin(running("1", "a", 1), tags=["team-b", "team-a", "team-a"])
    store.begin(running("2", "a", 2))
    assert store.cohorts()[0].tags == ("team-a", "team-b")
    store.begin(running("3", "a", 3), tags=[])
    assert store.cohorts()[0].tags == ()


def test_figures_and_where_a_cohort_stands_are_kept_beside_its_runs(store: Store) -> None:
    store.begin(running("1", "a", 1))
    figures = CohortFigures(30.0, 42.5, 0.5, None, Gained(12.0, 1.5, 0.2), (40.0, None, 30.0), MIDNIGHT)
    stance = CohortStance(CohortState.TUNED, Mode.SUGGEST, 3, 2)
    store.keep_books("a", figures, {"1": MIDNIGHT}, [Saving("1", "x", 12.0, 1.5, 0.2)])
    store.keep_stance("a", stance)
    assert store.cohorts()[0].stance == stance
    store.begin(running("0", "a", 0))
    assert store.cohorts()[0].stance == stance, "an older run that is stored later says nothing of the next"
    store.begin(running("2", "a", 2))
    (summary,) = store.cohorts()
    assert (summary.figures, summary.runs) == (figures, 3)
    assert summary.stance == CohortStance(CohortState.OBSERVING, Mode.AUTO), "as its newest run has it"


def test_what_people_said_while_a_run_ran_holds_when_it_ends(store: Store) -> None:
    """It begins again with what it was submitted with."""
    run = running("1", "a", 1)
    store.begin(run)
    spoken = CohortStance(CohortState.HELD, Mode.OBSERVE, 0, 0)
    store.keep_stance("a", spoken)
    store.begin(run)
    assert store.cohorts()[0].stance == spoken
    store.begin(replace(run, decision=Decision(Mode.SUGGEST, ())))
    assert store.cohorts()[0].stance == CohortStance(CohortState.OBSERVING, Mode.SUGGEST)


def test_cohorts_of_a_dag_a_task_or_a_dag_run(store: Store) -> None:
    for key, cohort, origin in [
        ("1", "shared", Origin("sales", "monday", "load")),
        ("2", "shared", Origin("stock", "monday", "load", 3)),
        ("3", "own", Origin("sales", "tuesday", "clean")),
        ("4", "no airflow", None),
    ]:
        store.begin(replace(running(key, cohort), origin=origin))
    assert [(c.cohort, c.tasks) for c in store.cohorts()] == [
        ("no airflow", ()),
        ("own", (("sales", "clean"),)),
        ("shared", (("sales", "load"), ("stock", "load"))),
    ]
    assert [c.cohort for c in store.cohorts(dag_id="sales")] == ["own", "shared"]
    assert [c.cohort for c in store.cohorts(dag_id="sales", task_id="load")] == ["shared"]
    assert [c.cohort for c in store.cohorts(dag_id="sales", run_id="tuesday")] == ["own"]
    assert store.cohorts(dag_id="unknown") == []
    assert [(r.origin.map_index if r.origin else None) for r in store.runs("shared")] == [-1, 3]


def test_cohorts_in_a_state_of_a_newer_version_are_skipped(
    store: Store, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    for cohort in ("a", "b", "c"):
        store.begin(running(cohort, cohort=cohort))
    with database(url) as connection:
        connection.execute(text("UPDATE spark_tuner_cohorts SET state = 'asleep' WHERE cohort = 'a'"))
        connection.execute(text("UPDATE spark_tuner_cohorts SET trend = 'up' WHERE cohort = 'b'"))
        connection.execute(text("UPDATE spark_tuner_cohorts SET query_seconds = 1 WHERE cohort = 'b'"))
    assert [summary.cohort for summary in store.cohorts()] == ["c"]
    assert "cohort a cannot be read" in caplog.text and "cohort b cannot be read" in caplog.text
