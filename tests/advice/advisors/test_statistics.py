"""Statistics of tables: where they would have had joins planned otherwise, for less than that gains."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.joins import facts, inner, query, side
from tuner.advice.advisors.statistics import advise_statistics
from tuner.advice.facts import Facts
from tuner.model.action import Action, ActionKind
from tuner.model.join_site import JoinSide
from tuner.model.query import Query, TableRead
from tuner.words.reasons import reason_words

MB = 1_000_000
FACT = side("shop.sales", rows=20_000_000, shuffle_bytes=800 * MB, estimated_bytes=900 * MB, sort_ms=9_000)
READS = (
    TableRead("shop.customers", ("id", "segment"), 1_000_000, 40 * MB),
    TableRead("shop.sales", ("customer",), 20_000_000, 500 * MB),
)


def customers(measured: float = 4, estimated: float | None = 40) -> JoinSide:
    """Megabytes that came after the filter, and what the planner took them for: the size of the files."""
    size = None if estimated is None else int(estimated * MB)
    return side("shop.customers", rows=100_000, shuffle_bytes=int(measured * MB), estimated_bytes=size, sort_ms=40)


def misjudged(build: JoinSide, tables: tuple[TableRead, ...] = READS, seconds: float = 30) -> Query:
    return replace(query(inner(FACT, build), seconds=seconds, fingerprint="q1"), tables=tables)


def test_tables_are_named_with_the_columns_that_queries_ask_about() -> None:
    (advice,) = advise_statistics(facts(misjudged(customers())))
    assert advice.actions == (
        Action(ActionKind.SET_CONF, "spark.sql.cbo.enabled", "true"),
        Action(ActionKind.ANALYZE_TABLE, "shop.customers", "id,segment"),
        Action(ActionKind.ANALYZE_TABLE, "shop.sales", "customer"),
    )
    assert "the planner expects 40.0 MB, but 4.0 MB came" in reason_words(advice.reason)
    values = {e.what: e.value for e in advice.evidence}
    assert values["joins that would be planned otherwise"] == 1
    assert values["rows that ANALYZE reads"] == 21_000_000
    assert values["bytes that ANALYZE reads, at most"] == 540 * MB
    # 150 ns a value on two cores, 1.6 s a table
    assert values["ANALYZE once"] == pytest.approx(22_000_000 * 75e-9 + 3.2)
    predicted = advice.prediction
    assert predicted.low <= predicted.after <= predicted.high < predicted.before == 30


OF_MONTH = replace(customers(), relations=("shop.customers_*",))


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(facts(misjudged(customers(), tables=())), id="views over files have no statistics"),
        pytest.param(facts(misjudged(customers(), tables=READS[:1])), id="the other side is no catalog table"),
        pytest.param(
            facts(misjudged(OF_MONTH, tables=(replace(READS[0], table="shop.customers_202401"), READS[1]))),
            id="the next run may have another month's table",
        ),
        pytest.param(facts(misjudged(customers(estimated=9))), id="the planner knew: something else forbade it"),
        pytest.param(facts(misjudged(customers(estimated=None))), id="what the planner took it for is not known"),
        pytest.param(facts(misjudged(customers(measured=9))), id="an estimate twice too large would be over it"),
        pytest.param(
            facts(misjudged(customers()), conf={"spark.sql.cbo.enabled": "true"}), id="statistics count already"
        ),
        pytest.param(
            facts(misjudged(customers()), conf={"spark.sql.autoBroadcastJoinThreshold": "-1"}), id="broadcasts are off"
        ),
        pytest.param(facts(), id="no query"),
    ],
)
def test_what_is_left_alone(case: Facts) -> None:
    assert not list(advise_statistics(case))


def test_what_it_costs_must_come_back_within_the_runs_that_share_it() -> None:
    large = tuple(replace(t, rows=t.rows * 100) for t in READS)
    assert not list(advise_statistics(facts(misjudged(customers(), tables=large))))
