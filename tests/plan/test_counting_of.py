"""Rows of joins that ran in part, before, or twice: as many as there are, or unknown."""

from __future__ import annotations

from dataclasses import replace
from textwrap import indent

import pytest

from tuner.model.application import Execution
from tuner.model.join_site import JoinSite
from tuner.plan.join_blocks import join_graphs
from tuner.plan.joins import find_joins
from tuner.plan.queries import query_and_plans
from tuner.plan.row_counts import row_counts

from .trees import parse, plan

Rows = tuple[int | None, int | None, int | None]


def operator(line: str, *below: str) -> str:
    """An operator over others."""
    return "\n".join([line, *(indent(text, "  ") for text in below)])


def scan(key: str, table: str, rows: str) -> str:
    return f"Scan parquet t.{table} | [{key}] | number of output rows={rows}"


def shuffled(key: str, table: str, rows: str, read: str = "") -> str:
    """A shuffle of a scan."""
    metrics = f"data size={rows}; shuffle records written={rows}; records read={read or rows}"
    return operator(f"Exchange | hashpartitioning({key}, 8) | {metrics}", scan(key, table, rows))


def merge_join(rows: str = "50", left: str = "", right: str = "") -> str:
    left, right = left or shuffled("k#1", "sales", "1000"), right or shuffled("k#2", "items", "900")
    return operator(f"SortMergeJoin | [k#1], [k#2], Inner | number of output rows={rows}", left, right)


def broadcast_join(broadcast: str = "900") -> str:
    metrics = f"number of output rows={broadcast}; data size={broadcast}"
    return operator(
        "BroadcastHashJoin | [k#1], [k#2], Inner, BuildRight, false | number of output rows=50",
        scan("k#1", "sales", "50"),
        operator(f"BroadcastExchange | HashedRelationBroadcastMode | {metrics}", scan("k#2", "items", broadcast)),
    )


def joined(text: str) -> JoinSite:
    """The only join of a plan that ran to its end."""
    (site,) = find_joins(plan(text), finished=True)
    return site


def rows_of(text: str) -> Rows:
    """Of the sides of the only join, and of the join."""
    site = joined(text)
    return site.left.rows, site.right.rows, site.output_rows


class TestLimits:
    @pytest.mark.parametrize(
        "limit", ["CollectLimit | 21", "CollectTail | 50", "LocalLimit | 10", "GlobalLimit | 10, 0"]
    )
    def test_what_runs_with_a_limit_stops_with_it(self, limit: str) -> None:
        assert rows_of(operator(limit, operator("Project | [k#1]", broadcast_join()))) == (None, 900, None)

    @pytest.mark.parametrize("limit", ["CollectLimit | 51", "LocalLimit | 100", "CollectLimit | -1, 5"])
    def test_a_limit_that_is_not_reached_stops_nothing(self, limit: str) -> None:
        assert rows_of(operator(limit, operator("Project | [k#1]", broadcast_join()))) == (50, 900, 50)

    def test_what_is_shuffled_below_it_is_whole(self) -> None:
        assert rows_of(operator("CollectLimit | 21", merge_join())) == (1000, 900, None)

    def test_an_aggregate_takes_all_its_rows_in_each_task_that_runs(self) -> None:
        grouped = operator("HashAggregate | (keys=[k#1], functions=[]) | number of output rows=40", broadcast_join())
        assert rows_of(operator("LocalLimit | 10", grouped)) == (50, 900, 50)
        assert rows_of(operator("CollectLimit | 10", grouped)) == (None, 900, None)

    def test_blocks_do_not_know_what_it_left_out_either(self) -> None:
        (graph,) = join_graphs(plan(operator("CollectLimit | 21", broadcast_join())), finished=True)
        assert ([relation.rows for relation in graph.relations], graph.measured) == ([None, 900], {})

    @pytest.mark.parametrize(("rows", "known"), [("1", None), ("", 0)])
    def test_is_empty_stops_with_the_first_row_though_its_plan_shows_no_limit(
        self, rows: str, known: int | None
    ) -> None:
        """Spark 3.3 to 3.5: Dataset.isEmpty takes a row of the plan of `select()`."""
        info, accumulators = parse(operator("Project", merge_join(rows)))
        asked = Execution(4, 4, "", 0, 9, None, info, None, {}, (), accumulators=accumulators, asks_if_empty=True)
        whole = replace(asked, asks_if_empty=False)
        (site,), (other,) = ((query_and_plans(one, ()) or pytest.fail("no query"))[0].joins for one in (asked, whole))
        assert (site.left.rows, site.right.rows, site.output_rows) == (1000, 900, known)
        assert replace(site, output_rows=other.output_rows) == other


