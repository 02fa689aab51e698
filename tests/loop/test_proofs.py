"""What a cohort's runs have shown is lent on the values that had it."""

from __future__ import annotations

from tuner.loop.proofs import longest_classes
from tuner.model.query import Query, QueryStatus
from tuner.model.query_values import FilterCondition
from tuner.plan.literals import literal_class
from tuner.policy.measured_values import MOST_LITERALS


def of_tenant(tenant: int, seconds: float) -> Query:
    asked = (FilterCondition("db.sales.tenant", f"{tenant}"),)
    return Query(tenant, tenant, "q", "", 0, round(1e3 * seconds), QueryStatus.SUCCEEDED, conditions=asked)


def test_of_more_values_than_may_be_lent_those_that_take_longest_are() -> None:
    nights = [of_tenant(t, 1 + t / 1000) for _ in range(2) for t in range(MOST_LITERALS + 100)]
    longest = {literal_class(one.conditions or ()) for one in nights[100 : MOST_LITERALS + 100]}
    assert set(longest_classes([*nights, Query(0, 0, "q", "", 0, 9_999, QueryStatus.SUCCEEDED)])) == longest
    assert longest_classes([]) == ()
