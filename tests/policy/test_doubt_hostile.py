"""A property that seemed to lose in one run stays out of force until a run without it tells, whatever happens in between."""

from __future__ import annotations

import pytest

from tuner.model.decision import Mode, Standing
from tuner.model.run import Run, RunState
from tuner.model.verdict import Ruling
from tuner.policy.decide import decide
from tuner.policy.ledger import read_ledger
from tuner.policy.record import Record

from .histories import conf, decided, late_upstream, recommend, run, situation, standings, told, verdict

PROPERTY = conf("spark.sql.shuffle.partitions", "20")
QUERIES = tuple(f"q{n}" for n in range(1, 9))
MANY = tuple(f"q{n}" for n in range(100))
TRIAL, ROLLED_BACK, HELD = Standing.TRIAL, Standing.ROLLED_BACK, Standing.HELD


def night(
    number: int,
    seconds: float,
    standing: Standing | None = None,
    queries: tuple[str, ...] = QUERIES,
    state: RunState = RunState.SUCCEEDED,
    try_number: int = 1,
) -> Run:
    changes = [decided(PROPERTY, standing, queries=queries)] if standing else []
    return run(number, dict.fromkeys(queries, seconds), *changes, state=state, try_number=try_number)


def after(*runs: Run) -> Record:
    return read_ledger(runs)[PROPERTY.id]


USUAL = (night(0, 10.0), night(1, 10.2))
SLOW = night(2, 15.0, TRIAL)


@pytest.mark.parametrize(
    "without",
    [night(3, 10.0, state=RunState.FAILED), run(3, None, state=RunState.LOST), late_upstream(3, queries=QUERIES)],
    ids=["failed", "lost its log", "read nothing"],
)
def test_a_run_without_it_that_told_nothing_is_followed_by_another(without: Run) -> None:
    found = after(*USUAL, SLOW, without)
    assert (found.standing, found.now.standing) == (TRIAL, HELD)
    assert after(*USUAL, SLOW, without, night(4, 10.1)).standing is ROLLED_BACK


def test_a_retry_of_the_run_without_it_tells() -> None:
    died = night(3, 10.0, state=RunState.FAILED)
    assert after(*USUAL, SLOW, died, night(3, 15.0, try_number=2)).now.standing is TRIAL
    assert after(*USUAL, SLOW, died, night(3, 10.0, try_number=2)).standing is ROLLED_BACK


def test_a_hundred_queries_are_borne_out_as_eight_are() -> None:
    runs = [night(0, 10.0, None, MANY), night(1, 10.2, None, MANY), night(2, 15.0, TRIAL, MANY)]
    assert after(*runs).now.standing is HELD
    assert after(*runs, night(3, 10.1, None, MANY)).standing is ROLLED_BACK
    assert after(*runs, night(3, 15.1, None, MANY)).now.standing is TRIAL


@pytest.mark.parametrize(
    ("ruling", "standing"), [(Ruling.REJECT, HELD), (Ruling.ROLL_BACK, ROLLED_BACK), (Ruling.PIN, Standing.PINNED)]
)
def test_who_ruled_on_it_meanwhile_is_heard(ruling: Ruling, standing: Standing) -> None:
    said = (verdict(PROPERTY, ruling, 2.5),)
    for runs in ((*USUAL, SLOW), (*USUAL, SLOW, night(3, 10.0)), (*USUAL, SLOW, night(3, 15.0))):
        advice = [recommend(PROPERTY, queries=QUERIES)]
        assert standings(decide(situation(Mode.AUTO, 1, runs, advice, said))) == {PROPERTY.id: standing}


@pytest.mark.parametrize("mode", [Mode.SUGGEST, Mode.OBSERVE])
def test_a_run_in_another_mode_is_without_it_and_tells(mode: Mode) -> None:
    assert after(*USUAL, SLOW, run(3, dict.fromkeys(QUERIES, 10.0), mode=mode)).standing is ROLLED_BACK


def test_what_was_borne_out_stays_out_once_the_runs_that_told_are_no_longer_read() -> None:
    runs = [*USUAL, SLOW, night(3, 10.0)]
    for number in range(4, 12):
        latest = runs[-5:]
        found = decide(situation(Mode.AUTO, 1, latest, [recommend(PROPERTY, queries=QUERIES)]))
        assert standings(found) == {PROPERTY.id: ROLLED_BACK}
        assert "query q1 took 15.0 s instead of" in told(found.changes[0])
        runs.append(run(number, dict.fromkeys(QUERIES, 10.0), *found.changes))
