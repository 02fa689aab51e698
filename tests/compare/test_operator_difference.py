"""Operators of two executions, side by side."""

from __future__ import annotations

from dataclasses import replace

from tests.compare.jobs import GB, execution, join
from tuner.compare.operator_difference import MOST_OPERATORS, operator_differences
from tuner.model.query import AggregateSite, Query, ShuffleExchange, TableRead
from tuner.model.query_work import BroadcastWork, QueryWork, SortWork
from tuner.model.strategy import BuildSide, Strategy


def aggregate(operator: str, seconds: float) -> AggregateSite:
    return AggregateSite("by day", operator, False, True, 100, 10, 500, 8, None, 0, seconds)


def test_what_is_alike_is_left_out() -> None:
    one = execution(
        joins=(join(),), tables=(TableRead("shop.sales", (), 100, GB),), aggregates=(aggregate("HashAggregate", 2.0),)
    )
    assert operator_differences(one, one) == ()
    slightly = replace(one, tables=(TableRead("shop.sales", (), 102, GB),))
    assert operator_differences(one, slightly) == ()


def test_tables_of_a_month_are_beside_those_of_the_month_before() -> None:
    """Of two in one query, both together."""

    def query(*tables: tuple[str, int]) -> Query:
        return execution(tables=tuple(TableRead(f"shop.sales_{month}", (), 100, size) for month, size in tables))

    assert operator_differences(query(("202401", GB)), query(("202402", GB))) == ()
    (found,) = operator_differences(query(("202401", GB), ("202402", GB)), query(("202402", GB), ("202403", 3 * GB)))
    assert (found.kind, found.left, found.bytes) == ("scan", "sales_*", 2 * GB)


def test_what_runs_otherwise_comes_first_then_what_took_longest() -> None:
    def query(strategy: Strategy, read: int, seconds: float) -> object:
        return execution(
            joins=(join(strategy, build_side=BuildSide.RIGHT if strategy is Strategy.BROADCAST_HASH else None),),
            tables=(TableRead("shop.sales", (), read, read),),
            aggregates=(aggregate("HashAggregate", seconds),),
        )

    found = operator_differences(query(Strategy.BROADCAST_HASH, GB, 2.0), query(Strategy.SORT_MERGE, 2 * GB, 9.0))  # type: ignore[arg-type]
    assert [(one.kind, one.left) for one in found] == [("join", "sales"), ("aggregate", ""), ("scan", "sales")]
    was, now = found[0].before, found[0].after
    assert was is not None and now is not None
    assert (was.how, was.build_side, now.how, now.build_side) == ("BroadcastHashJoin", "right", "SortMergeJoin", "")
    assert (found[1].seconds, found[2].bytes) == (7.0, GB)


def test_shuffles_broadcasts_and_sorts_are_those_of_the_whole_query() -> None:
    shuffles = (ShuffleExchange(200, 100, 50, 10, 8, True, 4000), ShuffleExchange(200, 300, 50, None, 8, True))
    work = QueryWork((), (BroadcastWork(366, 1000, 9000, 200, 300),), SortWork(500, 1500))
    found = operator_differences(
        replace(execution(), work=QueryWork(())), replace(execution(), shuffles=shuffles, work=work)
    )
    told = {one.kind.value: one.after for one in found}
    assert all(one.before is None for one in found)
    assert {kind: (a.rows, a.bytes, a.seconds) for kind, a in told.items() if a} == {
        "shuffle": (10, 400, 4.0),
        "broadcast": (366, 1000, 0.5),
        "sort": (500, None, 1.5),
    }


def test_there_is_an_end_to_them() -> None:
    joins = tuple(join(signature=str(number)) for number in range(100))
    found = operator_differences(
        execution(joins=joins), execution(joins=tuple(replace(one, output_rows=1) for one in joins))
    )
    assert len(found) == MOST_OPERATORS
