"""Join sites: types, sides, what was measured of them, and signatures that outlive strategy and order."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.strategy import BuildSide, JoinType, Strategy
from tuner.plan.estimates import read_estimates
from tuner.plan.joins import every_join, find_joins, planned_joins
from tuner.plan.node import build_tree

from .trees import fixture, parse, plan

LEFT = "Scan parquet default.orders | [k#1,v#2]"
RIGHT = "Scan parquet default.items | [k#3,w#4]"


def join(operator: str, left: str = LEFT, right: str = RIGHT) -> JoinSite:
    """The only join of a plan with this operator over two scans."""
    (site,) = find_joins(plan(f"{operator}\n  {left}\n  {right}"))
    return site


class TestKinds:
    @pytest.mark.parametrize(
        ("operator", "type_", "strategy", "build_side"),
        [
            ("SortMergeJoin | [k#1], [k#3], Inner", JoinType.INNER, Strategy.SORT_MERGE, None),
            ("SortMergeJoin(skew=true) | [k#1], [k#3], Inner", JoinType.INNER, Strategy.SORT_MERGE, None),
            ("SortMergeJoin | [k#1], [k#3], FullOuter", JoinType.FULL_OUTER, Strategy.SORT_MERGE, None),
            ("SortMergeJoin | [k#1], [k#3], LeftSemi, (v#2 > w#4)", JoinType.LEFT_SEMI, Strategy.SORT_MERGE, None),
            (
                "ShuffledHashJoin | [k#1], [k#3], Inner, BuildLeft",
                JoinType.INNER,
                Strategy.SHUFFLED_HASH,
                BuildSide.LEFT,
            ),
            (
                "BroadcastHashJoin | [k#1], [k#3], LeftOuter, BuildRight, false",
                JoinType.LEFT_OUTER,
                Strategy.BROADCAST_HASH,
                BuildSide.RIGHT,
            ),
            (
                "BroadcastHashJoin | [k#1], [k#3], LeftAnti, BuildRight, true",
                JoinType.LEFT_ANTI,
                Strategy.BROADCAST_HASH,
                BuildSide.RIGHT,
            ),
            (
                "BroadcastHashJoin | [k#1], [k#3], ExistenceJoin(exists#9), BuildRight, false",
                JoinType.EXISTENCE,
                Strategy.BROADCAST_HASH,
                BuildSide.RIGHT,
            ),
            (
                "BroadcastNestedLoopJoin | BuildRight, LeftOuter, (v#2 > w#4)",
                JoinType.LEFT_OUTER,
                Strategy.BROADCAST_NESTED_LOOP,
                BuildSide.RIGHT,
            ),
            (
                "BroadcastNestedLoopJoin | BuildLeft, Cross",
                JoinType.CROSS,
                Strategy.BROADCAST_NESTED_LOOP,
                BuildSide.LEFT,
            ),
            ("CartesianProduct | (Inner#5 = LeftOuter#6)", JoinType.CROSS, Strategy.CARTESIAN, None),
            ("SortMergeJoin | [k#1], [k#3], LeftNovel", JoinType.UNKNOWN, Strategy.SORT_MERGE, None),
        ],
    )
    def test_type_strategy_and_build_side(
        self, operator: str, type_: JoinType, strategy: Strategy, build_side: BuildSide | None
    ) -> None:
        site = join(operator)
        assert (site.type, site.strategy, site.build_side) == (type_, strategy, build_side)
        assert (site.left.relations, site.right.relations) == (("default.orders",), ("default.items",))

    def test_a_right_outer_join_is_a_left_outer_one_turned_round(self) -> None:
        site = join("BroadcastHashJoin | [k#1], [k#3], RightOuter, BuildLeft, false")
        assert (site.type, site.build_side) == (JoinType.LEFT_OUTER, BuildSide.RIGHT)
        assert (site.left.relations, site.right.relations) == (("default.items",), ("default.orders",))
        assert site.keys == (("default.items.k", "default.orders.k"),)
        turned = join("SortMergeJoin | [k#3], [k#1], LeftOuter", left=RIGHT, right=LEFT)
        assert site.signature == turned.signature

    def test_keys_are_pairs_of_columns_through_casts(self) -> None:
        site = join("SortMergeJoin | [cast(k#1 as bigint), v#2], [k#3, w#4], Inner")
        assert site.keys == (("default.orders.k", "default.items.k"), ("default.orders.v", "default.items.w"))

    @pytest.mark.parametrize(
        ("left", "right", "keys"),
        [
            ("a,b#1, v#2", "k#3, w#4", [("expression(orders.k)", "items.k"), ("orders.v", "items.w")]),
            ("k#1, v#2", "c, d,e#3, w#4", [("orders.k", "expression(items.k)"), ("orders.v", "items.w")]),
            ("k#1, ... 3 more fields", "k#3, ... 3 more fields", [("orders.k", "items.k"), ("expression()",) * 2]),
            ("CASE WHEN (v#2 = x) THEN k#1 ELSE y, z END", "k#3", [("expression(orders.k,orders.v)", "items.k")]),
        ],
    )
    def test_a_comma_in_a_name_or_a_literal_ends_no_key(
        self, left: str, right: str, keys: list[tuple[str, str]]
    ) -> None:
        site = join(f"SortMergeJoin | [{left}], [{right}], Inner")
        assert [tuple(key.replace("default.", "") for key in pair) for pair in site.keys] == keys

    def test_computed_keys_name_the_columns_they_are_made_of(self) -> None:
        site = join("SortMergeJoin | [(k#1 - v#2)], [coalesce(k#3, 0)], Inner")
        assert site.keys == (("expression(default.orders.k,default.orders.v)", "expression(default.items.k)"),)


class TestMeasured:
    def test_a_star_as_aqe_left_it(self) -> None:
        second, first = find_joins(plan(fixture("star.txt")))
        assert (first.strategy, first.build_side, first.output_rows) == (Strategy.BROADCAST_HASH, BuildSide.RIGHT, 100)
        assert first.keys == (("file:/lake/orders.day_sk", "file:/lake/date_dim.d_date_sk"),)
        assert first.left == JoinSide(("file:/lake/orders",), rows=400, bytes=9600, shuffle_bytes=9600, file_bytes=7000)
        # AQE broadcast what it had shuffled: both sizes are known.
        assert first.right == JoinSide(
            ("file:/lake/date_dim",), rows=31, bytes=744, shuffle_bytes=744, broadcast_bytes=512, file_bytes=900
        )
        assert (second.strategy, second.output_rows) == (Strategy.SORT_MERGE, 90)
        assert second.left == JoinSide(
            ("file:/lake/date_dim", "file:/lake/orders"), rows=100, bytes=2400, shuffle_bytes=2400, sort_ms=40
        )
        assert second.right == JoinSide(("file:/lake/store",), rows=12, bytes=240, shuffle_bytes=240, file_bytes=300)

    def test_nothing_is_known_of_what_did_not_run(self) -> None:
        info, _ = parse(fixture("star.txt"))
        for site in find_joins(build_tree(info, {})):
            assert site.output_rows is None
            for side in (site.left, site.right):
                assert side == JoinSide(side.relations)

    def test_rows_that_stayed_at_zero_are_zero(self) -> None:
        site = join(
            "BroadcastHashJoin | [k#1], [k#3], Inner, BuildRight | number of output rows=",
            left=f"{LEFT} | number of output rows=5",
            right=f"Filter | (w#4 > 5) | number of output rows=\n    {RIGHT} | number of output rows=9",
        )
        assert (site.left.rows, site.right.rows, site.output_rows) == (5, 0, 0)

    def test_a_join_that_waited_in_vain_for_its_stage_put_out_nobody_knows_what(self) -> None:
        def side(table: str, key: str, rows: str) -> str:
            return (
                f"Sort | [{key} ASC NULLS FIRST], false, 0 | sort time=\n"
                f"    Exchange | hashpartitioning({key}, 8) | shuffle records written={rows}; data size=\n"
                f"      Scan parquet default.{table} | [{key}] | number of output rows={rows}"
            )

        operator = "SortMergeJoin | [k#1], [k#3], Inner | number of output rows="
        waiting = plan(f"{operator}\n  {side('orders', 'k#1', '50')}\n  {side('items', 'k#3', '7')}")
        assert find_joins(waiting)[0].output_rows is None
        assert find_joins(waiting, finished=True)[0].output_rows == 0
        # With no rows to wait for, none came out.
        shuffled = (
            "Exchange | hashpartitioning(k#1, 8) | shuffle records written=\n"
            f"    Filter | (k#1 > 5) | number of output rows=\n      {LEFT} | number of output rows=5"
        )
        site = join(operator, shuffled, shuffled.replace("k#1", "k#3"))
        assert (site.left.rows, site.right.rows, site.output_rows) == (0, 0, 0)

    def test_a_join_that_another_query_put_into_a_cache_put_out_nobody_knows_what(self) -> None:
        cached = (
            "InMemoryTableScan | [k#1] | number of output rows=40\n"
            "  SortMergeJoin | [k#1], [k#3], Inner | number of output rows={rows}\n"
            "    Scan parquet default.orders | [k#1] | number of output rows={rows}\n"
            "    Scan parquet default.items | [k#3] | number of output rows={none}"
        )
        (read,) = find_joins(plan(cached.format(rows="", none="")), finished=True)
        assert (read.left.rows, read.right.rows, read.output_rows) == (None, None, None)
        (filled,) = find_joins(plan(cached.format(rows="40", none="")), finished=True)
        assert (filled.left.rows, filled.right.rows, filled.output_rows) == (40, 0, 40)

    def test_rows_are_those_of_what_passes_them_on_unchanged(self) -> None:
        sorted_projected = """Sort | [k#1], false, 0
            Project | [k#1]
              Scan parquet default.orders | [k#1] | number of output rows=7"""
        union = """Union
            Scan parquet default.items | [k#3] | number of output rows=3
            Scan parquet default.items | [k#5] | number of output rows=4"""
        site = join("SortMergeJoin | [k#1], [k#3], Inner | number of output rows=2", sorted_projected, union)
        assert (site.left.rows, site.right.rows) == (7, 7)

    @pytest.mark.parametrize("between", ["MapElements", "Generate | explode(x#1)", "Coalesce | 4", "LocalLimit | 10"])
    def test_rows_are_unknown_above_what_changes_and_does_not_count_them(self, between: str) -> None:
        site = join("SortMergeJoin | [k#1], [k#3], Inner", f"{between}\n    {LEFT} | number of output rows=5")
        assert site.left.rows is None

    def test_estimates_belong_to_the_relations_of_a_side(self) -> None:
        root = plan(fixture("star.txt"))
        estimates = read_estimates(fixture("explain_cost.txt"))
        second, first = find_joins(root, planned_joins(every_join(root), estimates))
        assert (first.left.estimated_bytes, first.right.estimated_bytes) == (int(1.5 * 2**30), 570)
        assert (second.left.estimated_bytes, second.right.estimated_bytes) == (10**20, 3 * 2**40)


class TestSignature:
    INNER = "SortMergeJoin | [k#1, v#2], [k#3, w#4], Inner"
    TURNED = "BroadcastHashJoin | [w#4, k#3], [v#2, k#1], Inner, BuildLeft, false"

    @pytest.mark.parametrize("kind", ["Inner", "FullOuter"])
    def test_sides_and_key_order_do_not_matter_to_symmetric_joins(self, kind: str) -> None:
        one = join(self.INNER.replace("Inner", kind))
        other = join(self.TURNED.replace("Inner", kind), left=RIGHT, right=LEFT)
        assert one.signature == other.signature

    @pytest.mark.parametrize("kind", ["LeftOuter", "LeftSemi", "LeftAnti", "ExistenceJoin(exists#9)", "LeftSingle"])
    def test_sides_matter_to_all_others(self, kind: str) -> None:
        one = join(self.INNER.replace("Inner", kind))
        other = join(self.TURNED.replace("Inner", kind), left=RIGHT, right=LEFT)
        assert one.signature != other.signature

    def test_an_inner_join_without_keys_is_a_cross_join(self) -> None:
        assert join("CartesianProduct").signature == join("BroadcastNestedLoopJoin | BuildRight, Inner").signature

    @pytest.mark.parametrize(
        ("operator", "left", "right"),
        [
            ("SortMergeJoin | [k#1], [k#3], LeftOuter", LEFT, RIGHT),
            ("SortMergeJoin | [v#2], [k#3], Inner", LEFT, RIGHT),
            ("SortMergeJoin | [k#1, v#2], [k#3, w#4], Inner", LEFT, RIGHT),
            ("SortMergeJoin | [k#1], [k#3], Inner", LEFT.replace("orders", "returns"), RIGHT),
            ("SortMergeJoin | [k#1], [k#3], Inner", LEFT, f"Union\n    {RIGHT}\n    {RIGHT}"),
        ],
    )
    def test_type_keys_and_relations_matter(self, operator: str, left: str, right: str) -> None:
        assert join(operator, left, right).signature != join("SortMergeJoin | [k#1], [k#3], Inner").signature

    def test_ids_aliases_and_literals_do_not(self) -> None:
        renamed = """Project | [k#3 AS key#77, w#4]
            Filter | (w#4 > 12)
              Scan parquet default.items | [k#3,w#4]"""
        site = join("ShuffledHashJoin | [k#901], [key#77], Inner, BuildRight", LEFT.replace("k#1", "k#901"), renamed)
        assert site.signature == join("SortMergeJoin | [k#1], [k#3], Inner").signature
        assert site.keys == (("default.orders.k", "default.items.k"),)


class TestOccurrence:
    SELF = """
        SortMergeJoin | [k#1], [k#21], Inner
          SortMergeJoin | [k#1], [k#11], Inner
            Scan parquet default.orders | [k#1]
            Scan parquet default.items | [k#11]
          Union
            SortMergeJoin | [k#21], [k#31], Inner
              Scan parquet default.orders | [k#21]
              Scan parquet default.items | [k#31]
            SortMergeJoin | [k#41], [k#51], Inner
              Scan parquet default.items | [k#41]
              Scan parquet default.orders | [k#51]
    """

    def test_joins_with_one_signature_are_numbered_in_plan_order(self) -> None:
        sites = find_joins(plan(self.SELF))
        assert [site.occurrence for site in sites] == [0, 0, 1, 2]
        assert len({site.signature for site in sites}) == 2
        assert len({(site.signature, site.occurrence) for site in sites}) == 4

    def test_joins_of_subqueries_are_found_after_those_of_their_operators_inputs(self) -> None:
        sites = find_joins(
            plan(
                """
                Filter | (v#2 > scalar-subquery#3 [])
                  SortMergeJoin | [k#1], [k#3], Inner
                    Scan parquet default.orders | [k#1,v#2]
                    Scan parquet default.items | [k#3]
                  Subquery | subquery#3, [id=#9]
                    BroadcastHashJoin | [k#11], [k#13], LeftSemi, BuildRight, false
                      Scan parquet default.orders | [k#11]
                      Scan parquet default.returns | [k#13]
                """
            )
        )
        assert [(site.type, site.left.relations) for site in sites] == [
            (JoinType.INNER, ("default.orders",)),
            (JoinType.LEFT_SEMI, ("default.orders",)),
        ]

    def test_what_a_pruning_subquery_joins_is_not_a_join_of_the_query(self) -> None:
        text = """
            BroadcastHashJoin | [k#1], [k#3], Inner, BuildRight, false
              Scan parquet default.orders | [k#1]
                SubqueryAdaptiveBroadcast | dynamicpruning#7, 0, true, Project [k#3], [k#3]
                  SortMergeJoin | [k#3], [k#5], Inner
                    Scan parquet default.items | [k#3]
                    Scan parquet default.brands | [k#5]
              Scan parquet default.items | [k#3]
        """
        assert [site.keys for site in find_joins(plan(text))] == [(("default.orders.k", "default.items.k"),)]


class TestReuse:
    """What an exchange repeats ran once: listed once, numbered as if it had run again."""

    def reused(self) -> str:
        lines = fixture("reused.txt").splitlines()
        start = next(i for i, line in enumerate(lines) if line.startswith("    Exchange"))
        end = next(i for i, line in enumerate(lines) if i > start and line.startswith("  Sort"))
        return "\n".join([*lines[:-1], *("  " + line for line in lines[start:end])])

    def test_columns_are_followed_through_it(self) -> None:
        top = find_joins(plan(self.reused()))[0]
        assert top.keys == (("file:/lake/sales.item_sk", "file:/lake/sales.item_sk"),)
        assert top.left.relations == top.right.relations == ("file:/lake/item", "file:/lake/sales")

    def test_both_sides_are_measured(self) -> None:
        top = find_joins(plan(self.reused()))[0]
        assert (top.left.rows, top.left.shuffle_bytes) == (top.right.rows, top.right.shuffle_bytes) == (10, 80)

    def test_a_join_below_it_is_listed_where_it_stands_first(self) -> None:
        root = plan(self.reused())
        # In a log both are one operator with one set of accumulators.
        first, again = root.children[0].children[0], root.children[1].children[0]
        root = replace(
            root, children=(root.children[0], replace(root.children[1], children=(replace(again, children=(first,)),)))
        )
        assert [site.occurrence for site in find_joins(root)] == [0, 0]
        assert [join.occurrence for join in every_join(root)] == [0, 0, 1]
