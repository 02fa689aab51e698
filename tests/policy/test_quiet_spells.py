"""While there is nothing to read, as on an hourly feed's weekend, no run counts for a job's changes or against them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from tuner.history.documents import decision_document, decoded_decision
from tuner.model.decision import Decision, Mode, Standing
from tuner.model.run import Run, RunState
from tuner.policy.decide import decide
from tuner.policy.idle_runs import LONGEST_QUIET, is_quiet, last_read_at, read_nothing
from tuner.policy.ledger import read_ledger

from .histories import MIDNIGHT, conf, decided, hint, in_force, late_upstream, recommend, run, situation, standings

ACTION, PROPERTY = hint("q1"), conf()
# As many runs as a decision looks at.
WINDOW = 60


def hourly(found: Run) -> Run:
    """The run, where each is an hour after the one before."""
    hours = (found.started_at - MIDNIGHT).days
    at = MIDNIGHT + timedelta(hours=hours)
    return replace(found, started_at=at, ended_at=at + timedelta(minutes=10))


def next_of(runs: Sequence[Run], advised: bool = True) -> Decision:
    advice = [recommend(ACTION), recommend(PROPERTY, queries=["q2"])] if advised else []
    return decide(situation(Mode.AUTO, 1, runs[-WINDOW:], advice))


def reading(count: int, *before: Run) -> list[Run]:
    """Runs of a job that its changes speed up, as they are decided one after the other."""
    runs = list(before)
    for number in range(len(before), len(before) + count):
        found = next_of(runs)
        took = {"q1": 5.0 if ACTION.id in in_force(found) else 10.0, "q2": 10.0}
        if PROPERTY.id in in_force(found):
            took["q2"] = 6.0
        runs.append(hourly(run(number, took, *found.changes)))
        runs[-1] = replace(runs[-1], decision=found)
    return runs


def quiet(count: int, *before: Run, queries: Sequence[str] = ("q1", "q2")) -> list[Run]:
    """Runs that find nothing to read, as they are decided one after the other."""
    runs = list(before)
    for number in range(len(before), len(before) + count):
        found = next_of(runs, advised=False)
        runs.append(replace(hourly(late_upstream(number, queries=queries)), decision=found))
    return runs


@pytest.mark.parametrize("queries", [("q1", "q2"), pytest.param((), marks=pytest.mark.nightly)])
def test_a_quiet_weekend_is_none_of_its_trials_however_many_runs_it_has(queries: tuple[str, ...]) -> None:
    """Its runs ask queries that find nothing to read, or end where they find no new files."""
    trial = (decided(ACTION), decided(PROPERTY, queries=["q2"]))
    runs = [
        *(hourly(run(n, {"q1": 10.0, "q2": 10.0})) for n in range(2)),
        hourly(run(2, {"q1": 9.7, "q2": 9.7}, *trial)),
    ]
    runs = quiet(WINDOW + 30, *runs, queries=queries)
    assert standings(next_of(runs, advised=False)) == dict.fromkeys((ACTION.id, PROPERTY.id), Standing.TRIAL)
    assert {record.trials for record in read_ledger(runs[-WINDOW:]).values()} == {0}
    after = reading(10, *runs)
    assert in_force(next_of(after)) == {ACTION.id, PROPERTY.id}
    assert ACTION.id in in_force(after[len(runs)].decision)


@pytest.mark.nightly
def test_what_is_proven_stays_over_a_quiet_weekend() -> None:
    proven = reading(6)
    assert standings(next_of(proven))[ACTION.id] is Standing.PROMOTED
    assert standings(next_of(quiet(2 * WINDOW, *proven)))[ACTION.id] is Standing.PROMOTED


def test_only_while_it_is_quiet_a_decision_says_when_the_job_last_read_anything() -> None:
    runs = reading(3)
    assert next_of(runs).last_read_at is None
    assert next_of([*runs, *quiet(1, *runs)[3:]]).last_read_at == runs[2].started_at
    night = quiet(WINDOW + 5, *runs)
    found = next_of(night)
    assert found.last_read_at == runs[2].started_at
    assert decoded_decision(decision_document("k", found)) == found
    assert next_of(reading(1, *night)).last_read_at is None
    begun = hourly(run(len(night), None, state=RunState.RUNNING))
    assert last_read_at([*night[-3:], begun]) == runs[2].started_at


def test_a_source_that_is_not_counted_any_more_is_measured_in_the_end() -> None:
    runs = quiet(WINDOW + 5, *reading(3))
    assert is_quiet(runs[-1]) and read_nothing(runs[-1], runs[-WINDOW:])
    late = replace(runs[-1], started_at=runs[2].started_at + LONGEST_QUIET + timedelta(hours=1))
    assert not is_quiet(late)


def with_rows(found: Run, rows: int = 100_000) -> Run:
    """The run, where its queries read rows whose bytes nobody counts, as those of JDBC."""
    assert found.outcome is not None
    queries = tuple(replace(query, input_rows=rows) for query in found.outcome.queries)
    return replace(found, outcome=replace(found.outcome, queries=queries))


def moved(count: int, *before: Run) -> list[Run]:
    """Runs of a job that reads by JDBC now, which its hint makes slower, tried once counted runs are not looked at any more."""
    runs, slow = list(before), hint("q3")
    for number in range(len(before), len(before) + count):
        advice = [recommend(slow, queries=["q3"])] if number > WINDOW + 5 else []
        found = decide(situation(Mode.AUTO, 1, runs[-WINDOW:], advice))
        took = 20.0 if slow.id in in_force(found) else 10.0
        one = with_rows(hourly(run(number, {"q3": took}, input_bytes=0)))
        runs.append(replace(one, decision=found))
    return runs


@pytest.mark.nightly
def test_a_job_that_moved_to_a_source_that_is_not_counted_is_judged_by_its_runs() -> None:
    runs = moved(WINDOW + 20, *reading(3))
    with_it = [n for n, one in enumerate(runs) if hint("q3").id in in_force(one.decision)]
    assert 0 < len(with_it) <= 4
    assert standings(runs[-1].decision)[hint("q3").id] is Standing.ROLLED_BACK
    assert not is_quiet(runs[-1]) and not read_nothing(runs[-1], runs[-WINDOW:])


def test_rows_of_the_programs_own_are_no_source() -> None:
    """Parameters, the days of a month, a row for an audit."""
    runs = quiet(WINDOW + 5, *reading(3))
    assert is_quiet(with_rows(runs[-1], rows=31))


def test_a_query_whose_source_is_not_counted_is_measured_though_others_have_read_something() -> None:
    uncounted = [hourly(run(n, {"q3": 10.0}, input_bytes=0)) for n in (1, 2)]
    of_spell = [replace(one, decision=replace(one.decision, last_read_at=MIDNIGHT)) for one in uncounted]
    earlier = [hourly(run(0, {"q1": 10.0})), of_spell[0]]
    assert read_nothing(of_spell[1], earlier) and not read_nothing(of_spell[1], earlier, "q3")


def test_nor_is_one_that_never_was() -> None:
    assert next_of(quiet(5)).last_read_at is None