class TestCaches:
    @staticmethod
    def cached(read: str, filters: str = "") -> str:
        return operator(f"InMemoryTableScan | [k#1]{filters} | number of output rows={read}", merge_join())

    def test_where_only_lost_partitions_were_computed_again_nothing_is_known(self) -> None:
        site = joined(self.cached(read="10000"))
        assert [(side.rows, side.shuffle_bytes) for side in site.sides] == [(None, None), (None, None)]
        assert site.output_rows is None

    @pytest.mark.parametrize("read", ["50", "0", ""])
    def test_a_cache_that_was_filled_is_measured(self, read: str) -> None:
        assert rows_of(self.cached(read)) == (1000, 900, 50)

    def test_so_it_is_where_filters_or_a_limit_left_some_of_it_unread(self) -> None:
        assert rows_of(self.cached("30", ", [isnotnull(k#1), (k#1 > 5)]")) == (1000, 900, 50)
        assert rows_of(operator("LocalLimit | 10", self.cached("30"))) == (1000, 900, 50)

    @pytest.mark.parametrize("filters", ["", ", [isnotnull(k#1)]"])
    def test_where_more_was_computed_than_read_nothing_is_known(self, filters: str) -> None:
        """It found no room in memory, or two executors needed it at once: each computes it, and its joins count twice."""
        assert rows_of(self.cached("25", filters)) == (None, None, None)

    def test_it_is_filled_once_by_a_stage_that_runs_twice(self) -> None:
        ranges = "Exchange | rangepartitioning(k#1 ASC NULLS FIRST, 8) | shuffle records written=50"
        assert rows_of(operator(ranges, self.cached(read="100"))) == (1000, 900, 50)


class TestSkippedStages:
    def test_a_shuffle_that_was_there_tells_no_rows(self) -> None:
        skipped = shuffled("k#1", "sales", "", read="900"), shuffled("k#2", "items", "", read="900")
        site = joined(merge_join("50", *skipped))
        assert (site.left.rows, site.right.rows, site.output_rows) == (None, None, 50)
        assert site.is_skipped
        assert [count.rows for count in row_counts([site])] == [50]

    def test_one_of_no_rows_was_not_skipped(self) -> None:
        site = joined(merge_join("", right=shuffled("k#2", "items", "")))
        assert ((site.left.rows, site.right.rows, site.output_rows), site.is_skipped) == ((1000, 0, 0), False)

    def test_a_broadcast_that_was_there_tells_no_rows(self) -> None:
        site = joined(broadcast_join(""))
        assert ((site.left.rows, site.right.rows, site.output_rows), site.is_skipped) == ((50, None, 50), True)

    def test_of_what_did_not_run_to_its_end_nothing_is_said(self) -> None:
        (site,) = find_joins(plan(broadcast_join("")))
        assert not site.is_skipped


class TestRangePartitioning:
    @staticmethod
    def ordered(written: int, below: str) -> str:
        ranges = "Exchange | rangepartitioning(k#1 ASC NULLS FIRST, 8), ENSURE_REQUIREMENTS"
        return operator(f"{ranges} | shuffle records written={written}", operator("Project | [k#1]", below))

    def test_what_it_samples_first_has_counted_each_row_twice(self) -> None:
        text = self.ordered(50, merge_join("100"))
        assert (rows_of(text), joined(text).runs) == ((1000, 900, 50), 2)

    def test_what_sorting_took_is_told_once_as_the_rows_are(self) -> None:
        sorted_ = operator("Sort | [k#1 ASC NULLS FIRST], false, 0 | sort time=80", shuffled("k#1", "sales", "1000"))
        text = merge_join("100", sorted_)
        assert [joined(one).left.sort_ms for one in (text, self.ordered(50, text))] == [80, 40]

    def test_of_one_partition_it_samples_nothing(self) -> None:
        text = self.ordered(100, merge_join("100"))
        assert (rows_of(text), joined(text).runs) == ((1000, 900, 100), 1)

    # Of 1000 rows a partition of 400 is read three times.
    @pytest.mark.parametrize(("written", "counted"), [(1000, 2400), (45, 100)])
    def test_where_it_samples_large_partitions_again_nothing_is_known(self, written: int, counted: int) -> None:
        text = self.ordered(written, merge_join(str(counted)))
        assert (rows_of(text), joined(text).runs) == ((1000, 900, None), 1)

    def test_nor_is_it_where_nothing_is_counted_above_a_join(self) -> None:
        mapped = operator("SerializeFromObject | [k#1]", operator("MapElements | f", merge_join("100")))
        assert rows_of(self.ordered(50, mapped)) == (1000, 900, None)
        alone = self.ordered(50, mapped).replace(", 8), ENSURE", ", 1), ENSURE")
        assert rows_of(alone) == (1000, 900, 100)

    def test_the_sides_of_a_broadcast_join_run_with_it(self) -> None:
        text = self.ordered(25, broadcast_join())
        assert rows_of(text) == (25, 900, 25)
        (graph,) = join_graphs(plan(text), finished=True)
        assert ([relation.rows for relation in graph.relations], graph.measured[0b11].rows) == ([25, 900], 25)


