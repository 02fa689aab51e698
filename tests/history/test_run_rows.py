"""Runs come back as they went in, in full and in brief."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import delete, text

from tuner.history.instance_runs import InstanceRuns
from tuner.history.store import Store
from tuner.history.tables import TimesRow
from tuner.model.action import Action, ActionKind
from tuner.model.change import Change
from tuner.model.decision import DecidedChange, Standing
from tuner.model.run import Origin, RunState

from .database import database
from .samples import LATER, MIDNIGHT, full_decision, full_outcome, measured, running, said


def test_a_run_comes_back_as_it_went_in(store: Store) -> None:
    begun = replace(running(), try_number=3, decision=full_decision())
    store.begin(begun)
    assert store.run(begun.key) == begun

    assert store.finish(begun.key, RunState.PARTIAL, LATER, full_outcome())

    finished = replace(begun, state=RunState.PARTIAL, ended_at=LATER, outcome=full_outcome())
    assert store.run(begun.key) == finished
    assert store.runs(begun.cohort) == [finished]


def test_an_unknown_key_is_no_run(store: Store) -> None:
    assert store.run("nowhere") is None


ORIGIN = Origin("etl", "1", "load", 0)


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


def test_pages_of_runs_count_from_the_newest(store: Store) -> None:
    for minute in range(5):
        store.begin(running(str(minute), minute=minute))
    assert [r.key for r in store.runs("etl.load", 2)] == ["3", "4"]
    assert [r.key for r in store.runs("etl.load", 2, offset=2)] == ["1", "2"]
    assert store.count("etl.load") == 5


def test_pending_are_the_running_runs_of_the_cohort(store: Store) -> None:
    for key, minute in [("late", 3), ("early", 1), ("done", 2), ("lost", 0)]:
        store.begin(running(key, minute=minute))
    store.begin(running("other", cohort="other"))
    store.finish("done", RunState.SUCCEEDED, LATER, measured())
    store.finish("lost", RunState.LOST, LATER, None)
    assert [run.key for run in store.pending("etl.load")] == ["early", "late"]


def test_logs_of_those_that_failed_are_looked_for_until_a_run_begins_after_they_were_due(store: Store) -> None:
    def fail(key: str, minute: int, *, told: bool = False, logged: bool = True) -> None:
        store.begin(replace(running(key, minute=minute), event_log_dir="file:///logs" if logged else ""))
        ended_at = MIDNIGHT + timedelta(minutes=minute + 1)
        store.finish(key, RunState.FAILED, ended_at, measured() if told else None)

    assert store.failed_of_late("etl.load") == []
    fail("first", 0)
    fail("told", 1, told=True)
    fail("no log", 2, logged=False)
    fail("retry", 6)
    assert [run.key for run in store.failed_of_late("etl.load")] == ["first", "retry"]
    store.begin(running("next", minute=20))
    assert [run.key for run in store.failed_of_late("etl.load")] == ["retry"]
    store.begin(running("another", minute=60))
    assert store.failed_of_late("etl.load") == []


def test_logs_are_looked_for_of_those_that_began_no_longer_ago_than_a_run_may_take(store: Store) -> None:
    """All that ever failed without a log would be looked through at each start."""
    newest = MIDNIGHT + timedelta(days=5)
    for hours in (40, 50):
        run = replace(running(f"{hours} h"), started_at=newest - timedelta(hours=hours))
        store.begin(replace(run, event_log_dir="file:///logs"))
        store.finish(run.key, RunState.FAILED, newest - timedelta(minutes=5), None)
    store.begin(replace(running("newest"), started_at=newest))
    assert [run.key for run in store.failed_of_late("etl.load")] == ["40 h"]


def test_instances_that_were_decided_alike_are_read_with_one_decision(store: Store) -> None:
    """Each of a mapped task's instances reads all that run beside it: 500 of them spent a minute of a core on that."""
    for minute in range(3):
        store.begin(replace(running(str(minute), minute=minute), decision=full_decision()))
    store.begin(running("other", minute=9))
    *alike, other = store.pending("etl.load")
    assert {id(run.decision) for run in alike} == {id(alike[0].decision)}
    assert (alike[0].decision, other.decision) == (full_decision(), running().decision)


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


def test_a_run_that_went_on_is_read_again(store: Store) -> None:
    """An application that was taken as ended when it was quiet, imported once more in the same state."""
    store.begin(running("k"))
    store.finish("k", RunState.SUCCEEDED, LATER, measured(duration_ms=25_000))
    known = {run.key: run for run in store.brief_runs("etl.load", 9, {})}
    store.finish("k", RunState.SUCCEEDED, LATER, measured(duration_ms=525_000), goes_on=True)
    (now,) = store.brief_runs("etl.load", 9, known)
    assert now.outcome is not None and now.outcome.duration_ms == 525_000


