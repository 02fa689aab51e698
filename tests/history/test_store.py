"""What every store keeps, whichever database it is in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy import Connection, delete, text, update

from tuner.errors import StoreError, TriedMeanwhileError
from tuner.history.cohort_rows import CohortSummary
from tuner.history.engine import open_engine
from tuner.history.saving_rows import never_booked
from tuner.history.store import Store
from tuner.history.tables import LookAheadRow, TimesRow
from tuner.history.url import parse
from tuner.model.action import Action, ActionKind
from tuner.model.change import Change, Evidence
from tuner.model.cohort_figures import CohortFigures, Gained
from tuner.model.cohort_stance import CohortStance
from tuner.model.decision import CohortState, DecidedChange, Decision, Mode, Standing
from tuner.model.insight import Insight, InsightKind
from tuner.model.look_ahead import LookAhead
from tuner.model.plan_picture import PlanPicture, PlanStep, StepKind
from tuner.model.run import Origin, Run, RunDetails, RunState
from tuner.model.saving import Saving
from tuner.model.verdict import ModeChange, Ruling, Verdict
from tuner.words.decisions import decision_summary

from .samples import MIDNIGHT, full_decision, full_outcome, measured, running, said

LATER = MIDNIGHT + timedelta(hours=1)


@contextmanager
def database(url: str) -> Iterator[Connection]:
    """The database behind the store's back."""
    engine = open_engine(parse(url))
    with engine.begin() as connection:
        yield connection
    engine.dispose()


# -- a run -------------------------------------------------------------------------------------------------------------


def test_a_run_comes_back_as_it_went_in(store: Store) -> None:
    begun = replace(running(), try_number=3, decision=full_decision())
    store.begin(begun)
    assert store.run(begun.key) == begun

    assert store.finish(begun.key, RunState.PARTIAL, LATER, full_outcome())

    finished = replace(begun, state=RunState.PARTIAL, ended_at=LATER, outcome=full_outcome())
    assert store.run(begun.key) == finished
    assert store.runs(begun.cohort) == [finished]


def test_a_run_that_was_never_submitted_is_forgotten_and_one_that_ended_is_not(store: Store) -> None:
    begun, ended = running(), replace(running(), key="another")
    for run in (begun, ended):
        store.begin(run)
    store.finish(ended.key, RunState.FAILED, LATER, None)
    for key in (begun.key, ended.key, "nowhere"):
        store.forget(key)
    assert store.run(begun.key) is None
    assert [run.key for run in store.runs(ended.cohort)] == [ended.key]


def test_keys_are_found_by_a_part_of_them_the_newest_first(store: Store) -> None:
    for minute, key in enumerate(("etl/1_a/load", "etl/12a/load", "sales/1_a/load")):
        store.begin(running(key, "sales" if key.startswith("sales") else "etl", minute))
    assert store.keys_with("load", 10) == ["sales/1_a/load", "etl/12a/load", "etl/1_a/load"]
    assert store.keys_with("1_a", 10) == ["sales/1_a/load", "etl/1_a/load"]
    assert store.keys_with("1_a", 10, "etl") == ["etl/1_a/load"]
    assert store.keys_with("load", 1) == ["sales/1_a/load"]
    assert store.keys_with("%", 10) == []


def test_an_unknown_key_is_no_run(store: Store) -> None:
    assert store.run("nowhere") is None


def test_the_columns_for_lookups_hold_what_the_documents_say(store: Store, url: str) -> None:
    store.begin(replace(running("k"), decision=full_decision()))
    store.finish("k", RunState.SUCCEEDED, LATER, full_outcome())
    with database(url) as connection:
        row = connection.execute(
            text("SELECT state, mode, app_id, duration_ms, event_log_dir FROM spark_tuner_runs")
        ).one()
    assert tuple(row) == ("succeeded", "suggest", "app-7", 2**33, "/logs/k")


