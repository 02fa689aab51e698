"""How large a side may be that no shuffle of its own counted: by what fed the stage that made it."""

from __future__ import annotations

import pytest

from tests.plan.trees import plan
from tuner.plan.fed_bytes import fed_bytes

EXCHANGE = "Exchange | hashpartitioning(k#1, 8) | data size=30000; shuffle records written=1000"
OTHER = "Exchange | hashpartitioning(j#2, 8) | data size=5000; shuffle records written=500"
SCAN = "Scan parquet t | [k#1] | number of output rows=1000"


def _fed(*lines: str) -> int | None:
    return fed_bytes(plan("\n".join(lines)), rows=100)


@pytest.mark.parametrize(
    "operator",
    [
        "HashAggregate | (keys=[k#1], functions=[sum(n#2)]) | number of output rows=100",
        "Filter | (rn#3 = 1) | number of output rows=100",
        "Window | [row_number() windowspecdefinition(k#1) AS rn#3], [k#1], [n#2 ASC]",
    ],
)
def test_rows_are_as_wide_as_those_that_came(operator: str) -> None:
    assert _fed(operator, f"  {EXCHANGE}", f"    {SCAN}") == 100 * 30


def test_rows_that_a_join_puts_together_are_as_wide_as_both() -> None:
    join = "SortMergeJoin | [k#1], [j#2], Inner | number of output rows=100"
    assert _fed(join, f"  {EXCHANGE}", f"    {SCAN}", f"  {OTHER}", f"    {SCAN}") == 100 * (30 + 10)


def test_a_shuffle_that_is_read_again_counts_as_where_it_ran() -> None:
    assert _fed("Filter | (k#1 > 1)", "  ReusedExchange | [k#1]", f"    {EXCHANGE}", f"      {SCAN}") == 100 * 30


@pytest.mark.parametrize("name", ["ObjectHashAggregate", "SortAggregate"])
def test_groups_may_hold_all_that_came(name: str) -> None:
    text = f"{name} | (keys=[k#1], functions=[collect_list(n#2, 0, 0)]) | number of output rows=100"
    assert _fed(text, f"  {EXCHANGE}", f"    {SCAN}") == 30_000


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param((SCAN,), id="a bucketed table"),
        pytest.param(("Window | [collect_list(n#2)], [k#1]", f"  {EXCHANGE}", f"    {SCAN}"), id="a window's lists"),
        pytest.param(("FlatMapGroupsInPandas | [k#1]", f"  {EXCHANGE}", f"    {SCAN}"), id="a user's function"),
        pytest.param(("VeloxColumnarToRow |", "  ColumnarExchange | hashpartitioning(k#1, 8)"), id="another engine's"),
        pytest.param(
            ("Filter | (k#1 > 1)", "  Exchange | hashpartitioning(k#1, 8)", f"    {SCAN}"),
            id="a shuffle that was not counted",
        ),
        pytest.param(
            ("Filter | (k#1 > 1)", "  CometExchange | hashpartitioning(k#1, 8)"), id="another engine's shuffle"
        ),
    ],
)
def test_of_other_sides_nothing_is_known(lines: tuple[str, ...]) -> None:
    assert _fed(*lines) is None