class TestProducts:
    @staticmethod
    def product(left: str, right: str) -> str:
        return operator("CartesianProduct | (k#1 < x#9) | number of output rows=30", left, right)

    def test_its_sides_ran_for_each_partition_of_the_other_and_tell_no_rows(self) -> None:
        text = self.product(scan("k#1", "sales", "4000"), scan("x#9", "days", "600"))
        assert rows_of(text) == (None, None, 30)
        (graph,) = join_graphs(plan(text), finished=True)
        assert ([relation.rows for relation in graph.relations], graph.measured[0b11].rows) == ([None, None], 30)

    def test_so_did_the_joins_below_it_up_to_their_shuffles(self) -> None:
        above, below = find_joins(plan(self.product(merge_join("200"), scan("x#9", "days", "600"))), finished=True)
        assert (above.left.rows, above.right.rows, above.output_rows) == (None, None, 30)
        assert (below.left.rows, below.right.rows, below.output_rows) == (1000, 900, None)

    def test_what_it_reads_of_a_shuffle_was_written_once(self) -> None:
        text = self.product(shuffled("k#1", "sales", "1000", read="4000"), shuffled("x#9", "days", "150", read="600"))
        assert rows_of(text) == (1000, 150, 30)


class TestMergeJoinsOnOneKey:
    """A merge join stops as soon as no row of either side can match any more, and with it what feeds it row by row
    (SortMergeJoinExec.findNextJoinRows)."""

    @staticmethod
    def chain(type_: str, few: str = "40", order: str = "") -> str:
        below, other = merge_join("7"), shuffled("k#3", "days", few)
        if order:
            below = operator("Sort | [k#1 ASC NULLS FIRST], false, 0 | sort time=1", below)
        return operator(f"SortMergeJoin | [k#1], [k#3], {type_} | number of output rows=5", below, other)

    @staticmethod
    def rows(text: str) -> tuple[Rows, int | None]:
        above, below = find_joins(plan(text), finished=True)
        return (above.left.rows, above.right.rows, above.output_rows), below.output_rows

    @pytest.mark.parametrize("type_", ["Inner", "LeftSemi", "RightOuter"])
    def test_of_a_join_that_stopped_with_a_side_of_few_rows_nothing_is_known(self, type_: str) -> None:
        (left, right, output), below = self.rows(self.chain(type_))
        assert {left, right} == {None, 40}
        assert (output, below) == (5, None)

    @pytest.mark.parametrize("type_", ["LeftOuter", "LeftAnti", "ExistenceJoin(exists#9)", "FullOuter"])
    def test_a_join_whose_every_row_is_asked_for_is_whole(self, type_: str) -> None:
        assert self.rows(self.chain(type_)) == ((7, 40, 5), 7)

    def test_beside_a_side_of_many_rows_little_is_left_out(self) -> None:
        assert self.rows(self.chain("Inner", few="8000")) == ((7, 8000, 5), 7)

    def test_a_sort_takes_all_its_rows(self) -> None:
        assert self.rows(self.chain("Inner", order="k#1")) == ((7, 40, 5), 7)

    def test_what_is_below_its_own_shuffles_is_whole(self) -> None:
        _, below = find_joins(plan(self.chain("Inner")), finished=True)
        assert (below.left.rows, below.right.rows) == (1000, 900)

    def test_blocks_do_not_know_it_either(self) -> None:
        (graph,) = join_graphs(plan(self.chain("Inner")), finished=True)
        assert {relations: found.rows for relations, found in graph.measured.items()} == {0b111: 5}


