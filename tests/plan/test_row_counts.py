"""What is counted of a query: its relations, wherever they are read, and its joins."""

from __future__ import annotations

from textwrap import indent

import pytest

from tests.plan.trees import parse
from tuner.model.application import Execution
from tuner.model.query import Query
from tuner.model.row_count import BESIDE, SIDE
from tuner.plan.queries import query_and_plans

SALES = """\
Filter | (day#1 = D) | number of output rows=500
  Scan parquet db.sales | [k#2,day#1] | number of output rows=9000"""
ITEMS = """\
BroadcastExchange | HashedRelationBroadcastMode | data size=64; number of output rows=70
  Scan parquet db.items | [k#3] | number of output rows=70"""
JOINED = {"db.sales#0": 500, "db.items#0": 70}
CORRECTIONS = "db.corrections"


def filtered(table: str, rows: int, key: int = 8) -> str:
    """A scan below a filter and a projection, of Spark's own operators."""
    scan = f"Scan parquet {table} | [k#{key},day#{key + 1}] | number of output rows=4000"
    return f"Project | [k#{key}]\n  Filter | (day#{key + 1} = D) | number of output rows={rows}\n    {scan}"


def below(line: str, *inputs: str) -> str:
    return "\n".join([line, *(indent(text, "  ") for text in inputs)])


def joined() -> str:
    return below("BroadcastHashJoin | [k#2], [k#3], Inner, BuildRight, false | number of output rows=480", SALES, ITEMS)


def of_plan(text: str) -> Query:
    info, accumulators = parse(text)
    ran = Execution(4, 4, "", 0, 9, None, info, None, {}, (), accumulators=accumulators)
    query, *_ = query_and_plans(ran, ()) or pytest.fail("no query")
    assert sorted(query.row_counts) == list(query.row_counts)
    return query


def counted(text: str) -> dict[str, int]:
    """Of the execution of a plan, the rows of its relations."""
    return {part: rows for part, rows in of_plan(text).row_counts if "#" in part}


def test_a_branch_of_a_union_without_a_join_is_counted_below_its_filter() -> None:
    assert counted(joined()) == JOINED
    assert counted(below("Union", joined(), filtered(CORRECTIONS, 30))) == {**JOINED, f"{BESIDE}{CORRECTIONS}#0": 30}


def test_a_subquery_that_gives_a_value_is_counted() -> None:
    averages = "HashAggregate | keys=[], functions=[avg(x#9)] | number of output rows=1"
    subquery = below("Subquery | scalar-subquery#7", below(averages, filtered("db.control", 12)))
    above = below("Filter | (k#2 > scalar-subquery#7) | number of output rows=480", joined(), subquery)
    assert counted(above) == {**JOINED, f"{BESIDE}db.control#0": 12}


def test_each_read_of_it_is_counted_the_smallest_first() -> None:
    both = below("Union", joined(), filtered(CORRECTIONS, 300), filtered(CORRECTIONS, 20, key=11))
    assert counted(both) == {**JOINED, f"{BESIDE}{CORRECTIONS}#0": 20, f"{BESIDE}{CORRECTIONS}#1": 300}


def test_a_union_that_is_joined_is_counted_by_its_branches() -> None:
    union = below("Union", filtered("db.web", 40), filtered("db.store", 50, key=11))
    join = below("BroadcastHashJoin | [k#8], [k#3], Inner, BuildRight, false | number of output rows=90", union, ITEMS)
    assert counted(join) == {f"{BESIDE}db.web#0": 40, f"{BESIDE}db.store#0": 50, "db.items#0": 70}


def test_what_keys_of_others_prune_is_not_what_its_filters_leave() -> None:
    keys = below("SubqueryBroadcast | dynamicpruning#5, [k#3]", ITEMS)
    pruned = filtered("db.web", 40) + "\n" + indent(keys, "      ")
    union = below("Union", pruned, filtered("db.store", 50, key=11))
    join = below("BroadcastHashJoin | [k#8], [k#3], Inner, BuildRight, false | number of output rows=90", union, ITEMS)
    assert counted(join) == {f"{BESIDE}db.store#0": 50, "db.items#0": 70}


def test_it_is_told_of_which_relations_keys_of_others_have_left_out_rows() -> None:
    """A filter by key leaves fewer rows than the query's own filters: its counts are those of both."""
    made = "ObjectHashAggregate | (keys=[], functions=[bloom_filter_agg(xxhash64(k#3, 42), 1000, 8000, 0, 0)])"
    by_keys = below("Subquery | subquery#50, [id=#80]", below(made, ITEMS))
    sales = below(
        "Filter | might_contain(Subquery subquery#50, xxhash64(k#2)) | number of output rows=5", by_keys, SALES
    )
    filtered_too = joined().replace(indent(SALES, "  "), indent(sales, "  "))
    assert (counted(filtered_too)["db.sales#0"], of_plan(filtered_too).runtime_filtered) == (5, ("db.sales",))
    assert of_plan(joined()).runtime_filtered == ()


def test_another_read_of_what_is_joined_leaves_the_count_below_the_join() -> None:
    assert counted(below("Union", joined(), filtered("db.sales", 30))) == JOINED


def test_what_stopped_early_is_not_counted() -> None:
    limited = below("LocalLimit | 10", filtered(CORRECTIONS, 300))
    assert counted(below("Union", joined(), limited)) == JOINED


HAVING = "Filter | (last#6 >= D) | number of output rows=40"
GROUPED = "HashAggregate | keys=[k#2], functions=[max(day#1)], [k#2,last#6] | number of output rows=90"


def sides_of(text: str) -> list[int]:
    """Rows of the sides of its joins."""
    return [count.rows for count in of_plan(text).row_counts if count.part.startswith(SIDE)]


def test_what_is_computed_below_a_join_is_counted_on_its_side() -> None:
    build = below(
        "BroadcastExchange | HashedRelationBroadcastMode | data size=64; number of output rows=40",
        below(HAVING, below(GROUPED, joined())),
    )
    upper = below(
        "BroadcastHashJoin | [k#8], [k#2], LeftOuter, BuildRight, false | number of output rows=700",
        filtered("db.customers", 700),
        build,
    )
    assert sorted(sides_of(upper)) == [40, 70, 500, 700]
    assert sides_of(joined()) == [], "nothing is computed"
    uncounted = upper.replace("db.items | [k#3] | number of output rows=70", "db.items | [k#3]").replace(
        "; number of output rows=70", ""
    )
    assert sides_of(uncounted) == [], "all or none"


def test_a_query_without_joins_has_nothing_to_be_steered() -> None:
    assert counted(filtered(CORRECTIONS, 30)) == {}
