"""Insight: nested loop join."""

from __future__ import annotations

import pytest

from tuner.advice.insights.nested_loop_join import nested_loop_joins
from tuner.model.insight import PairsCompared

from .plans import facts, only, values

NOT_IN = "((c#1 = low#11) OR isnull((c#1 = low#11)))"


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
    assert found.numbers == {"why": PairsCompared.NO_EQUALITY, "columns": "amount, low, high", "has_or": False}
    assert found.operator == "BroadcastNestedLoopJoin of orders with rates"


@pytest.mark.parametrize(
    ("text", "why", "columns", "has_or"),
    [
        (nested("((c#1 = low#11) OR (c#1 = high#12))"), PairsCompared.NO_EQUALITY, "c, low, high", True),
        (nested(NOT_IN, kind="LeftAnti"), PairsCompared.NULL_AWARE, "c, low", True),
        (nested(""), PairsCompared.NO_CONDITION, "", False),
    ],
)
def test_why_all_pairs_are_compared(text: str, why: PairsCompared, columns: str, has_or: bool) -> None:
    assert only(nested_loop_joins, facts(text)).numbers == {"why": why, "columns": columns, "has_or": has_or}


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
