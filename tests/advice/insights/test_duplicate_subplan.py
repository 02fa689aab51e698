"""Insight: duplicate subplan."""

from __future__ import annotations

import pytest

from tuner.advice.insights.duplicate_subplan import duplicate_subplans
from tuner.spark.knobs import EXCHANGE_REUSE

from .plans import facts, only, values


def twice(second: str = "", reused: str = "Exchange") -> str:
    half = """
          {exchange} | hashpartitioning(c#{a}, 4), ENSURE_REQUIREMENTS, [plan_id={b}] | shuffle records written=40
            HashAggregate | (keys=[c#{a}], functions=[partial_sum(x#{b})]) | number of output rows=40
              Scan parquet db.o | [c#{a},x#{b}] PushedFilters: [{p}] | number of output rows=90; size of files read=900
    """
    first = half.format(exchange="Exchange", a=1, b=2, p="IsNotNull(c)").strip("\n ")
    again = half.format(exchange=reused, a=11, b=12, p=second or "IsNotNull(c)").strip("\n ")
    return f"SortMergeJoin | [c#1], [c#11], Inner | number of output rows=7\n          {first}\n          {again}"


REUSE_OFF = {EXCHANGE_REUSE.property: "false"}


@pytest.mark.parametrize(("conf", "to_set"), [({}, ""), (REUSE_OFF, EXCHANGE_REUSE.property)])
def test_the_same_part_of_a_plan_run_twice(conf: dict[str, str], to_set: str) -> None:
    found = only(duplicate_subplans, facts(twice(), conf=conf))
    assert found.numbers == {"property": to_set}
    assert values(found)["times it ran"] == 2
    assert found.seconds == 10
    assert found.operator == "Exchange over o"


def test_parts_that_differ_or_are_reused() -> None:
    assert not list(duplicate_subplans(facts(twice("EqualTo(c,5)"))))
    assert not list(duplicate_subplans(facts(twice("IsNotNull(c), ... 3 more fields"))))
    fewer = twice().replace("shuffle records written=40", "shuffle records written=41", 1)
    assert not list(duplicate_subplans(facts(fewer)))
    other_files = twice().replace("size of files read=900", "size of files read=901", 1)
    assert not list(duplicate_subplans(facts(other_files)))