def test_moments_come_back_in_utc_whatever_zone_they_were_given_in(store: Store) -> None:
    tokyo = timezone(timedelta(hours=9))
    store.begin(replace(running("k"), started_at=datetime(2026, 11, 20, 9, 0, 0, 123456, tokyo)))
    store.finish("k", RunState.LOST, datetime(2026, 11, 20, 10, 0, tzinfo=tokyo), None)
    run = store.run("k")
    assert run is not None and run.ended_at is not None
    assert (run.started_at, run.started_at.tzinfo) == (datetime(2026, 11, 20, 0, 0, 0, 123456, UTC), UTC)
    assert (run.ended_at, run.ended_at.tzinfo) == (datetime(2026, 11, 20, 1, 0, tzinfo=UTC), UTC)


def test_a_moment_without_a_zone_is_refused(store: Store) -> None:
    with pytest.raises(StoreError, match="has no time zone"):
        store.begin(replace(running("k"), started_at=datetime(2026, 11, 20)))
    assert store.run("k") is None


def test_a_number_that_json_cannot_hold_is_refused_when_written(store: Store) -> None:
    decision = full_decision()
    first = decision.changes[0]
    prediction = replace(first.change.prediction, high=float("inf"))  # type: ignore[type-var]
    endless = replace(decision, changes=(replace(first, change=replace(first.change, prediction=prediction)),))
    with pytest.raises(StoreError, match="decision of run k cannot be stored.*finite"):
        store.begin(replace(running("k"), decision=endless))
    assert store.run("k") is None


# -- begin -------------------------------------------------------------------------------------------------------------


def test_a_run_begun_twice_is_one_run_with_the_newer_decision(store: Store) -> None:
    assert store.begin(running("k", summary="first"))
    second = replace(
        running("k", minute=5),
        decision=Decision(Mode.OBSERVE, (), unsteered=said("second")),
        event_log_dir="/logs/second",
    )
    assert store.begin(second)
    assert store.runs("etl.load") == [replace(second, started_at=MIDNIGHT)]


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


def test_how_many_runs_go_back_to_the_first_of_the_latest_dag_runs(store: Store) -> None:
    dag_runs = ["a", "a", "b", None, "b", "c", "c", "c"]
    for minute, run_id in enumerate(dag_runs):
        origin = Origin("etl", run_id, "load", minute) if run_id else None
        store.begin(replace(running(f"{minute}", minute=minute), origin=origin))
    found = [store.runs_since("etl.load", dag_runs=n, most=100) for n in range(5)]
    assert found == [0, 3, 5, 7, 7]
    assert store.runs_since("etl.load", dag_runs=3, most=4) == 4
    assert store.runs_since("other", dag_runs=3, most=4) == 0


# -- finish ------------------------------------------------------------------------------------------------------------


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


def test_a_run_that_never_began_cannot_finish(store: Store) -> None:
    with pytest.raises(StoreError, match="run k is not in the history store"):
        store.finish("k", RunState.SUCCEEDED, LATER, measured())


def test_running_is_no_way_to_finish(store: Store) -> None:
    store.begin(running("k"))
    with pytest.raises(ValueError, match="cannot finish as running"):
        store.finish("k", RunState.RUNNING, LATER, None)


# -- lists -------------------------------------------------------------------------------------------------------------


def keys(store: Store, cohort: str, limit: int = 50) -> list[str]:
    return [run.key for run in store.runs(cohort, limit)]


def test_runs_are_the_newest_in_order_of_start_then_key(store: Store) -> None:
    for key, minute in [("d", 2), ("b", 1), ("a", 3), ("C", 1), ("e", 0)]:
        store.begin(running(key, minute=minute))
    store.begin(running("other", cohort="other", minute=9))
    assert keys(store, "etl.load") == ["e", "C", "b", "d", "a"]
    assert keys(store, "etl.load", limit=3) == ["b", "d", "a"]
    assert keys(store, "etl.load", limit=0) == keys(store, "etl.load", limit=-1) == keys(store, "none") == []


