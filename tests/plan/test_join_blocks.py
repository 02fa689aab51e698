"""Blocks of inner joins: relations, predicates, conditions, and what was measured of which set."""

from __future__ import annotations

from textwrap import indent

import pytest

from tuner.model.join_graph import Condition, JoinGraph, MeasuredJoin, RelationKind, members
from tuner.model.strategy import BuildSide, Strategy
from tuner.plan.aggregate_outputs import aggregate_outputs
from tuner.plan.join_blocks import join_graphs
from tuner.plan.merge_graphs import merge_graphs

from .trees import plan

ROWS = "number of output rows"

# orders (1,000) join items (20 of 200) join days (5 of 50)
STAR = """
SortMergeJoin | [day#3], [d#7], Inner | number of output rows=10
  Sort | [day#3 ASC NULLS FIRST], false, 0
    Exchange | hashpartitioning(day#3, 8), ENSURE_REQUIREMENTS | data size=3200; shuffle records written=100
      Project | [day#3, w#6]
        BroadcastHashJoin | [k#1], [i#5], Inner, BuildRight, (v#2 > w#6), false | number of output rows=100
          Scan parquet default.orders | [k#1,v#2,day#3] | number of output rows=1000
          BroadcastExchange | HashedRelationBroadcastMode | data size=1048576; number of output rows=20
            Filter | (isnotnull(w#6) AND (w#6 = 9)) | number of output rows=20
              Scan parquet default.items | [i#5,w#6] | number of output rows=200
  Sort | [d#7 ASC NULLS FIRST], false, 0
    Exchange | hashpartitioning(d#7, 8), ENSURE_REQUIREMENTS | data size=160; shuffle records written=5
      Filter | (m#8 = 4) | number of output rows=5
        Scan parquet default.days | [d#7,m#8] | number of output rows=50
"""

# The same query in another order, with other ids.
OTHER_ORDER = """
BroadcastHashJoin | [i#15], [k#11], Inner, BuildLeft, (v#12 > w#16), false | number of output rows=12
  BroadcastExchange | HashedRelationBroadcastMode | data size=1048576; number of output rows=20
    Filter | (isnotnull(w#16) AND (w#16 = 7)) | number of output rows=20
      Scan parquet default.items | [i#15,w#16] | number of output rows=200
  Project | [k#11, v#12]
    BroadcastHashJoin | [day#13], [d#17], Inner, BuildRight, false | number of output rows=110
      Scan parquet default.orders | [k#11,v#12,day#13] | number of output rows=1000
      BroadcastExchange | HashedRelationBroadcastMode | data size=1048576; number of output rows=5
        Filter | (m#18 = 5) | number of output rows=5
          Scan parquet default.days | [d#17,m#18] | number of output rows=50
"""


def graph(text: str) -> JoinGraph:
    (found,) = join_graphs(plan(text), finished=True)
    return found


def sets(found: JoinGraph) -> dict[frozenset[str], int]:
    """What was measured, by the tables' names."""
    names = ["+".join(relation.relations) for relation in found.relations]
    return {frozenset(names[i].removeprefix("default.") for i in members(s)): m.rows for s, m in found.measured.items()}


