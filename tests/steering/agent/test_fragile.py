"""What an order or a hint could make fail, or return otherwise, is left as it was written; what it cannot is steered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import AT_LENGTH

from .fragile_programs import NOT_DETERMINISTIC, RAISING, Fragile
from .fragile_run import run_fragile

pytestmark = [pytest.mark.spark]

# g drops the bad rows of f; the order that is drawn for each asks c first.
_JOINS = "FROM f x JOIN g ON x.k = g.k JOIN c ON x.n = c.n"
_ROW = "x.id, g.gw, c.cw"
_FAILS = "may fail on rows that another order gives it"
_IN_ORDER = "takes rows in the order in which they come"
# By numbers: an event log blots out what looks like text of the user's.
_RISKY = {
    f"condition {number}": risk.replace("{x}", "x")
    for number, risk in enumerate(RAISING)
    if AT_LENGTH or number % 12 == 0
}
_DRAWN = NOT_DETERMINISTIC if AT_LENGTH else NOT_DETERMINISTIC[::3]
_OF_CONDITION = "SELECT x.id FROM f x JOIN g ON x.k = g.k JOIN c ON least(greatest(hash({}), 0), 3) = c.m"
_DRAWN_BELOW = "SELECT u, gw, cw FROM (SELECT *, rand(7) AS u FROM f) x JOIN g ON x.k = g.k JOIN c ON x.n = c.n"
_LOOSE = "x.v COLLATE UTF8_LCASE"
_SAMPLED = f"SELECT x.id {_JOINS.replace('f x', 'f TABLESAMPLE (60 PERCENT) REPEATABLE (7) x')}"
_CENTS = _JOINS.replace("f x", "(SELECT *, cast(id / 100 AS decimal(16, 2)) AS r FROM f) x")
_OF_FUNCTION = _JOINS.replace("f x", "(SELECT *, taken(id) AS r FROM f) x")
_OF_CENTS = f"SELECT x.j, sum(x.r) {_CENTS}"
_LEFT = {
    **{name: (_OF_CONDITION.format(risk), _FAILS) for name, risk in _RISKY.items()},
    "computed of a relation": (
        "SELECT id, cw FROM (SELECT *, cast(v AS int) AS r FROM f) x JOIN g ON x.k = g.k JOIN c ON coalesce(x.r, 0) = c.n", _FAILS
    ),
    "computed of a relation, which a sum and a condition above the joins ask for": (
        f"{_OF_CENTS} LEFT JOIN e ON x.j = e.j AND x.r > e.p GROUP BY x.j", _FAILS
    ),
    "computed of a relation, from which more is computed": (f"SELECT id, r * 2 AS s {_CENTS}", _FAILS),
    "computed of what the joins do not carry": (
        f"SELECT id, r {_JOINS.replace('f x', '(SELECT *, cast(v AS int) AS r FROM f) x')}", _FAILS
    ),
    "computed where rows may be null": (
        "SELECT y.ew, y.r FROM (SELECT e.*, b.r FROM e LEFT JOIN (SELECT j, cast(id / 100 AS decimal(16, 2)) AS r FROM f) b "
        "ON e.j = b.j) y JOIN g ON y.p = g.k JOIN c ON y.p = c.m", _FAILS
    ),
    "a condition of rows that a join has left": (f"SELECT x.id {_JOINS} AND 10 / x.zero >= c.m", _FAILS),
    "a condition of pairs, before the last join": (
        "SELECT x.id FROM (SELECT * FROM f WHERE k < 8) x JOIN e ON x.j = e.j AND 10 / x.zero >= e.p JOIN g ON x.k = g.k", _FAILS
    ),
    "filter of a relation": (f"SELECT x.id {_JOINS} WHERE x.n + 1 > 0", _FAILS),
    **{f"drawn by {u}": (f"SELECT {_ROW}, {u} {_JOINS}", "the plan is not deterministic") for u in _DRAWN},
    "drawn below": (_DRAWN_BELOW, "the plan is not deterministic"),
    "a sample": (_SAMPLED, "a sample is not deterministic"),
    "limit": (f"SELECT {_ROW} {_JOINS} LIMIT 5", _IN_ORDER),
    "limit after an order with ties": (f"SELECT {_ROW} {_JOINS} ORDER BY x.n LIMIT 5", _IN_ORDER),
    "limit of values that are then sorted": (
        f"SELECT n FROM (SELECT DISTINCT x.n {_JOINS} LIMIT 10000) ORDER BY n", _IN_ORDER
    ),
    "limit of lists that are then sorted": (
        f"SELECT n FROM (SELECT first(x.n) AS n {_JOINS} GROUP BY x.j LIMIT 10001) ORDER BY n", _IN_ORDER
    ),
    "limit after an order of loose texts": (
        f"SELECT x.v COLLATE UTF8_LCASE AS name {_JOINS} ORDER BY name LIMIT 5", _IN_ORDER
    ),
    "limit after an order of floating point": (f"SELECT x.d {_JOINS} ORDER BY x.d LIMIT 5", _IN_ORDER),
    **{
        f"{function} by {by or 'nothing'}": (f"SELECT {function} {_JOINS} {by}", _IN_ORDER)
        for function in ("first(c.cw)", "last(g.gw)", "collect_list(c.cw)", "max_by(c.cw, x.n)")
        for by in (("", "GROUP BY x.j") if AT_LENGTH else ("GROUP BY x.j",))
    },
    "a sorted list of loose texts": (f"SELECT sort_array(collect_list({_LOOSE})) {_JOINS} GROUP BY x.j", _IN_ORDER),
    "the largest of structs of loose texts": (f"SELECT max(struct(x.n, {_LOOSE})) {_JOINS} GROUP BY x.j", _IN_ORDER),
    "groups of lists of loose texts": (f"SELECT array({_LOOSE}) AS a, count(*) {_JOINS} GROUP BY 1", _IN_ORDER),
    "EXISTS that may fail on the way": (
        f"SELECT {_ROW} {_JOINS} LEFT SEMI JOIN e ON e.j = x.j AND 10 / (x.zero + c.m) > e.p", _IN_ORDER
    ),
    "row_number over ties": (f"SELECT {_ROW}, row_number() OVER (PARTITION BY x.j ORDER BY x.n) {_JOINS}", _IN_ORDER),
    "a frame of rows over ties": (
        f"SELECT {_ROW}, sum(x.id) OVER (PARTITION BY x.j ORDER BY x.n ROWS 2 PRECEDING) {_JOINS}", _IN_ORDER
    ),
}  # fmt: skip
_OF_PAIRS = "SELECT x.id, g.gw, c.cw FROM f x JOIN g ON x.k = g.k AND {} JOIN c ON x.n = c.n"
_STEERED = {
    "an interval between pairs of equal keys": _OF_PAIRS.format(
        "timestamp_micros(length(g.gw)) >= timestamp_micros(x.id) - INTERVAL 1 HOUR "
        "AND timestamp_micros(length(g.gw)) < timestamp_micros(x.id) + INTERVAL 1 HOUR"
    ),
    "a condition of pairs of equal keys": _OF_PAIRS.format("10 / x.zero >= length(g.gw) - 9"),
    "an equality": f"SELECT x.id {_JOINS}",
    "computed of a relation, which the joins do not ask for": f"{_OF_CENTS} GROUP BY x.j",
    "computed of two relations alike": (
        f"SELECT x.j, sum(x.r + y.r) {_CENTS} JOIN (SELECT *, cast(id / 100 AS decimal(16, 2)) AS r FROM f) y ON y.id = x.id "
        "AND y.k > 2 GROUP BY x.j"
    ),
    "computed of a text that the joins carry": (
        f"SELECT v, r {_JOINS.replace('f x', '(SELECT *, cast(v AS int) AS r FROM f) x')}"
    ),
    "computed above the joins, of one relation": (
        "SELECT id, r FROM (SELECT *, 10 / zero AS r FROM f) x JOIN g ON x.k = g.k JOIN c ON x.n = c.n"
    ),
    "computed above the joins": f"SELECT hash(10 / x.zero) {_JOINS}",
    "coalesce": f"SELECT x.id {_JOINS} AND coalesce(x.j, 7) >= c.m",
    "a wider type": "SELECT x.id FROM f x JOIN g ON x.k = g.k JOIN c ON cast(x.n AS decimal(12, 2)) = c.n",
    "strings": f"SELECT x.id {_JOINS} AND (length(upper(x.v)) > c.m OR x.v LIKE 'a%')",
    "texts that are made below the joins": (
        "SELECT x.id, x.name FROM (SELECT *, md5(concat_ws('|', v, n)) AS name, regexp_replace(v, '[0-9]', '') AS rest FROM f) x "
        "JOIN g ON x.k = g.k JOIN c ON x.n = c.n AND concat(x.rest, 'a') RLIKE '^[a-z]'"
    ),
    "doubles": f"SELECT x.id {_JOINS} AND x.d / 2 + 1 >= c.m",
    "exact sums by groups": f"SELECT x.j, sum(x.n), avg(x.n), count(DISTINCT x.id), max(x.v) {_JOINS} GROUP BY x.j",
    "sums up to rounding": f"SELECT round(sum(x.d), 1), round(stddev(x.d), 1) {_JOINS}",
    "a sorted list": f"SELECT sort_array(collect_list(x.id)) {_JOINS}",
    "a sorted list of structs": f"SELECT x.j, sort_array(collect_list(struct(x.n, x.id))) {_JOINS} GROUP BY x.j",
    "limit after an order that covers the rows": f"SELECT x.id, c.cw, g.gw {_JOINS} ORDER BY c.cw, g.gw, x.id LIMIT 5",
    "limit after an order that covers the grouping keys": f"SELECT x.j, count(*) {_JOINS} GROUP BY x.j ORDER BY x.j LIMIT 3",
    "limit after an order of exact texts": f"SELECT x.v {_JOINS} ORDER BY x.v LIMIT 5",
    "the largest of floating point": f"SELECT x.j, max(x.d) {_JOINS} GROUP BY x.j",
    "rank": f"SELECT x.id, rank() OVER (PARTITION BY x.j ORDER BY x.n) {_JOINS}",
    "a pivot": f"SELECT * FROM (SELECT x.j, x.n, x.id {_JOINS}) PIVOT (sum(id) FOR n IN (1, 2, 3))",
    "limit behind a shuffle": f"SELECT x.j, count(*) {_JOINS} GROUP BY x.j ORDER BY 2 LIMIT 9",
}
# What Spark asks for by itself, to know the columns.
_PIVOTED = {
    "values of a pivot": Fragile(f"SELECT x.j, x.n {_JOINS}", pivot="n"),
    "values of a pivot that are computed": Fragile(
        f"SELECT x.j, upper(concat(x.v, 'a')) AS name {_JOINS}", pivot="name"
    ),
    "values of a pivot of floating point": Fragile(f"SELECT x.j, x.d {_JOINS}", pivot="d"),
    "values of a pivot, of other ones at most": Fragile(
        f"SELECT x.j, x.n {_JOINS}", pivot="n", conf={"spark.sql.pivotMaxValues": "500"}
    ),
}
# Functions in Python.
_CALLING = {
    "a function of each row": Fragile(f"SELECT {_ROW}, same(x.k) {_JOINS}", function="same", of_each_row=True),
    "a function of each group": Fragile(
        f"SELECT same(x.j), count(*) {_JOINS} GROUP BY x.j", function="same", of_each_row=True
    ),
}
# Its first rows of all tasks are merged in the order in which these end (RDD.takeOrdered).
_UNSTABLE = "limit after an order with ties"
# What compiled code computes of a row only when it is asked for.
_WAITING = {
    "computed of a relation",
    "computed of what the joins do not carry",
    "computed above the joins, of one relation",
    "computed of a text that the joins carry",
}
_BUCKETS = ("CREATE TABLE IF NOT EXISTS buckets USING parquet CLUSTERED BY (j) INTO 2 BUCKETS AS SELECT * FROM f",)
_GROUPS_OF_BUCKETS = f"SELECT x.j, x.id, count(*) {_JOINS.replace('f x', 'buckets x')} GROUP BY x.j, x.id"
_OF_BUCKETS = f"SELECT j, collect_list(id) FROM ({_GROUPS_OF_BUCKETS}) GROUP BY j"
_PADDED = (
    "CREATE TABLE IF NOT EXISTS padded (m INT, name CHAR(9)) USING parquet",
    "INSERT OVERWRITE padded SELECT m, cw FROM c",
)
_OF_PADDED = f"SELECT x.id, p.name {_JOINS} JOIN padded p ON p.m = x.n AND p.name <> c.cw"
_VIEW = ("CREATE OR REPLACE TEMPORARY VIEW fv AS SELECT *, cast(v AS int) AS number FROM f",)
_OF_VIEW = "SELECT x.id, c.cw FROM fv x JOIN g ON x.k = g.k JOIN c ON coalesce(x.number, 0) = c.m"
_BY_COST = {"spark.sql.cbo.enabled": "true", "spark.sql.cbo.joinReorder.enabled": "true"}


@dataclass(frozen=True, slots=True)
class Told:
    """By program: what came of it, the status and reason of its order, and what its query and its blocks are called."""

    entries: dict[str, dict[str, Any]]
    orders: dict[str, tuple[str, str]]
    names: dict[str, set[tuple[str, ...]]]


def _programs() -> dict[str, Fragile]:
    texts = {**{name: text for name, (text, _) in _LEFT.items()}, **_STEERED}
    return {
        **{name: Fragile(text, codegen=name in _WAITING) for name, text in texts.items()},
        **_PIVOTED,
        **_CALLING,
        "a list of groups by buckets": Fragile(_OF_BUCKETS, _BUCKETS),
        "a function": Fragile(f"SELECT id, r {_OF_FUNCTION}", function="taken", of_each_row=True),
        "a function that is declared so": Fragile(f"SELECT {_ROW}, drawn(x.k) {_JOINS}", function="drawn"),
        "ordered by Spark's costs": Fragile(f"SELECT {_ROW} {_JOINS}", conf=_BY_COST),
        "a column of type CHAR": Fragile(_OF_PADDED, _PADDED),
        "view with ANSI read without": Fragile(_OF_VIEW, _VIEW, ansi_of_views=True, ansi=False, codegen=True),
        "view without ANSI read with": Fragile(_OF_VIEW, _VIEW, ansi_of_views=False, ansi=True, codegen=True),
    }


@pytest.fixture(scope="module")
def told(
    agent_conf: dict[str, str], spark_submit: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory
) -> Told:
    phase = {"seed": 1, "hinted": 0.0, "last": "g"}
    ran = run_fragile(spark_submit, agent_conf, tmp_path_factory.mktemp("fragile"), _programs(), phase)
    orders = {
        name: outcome
        for name, outcomes in ran.outcomes.items()
        for id_, outcome in outcomes.items()
        if id_.startswith("order_joins:")
    }
    return Told(ran.entries, orders, ran.names)


def test_no_program_fails_or_returns_other_rows(told: Told) -> None:
    assert {name: e["plain"][0] for name, e in told.entries.items() if e["plain"][0]} == {}
    differs = {name: e["steered"] for name, e in told.entries.items() if e["again"] == e["plain"] and name != _UNSTABLE}
    assert differs == {}


@pytest.mark.parametrize("name", _LEFT)
def test_what_another_order_could_change_is_left(told: Told, name: str) -> None:
    status, reason = told.orders[name]
    assert status == "impossible"
    assert _LEFT[name][1] in reason


@pytest.mark.parametrize("name", [*_STEERED, *_PIVOTED, *_CALLING])
def test_what_no_order_changes_is_ordered(told: Told, name: str) -> None:
    assert told.orders[name] == ("applied", "")


def test_what_is_computed_above_its_joins_keeps_its_names(told: Told) -> None:
    computed = [name for name in _STEERED if name.startswith("computed")]
    assert {name: told.names[name] for name in computed if len(told.names[name]) > 1} == {}


def test_what_spark_pads_is_ordered(told: Told) -> None:
    assert told.orders["a column of type CHAR"] == ("applied", "")


def test_a_function_that_is_declared_not_to_be_deterministic_leaves_its_query_alone(told: Told) -> None:
    assert told.orders["a function that is declared so"] == ("impossible", "the plan is not deterministic")


def test_a_function_of_the_job_is_asked_where_it_stands(told: Told) -> None:
    status, reason = told.orders["a function"]
    assert status == "impossible"
    assert _FAILS in reason


def test_what_spark_orders_by_its_own_costs_is_left_to_it(told: Told) -> None:
    assert told.orders["ordered by Spark's costs"] == ("ignored", "Spark's own cost-based join reordering is on")


def test_groups_that_lie_together_in_buckets_keep_their_order(told: Told) -> None:
    status, reason = told.orders["a list of groups by buckets"]
    assert status == "impossible"
    assert _IN_ORDER in reason


def test_whether_a_cast_raises_errors_is_told_by_where_it_was_made(told: Told) -> None:
    assert _FAILS in told.orders["view with ANSI read without"][1]
    assert told.orders["view without ANSI read with"] == ("applied", "")