def test_fifty_runs_unless_asked_for_more(store: Store) -> None:
    for minute in range(51):
        store.begin(running(f"{minute:02}", minute=minute))
    assert keys(store, "etl.load")[0] == "01"
    assert len(keys(store, "etl.load", limit=60)) == 51


def test_pending_are_the_running_runs_of_the_cohort(store: Store) -> None:
    for key, minute in [("late", 3), ("early", 1), ("done", 2), ("lost", 0)]:
        store.begin(running(key, minute=minute))
    store.begin(running("other", cohort="other"))
    store.finish("done", RunState.SUCCEEDED, LATER, measured())
    store.finish("lost", RunState.LOST, LATER, None)
    assert [run.key for run in store.pending("etl.load")] == ["early", "late"]


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


def test_tags_are_those_of_the_newest_run_that_knew_them(store: Store) -> None:
    store.begin(running("1", "a", 1), tags=["team-b", "team-a", "team-a"])
    store.begin(running("2", "a", 2))
    assert store.cohorts()[0].tags == ("team-a", "team-b")
    store.begin(running("3", "a", 3), tags=[])
    assert store.cohorts()[0].tags == ()


def test_figures_and_where_a_cohort_stands_are_kept_beside_its_runs(store: Store) -> None:
    store.begin(running("1", "a", 1))
    figures = CohortFigures(30.0, 42.5, 0.5, None, Gained(12.0, 1.5, 0.2), (40.0, None, 30.0))
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


def test_what_was_booked_of_what_is_not_told_of_stays(store: Store) -> None:
    monday = datetime(2026, 11, 16, 1, tzinfo=UTC)
    store.begin(running("1", "a"))
    booked = [Saving("1", change, 3.0, 3.0, 0.5, None, variance_of_run=8.0) for change in ("w", "x", "y")]
    store.keep_books("a", None, {"1": monday}, booked)
    told = [Saving("1", "x", 4.0, 2.0, 1.0, variance_of_run=17.0)]
    for _ in range(2):
        store.keep_books("a", None, {"1": monday}, told, untold={("1", "y"), ("1", "z")})
    (week,) = store.saved_by_week(None, monday)
    assert (week.saved.seconds, week.saved.core_hours, week.saved.runs) == (7.0, 1.5, 1)
    assert week.saved.deviation == pytest.approx(5.0)
    changes = store.saved_by_change(None, monday, 5)
    assert {one.change_id: one.saved.seconds for one in changes} == {"x": 4.0, "y": 3.0}


def test_runs_that_nothing_is_booked_of_are_the_newest_and_the_oldest(store: Store) -> None:
    for day in range(1, 9):
        run = running(str(day), "a", day)
        store.begin(run)
        if day != 4:
            store.finish(run.key, RunState.SUCCEEDED, run.started_at, full_outcome())
    started = {str(day): running(str(day), "a", day).started_at for day in range(1, 9)}
    store.keep_books("a", None, started, [Saving("2", "x", 1.0), Saving("6", "x", 1.0)])
    assert [run.key for run in store.never_booked("a", started["8"], 1)] == ["1", "7"]
    assert [run.key for run in store.never_booked("a", started["8"], 9)] == ["1", "3", "5", "7"]
    assert store.never_booked("b", started["8"], 9) == []
    assert [run.key for run in store.first_between("a", started["1"], started["8"], 3)] == ["2", "3", "5"]
    assert [run.key for run in store.first_between("a", started["6"], started["8"], 3)] == ["7"]