class TestABlock:
    def test_relations_are_what_comes_in_after_filters(self) -> None:
        orders, items, days = graph(STAR).relations
        assert [(r.relations, r.kind, r.rows, r.scanned_rows) for r in (orders, items, days)] == [
            (("default.orders",), RelationKind.SCAN, 1000, 1000),
            (("default.items",), RelationKind.SCAN, 20, 200),
            (("default.days",), RelationKind.SCAN, 5, 50),
        ]
        assert (days.row_bytes, items.row_bytes) == (160 / 5, 24)  # counted by the exchange; a word more than columns

    def test_it_is_the_same_wherever_what_is_of_one_relation_is_computed(self) -> None:
        below = STAR.replace("Project | [day#3, w#6]", "Project | [day#3, w#6, r#9]").replace(
            "          Scan parquet default.orders",
            "          Project | [k#1, v#2, day#3, (v#2 / 2) AS r#9]\n            Scan parquet default.orders",
        )
        above = f"Project | [day#3, (v#2 / 2) AS r#9]\n{indent(STAR.strip(), '  ')}"
        assert "AS r#9" in below
        found = graph(below)
        assert (found.signature, [r.label for r in found.relations]) == (
            graph(above).signature,
            [r.label for r in graph(above).relations],
        )

    def test_what_a_range_partitioning_samples_was_scanned_once(self) -> None:
        text = """
        Exchange | rangepartitioning(k#1 ASC NULLS FIRST, 8) | shuffle records written=900
          BroadcastHashJoin | [k#1], [i#3], Inner, BuildRight, false | number of output rows=1800
            Filter | (k#1 > 5) | number of output rows=2000
              Scan parquet default.orders | [k#1,day#2] | number of output rows=4000
            BroadcastExchange | HashedRelationBroadcastMode | data size=800
              Scan parquet default.items | [i#3] | number of output rows=20
        """
        orders, items = graph(text).relations
        assert [(r.rows, r.scanned_rows) for r in (orders, items)] == [(1000, 2000), (20, 20)]

    def test_predicates_join_the_relations_whose_columns_they_compare(self) -> None:
        found = [(p.left, p.right, p.left_key, p.right_key) for p in graph(STAR).predicates]
        assert found == [
            (0b001, 0b010, "default.orders.k", "default.items.i"),
            (0b001, 0b100, "default.orders.day", "default.days.d"),
        ]

    def test_other_conditions_are_over_sets_of_relations(self) -> None:
        assert graph(STAR).conditions == (Condition(0b011, "v > w"),)

    def test_every_join_that_ran_is_measured_with_bytes_where_an_exchange_counted_them(self) -> None:
        assert graph(STAR).measured == {
            0b011: MeasuredJoin(100, 3200, Strategy.BROADCAST_HASH, BuildSide.RIGHT),
            0b111: MeasuredJoin(10, None, Strategy.SORT_MERGE),
        }
        assert graph(STAR).written == ((0, 1), 2)

    def test_relations_say_how_their_rows_come_without_what_their_join_asked_for(self) -> None:
        found = graph(
            """
            SortMergeJoin | [a#1], [b#2], Inner
              Sort | [a#1 ASC NULLS FIRST], false, 0
                HashAggregate | (keys=[a#1], functions=[count(1)])
                  Exchange | hashpartitioning(a#1, 8), ENSURE_REQUIREMENTS
                    Scan parquet t.a | [a#1]
              Sort | [b#2 ASC NULLS FIRST], false, 0
                Exchange | hashpartitioning(b#2, 8), ENSURE_REQUIREMENTS
                  Scan parquet t.b | [b#2]
            """
        )
        assert [(r.partitioned, r.sorted) for r in found.relations] == [((("t.a.a",),), ()), ((), ())]

    def test_relations_with_the_same_rows_are_the_same_whatever_their_ids_and_exchanges(self) -> None:
        def identities(left: str, right: str) -> list[str]:
            block = f"""
            SortMergeJoin | [a#1], [a#4], Inner
              Exchange | hashpartitioning(a#1, 8), ENSURE_REQUIREMENTS, [plan_id=7]
                Filter | {left}
                  Scan parquet t.a | [a#1,b#2]
              BroadcastExchange | HashedRelationBroadcastMode, [plan_id=8]
                Filter | {right}
                  Scan parquet t.a | [a#4,b#5]
            """
            return [relation.identity for relation in graph(block).relations]

        same, other = identities("(b#2 = 1)", "(b#5 = 1)"), identities("(b#2 = 1)", "(b#5 = 2)")
        assert same[0] == same[1] == other[0] != other[1]

    def test_a_bushy_order_is_one_block(self) -> None:
        text = """
            SortMergeJoin | [b#2], [c#3], Inner | number of output rows=70
              SortMergeJoin | [a#1], [b#2], Inner | number of output rows=50
                Scan parquet t.a | [a#1] | number of output rows=1
                Scan parquet t.b | [b#2] | number of output rows=2
              SortMergeJoin | [c#3], [d#4], Inner | number of output rows=60
                Scan parquet t.c | [c#3] | number of output rows=3
                Scan parquet t.d | [d#4] | number of output rows=4
        """
        found = graph(text)
        assert found.written == ((0, 1), (2, 3))
        assert {s: m.rows for s, m in found.measured.items()} == {0b0011: 50, 0b1100: 60, 0b1111: 70}

    def test_a_key_over_two_relations_names_both(self) -> None:
        text = """
            SortMergeJoin | [(a#1 + b#2)], [c#3], Inner
              SortMergeJoin | [a#1], [b#2], Inner
                Scan parquet t.a | [a#1]
                Scan parquet t.b | [b#2]
              Scan parquet t.c | [c#3]
        """
        assert (0b011, 0b100) in {(p.left, p.right) for p in graph(text).predicates}

    def test_an_equation_over_three_relations_is_a_predicate_where_it_is_no_key(self) -> None:
        as_key = """
            SortMergeJoin | [(a#1 + b#2)], [c#3], Inner
              SortMergeJoin | [a#1], [b#2], Inner
                Scan parquet t.a | [a#1]
                Scan parquet t.b | [b#2]
              Scan parquet t.c | [c#3]
        """
        as_condition = """
            SortMergeJoin | [a#1], [b#2], Inner, ((a#1 + b#2) = c#3)
              CartesianProduct
                Scan parquet t.a | [a#1]
                Scan parquet t.c | [c#3]
              Scan parquet t.b | [b#2]
        """
        assert (0b101, 0b010) in {(p.left, p.right) for p in graph(as_condition).predicates}
        assert graph(as_condition).conditions == ()
        assert graph(as_condition).signature == graph(as_key).signature

    def test_what_two_aggregates_put_out_is_told_apart_by_the_logical_plan(self) -> None:
        """Without it, in the order written, the key of c may come from either."""
        returns, average = (
            f"HashAggregate | (keys=[k#{k}], functions=[sum(v#{v})])\n{{0}}  Scan parquet t.a | [k#{k},v#{v}]"
            for k, v in ((1, 2), (11, 12))
        )
        written = f"""
            SortMergeJoin | [customer#21], [c#31], Inner
              SortMergeJoin | [state#22], [of#23], Inner
                {returns.format(" " * 16)}
                {average.format(" " * 16)}
              Scan parquet t.c | [c#31]
        """
        other = f"""
            SortMergeJoin | [state#22], [of#23], Inner
              SortMergeJoin | [customer#21], [c#31], Inner
                {returns.format(" " * 16)}
                Scan parquet t.c | [c#31]
              {average.format(" " * 14)}
        """
        logical = """Join Inner, (state#22 = of#23), Statistics(sizeInBytes=1.0 KiB)
            :- Aggregate [k#1], [k#1 AS customer#21, max(k#1) AS state#22, count(1) AS n#24], Statistics(sizeInBytes=8.0 B)
            +- Aggregate [k#11], [sum(v#12) AS total#25, k#11 AS of#23], Statistics(sizeInBytes=8.0 B)"""
        outputs = aggregate_outputs(logical)
        assert outputs == {21: 1, 22: 1, 24: 1, 25: 12, 23: 11}
        (one,), (two,) = (join_graphs(plan(text), finished=True, outputs=outputs) for text in (written, other))
        assert (0b001, 0b100) in {(p.left, p.right) for p in one.predicates}
        assert one.signature == two.signature
        assert join_graphs(plan(written))[0].signature != one.signature

    @pytest.mark.parametrize(
        "text", [None, "", "Aggregate [", "Aggregate [a#1]", "Aggregate [a#1], [", "Aggregate [], [x]"]
    )
    def test_a_logical_plan_that_tells_nothing(self, text: str | None) -> None:
        assert aggregate_outputs(text) == {}

    def test_a_column_an_aggregate_computes_belongs_to_it(self) -> None:
        text = """
            SortMergeJoin | [total#9], [c#3], Inner
              SortMergeJoin | [a#1], [k#2], Inner
                Scan parquet t.a | [a#1]
                HashAggregate | (keys=[k#2], functions=[sum(v#5)])
                  Scan parquet t.b | [k#2,v#5]
              Scan parquet t.c | [c#3]
        """
        found = graph(text)
        assert (0b010, 0b100) in {(p.left, p.right) for p in found.predicates}
        assert [relation.kind for relation in found.relations] == [
            RelationKind.SCAN,
            RelationKind.AGGREGATE,
            RelationKind.SCAN,
        ]

    def test_what_runtime_filters_left_out_is_told(self) -> None:
        text = """
            BroadcastHashJoin | [day#3], [d#7], Inner, BuildRight, false | number of output rows=10
              Scan parquet t.sales | [day#3] | number of output rows=10
                SubqueryBroadcast | dynamicpruning#20, 0, [d#7]
                  Scan parquet t.days | [d#7]
              Scan parquet t.days | [d#7] | number of output rows=5
        """
        assert [relation.runtime_filtered for relation in graph(text).relations] == [True, False]


