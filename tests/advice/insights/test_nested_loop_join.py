"""Insight: nested loop join."""

from __future__ import annotations

import pytest

from tuner.advice.insights.nested_loop_join import nested_loop_joins

from .plans import facts, only, values


def nested(condition: str, left: int = 5000, right: int = 2000, kind: str = "Inner", out: int = 70) -> str:
    return f"""
        BroadcastNestedLoopJoin | BuildRight, {kind}, {condition} | number of output rows={out}
          Scan parquet db.orders | [c#1,amount#2] | number of output rows={left}
          BroadcastExchange | IdentityBroadcastMode | number of output rows={right}
            Scan parquet db.rates | [low#11,high#12] | number of output rows={right}
    """


def test_a_nested_loop_join_tells_its_pairs() -> None:
    found = only(nested_loop_joins, facts(nested("((amount#2 > low#11) AND (amount#2 < high#12))")))
    assert values(found)["pairs of rows"] == 10_000_000
    assert "no equality" in found.reason and "amount, low, high" in found.change
    assert found.operator == "BroadcastNestedLoopJoin of orders with rates"


@pytest.mark.parametrize(
    ("text", "change"),
    [
        (nested("((c#1 = low#11) OR (c#1 = high#12))"), "split the OR"),
        (nested("((c#1 = low#11) OR isnull((c#1 = low#11)))", kind="LeftAnti"), "NOT EXISTS"),
        (nested(""), "equal keys"),
    ],
)
def test_what_to_do_about_a_nested_loop(text: str, change: str) -> None:
    assert change in only(nested_loop_joins, facts(text)).change


def test_a_cartesian_products_tasks_read_their_parts_anew() -> None:
    text = """
        CartesianProduct | | number of output rows=500000
          Scan parquet db.a | [x#1] | number of output rows=1000
          Scan parquet db.b | [y#2] | number of output rows=2000
    """
    assert values(only(nested_loop_joins, facts(text)))["pairs of rows"] == 1000 * 2000 / 4


@pytest.mark.parametrize("text", [nested("(amount#2 > low#11)", right=1), nested("(amount#2 > low#11)", left=0)])
def test_a_lookup_in_a_row_or_two_is_no_product(text: str) -> None:
    assert not list(nested_loop_joins(facts(text)))
