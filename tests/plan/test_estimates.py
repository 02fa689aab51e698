"""The planner's own estimates, read from the text of EXPLAIN COST."""

from __future__ import annotations

import pytest

from tuner.plan.estimates import NO_ESTIMATES, SideEstimate, read_estimates

from .trees import fixture

ORDERS, DATES, STORE = (1, 2, 3), (11, 12), (21, 22)


@pytest.mark.parametrize(
    ("columns", "estimate"),
    [
        (ORDERS, int(1.5 * 2**30)),
        ((2,), int(1.5 * 2**30)),
        (DATES, 570),  # of the projection the join reads, not of the relation
        (STORE, 3 * 2**40),
        ((*ORDERS, *DATES), 10**20),  # beyond EiB Spark counts bytes
        ((*DATES, *STORE), None),  # never joined with each other alone
        ((), None),
        ((999,), None),
        ((1, 999), int(1.5 * 2**30)),
    ],
)
def test_sides_are_found_by_their_columns(columns: tuple[int, ...], estimate: int | None) -> None:
    assert read_estimates(fixture("explain_cost.txt")).side(columns).bytes == estimate


def test_columns_cut_from_a_relations_list_are_found_in_what_stands_on_it() -> None:
    text = fixture("explain_cost.txt").replace(
        "[day_sk#1L,store_sk#2L,amount#3,... 20 more fields]", "[... 23 more fields]"
    )
    assert read_estimates(text).side((1,)).bytes == int(1.5 * 2**30)


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ("0.0 B", 0),
        ("1.0 B", 1),
        ("2.5 KiB", 2560),
        ("1.0 PiB", 2**50),
        ("8.0 EiB", 2**63),
        ("1.23E+21 B", 1_230_000_000_000_000_000_000),
    ],
)
def test_sizes(size: str, expected: int) -> None:
    text = (
        "Join Inner\n"
        f":- Relation [a#1] parquet, Statistics(sizeInBytes={size}, rowCount=3.0E+5)\n"
        "+- Relation [b#2] parquet, Statistics(sizeInBytes=1.0 B)"
    )
    assert read_estimates(text).side((1,)).bytes == expected


@pytest.mark.parametrize(
    "text", [None, "", "Join Inner\n:- Relation [a#1] parquet\n+- Relation [b#2] parquet", "no plan at all"]
)
def test_without_statistics_there_are_none(text: str | None) -> None:
    assert read_estimates(text) is NO_ESTIMATES
    assert NO_ESTIMATES.side((1,)).bytes is None


def test_the_relations_below_a_side_are_summed() -> None:
    text = """Join Inner, (a#1 = b#2), Statistics(sizeInBytes=9.0 MiB)
:- Filter (a#1 > 0), Statistics(sizeInBytes=1.0 MiB)
:  +- Relation [a#1] parquet, Statistics(sizeInBytes=3.0 MiB)
+- Join Inner, (b#2 = c#3), Statistics(sizeInBytes=8.0 EiB)
   :- Relation [b#2] parquet, Statistics(sizeInBytes=4.0 MiB)
   +- Relation [c#3] parquet, Statistics(sizeInBytes=5.0 MiB)"""
    found = read_estimates(text)
    assert (found.side((1,)).bytes, found.side((1,)).leaf_bytes) == (1 << 20, 3 << 20)
    assert found.side((2, 3)).leaf_bytes == 9 << 20
    assert found.side((1, 2)).leaf_bytes is None


def test_the_plan_of_a_runtime_filters_subquery_is_none_of_its_relations() -> None:
    """The subquery reads the other side of the join; its columns have the same ids."""
    text = (
        "Join Inner, (a#1 = b#2), Statistics(sizeInBytes=9.0 KiB)\n"
        ":- Filter might_contain(scalar-subquery#7 [], xxhash64(a#1, 42)), Statistics(sizeInBytes=3.0 KiB)\n"
        ":  :  +- Aggregate [bloom_filter_agg(xxhash64(b#2, 42), 10, 80, 0, 0) AS bloomFilter#6], Statistics(sizeInBytes=1.0 B)\n"
        ":  :     +- Filter isnotnull(b#2), Statistics(sizeInBytes=1.0 KiB)\n"
        ":  :        +- Relation [b#2] parquet, Statistics(sizeInBytes=1.0 KiB)\n"
        ":  +- Relation [a#1] parquet, Statistics(sizeInBytes=4.0 KiB)\n"
        "+- Filter isnotnull(b#2), Statistics(sizeInBytes=1.0 KiB)\n"
        "   +- Relation [b#2] parquet, Statistics(sizeInBytes=2.0 KiB)"
    )
    estimates = read_estimates(text)
    assert estimates.side((1,)) == SideEstimate(3 * 1024, 4 * 1024)
    assert estimates.side((2,)) == SideEstimate(1024, 2 * 1024)


QUERY = """(
SELECT a,
  b
FROM orders
WHERE b <> ')'
) t"""


def test_a_query_of_several_lines_is_its_relations() -> None:
    """As Spark 4.3 shows it."""
    text = f"""Join Inner, (a#1 = b#2), Statistics(sizeInBytes=9.0 MiB)
:- Join Inner, (a#1 = c#3), Statistics(sizeInBytes=8.0 MiB)
:  :- Filter isnotnull(a#1), Statistics(sizeInBytes=2.0 MiB)
:  :  +- Relation [a#1] JDBCRelation({QUERY}) [numPartitions=1], Statistics(sizeInBytes=3.0 MiB)
:  +- Relation [c#3] JDBCRelation({QUERY}) [numPartitions=4], Statistics(sizeInBytes=5.0 MiB)
+- Relation [b#2] parquet, Statistics(sizeInBytes=4.0 MiB)"""
    found = read_estimates(text)
    assert [found.side(columns).bytes for columns in ((1,), (3,), (2,), (1, 3))] == [2 << 20, 5 << 20, 4 << 20, 8 << 20]
    assert found.side((1,)).leaf_bytes == 3 << 20


@pytest.mark.parametrize("broken", ["\n", "\n- ", "a\n\nJoin Inner", "\r", "\x0b", "\u2028"], ids=ascii)
def test_a_string_with_a_line_break_is_of_its_operator(broken: str) -> None:
    """As in `regexp_replace(note, '\\n', ' ')`: what is below it, and all that comes later, keeps its size."""
    text = """Join Inner, ((a#1 = b#2) AND NOT (c#3 = STRING)), Statistics(sizeInBytes=9.0 MiB)
:- Project [a#1, regexp_replace(n#4, STRING,  , 1) AS c#3], Statistics(sizeInBytes=2.0 MiB)
:  +- Filter NOT (n#4 = STRING), Statistics(sizeInBytes=3.0 MiB)
:     +- Relation [a#1,n#4] parquet, Statistics(sizeInBytes=3.0 MiB)
+- Project [b#2, STRING AS d#5], Statistics(sizeInBytes=4.0 MiB)
   +- Relation [b#2] parquet, Statistics(sizeInBytes=5.0 MiB)"""
    found = read_estimates(text.replace("STRING", broken))
    assert found.side((1,)) == SideEstimate(2 << 20, 3 << 20)
    assert found.side((2,)) == SideEstimate(4 << 20, 5 << 20)