class TestWhatEndsABlock:
    @pytest.mark.parametrize(
        "type_", ["LeftOuter", "RightOuter", "FullOuter", "LeftSemi", "LeftAnti", "ExistenceJoin(e#9)", "LeftSingle"]
    )
    def test_other_joins_are_items_as_a_whole(self, type_: str) -> None:
        text = f"""
            SortMergeJoin | [a#1], [c#3], Inner | number of output rows=4
              SortMergeJoin | [a#1], [b#2], {type_} | number of output rows=3
                Scan parquet t.a | [a#1]
                Scan parquet t.b | [b#2]
              Scan parquet t.c | [c#3]
        """
        joined, single = graph(text).relations
        assert (joined.kind, joined.relations, joined.rows) == (RelationKind.JOIN, ("t.a", "t.b"), 3)
        assert single.relations == ("t.c",)

    def test_blocks_on_both_sides_of_an_outer_join_are_apart(self) -> None:
        text = """
            SortMergeJoin | [a#1], [c#3], LeftOuter
              SortMergeJoin | [a#1], [b#2], Inner
                Scan parquet t.a | [a#1]
                Scan parquet t.b | [b#2]
              SortMergeJoin | [c#3], [d#4], Inner
                Scan parquet t.c | [c#3]
                Scan parquet t.d | [d#4]
        """
        found = join_graphs(plan(text))
        assert [[r.relations for r in g.relations] for g in found] == [[("t.a",), ("t.b",)], [("t.c",), ("t.d",)]]
        assert found[0].signature != found[1].signature

    @pytest.mark.parametrize(
        "operator",
        ["Project | [(a#1 + 1) AS x#9]", "Filter | (rand(5) > 0.5)", "Window | [rank(a#1)]", "LocalLimit | 5"],
    )
    def test_what_computes_or_drops_rows_between_joins_is_an_item(self, operator: str) -> None:
        text = f"""
            SortMergeJoin | [a#1], [c#3], Inner
              {operator}
                SortMergeJoin | [a#1], [b#2], Inner
                  Scan parquet t.a | [a#1]
                  Scan parquet t.b | [b#2]
              Scan parquet t.c | [c#3]
        """
        outer, inner = join_graphs(plan(text))
        assert [len(g.relations) for g in (outer, inner)] == [2, 2]
        assert outer.relations[0].relations == ("t.a", "t.b")

    def test_a_block_in_a_subquery_is_found(self) -> None:
        text = """
            Filter | (x#5 > Subquery subquery#7)
              Scan parquet t.x | [x#5]
              Subquery | subquery#7
                SortMergeJoin | [a#1], [b#2], Inner | number of output rows=3
                  Scan parquet t.a | [a#1]
                  Scan parquet t.b | [b#2]
        """
        assert [relation.relations for relation in graph(text).relations] == [("t.a",), ("t.b",)]