def test_runs_that_nothing_is_booked_of_are_found_without_reading_all_bookings(url: str) -> None:
    """A job of every hour with five changes in force books 40,000 rows a year: PostgreSQL read all of these for each run."""
    with database(url) as connection:
        is_sqlite = connection.dialect.name == "sqlite"
        if not is_sqlite:
            connection.execute(text("SET enable_seqscan = off"))  # What tells of so few rows tells nothing of many.
        asked = never_booked("etl").compile(connection, compile_kwargs={"literal_binds": True})
        found = connection.execute(text(f"EXPLAIN {'QUERY PLAN' if is_sqlite else ''} {asked}")).all()
    plan = "\n".join(str(row[-1]) for row in found)
    assert "ix_spark_tuner_savings_run_key" in plan, plan
    assert is_sqlite or "SubPlan" not in plan, plan


def test_savings_are_summed_by_week_and_change_and_told_anew(store: Store) -> None:
    monday, sunday, next_monday = (datetime(2026, 11, day, 1, tzinfo=UTC) for day in (16, 22, 23))
    figures = CohortFigures(30.0, None, None, None, None, ())
    for number, cohort in enumerate(("a", "b")):
        store.begin(running(cohort, cohort))
        started = {f"{cohort}1": monday, f"{cohort}2": sunday, f"{cohort}3": next_monday}
        booked = [
            Saving(f"{cohort}1", "x", 3.0, 3.0, 1.0, 2.0, variance_of_run=9.0),
            Saving(f"{cohort}1", "y", 4.0, 4.0, variance_of_run=16.0),
            Saving(f"{cohort}2", "x", -1.0, 3.0, failed=True, variance_of_run=9.0),
            Saving(f"{cohort}3", "x", 10.0 + number, 3.0, variance_of_run=9.0),
        ]
        store.keep_books(cohort, figures, started, [Saving(f"{cohort}1", "z", 99.0)])
        store.keep_books(cohort, figures, started, booked)
    weeks = store.saved_by_week(None, monday)
    assert [(s.cohort, s.week) for s in weeks] == [
        ("a", "2026-11-16"),
        ("b", "2026-11-16"),
        ("a", "2026-11-23"),
        ("b", "2026-11-23"),
    ]
    first = weeks[0].saved
    assert (first.seconds, first.core_hours, first.gib_hours, first.runs, first.failed) == (6.0, 1.0, 2.0, 2, 1)
    assert first.deviation == pytest.approx(5.0 + 3.0), "unsure each by itself in a run, and alike in every run"
    assert [s.week for s in store.saved_by_week(["a"], sunday + timedelta(1))] == ["2026-11-23"]
    changes = store.saved_by_change(None, monday, 3)
    assert [(s.cohort, s.change_id, s.saved.seconds) for s in changes] == [
        ("b", "x", 13.0),
        ("a", "x", 12.0),
        ("a", "y", 4.0),
    ]
    assert (changes[1].saved.deviation, changes[1].first_at, changes[1].last_at) == (9.0, monday, next_monday)
    assert store.saved_by_change([], monday, 3) == []


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


def test_pages_of_runs_count_from_the_newest(store: Store) -> None:
    for minute in range(5):
        store.begin(running(str(minute), minute=minute))
    assert [r.key for r in store.runs("etl.load", 2)] == ["3", "4"]
    assert [r.key for r in store.runs("etl.load", 2, offset=2)] == ["1", "2"]
    assert store.count("etl.load") == 5


def test_brief_runs_have_what_times_rest_on(store: Store) -> None:
    store.begin(running("k"))
    store.finish("k", RunState.SUCCEEDED, LATER, full_outcome())
    (brief,), (whole,) = store.runs("etl.load", brief=True), store.runs("etl.load")
    assert brief.outcome is not None and whole.outcome is not None
    kept = ("id", "fingerprint", "description", "duration_ms", "status", "input_bytes", "directives")
    for seen, known in zip(brief.outcome.queries, whole.outcome.queries, strict=True):
        assert [getattr(seen, name) for name in kept] == [getattr(known, name) for name in kept]
        assert seen.joins == ()
    assert brief.outcome.duration_ms == whole.outcome.duration_ms
    assert brief.outcome.resources == whole.outcome.resources == full_outcome().resources


