"""A loss that one night showed: whether it was the change or the night, the run without it tells."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tuner.model.decision import DecidedChange, Standing
from tuner.model.reason import ReasonCode
from tuner.model.run import Run
from tuner.model.verdict import Ruling
from tuner.policy.ledger import read_ledger
from tuner.policy.record import Record

from .histories import conf, decided, hint, run, told, verdict

PROPERTY = conf("spark.sql.shuffle.partitions", "20")
QUERIES = [f"q{n}" for n in range(1, 9)]
TRIAL, PROMOTED, ROLLED_BACK, HELD = Standing.TRIAL, Standing.PROMOTED, Standing.ROLLED_BACK, Standing.HELD


def night(number: int, seconds: float, standing: Standing | None = None) -> Run:
    """Eight queries that took so long each, all of which the property is meant for."""
    changes = [decided(PROPERTY, standing, queries=QUERIES)] if standing else []
    return run(number, dict.fromkeys(QUERIES, seconds), *changes)


def after(*runs: Run, of: str = PROPERTY.id) -> Record:
    return read_ledger(runs)[of]


USUAL = [night(0, 10.0), night(1, 10.2)]
SLOW = night(2, 15.0, TRIAL)


def test_the_next_run_is_without_a_property_that_seems_to_lose() -> None:
    found = after(*USUAL, SLOW)
    assert (found.standing, found.now.standing) == (TRIAL, HELD)
    assert found.held_out and found.held_out.code is ReasonCode.HELD_OUT
    assert found.held_out.numbers["run"] == SLOW.key and found.held_out.numbers["seconds"] == 15.0


def test_where_the_run_without_it_is_as_slow_it_was_the_night() -> None:
    again = after(*USUAL, SLOW, night(3, 15.2))
    assert again.now.standing is TRIAL
    gained = after(*USUAL, SLOW, night(3, 15.2), night(4, 7.0, TRIAL), night(5, 6.9, TRIAL), night(6, 10.1))
    assert gained.standing is PROMOTED


def test_where_the_run_without_it_is_as_usual_it_was_the_property() -> None:
    found = after(*USUAL, SLOW, night(3, 10.1))
    assert (found.standing, found.why.code) == (ROLLED_BACK, ReasonCode.SLOWER)
    assert found.why.numbers["run"] == SLOW.key, "of the run that it was in"
    assert found.why.numbers["named"] is True
    assert "15.0 s instead of 10.0 s" in told(found)
    assert found.trials == 1 and found.losses


def test_a_second_loss_is_final() -> None:
    found = after(*USUAL, SLOW, night(3, 15.0), night(4, 15.0, TRIAL))
    assert found.standing is ROLLED_BACK
    assert found.why.numbers["run"] == "etl/4/1"


def test_what_a_run_failed_without_stays_after_one_loss_and_goes_after_two() -> None:
    slow = [_failed_without(night(number, 15.0, TRIAL)) for number in (2, 3)]
    assert after(*USUAL, slow[0]).now.standing is TRIAL
    assert after(*USUAL, *slow).standing is ROLLED_BACK


def _failed_without(found: Run) -> Run:
    changes = tuple(replace(one, failed_without=True) for one in found.decision.changes)
    return replace(found, decision=replace(found.decision, changes=changes))


def test_runs_side_by_side_had_the_same_night() -> None:
    beside = replace(SLOW, key="etl/2b/1", started_at=SLOW.started_at + timedelta(minutes=1))
    ended = SLOW.started_at + timedelta(hours=1)
    found = after(*USUAL, replace(SLOW, ended_at=ended), replace(beside, ended_at=ended))
    assert (found.standing, found.now.standing) == (TRIAL, HELD)


def test_what_is_proven_goes_the_same_way() -> None:
    change = hint("q1")

    def one(number: int, q1: float, standing: Standing | None) -> Run:
        rest = dict.fromkeys(QUERIES[1:], 10.0)
        return run(number, {"q1": q1, **rest}, *([decided(change, standing)] if standing else []))

    proven = [one(0, 10, None), one(1, 5, TRIAL), one(2, 5, PROMOTED)]
    slow = [one(n, 22, PROMOTED) for n in (3,)]
    found = after(*proven, *slow, of=change.id)
    assert (found.standing, found.now.standing) == (PROMOTED, HELD)
    stays = after(*proven, *slow, one(4, 21, HELD), of=change.id)
    assert stays.now.standing is PROMOTED, "without it the query is as slow"


def test_a_join_on_trial_has_controls_and_goes_at_once() -> None:
    change = hint("q1")
    slow = run(1, {"q1": 30, **dict.fromkeys(QUERIES[1:], 10)}, decided(change))
    assert after(night(0, 10.0), slow, of=change.id).standing is ROLLED_BACK


@pytest.mark.parametrize(
    ("without", "standing"),
    [([22.0], TRIAL), ([10.0], ROLLED_BACK), ([22.0, 6.0], PROMOTED), ([22.0, 22.0], ROLLED_BACK)],
)
def test_a_join_on_trial_in_a_job_of_one_query_has_none(without: list[float], standing: Standing) -> None:
    """Its nights with twice the rows in the same files come in runs, and may begin with the one that tries the change."""
    change = hint("q1")
    nights = [computing(number, 10.0) for number in range(3)]
    slow = computing(3, 22.0, decided(change))
    assert after(*nights, slow, of=change.id).now.standing is HELD
    later = [computing(4 + n, took, *([decided(change)] if n else [])) for n, took in enumerate(without)]
    assert after(*nights, slow, *later, of=change.id).now.standing is standing


def test_joins_of_one_query_that_were_tried_in_one_run_are_borne_out_together() -> None:
    pair = [decided(hint("q1", join)) for join in ("one", "other")]
    records = read_ledger([*(computing(n, 10.0) for n in range(3)), computing(3, 22.0, *pair), computing(4, 10.0)])
    assert {record.standing for record in records.values()} == {ROLLED_BACK}


def computing(number: int, seconds: float, *changes: DecidedChange) -> Run:
    """A night of one query, whose tasks compute all the time."""
    found = run(number, {"q1": seconds}, *changes)
    assert found.outcome is not None
    cpu = {"executor_cpu_ms": int(8000 * seconds), "executor_run_ms": int(8000 * seconds)}
    (query,) = found.outcome.queries
    return replace(found, outcome=replace(found.outcome, queries=(replace(query, **cpu),)))


def test_what_is_tried_together_is_borne_out_together() -> None:
    pair = (conf("spark.sql.a"), conf("spark.sql.b"))
    lost = run(2, dict.fromkeys(QUERIES, 15.0), *(decided(one, queries=QUERIES) for one in pair))
    records = read_ledger([*USUAL, lost, night(3, 10.0)])
    assert {record.standing for record in records.values()} == {ROLLED_BACK}


def test_what_another_value_gained_before_stands_in_its_place_in_the_run_without() -> None:
    """The run without 64 has 16, which is proven: against that 64 loses, though it is no slower than neither."""
    better, worse = conf(PROPERTY.target, "16"), conf(PROPERTY.target, "64")

    def having(number: int, seconds: float, *decided_: DecidedChange) -> Run:
        return run(number, dict.fromkeys(QUERIES, seconds), *decided_)

    proven = [
        having(2, 5.0, decided(better, queries=QUERIES)),
        having(3, 5.1, decided(better, PROMOTED, queries=QUERIES)),
    ]
    lost = having(4, 9.0, decided(worse, queries=QUERIES))
    without = having(5, 5.0, decided(better, PROMOTED, queries=QUERIES), decided(worse, HELD, queries=QUERIES))
    records = read_ledger([*USUAL, *proven, lost, without])
    assert records[worse.id].standing is ROLLED_BACK
    assert records[better.id].standing is PROMOTED


def test_who_pins_it_has_it_in_the_next_run() -> None:
    records = read_ledger([*USUAL, SLOW], [verdict(PROPERTY, Ruling.PIN, 2.5)])
    assert records[PROPERTY.id].now.standing is Standing.PINNED