class TestStagesThatNeverRan:
    """An execution can end before its last stage begins: toLocalIterator, the Thrift server's incrementalCollect."""

    def test_of_what_should_have_read_a_shuffle_nothing_is_known(self) -> None:
        sides = (shuffled("k#1", "sales", "1000", read="0"), shuffled("k#2", "items", "900", read="0"))
        unread = [side.replace("; records read=0", "; records read=") for side in sides]
        assert rows_of(merge_join("", *unread)) == (1000, 900, None)

    def test_nor_of_what_should_have_read_files(self) -> None:
        text = broadcast_join().replace("number of output rows=50", "number of output rows=")
        text = text.replace("[k#1] | number of output rows=", "[k#1] | size of files read=10; number of output rows=")
        assert rows_of(text) == (None, 900, None)

    @pytest.mark.parametrize(
        "read",
        [
            pytest.param("static size of files read=9; size of files read=0", id="pruned to nothing as it ran"),
            pytest.param("total data file size (bytes)=9; number of file splits read=2", id="Iceberg"),
        ],
    )
    def test_what_found_nothing_in_its_files_ran(self, read: str) -> None:
        text = broadcast_join().replace("number of output rows=50", "number of output rows=")
        text = text.replace("[k#1] | number of output rows=", f"[k#1] | {read}; number of output rows=")
        assert rows_of(text) == (0, 900, 0)

    @pytest.mark.parametrize(("took", "rows"), [("duration=488", (0, 900, 0)), ("duration=", (None, 900, None))])
    def test_what_generated_code_tells_the_time_of_ran(self, took: str, rows: Rows) -> None:
        """A scan of CSV that applies the filter itself and finds no row tells nothing of its own."""
        text = broadcast_join().replace("number of output rows=50", "number of output rows=")
        text = text.replace("[k#1] | number of output rows=", "[k#1] | size of files read=10; number of output rows=")
        assert rows_of(operator(f"WholeStageCodegen (1) | | {took}", text)) == rows

    def test_what_read_a_shuffle_and_put_out_nothing_ran(self) -> None:
        assert rows_of(merge_join("")) == (1000, 900, 0)

    def test_what_had_nothing_to_read_ran(self) -> None:
        assert rows_of(merge_join("", shuffled("k#1", "sales", ""), shuffled("k#2", "items", ""))) == (0, 0, 0)

    def test_nor_of_what_should_have_read_what_was_never_shuffled(self) -> None:
        def unread(key: str) -> str:
            text = shuffled(key, "items", "").replace("| number of", "| size of files read=9; number of")
            return text.replace("| data size", "| number of partitions=8; data size")

        assert rows_of(merge_join("", unread("k#1"), unread("k#2"))) == (None, None, None)

    def test_nor_of_what_it_should_have_shuffled(self) -> None:
        unread = shuffled("k#2", "items", "").replace("| number of", "| size of files read=9; number of")
        assert rows_of(merge_join("50", right=unread)) == (1000, None, 50)

    def test_below_a_broadcast_too(self) -> None:
        below = "SortMergeJoin | [k#1], [k#2], Inner | number of output rows="
        sides = [shuffled(f"k#{n}", "items", "900").replace("; records read=900", "; records read=") for n in (1, 2)]
        exchange = operator(
            "BroadcastExchange | HashedRelationBroadcastMode | number of output rows=9; data size=9",
            operator(below, *sides),
        )
        text = operator(
            "BroadcastHashJoin | [k#5], [k#1], Inner, BuildRight, false | number of output rows=50",
            scan("k#5", "sales", "50"),
            exchange,
        )
        above, inner = find_joins(plan(text), finished=True)
        assert (above.left.rows, above.right.rows, above.output_rows) == (50, 9, 50)
        assert inner.output_rows is None


class TestLostEvents:
    def test_what_a_stage_counted_whose_tasks_the_log_lacks_is_unknown(self) -> None:
        root = plan(merge_join("50"))
        (scanned,) = [node for node in root.walk() if node.text.startswith("Scan parquet t.sales")]
        shuffle, _ = root.children
        (site,) = find_joins(root, finished=True, lost=scanned.counters | shuffle.counters)
        assert (site.left.rows, site.left.shuffle_bytes, site.right.rows, site.output_rows) == (None, None, 900, 50)
        (graph,) = join_graphs(root, finished=True, lost=root.counters)
        assert ([relation.rows for relation in graph.relations], graph.measured) == ([1000, 900], {})