class TestMerging:
    def test_the_same_block_has_one_signature_in_any_order_with_any_literals(self) -> None:
        first, second = graph(STAR), graph(OTHER_ORDER)
        assert first.signature == second.signature
        assert {r.label for r in first.relations} == {r.label for r in second.relations}
        assert len({r.label for r in first.relations}) == 3

    def test_measurements_add_up_and_the_latest_run_decides(self) -> None:
        (merged,) = merge_graphs([graph(STAR), graph(OTHER_ORDER)])
        assert sets(merged) == {
            frozenset({"orders", "items"}): 100,
            frozenset({"orders", "days"}): 110,
            frozenset({"orders", "items", "days"}): 12,
        }
        assert merged.written == graph(OTHER_ORDER).written

    def test_another_join_key_makes_another_block(self) -> None:
        other = graph(STAR.replace("[k#1], [i#5]", "[v#2], [i#5]"))
        assert len(merge_graphs([graph(STAR), other])) == 2

    def test_relations_only_their_literals_tell_apart_are_not_mixed_up(self) -> None:
        text = """
            SortMergeJoin | [y#2], [d#5], Inner | number of output rows={last}
              SortMergeJoin | [y#2], [d#3], Inner | number of output rows={first}
                Scan parquet t.sales | [y#2] | number of output rows=100
                Filter | (m#4 = 1) | number of output rows=5
                  Scan parquet t.days | [d#3,m#4] | number of output rows=50
              Filter | (m#6 = 2) | number of output rows=17
                Scan parquet t.days | [d#5,m#6] | number of output rows=50
        """
        (merged,) = merge_graphs([graph(text.format(first=10, last=1)), graph(text.format(first=30, last=3))])
        assert {s: m.rows for s, m in merged.measured.items()} == {0b011: 30, 0b111: 3}