def test_a_run_that_turned_out_to_have_failed_is_read_again(store: Store) -> None:
    """Another run found its whole log; then its driver failed."""
    store.begin(running("k"))
    store.finish("k", RunState.SUCCEEDED, LATER, full_outcome())
    known = {run.key: run for run in store.brief_runs("etl.load", 9, {})}
    (again,) = store.brief_runs("etl.load", 9, known)
    assert again is known["k"]
    store.finish("k", RunState.FAILED, LATER, full_outcome(), seen=True)
    (now,) = store.brief_runs("etl.load", 9, known)
    assert now.state is RunState.FAILED


def test_of_recent_runs_the_newest_that_succeeded_are_whole_and_older_ones_are_what_advisors_look_back_at(
    store: Store,
) -> None:
    good, bad = RunState.SUCCEEDED, RunState.FAILED
    for minute, (state, changes) in enumerate(
        [(good, "b"), (good, "a"), (good, "a"), (good, ""), (bad, ""), (good, "")]
    ):
        decided = tuple(
            DecidedChange(
                Change.of("test", (Action(ActionKind.SET_CONF, c, "1"),), (), said(""), (), None),
                Standing.TRIAL,
                said(""),
            )
            for c in changes
        )
        started = running(str(minute), minute=minute)
        store.begin(replace(started, decision=replace(started.decision, changes=decided)))
        store.finish(str(minute), state, LATER, full_outcome())
    whole = store.runs("etl.load")
    found = store.recent("etl.load", 6, in_full=2)
    assert [run == known for run, known in zip(found, whole, strict=True)] == [False, False, False, True, False, True]
    times = ["id", "fingerprint", "duration_ms", "status", "input_bytes", "directives"]
    for seen, known in zip(found, whole, strict=True):
        assert seen.outcome is not None and known.outcome is not None
        assert (seen.outcome.conf, seen.outcome.cluster) == (known.outcome.conf, known.outcome.cluster)
        # Of runs with the same changes the newest tells of their blocks.
        kept = [*times, "graphs"] if seen.key in "023" else times
        for one, other in zip(seen.outcome.queries, known.outcome.queries, strict=True):
            assert [getattr(one, name) for name in kept] == [getattr(other, name) for name in kept]
    assert [run.key for run in store.recent("etl.load", 2, in_full=1)] == ["4", "5"]


def test_runs_of_a_store_that_kept_no_times_apart_are_read_from_their_outcomes(store: Store) -> None:
    store.begin(running("k"))
    store.finish("k", RunState.SUCCEEDED, LATER, full_outcome())
    brief, recent = store.runs("etl.load", brief=True), store.recent("etl.load", 1, in_full=1)
    with store._engine.begin() as connection:
        connection.execute(delete(TimesRow))
    assert (store.runs("etl.load", brief=True), store.recent("etl.load", 1, in_full=1)) == (brief, recent)


def test_details_come_back_as_they_went_in(store: Store) -> None:
    store.begin(running("k"))
    assert store.details("k") is None
    details = RunDetails(
        outlook=full_decision(),
        insights=(Insight(InsightKind.SPILL, "Sort", "q72", 3.5, (Evidence("spilled", 2.0, "bytes"),), "a", "b", "c"),),
        pictures=(PlanPicture("q72", "query72", (PlanStep(StepKind.SCAN, "Scan parquet", "date_dim", rows=7),)),),
    )
    store.add_details("k", details)
    assert store.details("k") == details
    with pytest.raises(StoreError, match="never began"):
        store.add_details("nowhere", details)


def test_what_was_decided_ahead_comes_back_as_it_went_in_until_the_next(store: Store) -> None:
    assert store.look_ahead("etl.load") is None
    decision = full_decision()
    kept = LookAhead(
        "stamp", decision, "4.0.1", 7, True, "told", ((decision.actions[0], "why"),), {"q72": "«b»"}, {"scan": 20.5}
    )
    whole = replace(kept, advised=tuple(d.change for d in decision.changes), advice_stamp="advice")
    for ahead in (kept, whole):
        store.keep_look_ahead("etl.load", ahead)
        assert store.look_ahead("etl.load") == ahead
    assert store.look_ahead("another") is None


