"""Groups that a query makes several times, made once by the agent."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.joins import facts, query
from tuner.advice.advisors.shared_subplan import advise_shared_subplans
from tuner.advice.facts import Facts
from tuner.advice.steering_reach import Reach
from tuner.model.action import ActionKind, Hint
from tuner.model.shared_subplan import SharedSubplan
from tuner.words.reasons import reason_words

SHARED = SharedSubplan(
    join="5160",
    relations=("db.days", "db.sales"),
    times=3,
    scanned_rows=28_000_000,
    rows=54_000,
    saved_amounts={"scan": 168e6, "probe": 56e6},
    added_amounts={"shuffle_read": 4e6, "aggregate": 108_000},
)


def job(*shared: SharedSubplan, seconds: float = 20.0, reach: Reach = Reach.AGENT, **conf: str) -> Facts:
    return facts(replace(query(seconds=seconds, fingerprint="q1"), shared_subplans=shared), reach=reach, conf=conf)


def test_the_change_names_the_join_and_all_that_is_read() -> None:
    (change,) = advise_shared_subplans(job(SHARED))
    (action,) = change.actions
    assert (action.kind, action.value) == (ActionKind.HINT_JOIN, Hint.SHARE)
    assert (action.target, action.query, action.relations) == ("5160", "q1", ("db.days", "db.sales"))


def test_it_says_how_often_and_what_that_saves_and_adds() -> None:
    (change,) = advise_shared_subplans(job(SHARED))
    words = reason_words(change.reason)
    assert words.startswith("group days and sales once: the query groups them 3 times, each time from 28.0M rows;")
    assert "each place then picks its own of 54.0k rows, which adds " in words
    saved, added = (e.value for e in change.evidence[-2:])
    assert change.prediction is not None
    assert change.prediction.gain == pytest.approx(saved - added)
    assert change.prediction.low < change.prediction.after < change.prediction.high < 20.0


def test_in_a_loop_they_are_worth_what_all_executions_gain() -> None:
    """And they are one change, of the execution that gains most."""
    few = {name: amount / 40 for name, amount in SHARED.saved_amounts.items()}
    found = [replace(SHARED, saved_amounts={**few, "probe": few["probe"] + n}, added_amounts={}) for n in range(100)]
    loop = [replace(query(seconds=0.8, fingerprint="q1"), shared_subplans=(one,)) for one in found]
    assert not list(advise_shared_subplans(facts(loop[0], reach=Reach.AGENT)))
    (change,) = advise_shared_subplans(facts(*loop, reach=Reach.AGENT))
    assert change.prediction is not None and 0.04 < change.prediction.gain < 0.3
    assert change.prediction.before == 0.8


def test_what_reading_all_groups_adds_is_taken_off() -> None:
    dear = replace(SHARED, added_amounts={"shuffle_read": 4e9, "aggregate": 50e6})
    assert not list(advise_shared_subplans(job(dear)))


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(job(SHARED, reach=Reach.TEXT), id="no agent"),
        pytest.param(job(SHARED, **{"spark.sql.exchange.reuse": "false"}), id="nothing is reused"),
        pytest.param(job(replace(SHARED, reused=True)), id="made once already"),
        pytest.param(job(SHARED, seconds=2_000.0), id="little of the query"),
        pytest.param(
            job(replace(SHARED, adds_bigint=True), **{"spark.sql.ansi.enabled": "true"}), id="a sum may overflow"
        ),
    ],
)
def test_where_it_is_not_advised(other: Facts) -> None:
    assert not list(advise_shared_subplans(other))


def test_a_sum_of_bigint_wraps_around_without_ansi() -> None:
    """The agent refuses it under ANSI alone, which is Spark's default since version 4."""
    adds = replace(SHARED, adds_bigint=True)
    assert list(advise_shared_subplans(job(adds, **{"spark.sql.ansi.enabled": "false"})))
    (three, four) = (replace(job(adds), spark_version=version) for version in ("3.5.1", "4.0.0"))
    assert list(advise_shared_subplans(three)) and not list(advise_shared_subplans(four))
