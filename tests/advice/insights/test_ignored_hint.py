"""Insight: ignored hint."""

from __future__ import annotations

import pytest

from tuner.advice.insights.ignored_hint import ignored_hints
from tuner.advice.insights.insight_facts import InsightFacts
from tuner.model.insight import HintIgnored

from .plans import facts, joined, only

LOGICAL = """Project [c#1]
+- Join LeftOuter, (c#1 = c#11), {hint}, Statistics(sizeInBytes=1.0 B)
   :- Relation [c#1] parquet
   +- Relation [c#11] parquet"""


@pytest.mark.parametrize(
    ("hint", "operator", "why"),
    [
        ("leftHint=(strategy=broadcast)", "SortMergeJoin", HintIgnored.NOT_BUILDABLE),
        ("leftHint=(strategy=broadcast)", "BroadcastHashJoin", HintIgnored.NOT_BUILDABLE),
        ("rightHint=(strategy=shuffle_hash)", "SortMergeJoin", HintIgnored.NOT_FOLLOWED),
        ("rightHint=(strategy=merge)", "BroadcastHashJoin", HintIgnored.NOT_FOLLOWED),
    ],
)
def test_a_hint_of_the_logical_plan_that_the_join_did_not_follow(hint: str, operator: str, why: HintIgnored) -> None:
    given = facts(joined("LeftOuter", 9, 9, 9, operator=operator), logical_plan=LOGICAL.replace("{hint}", hint))
    found = only(ignored_hints, given)
    side, strategy = hint.removesuffix(")").split("Hint=(strategy=")
    assert found.numbers == {"hint": strategy.upper(), "why": why, "side": side, "join_type": "LeftOuter"}


@pytest.mark.parametrize(
    "given",
    [
        facts(
            joined("LeftOuter", 9, 9, 9, operator="BroadcastHashJoin"),
            logical_plan=LOGICAL.replace("{hint}", "rightHint=(strategy=broadcast)"),
        ),
        facts(joined("LeftOuter", 9, 9, 9), logical_plan=LOGICAL.replace("{hint}", "rightHint=(strategy=merge)")),
        facts(joined("LeftOuter", 9, 9, 9), logical_plan=LOGICAL.replace("{hint}, ", "")),
        facts(joined("LeftOuter", 9, 9, 9)),
        facts(joined("Inner", 9, 9, 9), description="SELECT /*+ BROADCAST(x) */ * FROM orders"),
    ],
)
def test_hints_that_were_followed_or_of_which_the_log_does_not_tell(given: InsightFacts) -> None:
    assert not list(ignored_hints(given))


IN_SQL = "SELECT /*+ BROADCAST(customers) */ * FROM orders JOIN customers USING (c)"


def test_a_hint_in_sql_that_is_the_description() -> None:
    found = only(ignored_hints, facts(joined("Inner", 9, 9, 9), description=IN_SQL))
    assert (found.numbers["hint"], found.numbers["why"]) == ("BROADCAST", HintIgnored.NOT_TOLD)
    followed = facts(joined("Inner", 9, 9, 9, operator="BroadcastHashJoin"), description=IN_SQL)
    assert not list(ignored_hints(followed))
