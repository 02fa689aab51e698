"""A first run in a busy night: runs without changes that do the same work far faster tell that it was slow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from tests.policy.histories import conf, decided, hint, run
from tuner.model.action import Action
from tuner.model.decision import DecidedChange, Standing
from tuner.model.query_work import WorkInBrief
from tuner.model.run import Run
from tuner.policy.baseline import baselines
from tuner.policy.ledger import read_ledger
from tuner.policy.record import Record

HINT, PROPERTY = hint("q1"), conf()
QUERIES = ["q1", "q2", "q3"]
TRIAL, PROMOTED, ROLLED_BACK = Standing.TRIAL, Standing.PROMOTED, Standing.ROLLED_BACK
WITHOUT = None


def night(number: int, seconds: Mapping[str, float], *changes: DecidedChange, work: float = 8.0) -> Run:
    """Its queries do as much work as in the others, by default."""
    found = run(number, seconds, *changes)
    assert found.outcome is not None
    queries = tuple(replace(query, work_in_brief=WorkInBrief(work, 0)) for query in found.outcome.queries)
    return replace(found, outcome=replace(found.outcome, queries=queries))


Night = tuple[float, Standing | None]


def nights(action: Action, queries: list[str], *seconds: Night, effect: float = 1.2) -> list[Run]:
    """All of its queries take as long; with the change they do so many times the work."""
    found = []
    for n, (took, standing) in enumerate(seconds):
        changes = [decided(action, standing, queries=queries)] if standing else []
        found.append(night(n, dict.fromkeys(queries, took), *changes, work=8 * effect if standing else 8))
    return found


def after(action: Action, queries: list[str], *seconds: Night, effect: float = 1.2) -> Record:
    return read_ledger(nights(action, queries, *seconds, effect=effect))[action.id]


TRIED = [(12.0, TRIAL), (12.0, PROMOTED), (12.0, PROMOTED)]


@pytest.mark.parametrize(("action", "queries"), [(HINT, ["q1"]), (PROPERTY, QUERIES)])
def test_a_loss_that_a_slow_first_run_hid_is_found_once_a_run_is_without_the_change(
    action: Action, queries: list[str]
) -> None:
    """15 s in a busy night, then over 12 s with the change, where 10 s are usual."""
    assert after(action, queries, (15, WITHOUT), *TRIED).standing is PROMOTED
    told = [(15, WITHOUT), *TRIED, (10, WITHOUT), (12.6, PROMOTED)]
    assert after(action, queries, *told).held_out is not None
    assert after(action, queries, *told, (10, WITHOUT)).standing is ROLLED_BACK


@pytest.mark.parametrize(("action", "queries"), [(HINT, ["q1"]), (PROPERTY, QUERIES)])
@pytest.mark.parametrize("without", [14.0, 15.5, 30.0])
def test_a_gain_stays_where_the_run_without_the_change_is_as_slow_or_slower(
    action: Action, queries: list[str], without: float
) -> None:
    found = after(action, queries, (15, WITHOUT), *TRIED, (without, WITHOUT), *TRIED[1:], effect=0.8)
    assert found.standing is PROMOTED
    assert found.held_out is None


def test_a_gain_beside_queries_that_show_how_slow_the_first_night_was_is_kept() -> None:
    """All took half as long again in the first night; the hint then saves a fifth."""
    slow, with_it = dict.fromkeys(QUERIES, 15.0), {"q1": 8.0, "q2": 10.0, "q3": 10.0}
    usual = dict.fromkeys(QUERIES, 10.0)
    runs = [
        night(0, slow),
        *(night(n, with_it, decided(HINT, TRIAL if n == 1 else PROMOTED)) for n in (1, 2, 3)),
        night(4, usual),
        *(night(n, with_it, decided(HINT, PROMOTED)) for n in (5, 6)),
    ]
    found = read_ledger(runs)[HINT.id]
    assert found.standing is PROMOTED
    assert found.gain_seconds == pytest.approx(2, abs=0.3)


def test_the_baseline_follows_the_run_without_changes() -> None:
    runs = nights(PROPERTY, QUERIES, (15, WITHOUT), *TRIED, (10, WITHOUT), (12, PROMOTED))
    assert baselines(runs)[runs[-1].key].expected == pytest.approx(30, rel=0.08)


def test_a_run_that_had_less_to_do_tells_nothing_of_the_first() -> None:
    """Its upstream left out half of the rows."""
    runs = nights(HINT, ["q1"], (15, WITHOUT), *TRIED, effect=0.8)
    after_it = [night(n, {"q1": 12.0}, decided(HINT, PROMOTED), work=6.4) for n in (5, 6)]
    found = read_ledger([*runs, night(4, {"q1": 8.0}, work=4.0), *after_it])[HINT.id]
    assert found.standing is PROMOTED
    assert found.held_out is None


def test_one_fast_run_is_no_level_where_many_runs_without_the_change_were_slower() -> None:
    usual = [(10.0, WITHOUT)] * 4
    found = after(HINT, ["q1"], *usual, (8, TRIAL), (8, PROMOTED), (4, WITHOUT), (8, PROMOTED), effect=0.8)
    assert found.standing is PROMOTED
    assert found.held_out is None


@pytest.mark.parametrize(("action", "queries"), [(HINT, ["q1"]), (PROPERTY, QUERIES)])
@pytest.mark.parametrize("between", [[], [(30, WITHOUT), (12, PROMOTED)]], ids=["", "after a busy one"])
def test_one_fast_night_without_the_change_is_outvoted_by_the_next_without_it(
    action: Action, queries: list[str], between: list[Night]
) -> None:
    """15 s are usual, and 12 with the change; in the first run that was left without it nothing else used the cluster."""
    idle = [(15, WITHOUT), *TRIED, (10, WITHOUT), (12, PROMOTED)]
    found = after(action, queries, *idle, *between, (15, WITHOUT), (12, PROMOTED), effect=0.8)
    assert found.standing is PROMOTED
    assert found.held_out is None
    assert found.gain_seconds is not None and 1 < found.gain_seconds / len(queries) < 4


def test_a_run_whose_work_is_the_first_to_be_known_tells_nothing_of_the_first_run() -> None:
    """Runs that were kept before work was looked at; then half of the rows are missing."""
    usual = [run(0, {"q1": 15}), *(run(n, {"q1": 12}, decided(HINT, s)) for n, (_, s) in enumerate(TRIED, 1) if s)]
    after_it = [night(n, {"q1": 12.0}, decided(HINT, PROMOTED), work=6.4) for n in (5, 6)]
    found = read_ledger([*usual, night(4, {"q1": 8.0}, work=4.0), *after_it])[HINT.id]
    assert found.standing is PROMOTED
    assert found.held_out is None
