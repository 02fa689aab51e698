"""Insight: unpruned partitions."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from tuner.advice.insights.unpruned_partitions import unpruned_partitions

from .plans import facts, only, values


def partitioned(filters: str = "[]", partitions: int = 365, kept: int = 50, above: str = "") -> str:
    scan = (
        "Scan parquet db.orders | [c#1,day#2] PartitionFilters: {f}, ReadSchema: struct<c:bigint> "
        "| number of output rows=90000; number of partitions read={p}; scan time=6000; size of files read=900"
    )
    filter_ = above or f"Filter | (c#1 > 5) | number of output rows={kept}"
    return f"{filter_}\n  {scan}".replace("{f}", filters).replace("{p}", str(partitions))


def test_partitions_read_for_rows_that_are_dropped() -> None:
    found = only(unpruned_partitions, facts(partitioned()))
    assert found.numbers == {"columns": "day"}
    assert (values(found)["partitions read"], found.seconds) == (365, 3)


JOINED_BY_KEYS = """
    SortMergeJoin | [k#9], [c#1], LeftOuter | number of output rows=70
      Scan parquet db.keys | [k#9] | number of output rows=70
      Scan parquet db.orders | [c#1,day#2] PartitionFilters: [] | number of output rows=9000; number of partitions read=30
"""


def test_rows_dropped_by_the_join_above_count_too() -> None:
    assert (
        values(only(unpruned_partitions, facts(JOINED_BY_KEYS)))["rows left by the next filter or join, at most"] == 70
    )
    kept = JOINED_BY_KEYS.replace("[k#9], [c#1], LeftOuter", "[k#9], [c#1], RightOuter")
    assert not list(unpruned_partitions(facts(kept)))
    called_as_a_type_is = JOINED_BY_KEYS.replace("[k#9], [c#1], LeftOuter", "[k#9], [c#1], Inner, (RightOuter#3 < c#1)")
    assert list(unpruned_partitions(facts(called_as_a_type_is)))


CACHES = """
    Union
      InMemoryTableScan | [c#1,day#2] | number of output rows=50
        Project | [c#1,day#2]
          {filled}
      InMemoryTableScan | [c#1,day#2] | number of output rows=50
        Project | [c#1,day#2]
          {filled}
"""


def test_what_fills_a_cache_that_is_read_twice_is_told_once() -> None:
    """The plan shows it below both operators that read the cache, with the same metrics."""
    apart = facts(CACHES.format(filled=partitioned().replace("\n", "\n          ")))
    first, second = apart.final.children
    shared = msgspec.structs.replace(second, children=first.children)
    together = replace(apart, final=msgspec.structs.replace(apart.final, children=(first, shared)))
    assert [len(list(unpruned_partitions(given))) for given in (apart, together)] == [2, 1]


@pytest.mark.parametrize(
    "text",
    [
        partitioned("[isnotnull(day#2), (day#2 = 5)]"),
        partitioned(partitions=3),
        partitioned(kept=80_000),
        partitioned(above="Project | [c#1]"),
        partitioned().replace("number of partitions read", "x"),
    ],
    ids=["a partition filter", "few partitions", "rows are used", "all rows are used", "not partitioned"],
)
def test_partitions_that_had_to_be_read(text: str) -> None:
    assert not list(unpruned_partitions(facts(text)))
