"""Insight: partial aggregate."""

from __future__ import annotations

import pytest

from tuner.advice.insights.partial_aggregate import partial_aggregates

from .plans import facts, only, values


def partial(rows: int, groups: int) -> str:
    return f"""
        HashAggregate | (keys=[c#1], functions=[sum(amount#2)]) | number of output rows={groups}
          Exchange | hashpartitioning(c#1, 4) | shuffle records written={groups}; shuffle bytes written=5
            HashAggregate | (keys=[c#1], functions=[partial_sum(amount#2)]) | number of output rows={groups}; \
time in aggregation build=9000
              Scan parquet db.orders | [c#1,amount#2] | number of output rows={rows}; scan time=1000
    """


def test_a_partial_aggregate_that_keeps_its_rows() -> None:
    found = only(partial_aggregates, facts(partial(9_000_000, 8_900_000)))
    assert values(found)["rows that it kept"] == pytest.approx(0.989, abs=1e-3)
    assert found.seconds == 4  # its build without the scan: 8 s of the 20 s that the tasks ran in 10 s
    assert not found.numbers


def test_a_row_costs_no_more_than_hashing_it() -> None:
    assert only(partial_aggregates, facts(partial(1_000_000, 1_000_000))).seconds == 1


@pytest.mark.parametrize(("rows", "groups"), [(9_000_000, 5_000_000), (9_000, 9_000)])
def test_partial_aggregates_that_are_worth_it_or_small(rows: int, groups: int) -> None:
    assert not list(partial_aggregates(facts(partial(rows, groups))))
