"""Spark's own reordering: on with statistics where its order would gain, and nothing else."""

from __future__ import annotations

import pytest

from tests.advice.blocks import DAYS_FIRST, NAMES, block, ordered, reads
from tests.advice.joins import facts
from tuner.advice.advisors.cbo import advise_cbo
from tuner.advice.facts import Facts
from tuner.model.action import ActionKind
from tuner.model.join_graph import RelationKind
from tuner.model.query import QueryStatus, TableRead
from tuner.words.reasons import reason_words

ENABLED, REORDER = "spark.sql.cbo.enabled", "spark.sql.cbo.joinReorder.enabled"
THRESHOLD, STAR = "spark.sql.cbo.joinReorder.dp.threshold", "spark.sql.cbo.joinReorder.dp.star.filter"
ANALYZED = {
    "shop.days": "day,week",
    "shop.items": "item",
    "shop.sales": "day,item",
    "shop.stock": "item",
}


def test_it_is_switched_on_with_the_statistics_that_it_needs() -> None:
    (advice,) = advise_cbo(facts(ordered()))
    confs = {a.target: a.value for a in advice.actions if a.kind is ActionKind.SET_CONF}
    assert confs == {ENABLED: "true", REORDER: "true"}
    assert {a.target: a.value for a in advice.actions if a.kind is ActionKind.ANALYZE_TABLE} == ANALYZED
    assert advice.queries == ("q1",)
    assert "statistics of 4 tables" in reason_words(advice.reason)
    predicted = advice.prediction
    assert 0 <= predicted.low <= predicted.after <= predicted.high < predicted.before == 600
    values = {e.what: e.value for e in advice.evidence}
    assert values["rows between them in Spark's own order"] < values["rows between the joins as they ran"] / 1000
    assert values["rows that ANALYZE reads"] == 11_012_000
    # 150 ns a value on two cores, 1.6 s a table
    assert values["ANALYZE once"] == pytest.approx((20_000_000 + 1_000_000 + 14_000 + 5_000) * 75e-9 + 6.4)


def test_what_is_set_already_is_not_said_again() -> None:
    (advice,) = advise_cbo(facts(ordered(), conf={ENABLED: "true", STAR: "true", THRESHOLD: "3"}))
    confs = {a.target: a.value for a in advice.actions if a.kind is ActionKind.SET_CONF}
    assert confs == {REORDER: "true", THRESHOLD: "4", STAR: "false"}


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(facts(ordered(tables=())), id="views over files have no statistics"),
        pytest.param(facts(ordered(tables=reads()[:3])), id="one relation is no catalog table"),
        pytest.param(facts(ordered(graph=block(kind=RelationKind.AGGREGATE))), id="one relation is a subquery"),
        pytest.param(facts(ordered(DAYS_FIRST)), id="the order is good already"),
        pytest.param(facts(ordered(seconds=0.9)), id="less than a second"),
        pytest.param(facts(ordered(), conf={ENABLED: "true", REORDER: "true"}), id="on already"),
        pytest.param(facts(), id="no query"),
    ],
)
def test_what_is_left_alone(case: Facts) -> None:
    assert not list(advise_cbo(case))


def test_what_its_statistics_cost_must_come_back() -> None:
    large = tuple(TableRead(t.table, t.columns, t.rows * 10_000, t.file_bytes) for t in reads())
    assert list(advise_cbo(facts(ordered())))
    assert not list(advise_cbo(facts(ordered(tables=large))))


def test_a_query_that_did_not_succeed_says_nothing() -> None:
    from dataclasses import replace

    assert not list(advise_cbo(facts(replace(ordered(), status=QueryStatus.FAILED))))


def test_each_query_that_it_touches_is_named() -> None:
    (advice,) = advise_cbo(facts(ordered(), ordered(fingerprint="q2", seconds=300)))
    assert advice.queries == ("q1", "q2")
    assert advice.prediction.before == 900
    assert NAMES[0] in {a.target for a in advice.actions}
