"""Which inputs of joins the keys of the others would filter early, by how much, and what work that leaves out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.insights.plans import facts as measured
from tuner.model.key_filter_site import KeyFilterSite
from tuner.plan.key_filter_sites import MOST_SITES, key_filter_sites
from tuner.plan.measured_plan import MeasuredPlan

from .test_counting_of import operator
from .trees import plan

# Sales are shuffled, sorted and grouped by item; then a join with a few items keeps 1 % of the groups.
GROUPED = """
SortMergeJoin | [i#5], [k#1], Inner | number of output rows=1000
  Sort | [i#5 ASC NULLS FIRST], false, 0
    Exchange | hashpartitioning(i#5, 8), ENSURE_REQUIREMENTS | data size=160; shuffle records written=50
      Filter | (w#6 = 9) | number of output rows=50
        Scan parquet t.items | [i#5,w#6] | number of output rows=20000
  Sort | [k#1 ASC NULLS FIRST], false, 0
    HashAggregate | (keys=[k#1], functions=[count(1)]) | number of output rows=100000
      Exchange | hashpartitioning(k#1, 8), ENSURE_REQUIREMENTS | data size=3200000; shuffle records written=200000
        HashAggregate | (keys=[k#1], functions=[partial_count(1)]) | number of output rows=200000
          Project | [k#1]
            Filter | (v#2 > 1) | number of output rows=4000000
              Scan parquet t.sales | [k#1,v#2] | number of output rows=5000000
"""


def _sites(text: str) -> tuple[KeyFilterSite, ...]:
    return key_filter_sites(MeasuredPlan(plan(text), ()))


def test_an_input_is_filtered_where_its_keys_are_read() -> None:
    (site,) = _sites(GROUPED)
    assert (site.relations, site.rows) == (("t.sales",), 4_000_000)
    assert (site.source, site.source_rows) == (("t.items",), 50)
    assert (site.kept, site.measured) == (pytest.approx(0.01, rel=0.01), True)


def test_the_work_is_that_between_the_scan_and_the_join() -> None:
    (site,) = _sites(GROUPED)
    assert site.amounts == {
        "merge": 100_000,
        "sort": 100_000,
        "aggregate": 200_000 + 4_000_000,
        "aggregate_function": 200_000 + 4_000_000,
        "group": 2 * 100_000 + 2 * 200_000,
        "shuffle_write": 3_200_000,
        "shuffle_write_row": 200_000,
        "shuffle_read": 3_200_000,
    }
    assert site.source_amounts == {"scan": 2 * 20_000, "filter": 20_000}


# Sales meet many rows of another table by their day, then a few items.
FANNED_OUT = """
BroadcastHashJoin | [k#1], [i#5], Inner, BuildRight | number of output rows=15
  SortMergeJoin | [d#3], [d#4], Inner | number of output rows=400000000
    Filter | (v#2 > 1) | number of output rows=4000000
      Scan parquet t.sales | [k#1,v#2,d#3] | number of output rows=5000000
    Scan parquet t.visits | [d#4] | number of output rows=2000000
  BroadcastExchange | HashedRelationBroadcastMode(List(input[0, int, false])) | number of output rows=50
    Filter | (w#6 = 9) | number of output rows=50
      Scan parquet t.items | [i#5,w#6] | number of output rows=20000
"""


def test_what_comes_out_of_many_rows_made_of_each_is_no_share_of_the_relation() -> None:
    (site,) = _sites(FANNED_OUT)
    assert (site.relations, site.rows) == (("t.sales",), 4_000_000)
    assert (site.kept, site.measured, site.most_kept) == (pytest.approx(50 / 20_000, rel=0.03), False, 1.0)


def _found(old: str, new: str, text: str = GROUPED) -> list[KeyFilterSite]:
    assert old in text
    return list(_sites(text.replace(old, new)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("Inner", "FullOuter", id="all rows stay"),
        pytest.param("output rows=1000\n", "output rows=90000\n", id="most rows stay"),
        pytest.param("[k#1], Inner", "[(k#1 + 1)], Inner", id="a computed key"),
        pytest.param("rows=4000000", "rows=4000", id="few rows"),
        pytest.param("t.items", "t.sales", id="inputs that the agent cannot tell apart"),
    ],
)
def test_where_no_filter_would_do(old: str, new: str) -> None:
    assert _found(old, new) == []


def test_what_a_join_drops_for_another_condition_its_keys_may_keep() -> None:
    """As of an interval join: all rows have a key of the other side, and hardly any are in its interval."""
    (site,) = _found("[k#1], Inner", "[k#1], Inner, (v#2 < w#6)")
    assert (site.measured, site.kept) == (False, pytest.approx(51 / 20_000)), "by the source's own filter"
    assert (
        _found("[k#1], Inner", "[k#1], Inner, (v#2 < w#6)", GROUPED.replace("output rows=50\n", "output rows=15000\n"))
        == []
    )


def test_below_an_aggregate_by_something_else_rows_depend_on_each_other() -> None:
    (site,) = _found("keys=[k#1]", "keys=[v#2]")
    assert (site.relations, site.rows, site.amounts) == (("t.sales",), 100_000, {"merge": 100_000, "sort": 100_000})


# The last row of each item, as Spark 4.3 finds it: first of each task, then of all.
LAST_ROWS = """
SortMergeJoin | [i#5], [k#1], Inner | number of output rows=1000
  Sort | [i#5 ASC NULLS FIRST], false, 0
    Exchange | hashpartitioning(i#5, 8), ENSURE_REQUIREMENTS | data size=160; shuffle records written=50
      Filter | (w#6 = 9) | number of output rows=50
        Scan parquet t.items | [i#5,w#6] | number of output rows=20000
  Project | [k#1, v#2]
    Filter | (rn#7 = 1) | number of output rows=100000
      Window | [row_number() windowspecdefinition(k#1, v#2 DESC NULLS LAST) AS rn#7], [k#1], [v#2 DESC NULLS LAST]
        WindowGroupLimit | [k#1], [v#2 DESC NULLS LAST], row_number(), 1, Final | number of output rows=100000
          Sort | [k#1 ASC NULLS FIRST, v#2 DESC NULLS LAST], false, 0
            Exchange | hashpartitioning(k#1, 8), ENSURE_REQUIREMENTS | data size=3200000; shuffle records written=200000
              WindowGroupLimit | [k#1], [v#2 DESC NULLS LAST], row_number(), 1, Partial | number of output rows=200000
                Sort | [k#1 ASC NULLS FIRST, v#2 DESC NULLS LAST], false, 0
                  Filter | isnotnull(k#1) | number of output rows=4000000
                    Scan parquet t.sales | [k#1,v#2] | number of output rows=5000000
"""


def test_below_the_first_rows_of_each_key_no_row_depends_on_those_of_others() -> None:
    (site,) = _sites(LAST_ROWS)
    assert (site.relations, site.rows, site.source) == (("t.sales",), 4_000_000, ("t.items",))
    assert site.amounts == {
        "merge": 100_000,
        "filter": 100_000,
        "window": 100_000 + 200_000 + 4_000_000,
        "sort": 200_000 + 4_000_000,
        "shuffle_write": 3_200_000,
        "shuffle_write_row": 200_000,
        "shuffle_read": 3_200_000,
    }


def test_below_the_first_rows_of_something_else_they_do() -> None:
    limit = "WindowGroupLimit | [{}], [v#2 DESC NULLS LAST], row_number(), 1, Final"
    (site,) = _found(limit.format("k#1"), limit.format(""), LAST_ROWS)
    assert (site.rows, sorted(site.amounts)) == (100_000, ["filter", "merge", "window"])


def _union(*inputs: str) -> str:
    """GROUPED with all of these in place of what is grouped of sales."""
    source = GROUPED[: GROUPED.index("  Sort | [k#1")]
    lines = ["  Union", *(f"    {line}" for text in inputs for line in text.splitlines())]
    return source + "\n".join(lines)


def _groups(relation: str, key: str, value: str) -> str:
    """A branch of a union as Spark 4.3 plans it: rows of a relation, grouped."""
    return f"""HashAggregate | (keys=[{key}], functions=[max({value})]) | number of output rows=100000
  Exchange | hashpartitioning({key}, 8), ENSURE_REQUIREMENTS | data size=3200000; shuffle records written=200000
    HashAggregate | (keys=[{key}], functions=[partial_max({value})]) | number of output rows=200000
      Filter | isnotnull({key}) | number of output rows=4000000
        Scan parquet {relation} | [{key},{value}] | number of output rows=5000000"""


SALES, RETURNS = _groups("t.sales", "k#1", "v#2"), _groups("t.returns", "r#11", "v#12")


def test_below_a_union_each_input_is_filtered_and_the_work_is_that_of_all() -> None:
    (one,), (two,) = _sites(_union(SALES)), _sites(_union(SALES, RETURNS))
    assert (one.relations, one.rows) == (("t.sales",), 4_000_000)
    assert (two.relations, two.rows) == (("t.returns", "t.sales"), 8_000_000)
    assert one.amounts["group"] and two.amounts == {resource: 2 * done for resource, done in one.amounts.items()}


def test_keys_of_a_union_have_the_same_place_in_each_input() -> None:
    renamed = f"Project | [r#11 AS k#21, v#12]\n  {RETURNS.replace(chr(10), chr(10) + '  ')}"
    (site,) = _sites(_union(SALES, renamed))
    assert site.relations == ("t.returns", "t.sales")
    for untold in ("[(r#11 + 1) AS k#21, v#12]", "[]"):
        (site,) = _sites(_union(SALES, renamed.replace("[r#11 AS k#21, v#12]", untold)))
        assert site.amounts == {"merge": 200_000}


def test_what_an_input_of_a_union_shares_with_another_join_stays_shared() -> None:
    shared = f"ReusedExchange | [r#11, v#12], Exchange hashpartitioning(r#11, 8)\n  {RETURNS.splitlines()[-1]}"
    assert _sites(_union(SALES, shared)) == ()


def test_a_filter_below_a_union_is_seen_in_its_inputs() -> None:
    asked = """
        Subquery | subquery#7
          ObjectHashAggregate | (keys=[], functions=[bloom_filter_agg(xxhash64(i#5))])
            Scan parquet t.items | [i#5]"""
    filtered = [
        text.replace(f"isnotnull({key})", f"might_contain(Subquery subquery#7, xxhash64({key}))").replace(
            "=4000000", "=40"
        )
        for text, key in ((SALES, "k#1"), (RETURNS, "r#11"))
    ]
    (site,) = _sites(_union(*(text + asked for text in filtered)))
    assert (site.filtered, site.rows) == (True, 80)


def test_what_a_semi_join_tests_is_filtered_by_the_share_that_the_sources_own_filters_keep() -> None:
    (site,) = _found("Inner | number of output rows=1000\n", "LeftSemi | number of output rows=40\n")
    assert (site.relations, site.source, site.measured) == (("t.sales",), ("t.items",), False)
    assert site.kept == pytest.approx(50 / 20_000, rel=0.03)


def test_of_a_left_outer_join_only_the_right_input_is() -> None:
    (site,) = _found("Inner", "LeftOuter")
    assert (site.relations, site.source) == (("t.sales",), ("t.items",))
    assert _found("Inner", "RightOuter") == []


# Each item comes out, with its sales or without.
WHOLE = (
    GROUPED.replace("Inner | number of output rows=1000\n", "LeftOuter | number of output rows=20500\n")
    .replace(
        "Filter | (w#6 = 9) | number of output rows=50\n", "Filter | isnotnull(i#5) | number of output rows=20000\n"
    )
    .replace("shuffle records written=50\n", "shuffle records written=20000\n")
)


def test_of_the_right_input_an_outer_join_keeps_at_most_what_it_puts_out() -> None:
    (site,) = _sites(WHOLE)
    assert (site.source, site.source_rows) == (("t.items",), 20_000)
    assert (site.kept, site.measured) == (pytest.approx(0.205, rel=0.01), True)


def test_so_it_is_of_the_left_input_of_a_right_outer_join() -> None:
    (site,) = _sites(_turned(WHOLE.strip("\n")).replace("[i#5], [k#1], LeftOuter", "[k#1], [i#5], RightOuter"))
    assert (site.relations, site.source) == (("t.sales",), ("t.items",))
    assert (site.kept, site.measured) == (pytest.approx(0.205, rel=0.01), True)


def _turned(text: str) -> str:
    """A join with its two inputs the other way round."""
    join, *rest = text.split("\n")
    first, second = (at for at, line in enumerate(rest) if line.startswith("  Sort"))
    return "\n".join((join, *rest[second:], *rest[first:second]))


def test_where_as_much_comes_out_of_an_outer_join_the_sources_own_filters_tell() -> None:
    many = "output rows=90000\n"
    (site,) = _found("output rows=1000\n", many, GROUPED.replace("Inner", "LeftOuter"))
    assert (site.measured, site.kept) == (False, pytest.approx(51 / 20_000))
    assert _found("output rows=20500\n", many, WHOLE) == []
    assert _found("LeftOuter", "LeftOuter, (v#2 < w#6)", WHOLE) == [], "the keys may keep more"


@pytest.mark.parametrize(("out", "most"), [(1_000, 0.01), (49_000, 0.49), (51_000, 0.51), (200_000, 1.0)])
def test_left_rows_without_a_match_come_out_too_so_a_right_input_keeps_that_at_most(out: int, most: float) -> None:
    """About as much as the changes' own filter keeps of their keys, whatever else comes out."""
    (site,) = _found("Inner | number of output rows=1000\n", f"LeftOuter | number of output rows={out}\n")
    assert (site.measured, site.kept) == (False, pytest.approx(51 / 20_000))
    assert site.most_kept == pytest.approx(most, rel=0.01)


@pytest.mark.parametrize(
    ("limit", "found"), [("CollectLimit | 1", 0), ("GlobalLimit | 1000, 0", 0), ("LocalLimit | 1001", 1)]
)
def test_what_stopped_with_a_limit_tells_not_what_its_keys_keep(limit: str, found: int) -> None:
    assert len(_sites(operator(limit, GROUPED.strip("\n")))) == found


JOINED = """
SortMergeJoin | [c#9], [c#2], Inner | number of output rows=2000
  Sort | [c#9 ASC NULLS FIRST], false, 0
    Exchange | hashpartitioning(c#9, 8), ENSURE_REQUIREMENTS | data size=6400; shuffle records written=200
      Project | [c#9]
        SortMergeJoin | [o#8], [p#7], Inner | number of output rows=200
          Exchange | hashpartitioning(o#8, 8), ENSURE_REQUIREMENTS | data size=32000; shuffle records written=1000
            Filter | (d#10 = 1) | number of output rows=1000
              Scan parquet t.orders | [o#8,c#9,d#10] | number of output rows=10000
          Exchange | hashpartitioning(p#7, 8), ENSURE_REQUIREMENTS | data size=100; shuffle records written=10
            Scan parquet t.parts | [p#7] | number of output rows=10
  Sort | [c#2 ASC NULLS FIRST], false, 0
    Exchange | hashpartitioning(c#2, 8), ENSURE_REQUIREMENTS | data size=32000000; shuffle records written=1000000
      Scan parquet t.lines | [c#2] | number of output rows=1000000
"""


def test_the_source_is_the_other_input_or_the_relation_of_it_that_has_the_keys() -> None:
    whole, alone = _sites(JOINED)
    assert (whole.source, whole.source_rows, whole.kept) == (
        ("t.orders", "t.parts"),
        200,
        pytest.approx(0.002, rel=0.01),
    )
    assert (alone.source, alone.source_rows, alone.kept) == (("t.orders",), 1000, pytest.approx(0.1, rel=0.01))
    assert (whole.measured, alone.measured) == (True, False)


def test_so_it_is_below_an_outer_join() -> None:
    whole, alone = _found("[c#2], Inner", "[c#2], LeftOuter", JOINED)
    assert [site.source for site in (whole, alone)] == [("t.orders", "t.parts"), ("t.orders",)]
    assert (whole.kept, whole.measured) == (pytest.approx(0.002, rel=0.01), True)
    assert (alone.kept, alone.measured) == (pytest.approx(0.1, rel=0.01), False)
    for out, most in ((300_000, 0.3), (800_000, 0.8)):
        sites = _found("Inner | number of output rows=2000\n", f"LeftOuter | number of output rows={out}\n", JOINED)
        assert {(site.kept, site.measured) for site in sites} == {(1001 / 10_000, False)}, (
            "no row has a key that is left out"
        )
        assert [site.most_kept for site in sites] == [pytest.approx(most, rel=0.01), 1.0]


def test_what_an_order_above_ran_twice_is_counted_once() -> None:
    ranges = "Exchange | rangepartitioning(c#9 ASC NULLS FIRST, 8) | shuffle records written=2000"
    twice = JOINED.strip("\n").replace("rows=2000\n", "rows=4000\n")
    assert _sites(operator(ranges, twice)) == _sites(JOINED)


def test_what_the_source_has_shuffled_is_read_again_and_not_made_again() -> None:
    whole, alone = _sites(JOINED)
    assert whole.source_amounts == {"emit": 200, "merge": 1010, "shuffle_read": 32_100}
    assert alone.source_amounts == {"scan": 3 * 10_000, "filter": 10_000}


def test_the_tasks_that_made_the_source_are_those_of_its_stage() -> None:
    whole, alone = key_filter_sites(measured(JOINED, tasks=7).plan)
    assert (whole.source_tasks, alone.source_tasks) == (7, 7)
    assert {site.source_tasks for site in _sites(JOINED)} == {0}, "where no stage tells"


def test_what_is_shuffled_once_for_several_joins_stays_so() -> None:
    text = """
    SortMergeJoin | [c#9], [c#2], Inner | number of output rows=2000
      Exchange | hashpartitioning(c#9, 8), ENSURE_REQUIREMENTS | data size=6400; shuffle records written=200
        Scan parquet t.orders | [c#9] | number of output rows=200
      ReusedExchange | [c#2], Exchange hashpartitioning(c#2, 8)
        Exchange | hashpartitioning(c#2, 8), ENSURE_REQUIREMENTS | data size=32000000; shuffle records written=1000000
          Scan parquet t.lines | [c#2] | number of output rows=1000000
    """
    assert _sites(text) == ()


# The last row of each item is joined with the item, and these with a few links: by the key of either.
EQUAL = """
SortMergeJoin | [m#9], [{key}], Inner | number of output rows=1000
  Sort | [m#9 ASC NULLS FIRST], false, 0
    Exchange | hashpartitioning(m#9, 8), ENSURE_REQUIREMENTS | data size=160; shuffle records written=50
      Filter | (w#6 = 9) | number of output rows=50
        Scan parquet t.links | [m#9,w#6] | number of output rows=20000
  SortMergeJoin | [k#1], [i#5], Inner | number of output rows=100000
    Filter | (rn#7 = 1) | number of output rows=100000
      Window | [row_number() windowspecdefinition(k#1, v#2 DESC NULLS LAST) AS rn#7], [k#1], [v#2 DESC NULLS LAST]
        Sort | [k#1 ASC NULLS FIRST, v#2 DESC NULLS LAST], false, 0
          Exchange | hashpartitioning(k#1, 8), ENSURE_REQUIREMENTS | data size=64000000; shuffle records written=4000000
            Filter | isnotnull(k#1) | number of output rows=4000000
              Scan parquet t.sales | [k#1,v#2] | number of output rows=5000000
    Sort | [i#5 ASC NULLS FIRST], false, 0
      Exchange | hashpartitioning(i#5, 8), ENSURE_REQUIREMENTS | data size=3200000; shuffle records written=200000
        Filter | isnotnull(i#5) | number of output rows=200000
          Scan parquet t.items | [i#5,n#6] | number of output rows=200000
"""
ITEMS_KEY = EQUAL.format(key="i#5")


def test_keys_that_a_join_below_equates_are_of_both_its_inputs() -> None:
    of_items, of_sales = (_sites(EQUAL.format(key=key)) for key in ("i#5", "k#1"))
    assert [site.relations for site in of_items] == [("t.sales",)]
    assert [replace(site, join="") for site in of_items] == [replace(site, join="") for site in of_sales]
    (semi,) = _found("[i#5], Inner", "[i#5], LeftSemi", EQUAL.format(key="k#1"))
    assert semi.relations == ("t.sales",)


@pytest.mark.parametrize("key", ["i#5", "k#1"])
def test_of_both_inputs_that_of_more_work_is_filtered(key: str) -> None:
    few = "number of output rows=4000000", "number of output rows=150000"
    (site,) = _found("data size=64000000; shuffle records written=4000000", "data size=9", EQUAL.format(key=key))
    assert site.relations == ("t.sales",), "all these rows are sorted"
    text = EQUAL.format(key=key).replace("data size=64000000; shuffle records written=4000000", "data size=9")
    (site,) = _found(*few, text)
    assert site.relations == ("t.items",)


def test_one_of_them_is_filtered_where_the_other_is_shuffled_for_another_join_too() -> None:
    shared = ITEMS_KEY.replace(
        "Exchange | hashpartitioning(i#5", "ReusedExchange | [i#5], Exchange hashpartitioning(i#5"
    )
    assert [site.relations for site in _sites(shared)] == [("t.sales",)]
    first, second = ("Exchange | hashpartitioning(k#1", "ReusedExchange | [k#1], Exchange hashpartitioning(k#1")
    assert [site.relations for site in _found(first, second, ITEMS_KEY)] == [("t.items",)]


def test_that_which_is_filtered_already_stays_so() -> None:
    asked = """
          Subquery | subquery#7
            ObjectHashAggregate | (keys=[], functions=[bloom_filter_agg(xxhash64(m#9))])
              Scan parquet t.links | [m#9]
"""
    text = ITEMS_KEY.replace("isnotnull(i#5)", "might_contain(Subquery subquery#7, xxhash64(i#5))").rstrip() + asked
    (site,) = _sites(text)
    assert (site.relations, site.filtered) == (("t.items",), True)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("[k#1], [i#5], Inner", "[k#1], [i#5], RightOuter", id="rows without a match come out"),
        pytest.param("[k#1], [i#5], Inner", "[(k#1 + 1)], [i#5], Inner", id="equal to what is computed"),
        pytest.param("[k#1], [i#5], Inner", "[k#1], [n#6], Inner", id="another key"),
    ],
)
def test_what_no_join_equates_is_not_filtered_by_these_keys(old: str, new: str) -> None:
    assert {site.relations for site in _found(old, new, ITEMS_KEY)} == {("t.items",)}


def test_an_input_that_the_agent_cannot_tell_by_its_relations_is_not_filtered_by_equal_keys() -> None:
    """Of what is grouped by something else all relations are named, and of these the item's input reads one."""
    text = """
SortMergeJoin | [m#9], [i#5], Inner | number of output rows=1000
  Sort | [m#9 ASC NULLS FIRST], false, 0
    Exchange | hashpartitioning(m#9, 8), ENSURE_REQUIREMENTS | data size=160; shuffle records written=50
      Filter | (w#6 = 9) | number of output rows=50
        Scan parquet t.links | [m#9,w#6] | number of output rows=20000
  SortMergeJoin | [k#1], [i#5], Inner | number of output rows=100000
    Sort | [k#1 ASC NULLS FIRST], false, 0
      Exchange | hashpartitioning(k#1, 8), ENSURE_REQUIREMENTS | data size=64000000; shuffle records written=4000000
        HashAggregate | (keys=[z#8], functions=[max(v#2)]) | number of output rows=4000000
          BroadcastHashJoin | [d#3], [x#4], Inner, BuildRight | number of output rows=4000000
            Scan parquet t.sales | [k#1,v#2,z#8,d#3] | number of output rows=4000000
            BroadcastExchange | HashedRelationBroadcastMode | data size=100
              Scan parquet t.days | [x#4] | number of output rows=10
    Sort | [i#5 ASC NULLS FIRST], false, 0
      BroadcastHashJoin | [e#7], [y#11], Inner, BuildRight | number of output rows=200000
        Scan parquet t.items | [i#5,e#7] | number of output rows=200000
        BroadcastExchange | HashedRelationBroadcastMode | data size=100
          Scan parquet t.{} | [y#11] | number of output rows=10
"""
    assert {site.relations for site in _sites(text.format("weeks"))} == {("t.days", "t.sales")}
    assert {site.relations for site in _sites(text.format("days"))} == {("t.items",)}


def test_a_site_that_is_filtered_already_is_told_whatever_its_join_still_drops() -> None:
    asked = """
              Subquery | subquery#7
                ObjectHashAggregate | (keys=[], functions=[bloom_filter_agg(xxhash64(i#5))])
                  Scan parquet t.items | [i#5]
"""
    text = GROUPED.replace("(v#2 > 1)", "might_contain(Subquery subquery#7, xxhash64(k#1))").rstrip() + asked
    (site,) = _sites(text.replace("output rows=1000\n", "output rows=99000\n"))
    assert site.filtered and site.kept > 0.9


@pytest.mark.parametrize("left", [200_000, 2_000])
def test_so_is_one_by_all_that_an_outer_join_takes_on_its_left(left: int) -> None:
    """What it left is not promised once more to the one relation that has the keys."""
    asked = """
        Subquery | subquery#7
          ObjectHashAggregate | (keys=[], functions=[bloom_filter_agg(xxhash64(c#9))])
            Scan parquet t.orders | [c#9]
"""
    scan = "      Scan parquet t.lines | [c#2] | number of output rows=1000000\n"
    asks = "might_contain(Subquery subquery#7, xxhash64(c#2))"
    filtered = f"      Filter | {asks} | number of output rows={left}\n  {scan}"
    text = JOINED.replace(scan, filtered + asked.strip("\n") + "\n").replace("c#2], Inner", "c#2], LeftOuter")
    text = text.replace("records written=1000000\n", f"records written={left}\n")
    sites = _sites(text.replace("output rows=2000\n", f"output rows={left}\n"))
    assert [(site.source, site.filtered) for site in sites] == [(("t.orders", "t.parts"), True), (("t.orders",), True)]
    assert all(site.kept > 0.9 for site in sites)


def test_what_prunes_partitions_is_no_filter_of_rows() -> None:
    """A few rows that it left are few, and what the join drops of them is told as of others."""
    asked = """
          SubqueryBroadcast | dynamicpruning#7, 0, [c#9]
            Scan parquet t.orders | [c#9]
"""
    scan = "      Scan parquet t.lines | [c#2] | number of output rows=1000000\n"
    sites = _sites(JOINED.replace(scan, scan + asked.strip("\n") + "\n"))
    assert sites and not any(site.filtered for site in sites)
    assert _sites(JOINED.replace(scan, scan.replace("1000000", "2000") + asked.strip("\n") + "\n")) == ()


@pytest.mark.parametrize(("filters", "others"), [(1, MOST_SITES + 1), (MOST_SITES + 1, 1)])
def test_sites_in_force_and_others_take_no_place_of_one_another(filters: int, others: int) -> None:
    """A filter that works leaves few rows: the next night asks for its number of keys."""
    asked = """
              Subquery | subquery#7
                ObjectHashAggregate | (keys=[], functions=[bloom_filter_agg(xxhash64(i#5))])
                  Scan parquet t.items | [i#5]
"""
    filtered = GROUPED.replace("(v#2 > 1)", "might_contain(Subquery subquery#7, xxhash64(k#1))").rstrip() + asked
    texts = [*[GROUPED] * others, *[filtered.replace("output rows=4000000\n", "output rows=4000\n")] * filters]
    # Columns of their own for each.
    lines = [f"  {line}".replace("#", f"#{n}") for n, text in enumerate(texts, 1) for line in text.splitlines() if line]
    sites = _sites("\n".join(["Union", *lines]))
    assert [site.filtered for site in sites] == [
        *[True] * min(filters, MOST_SITES),
        *[False] * min(others, MOST_SITES),
    ]