@pytest.mark.parametrize("column", ["digest", "document"])
def test_what_was_decided_ahead_and_is_damaged_is_none(store: Store, column: str) -> None:
    store.keep_look_ahead("etl.load", LookAhead("stamp", full_decision()))
    with store._engine.begin() as connection:
        connection.execute(update(LookAheadRow).values({column: "{}"}))
    assert store.look_ahead("etl.load") is None


def test_what_would_not_come_back_is_not_decided_ahead(store: Store) -> None:
    with pytest.raises(StoreError, match=r"what was decided ahead for etl\.load .* finite"):
        store.keep_look_ahead("etl.load", LookAhead("stamp", full_decision(), prices={"scan": float("inf")}))
    assert store.look_ahead("etl.load") is None


def test_marks_are_those_of_the_runs(store: Store) -> None:
    for minute in range(3):
        store.begin(running(f"k{minute}", minute=minute))
    store.finish("k0", RunState.SUCCEEDED, LATER, full_outcome())
    store.finish("k1", RunState.LOST, LATER, None)
    assert store.marks("etl.load", 10) == [run.mark for run in store.runs("etl.load")]
    assert store.marks("etl.load", 2) == [run.mark for run in store.recent("etl.load", 2, 1)]


def test_the_newest_mode_that_a_person_gave_counts(store: Store) -> None:
    assert store.mode("etl.load") is None
    first = ModeChange("etl.load", Mode.OBSERVE, "ann", MIDNIGHT, "quarter end")
    second = ModeChange("etl.load", Mode.SUGGEST, "bob", LATER)
    store.set_mode(first)
    store.set_mode(second)
    store.set_mode(ModeChange("other", Mode.OBSERVE, "ann", LATER))
    assert store.mode("etl.load") is Mode.SUGGEST
    store.set_mode(ModeChange("etl.load", None, "bob", LATER, "back to the DAG's"))
    assert store.mode("etl.load") is None
    assert store.mode_changes("etl.load")[:2] == [first, second]


# -- verdicts ----------------------------------------------------------------------------------------------------------


def test_verdicts_are_kept_in_the_order_in_which_they_were_given_whatever_clocks_said(store: Store) -> None:
    approved = Verdict("c", "set_conf:x=1", Ruling.APPROVE, "ann", MIDNIGHT, "looks right")
    rejected = replace(approved, ruling=Ruling.REJECT, by="bob", reason="")
    earlier = replace(approved, ruling=Ruling.PIN, at=MIDNIGHT - timedelta(days=1))
    for verdict in (approved, rejected, approved, earlier, replace(approved, cohort="other")):
        store.record(verdict)
    assert store.verdicts("c") == [approved, rejected, approved, earlier]
    assert store.verdicts("none") == []


# -- what another version wrote ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "stored"),
    [("decision", '{"mode": "psychic"}'), ("outcome", '{"app_id": 1}'), ("outcome", "{"), ("state", "paused")],
)
def test_a_row_that_cannot_be_read_is_skipped_with_a_warning(
    store: Store, url: str, caplog: pytest.LogCaptureFixture, column: str, stored: str
) -> None:
    for key in ("1", "2", "3"):
        store.begin(running(key))
    with database(url) as connection:
        connection.execute(text(f"UPDATE spark_tuner_runs SET {column} = :stored WHERE key = '2'"), {"stored": stored})
    assert keys(store, "etl.load") == ["1", "3"]
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "run 2 cannot be read" in caplog.text
    assert store.run("2") is None


