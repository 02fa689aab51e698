"""Doubts over several nights: busy machines, other changes, values, inputs, rulings, and what is said of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.loop.test_log_lines import turn
from tests.policy.histories import GB, conf, decided, hint, late_upstream, recommend, run, situation, standings, verdict
from tests.policy.test_measured_values import APPLIED, FREQUENT, HINT, RARE
from tests.policy.test_measured_values import night as of_values
from tuner.loop.log_lines import report_lines
from tuner.loop.turn import Report
from tuner.model.decision import DecidedChange, Mode, Standing
from tuner.model.directive_result import DirectiveStatus
from tuner.model.run import Run, RunState
from tuner.model.verdict import Ruling
from tuner.policy.decide import decide
from tuner.policy.judgement import judge
from tuner.policy.ledger import read_ledger

PROPERTY = conf("spark.sql.shuffle.partitions", "20")
QUERIES = [f"q{n}" for n in range(1, 9)]
TRIAL, PROMOTED, ROLLED_BACK, HELD = Standing.TRIAL, Standing.PROMOTED, Standing.ROLLED_BACK, Standing.HELD


def night(
    number: int, seconds: float, standing: Standing | None = None, queries: list[str] = QUERIES, input_bytes: int = GB
) -> Run:
    changes = [decided(PROPERTY, standing, queries=queries)] if standing else []
    return run(number, dict.fromkeys(queries, seconds), *changes, input_bytes=input_bytes)


USUAL = [night(0, 10.0), night(1, 10.2)]
SLOW = night(2, 15.0, TRIAL)


def test_busy_nights_are_judged() -> None:
    seconds = [(15, None), (8, TRIAL), (10, None), (40, TRIAL), (24, PROMOTED), (8, PROMOTED)]
    read_ledger([night(n, s, st, ["q1", "q2", "q3"]) for n, (s, st) in enumerate(seconds)])


def test_a_proven_hint_is_not_thrown_out_for_a_property_on_trial() -> None:
    def one(n: int, all_: float, q1: float, *changes: DecidedChange) -> Run:
        return run(n, {**dict.fromkeys(QUERIES, all_), "q1": q1}, *changes)

    h, p = hint("q1"), decided(PROPERTY, queries=QUERIES)
    proven = [
        one(0, 10, 10),
        one(1, 10, 10),
        one(2, 10, 4, decided(h)),
        *(one(n, 10, 4, decided(h, PROMOTED)) for n in (3, 4)),
    ]
    found = read_ledger([*proven, one(5, 40, 16, decided(h, PROMOTED), p), one(6, 10, 10)])
    assert found[PROPERTY.id].standing is ROLLED_BACK
    assert found[h.id].standing is PROMOTED


def test_values_that_a_change_is_excluded_from_tell_nothing_of_the_others() -> None:
    def with_it(n: int, rare: float, standing: Standing, excluded: tuple[str, ...] = (), frequent: float = 10.0) -> Run:
        ran = of_values(n, (RARE, rare, APPLIED), (FREQUENT, frequent, DirectiveStatus.HELD if excluded else APPLIED))
        one = replace(decided(HINT, standing), literals=(FREQUENT, RARE), excluded=excluded)
        return replace(ran, decision=replace(ran.decision, changes=(one,)))

    out = (FREQUENT,)
    runs = [of_values(0, (RARE, 10, None), (FREQUENT, 10, None)), with_it(1, 4, TRIAL, frequent=40)]
    runs += [with_it(n, s, PROMOTED, out) for n, s in ((2, 4), (3, 4), (4, 16))]
    assert read_ledger([*runs, of_values(5, (RARE, 16, None))])[HINT.id].standing is PROMOTED
    without = of_values(5, (RARE, 16, None), (FREQUENT, 10, None))
    assert read_ledger([*runs, without])[HINT.id].standing is PROMOTED


def test_in_a_job_of_one_query_the_run_without_tells_that_it_was_the_night() -> None:
    one = ["q1"]
    runs = [night(0, 10.0, None, one), night(1, 10.2, None, one), night(2, 15.0, TRIAL, one), night(3, 15.0, None, one)]
    assert read_ledger(runs)[PROPERTY.id].standing is TRIAL


def test_two_joins_doubted_in_one_night_are_borne_out() -> None:
    def one(n: int, seconds: float, standing: Standing | None, *which: str) -> Run:
        changes = [decided(hint(q), standing, queries=[q]) for q in which] if standing else []
        return run(n, {**dict.fromkeys(QUERIES, 10.0), **dict.fromkeys(which, seconds)}, *changes)

    for which in (("q1",), ("q1", "q6")):
        seen = [(10, None), (10, None), (5, TRIAL), (5, PROMOTED), (12, PROMOTED), (30, PROMOTED), (10, None)]
        found = read_ledger([one(n, s, st, *which) for n, (s, st) in enumerate(seen)])
        assert {r.standing for r in found.values()} == {ROLLED_BACK}, which


def test_the_loss_is_kept_with_the_input_that_it_lost_with() -> None:
    runs = [night(n, 10.0, input_bytes=100 * GB) for n in (0, 1)]
    runs += [night(2, 15.0, TRIAL, input_bytes=100 * GB), night(3, 2.0, input_bytes=10 * GB)]
    for n in range(4, 13):
        found = decide(situation(Mode.AUTO, 1, runs, [recommend(PROPERTY, queries=QUERIES)]))
        assert not found.in_force, n
        runs.append(night(n, 10.0, input_bytes=100 * GB))
        runs[-1] = replace(runs[-1], decision=found)


def test_who_approves_what_was_doubted_is_heard() -> None:
    said = (verdict(PROPERTY, Ruling.APPROVE, 2.5),)
    runs = [*USUAL, SLOW, night(3, 10.0)]
    found = decide(situation(Mode.AUTO, 1, runs, [recommend(PROPERTY, queries=QUERIES)], said))
    assert standings(found) == {PROPERTY.id: TRIAL}


def test_a_doubt_does_not_go_with_it_to_another_spark() -> None:
    def by(version: str, found: Run) -> Run:
        assert found.outcome
        return replace(found, outcome=replace(found.outcome, spark_version=version))

    new = [by("4.2.0", one) for one in (night(6, 10.0), night(7, 10.0), night(8, 15.0, TRIAL))]
    assert read_ledger([*(by("4.1.1", one) for one in USUAL), *new])[PROPERTY.id].now.standing is HELD
    assert read_ledger([*(by("4.1.1", one) for one in (*USUAL, SLOW)), *new])[PROPERTY.id].now.standing is HELD


@pytest.mark.parametrize(
    "between",
    [
        run(4, None, decided(PROPERTY, queries=QUERIES), state=RunState.LOST),
        late_upstream(4, decided(PROPERTY, queries=QUERIES), queries=QUERIES),
    ],
)
def test_a_run_that_told_nothing_does_not_end_the_doubt(between: Run) -> None:
    runs = [*USUAL, SLOW, night(3, 15.0), between, night(5, 15.0, TRIAL)]
    assert read_ledger(runs)[PROPERTY.id].standing is ROLLED_BACK


def test_the_log_of_the_run_that_lost_says_what_becomes_of_it() -> None:
    runs = [*USUAL, SLOW]
    lines = report_lines(Report(turn(*SLOW.decision.changes), SLOW, (), judge(SLOW, runs)))
    assert "left out once" in " ".join(lines), lines


def test_the_run_without_says_that_it_rolled_back() -> None:
    last = night(3, 10.0)
    held = read_ledger([*USUAL, SLOW])[PROPERTY.id].now
    last = replace(last, decision=replace(last.decision, changes=(held,)))
    judged = judge(last, [*USUAL, SLOW, last])
    assert [r.standing for r in judged.records] == [ROLLED_BACK]


def test_what_is_proven_on_all_queries_and_turns_far_slower_is_left_out_once() -> None:
    """Nothing that it does not reach tells whether the machine was: the run without it does."""
    proven = [*USUAL, night(2, 6.0, TRIAL), night(3, 6.0, PROMOTED), night(4, 6.1, PROMOTED)]
    assert read_ledger([*proven, night(5, 22.0, PROMOTED)])[PROPERTY.id].now.standing is HELD
    assert read_ledger([*proven, night(5, 22.0, PROMOTED), night(6, 22.0)])[PROPERTY.id].now.standing is PROMOTED