def test_of_recent_runs_the_newest_that_succeeded_and_the_largest_are_whole_and_older_ones_what_advisors_look_back_at(
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
        outcome = full_outcome()
        size, filtered = 10**12 if minute == 1 else 10**9, ("db.sales",)
        large = tuple(replace(query, source_bytes=size, runtime_filtered=filtered) for query in outcome.queries)
        store.finish(str(minute), state, LATER, replace(outcome, queries=large))
    whole = store.runs("etl.load")
    found = store.recent("etl.load", 6, in_full=2)
    assert [run == known for run, known in zip(found, whole, strict=True)] == [False, True, False, True, False, True]
    times = [
        "id",
        "fingerprint",
        "duration_ms",
        "status",
        "input_bytes",
        "directives",
        "row_counts",
        "runtime_filtered",
    ]
    for seen, known in zip(found, whole, strict=True):
        assert seen.outcome is not None and known.outcome is not None
        assert (seen.outcome.conf, seen.outcome.cluster) == (known.outcome.conf, known.outcome.cluster)
        # Of runs with the same changes the newest tells of their blocks.
        kept = [*times, "graphs"] if seen.key in "023" else times
        for one, other in zip(seen.outcome.queries, known.outcome.queries, strict=True):
            assert [getattr(one, name) for name in kept] == [getattr(other, name) for name in kept]
    assert [run.key for run in store.recent("etl.load", 2, in_full=1)] == ["4", "5"]


@pytest.mark.parametrize(("in_full", "whole"), [(1, "058"), (2, "0578"), (3, "05678")])
def test_of_recent_runs_the_newest_of_each_query_that_comes_back_is_whole(
    store: Store, in_full: int, whole: str
) -> None:
    """As many more as are whole anyway; "p" is in each of the newest, "o" ran once, "b" not again, run 0 read most."""
    for minute, asked in enumerate(("o", "a", "b", "b", "o2", "a", "p", "p", "p")):
        outcome = full_outcome()
        size = 10**10 if minute == 0 else 10**9
        queries = tuple(replace(q, fingerprint=asked, source_bytes=size) for q in outcome.queries)
        store.begin(running(str(minute), minute=minute))
        store.finish(str(minute), RunState.SUCCEEDED, LATER, replace(outcome, queries=queries))
    known = {run.key: run for run in store.runs("etl.load")}
    found = store.recent("etl.load", 9, in_full)
    assert "".join(run.key for run in found if run == known[run.key]) == whole


def test_runs_of_a_store_that_kept_no_times_apart_are_read_from_their_outcomes(store: Store) -> None:
    store.begin(running("k"))
    store.finish("k", RunState.SUCCEEDED, LATER, full_outcome())
    brief, recent = store.runs("etl.load", brief=True), store.recent("etl.load", 1, in_full=1)
    with store._engine.begin() as connection:
        connection.execute(delete(TimesRow))
    assert (store.runs("etl.load", brief=True), store.recent("etl.load", 1, in_full=1)) == (brief, recent)


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


def test_of_recent_runs_the_one_that_a_decision_rests_on_is_whole_and_older_ones_tell_of_its_queries(
    store: Store,
) -> None:
    for minute in range(6):
        store.begin(running(str(minute), minute=minute))
        outcome = full_outcome()
        asked = tuple(replace(query, fingerprint=f"{query.fingerprint}.{minute % 2}") for query in outcome.queries)
        store.finish(str(minute), RunState.SUCCEEDED, LATER, replace(outcome, queries=asked))
    whole = store.runs("etl.load")

    def which(rests_on: str | None) -> list[bool]:
        of = InstanceRuns(ORIGIN, lambda runs: next((r for r in runs if r.key == rests_on), None), lambda _: False, 9)
        found = store.recent("etl.load", 6, 1, of)
        assert [run.key for run in found] == [run.key for run in whole]
        return [run == known for run, known in zip(found, whole, strict=True)]

    assert which(None) == [False, False, False, False, True, True], "the newest, and of the others one that read most"
    assert which("0") == [True, False, False, False, True, True]
    assert which("1") == [False, True, False, True, False, True]


def test_of_an_instance_that_asks_queries_of_its_own_older_runs_are_read_as_well(store: Store) -> None:
    for minute in range(12):
        origin = replace(ORIGIN, run_id=str(minute // 3), map_index=minute % 3)
        store.begin(replace(running(f"{minute:02}", minute=minute), origin=origin))
        store.finish(f"{minute:02}", RunState.SUCCEEDED, LATER, full_outcome())

    def recent(*, asks_its_own: bool, earlier: int = 9) -> list[str]:
        of = InstanceRuns(replace(ORIGIN, map_index=1), lambda runs: runs[-1], lambda _: asks_its_own, earlier)
        found = store.recent("etl.load", 4, 1, of)
        assert all(run.outcome is not None for run in found)
        return [run.key for run in found]

    assert recent(asks_its_own=False) == ["08", "09", "10", "11"]
    assert recent(asks_its_own=True) == ["01", "04", "07", "08", "09", "10", "11"]
    assert recent(asks_its_own=True, earlier=1) == ["07", "08", "09", "10", "11"]