def test_queries_of_a_version_that_did_not_keep_their_relations_are_read(store: Store, url: str) -> None:
    store.begin(running("k"))
    store.finish("k", RunState.SUCCEEDED, MIDNIGHT, full_outcome())
    with database(url) as connection:
        document = json.loads(connection.execute(text("SELECT outcome FROM spark_tuner_runs")).scalar_one())
        for query in document["queries"]:
            del query["relations"]
        older = {"older": json.dumps(document)}
        connection.execute(text("UPDATE spark_tuner_runs SET outcome = :older"), older)
    run = store.run("k")
    assert run is not None and run.outcome == full_outcome()


def test_fields_of_a_newer_version_are_ignored(store: Store, url: str) -> None:
    store.begin(running("k"))
    newer = '{"mode": "auto", "changes": [], "horoscope": "favourable"}'
    with database(url) as connection:
        connection.execute(text("UPDATE spark_tuner_runs SET decision = :newer"), {"newer": newer})
    assert store.run("k") == running("k")


def test_rulings_and_states_of_a_newer_version_are_skipped(
    store: Store, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    said = Verdict("etl.load", "a", Ruling.PIN, "ann", MIDNIGHT)
    store.record(said)
    store.record(replace(said, by="bob"))
    store.begin(running("1", cohort="a"))
    store.begin(running("2", cohort="b"))
    with database(url) as connection:
        connection.execute(text("UPDATE spark_tuner_verdicts SET ruling = 'veto' WHERE by = 'ann'"))
        connection.execute(text("UPDATE spark_tuner_runs SET state = 'paused' WHERE key = '1'"))
    assert store.verdicts("etl.load") == [replace(said, by="bob")]
    assert [run.key for run in (*store.runs("a"), *store.runs("b"))] == ["2"]
    assert "a verdict on a cannot be read" in caplog.text and "run 1 cannot be read" in caplog.text


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


# -- failing -----------------------------------------------------------------------------------------------------------


def test_a_database_that_fails_under_way_is_a_store_error(store: Store, url: str) -> None:
    with database(url) as connection:
        connection.execute(text("DROP TABLE spark_tuner_runs"))
    for fails in (
        lambda: store.runs("c"),
        lambda: store.begin(running()),
        lambda: store.finish("k", RunState.LOST, LATER, None),
    ):
        with pytest.raises(StoreError, match="history store (sqlite|postgresql).*spark_tuner_runs") as raised:
            fails()
        assert "\n" not in str(raised.value) and "hunter2" not in str(raised.value)


def test_a_store_can_be_closed_twice(url: str) -> None:
    with Store.open(url) as store:
        store.begin(running())
    store.close()
    with Store.open(url) as again:
        assert again.run(running().key) == running()


def test_other_cohorts_teach_by_their_latest_decisions_and_newest_measured_runs(store: Store) -> None:
    for minute, (cohort, key) in enumerate(
        [("a", "a/1"), ("b", "b/1"), ("b", "b/2"), ("b", "b/3"), ("c", "c/1"), ("mine", "m/1")]
    ):
        store.begin(running(key, cohort, minute, summary=key))
        store.finish(key, RunState.SUCCEEDED, MIDNIGHT, measured(key))
    store.begin(running("c/2", "c", 9, summary="not measured yet"))
    store.begin(running("a/2", "a", 9, summary="failed"))
    store.finish("a/2", RunState.FAILED, MIDNIGHT, measured("a/2"))
    found = store.elsewhere("mine", 20, 10)
    assert sorted(map(decision_summary, found.decisions)) == ["a/1", "b/3", "c/1"]
    assert (sorted(o.app_id for o in found.outcomes), found.jobs) == (["a/1", "b/2", "b/3", "c/1"], 3)
    few = store.elsewhere("mine", 1, 3)
    assert [decision_summary(d) for d in few.decisions] == ["c/1"]
    assert (sorted(o.app_id for o in few.outcomes), few.jobs) == (["a/1", "b/3", "c/1"], 3), "each before any has two"
    assert store.elsewhere("mine", 20, 0).outcomes == ()
    assert Store.elsewhere(store, "b", 20, 10).jobs == 3
