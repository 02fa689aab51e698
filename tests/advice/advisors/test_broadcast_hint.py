"""Broadcast or not, per join, where a hint reaches it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from textwrap import dedent, indent
from typing import ClassVar

import pytest

from tests.advice.joins import GIB, broadcast_by_aqe, facts, inner, query, query_25, query_72, side
from tests.plan.trees import plan
from tuner.advice.advisors.broadcast_hint import advise_broadcast_hints
from tuner.advice.candidates.row_widths import WIDE_ROW_BYTES
from tuner.advice.steering_reach import Reach
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.change import Change
from tuner.model.cluster import Cluster
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.join_site import JoinSide, JoinSite, Reshuffle, RuntimeFilter, WrittenFiles
from tuner.model.query import QueryStatus, ShuffleExchange
from tuner.model.strategy import BuildSide, JoinType, Strategy
from tuner.plan.joins import find_joins
from tuner.plan.joins_in_place import joins_in_place
from tuner.plan.measured_plan import MeasuredPlan
from tuner.plan.shuffles import find_shuffles
from tuner.words.actions import hint_text
from tuner.words.reasons import reason_words

DIM = side("date_dim", rows=73_049, shuffle_bytes=2_000_000, sort_ms=20)
FACT = side("store_sales", rows=20_000_000, shuffle_bytes=800_000_000, sort_ms=9_000)


def test_the_smaller_side_is_broadcast_and_the_numbers_say_why() -> None:
    join = inner(FACT, DIM)
    (found,) = advise_broadcast_hints(facts(query(join, seconds=30, fingerprint="q1"), per_join=True))
    assert found.actions == (Action(ActionKind.HINT_JOIN, join.signature, Hint.BROADCAST, "q1", ("date_dim",)),)
    assert found.queries == ("q1",)
    assert "(73.0k rows, 2.0 MB) instead of shuffling and sorting it for a join with 20.0M rows" in reason_words(
        found.reason
    )
    assert {e.what: e.value for e in found.evidence}["build side rows"] == 73_049
    predicted = found.prediction
    assert 0 <= predicted.low <= predicted.after <= predicted.high
    assert predicted.before == 30
    assert predicted.gain > 1


def late(
    build: JoinSide = DIM,
    probe: JoinSide = FACT,
    planned: Strategy = Strategy.SORT_MERGE,
    built: BuildSide = BuildSide.RIGHT,
) -> JoinSite:
    """A join that AQE made a broadcast when both sides had been shuffled."""
    return broadcast_by_aqe(probe, build, planned, built)


def test_what_aqe_broadcast_only_after_its_shuffles_is_broadcast_at_once() -> None:
    join = late()
    (found,) = advise_broadcast_hints(facts(query(join, seconds=30, fingerprint="q1"), per_join=True))
    assert found.actions == (Action(ActionKind.HINT_JOIN, join.signature, Hint.BROADCAST, "q1", ("date_dim",)),)
    assert "from the start: AQE broadcast it only after shuffling 802 MB for a join with 20.0M rows" in reason_words(
        found.reason
    )
    assert 0 < found.prediction.low <= found.prediction.after < found.prediction.high < 30


@pytest.mark.parametrize(
    "join",
    [
        pytest.param(late(planned=Strategy.BROADCAST_HASH), id="planned so"),
        pytest.param(late(probe=side("store_sales", rows=20_000_000)), id="the probe side was not shuffled"),
        pytest.param(late(side("big", rows=10**8, shuffle_bytes=10**10)), id="too large to be sure of"),
        pytest.param(
            late(side("tiny", rows=5, shuffle_bytes=50), side("small", rows=9, shuffle_bytes=90)), id="saves nothing"
        ),
        pytest.param(
            replace(late(), type=JoinType.LEFT_OUTER, build_side=BuildSide.LEFT), id="a side that cannot be built"
        ),
    ],
)
def test_where_it_is_not(join: JoinSite) -> None:
    assert not list(advise_broadcast_hints(facts(query(join, seconds=30), per_join=True)))


def test_without_sql_text_there_is_no_hint() -> None:
    assert not list(advise_broadcast_hints(facts(query(inner(FACT, DIM)), per_join=False)))


def _grown(side_: JoinSide, factor: int) -> JoinSide:
    return side(*side_.relations, rows=(side_.rows or 0) * factor, shuffle_bytes=(side_.shuffle_bytes or 0) * factor)


def test_a_relation_that_outgrows_memory_is_no_longer_advised() -> None:
    small, large = (query(inner(FACT, _grown(DIM, factor)), seconds=30) for factor in (1, 100))
    assert list(advise_broadcast_hints(facts(small, per_join=True)))
    assert not list(advise_broadcast_hints(facts(large, per_join=True)))


def test_the_hints_of_one_query_fit_in_memory_together() -> None:
    names = [f"dim{n}" for n in range(20)]
    dims = [side(name, rows=500_000, shuffle_bytes=40_000_000, sort_ms=100) for name in names]
    job = facts(query(*(inner(FACT, dim) for dim in dims), seconds=300), per_join=True)
    found = list(advise_broadcast_hints(job))
    together = sum(e.value for r in found for e in r.evidence if e.what == "predicted hash relation")
    assert 0 < len(found) < len(dims)
    assert together <= job.cap.query_bytes


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(query_72(), id="five rows out per row in"),
        pytest.param(query(inner(FACT, DIM, strategy=Strategy.BROADCAST_HASH)), id="broadcast already"),
        pytest.param(query(inner(FACT, DIM, type_=JoinType.FULL_OUTER)), id="full outer joins have no build side"),
        pytest.param(query(inner(DIM, FACT, type_=JoinType.LEFT_OUTER)), id="a left outer join keeps its left side"),
        pytest.param(query(inner(FACT, DIM), status=QueryStatus.FAILED), id="a failed query's rows are not all"),
        pytest.param(query(inner(FACT, side("d", shuffle_bytes=9)), seconds=30), id="rows unknown"),
        pytest.param(query(inner(FACT, side("d", rows=9)), seconds=30), id="bytes unknown"),
        pytest.param(query_25(), id="a hint cannot name a side of two relations"),
    ],
)
def test_what_is_left_alone(case: object) -> None:
    assert not list(advise_broadcast_hints(facts(case, per_join=True)))  # type: ignore[arg-type]


def test_a_side_over_eight_gigabytes_or_too_many_rows_is_never_broadcast() -> None:
    huge = Cluster(8, 2, 4, 10**15, 10**15)
    for rows, size in ((400_000_000, 10**9), (1_000, 9 << 30)):
        build = side("d", rows=rows, shuffle_bytes=size, sort_ms=10**6)
        probe = side("f", rows=10**10, shuffle_bytes=10**12, sort_ms=10**8)
        assert not list(
            advise_broadcast_hints(facts(query(inner(probe, build), seconds=9e4), per_join=True, cluster=huge))
        )


class TestAFilteredSide:
    """Of a join with a broadcast hint Spark makes no bloom filter; the agent hints it when that is made."""

    @staticmethod
    def filtered(by: RuntimeFilter) -> JoinSide:
        return replace(DIM, filtered_by_other=by)

    @pytest.mark.parametrize("make", [inner, broadcast_by_aqe])
    def test_by_a_bloom_filter_is_broadcast_by_the_agent_alone(self, make: Callable[..., JoinSite]) -> None:
        job = query(make(FACT, self.filtered(RuntimeFilter.BLOOM)), seconds=30)
        assert not list(advise_broadcast_hints(facts(job, reach=Reach.TEXT)))
        ((action,),) = [change.actions for change in advise_broadcast_hints(facts(job, reach=Reach.AGENT))]
        assert action.by_agent_alone
        assert hint_text(action) == ""
        assert action == replace(action, by_agent_alone=False)

    @pytest.mark.parametrize("reach", [Reach.TEXT, Reach.AGENT])
    def test_by_pruned_partitions_is_never_broadcast(self, reach: Reach) -> None:
        job = query(inner(FACT, self.filtered(RuntimeFilter.PARTITIONS)), seconds=30)
        assert not list(advise_broadcast_hints(facts(job, reach=reach)))


def test_an_execution_that_skipped_what_another_has_shuffled_says_nothing() -> None:
    ran = query(inner(FACT, DIM), seconds=30, fingerprint="q1")
    skipped = inner(*(JoinSide(found.relations, skipped=True) for found in (FACT, DIM)), output_rows=20_000_000)
    again = query(skipped, seconds=9, fingerprint="q1")
    alone = [change.actions for change in advise_broadcast_hints(facts(ran, per_join=True))]
    assert [change.actions for change in advise_broadcast_hints(facts(ran, again, per_join=True))] == alone != []


@pytest.mark.parametrize("make", [inner, broadcast_by_aqe])
def test_below_a_range_partitioning_the_other_side_would_be_computed_twice(make: Callable[..., JoinSite]) -> None:
    join = make(FACT, DIM)

    def advised(runs: int, map_core_ms: int | None) -> bool:
        written = ShuffleExchange(200, 800_000_000, 10**8, 20_000_000, 50, adjustable=True, map_core_ms=map_core_ms)
        job = query(replace(join, runs=runs), seconds=30, shuffles=(written,))
        return bool(list(advise_broadcast_hints(facts(job, per_join=True))))

    assert advised(runs=1, map_core_ms=60_000)
    assert advised(runs=2, map_core_ms=100)
    assert not advised(runs=2, map_core_ms=60_000)
    assert not advised(runs=2, map_core_ms=None)


FORTY_CORES = Cluster(40, 10, 4, 16 * GIB, 16 * GIB)
EVENTS = side("events", rows=200_000_000, shuffle_bytes=20_000_000_000, sort_ms=50_000)
USERS = side("users", rows=100_000, shuffle_bytes=8_000_000, sort_ms=50)
USERS_SHUFFLE = ShuffleExchange(200, 8_000_000, 10**6, 100_000, 1, adjustable=True, map_core_ms=300)


def _events_shuffle(map_tasks: int = 200, map_core_ms: int = 60_000) -> ShuffleExchange:
    return ShuffleExchange(200, 20_000_000_000, 10**9, 200_000_000, map_tasks, adjustable=True, map_core_ms=map_core_ms)


def _gains(*joins: JoinSite, shuffles: tuple[ShuffleExchange, ...] = ()) -> list[float]:
    """Of the advised broadcasts, largest first."""
    written = (*shuffles, _events_shuffle(), USERS_SHUFFLE)
    job = facts(query(*joins, seconds=200, shuffles=written), reach=Reach.AGENT, cluster=FORTY_CORES)
    return [change.prediction.gain for change in advise_broadcast_hints(job) if change.prediction]


BOTH = pytest.mark.parametrize("make", [inner, broadcast_by_aqe])


@BOTH
class TestWhereTheJoinRunsAfterwards:
    """A broadcast join runs in the tasks that make its probe side."""

    def test_an_input_of_one_task_keeps_its_shuffle(self, make: Callable[..., JoinSite]) -> None:
        join = replace(make(EVENTS, USERS), core_ms=1_260_000, tasks=200)
        assert _gains(join)
        assert not _gains(join, shuffles=(_events_shuffle(map_tasks=1),))

    def test_fewer_tasks_than_before_are_enough_where_they_use_all_cores(self, make: Callable[..., JoinSite]) -> None:
        join = replace(make(EVENTS, USERS), core_ms=1_260_000, tasks=200)
        assert _gains(join, shuffles=(_events_shuffle(map_tasks=40),)) == _gains(join)

    def test_a_stage_of_few_tasks_loses_none(self, make: Callable[..., JoinSite]) -> None:
        join = replace(make(EVENTS, USERS), core_ms=1_260_000, tasks=2)
        assert _gains(join, shuffles=(_events_shuffle(map_tasks=2),)) == _gains(join)

    def test_a_stage_that_had_little_to_do_loses_little(self, make: Callable[..., JoinSite]) -> None:
        join = replace(make(EVENTS, USERS), core_ms=200_000, tasks=200)
        assert _gains(join, shuffles=(_events_shuffle(map_tasks=20),))

    def test_what_is_above_another_shuffle_keeps_its_tasks(self, make: Callable[..., JoinSite]) -> None:
        join, few = replace(make(EVENTS, USERS), core_ms=4_000_000, tasks=200), (_events_shuffle(map_tasks=20),)
        assert not _gains(join, shuffles=few)
        assert _gains(replace(join, reshuffle=Reshuffle(2_000_000, sorts=False)), shuffles=few)


class TestAShuffledHashJoin:
    """As Spark runs it with spark.sql.join.preferSortMergeJoin=false: a broadcast spares its shuffles, and no sort."""

    JOIN = replace(
        inner(replace(EVENTS, sort_ms=None), replace(USERS, sort_ms=None), strategy=Strategy.SHUFFLED_HASH),
        build_side=BuildSide.RIGHT,
    )

    def test_is_broadcast_for_less_than_a_sort_merge_join(self) -> None:
        (gain,) = _gains(self.JOIN)
        assert 0 < gain < _gains(inner(EVENTS, USERS))[0]
        (found,) = advise_broadcast_hints(facts(query(self.JOIN, seconds=200), reach=Reach.AGENT))
        assert " instead of shuffling it for a join with 200M rows" in reason_words(found.reason)

    def test_may_have_built_the_other_side(self) -> None:
        (found,) = advise_broadcast_hints(
            facts(query(replace(self.JOIN, build_side=BuildSide.LEFT), seconds=200), reach=Reach.AGENT)
        )
        assert [action.relations for action in found.actions] == [("users",)]

    def test_that_a_hint_asked_for_stays(self) -> None:
        """The agent's is in force for nights that are too large to broadcast, too."""
        assert not _gains(replace(self.JOIN, hinted=True))
        told = Action(ActionKind.HINT_JOIN, self.JOIN.signature, Hint.SHUFFLE_HASH, "q1", ("users",))
        given = DirectiveResult(told.id, DirectiveStatus.APPLIED, join=self.JOIN.signature)
        job = replace(query(self.JOIN, seconds=200, fingerprint="q1"), directives=(given,))
        assert not list(advise_broadcast_hints(facts(job, reach=Reach.AGENT)))
        assert not list(advise_broadcast_hints(facts(query(self.JOIN, seconds=200), reach=Reach.TEXT)))


class TestASideThatNoShuffleOfItsOwnCounted:
    """The newest row of each user: what a window, a grouping or a join below has placed by the join's key is not moved again."""

    PLAN = """
        SortMergeJoin | [u#1], [id#5], Inner | number of output rows=200000000
          Sort | [u#1 ASC NULLS FIRST], false, 0 | sort time=50000
            Exchange | hashpartitioning(u#1, 200) | data size=20000000000; shuffle records written=200000000
              Scan parquet shop.events | [u#1] | number of output rows=200000000
          Filter | (rn#9 = 1) | number of output rows=100000
            Window | [row_number() windowspecdefinition(id#5, at#6 DESC) AS rn#9], [id#5], [at#6 DESC]
              Sort | [id#5 ASC NULLS FIRST, at#6 DESC], false, 0 | sort time=900
                Exchange | hashpartitioning(id#5, 200) | data size=24000000; shuffle records written=300000
                  Scan parquet shop.users | [id#5,at#6] | number of output rows=300000
        """

    def _advised(self, reach: Reach = Reach.AGENT, text: str | None = None, **conf: str) -> list[Change]:
        root = plan(self.PLAN if text is None else text)
        (join,) = joins_in_place(MeasuredPlan(root, ()), find_joins(root, finished=True))
        of_users = ShuffleExchange(200, 24_000_000, 10**7, 300_000, 4, adjustable=True, map_core_ms=2_000)
        job = query(join, seconds=400, shuffles=(_events_shuffle(), of_users))
        return list(advise_broadcast_hints(facts(job, reach=reach, cluster=FORTY_CORES, conf=conf)))

    def test_is_broadcast_by_the_agent_as_large_as_it_may_be(self) -> None:
        (found,) = self._advised()
        assert [action.relations for action in found.actions] == [("shop.users",)]
        estimated = {e.what: e.value for e in found.evidence}["build side bytes, estimated"]
        assert estimated == 100_000 * WIDE_ROW_BYTES
        assert "(100k rows, an estimated 25.6 MB) instead of shuffling 200M rows to where it was made" in reason_words(
            found.reason
        )
        counted = inner(EVENTS, side("users", rows=100_000, shuffle_bytes=100_000 * WIDE_ROW_BYTES))
        (of_counted,) = _gains(counted)
        assert found.prediction is not None
        assert 0 < found.prediction.gain < of_counted

    def test_that_gathers_rows_is_as_large_as_all_that_it_was_made_of(self) -> None:
        """100k groups of 200 KB each are 20 GB."""
        gathered = """
            ObjectHashAggregate | (keys=[id#5], functions=[{}(struct(at#6), 0, 0)]) | number of output rows=100000
              Exchange | hashpartitioning(id#5, 200) | data size={}; shuffle records written=300000
                ObjectHashAggregate | (keys=[id#5], functions=[partial_{}(struct(at#6), 0, 0)]) | number of output rows=300000
                  Scan parquet shop.users | [id#5,at#6] | number of output rows=900000
            """
        probe = self.PLAN.partition("          Filter")[0]

        def of(bytes_: int, by: str = "collect_list") -> list[Change]:
            return self._advised(text=probe + indent(dedent(gathered.format(by, bytes_, by)).strip(), " " * 10) + "\n")

        assert not of(20_000_000_000)
        ((size,),) = [[e.value for e in c.evidence if e.what.endswith("estimated")] for c in of(40_000_000)]
        assert size == 40_000_000

    def test_that_a_window_gathers_rows_in_is_of_unknown_size(self) -> None:
        assert not self._advised(text=self.PLAN.replace("row_number()", "collect_list(at#6, 0, 0)"))

    def test_is_not_of_a_bucketed_table_nor_met_by_one(self) -> None:
        """Only sorting and merging would be spared."""
        text = self.PLAN.replace("sort time=50000", "sort time=1000000")
        assert self._advised(text=text)
        lines = dedent(text).strip().splitlines()
        by_bucket = [*lines[:2], lines[3][2:], *lines[4:]]
        assert not self._advised(text="\n".join(by_bucket))
        bucketed = [*lines[:4], lines[6][4:], lines[8][6:]]
        assert not self._advised(text="\n".join(bucketed))
        assert not self._advised(text="\n".join([*by_bucket[:3], lines[6][4:], lines[8][6:]]))

    def test_is_left_alone_where_nothing_looks_at_its_size_first(self) -> None:
        assert not self._advised(Reach.TEXT)

    @pytest.mark.parametrize(
        ("to_rows", "exchange"),
        [
            pytest.param("CometColumnarToRow", "CometExchange", id="Comet"),
            pytest.param("GpuColumnarToRow", "GpuColumnarExchange", id="RAPIDS"),
            pytest.param("VeloxColumnarToRow", "ColumnarExchange", id="Gluten"),
            pytest.param("PhotonResultStage", "PhotonShuffleExchangeSink", id="Photon"),
        ],
    )
    def test_is_not_one_that_another_engine_shuffled(self, to_rows: str, exchange: str) -> None:
        """Spark's own join of what it takes over from there: nothing is known of those shuffles."""
        root = plan(f"""
            SortMergeJoin | [u#1], [id#5], Inner | number of output rows=200000000
              Sort | [u#1 ASC NULLS FIRST], false, 0 | sort time=1000000
                {to_rows} |  | number of output rows=200000000
                  {exchange} | hashpartitioning(u#1, 200) | data size=20000000000; shuffle records written=200000000
                    Scan parquet shop.events | [u#1] | number of output rows=200000000
              Sort | [id#5 ASC NULLS FIRST], false, 0 | sort time=900
                {to_rows} |  | number of output rows=100000
                  {exchange} | hashpartitioning(id#5, 200) | data size=24000000; shuffle records written=100000
                    Scan parquet shop.users | [id#5,at#6] | number of output rows=100000
            """)
        (join,) = joins_in_place(MeasuredPlan(root, ()), find_joins(root, finished=True))
        job = query(join, seconds=400, shuffles=find_shuffles(root, {}))
        assert None not in (join.left.rows, join.right.rows)
        assert not list(advise_broadcast_hints(facts(job, reach=Reach.AGENT, cluster=FORTY_CORES)))

    def test_may_have_taken_as_long_to_make_as_the_query(self) -> None:
        assert not self._advised(**{"spark.sql.adaptive.enabled": "false"})
        assert self._advised(**{"spark.sql.adaptive.enabled": "false", "spark.sql.broadcastTimeout": "1h"})

    def test_is_broadcast_at_once_where_aqe_did_so_late(self) -> None:
        grouped = side("users", rows=100_000, broadcast_bytes=12_000_000)
        (gain,) = _gains(broadcast_by_aqe(EVENTS, grouped))
        assert 0 < gain < _gains(broadcast_by_aqe(EVENTS, USERS))[0]


@BOTH
def test_a_join_of_which_nothing_tells_what_else_relies_on_its_shuffles_keeps_them(
    make: Callable[..., JoinSite],
) -> None:
    assert not _gains(replace(make(EVENTS, USERS), placed=False))


@BOTH
class TestAStageThatIsCoalesced:
    """`coalesce(8)` above a join: with a shuffle between, 40 cores make what its 8 tasks read; without it these make that."""

    SCAN = (_events_shuffle(map_core_ms=4_000_000),)

    def _coalesced(self, make: Callable[..., JoinSite], to: int | None = 8, probe: JoinSide = EVENTS) -> JoinSite:
        return replace(make(probe, USERS), core_ms=1_260_000, tasks=to or 200, coalesced_to=to)

    def test_leaves_what_takes_long_to_make_to_all_cores(self, make: Callable[..., JoinSite]) -> None:
        assert _gains(self._coalesced(make, None), shuffles=self.SCAN)
        assert not _gains(self._coalesced(make), shuffles=self.SCAN)

    def test_to_as_many_tasks_as_there_are_cores_slows_nothing(self, make: Callable[..., JoinSite]) -> None:
        assert _gains(self._coalesced(make, 40), shuffles=self.SCAN)

    def test_makes_in_its_tasks_what_is_soon_made(self, make: Callable[..., JoinSite]) -> None:
        assert _gains(self._coalesced(make), shuffles=(_events_shuffle(map_core_ms=2_000),))

    def test_where_nothing_tells_how_long_that_takes_it_is_left_alone(self, make: Callable[..., JoinSite]) -> None:
        unknown = replace(self.SCAN[0], map_core_ms=None)
        assert not _gains(self._coalesced(make), shuffles=(unknown,))

    def test_has_what_joins_below_read_made_there_too_once_they_are_broadcasts(
        self, make: Callable[..., JoinSite]
    ) -> None:
        """The join below is worth a broadcast only as long as the one above it keeps the shuffle between them."""
        joined = side("events", "users", rows=200_000_000, shuffle_bytes=21_000_000_000, sort_ms=50_000)
        users = replace(USERS, relations=("accounts",))
        top = replace(make(joined, users), core_ms=1_260_000, tasks=8, coalesced_to=8)
        between = ShuffleExchange(200, 21_000_000_000, 10**9, 200_000_000, 200, adjustable=True, map_core_ms=2_000)
        alone = _gains(top, shuffles=(between,))
        below = inner(EVENTS, replace(USERS, sort_ms=100))
        assert len(alone) == 1
        assert len(_gains(below, top, shuffles=(between, *self.SCAN))) == 1

    def test_is_not_slowed_by_a_shuffle_below_that_was_empty(self, make: Callable[..., JoinSite]) -> None:
        joined = replace(EVENTS, relations=("events", "closed"))
        top = replace(make(joined, USERS), core_ms=1_260_000, tasks=8, coalesced_to=8)
        below = inner(side("events"), side("closed", rows=0, shuffle_bytes=0))
        fast = _events_shuffle(map_core_ms=2_000)
        assert len(_gains(top, shuffles=(fast,))) == 1
        assert _gains(below, top, shuffles=(fast,)) == _gains(top, shuffles=(fast,))

    def test_scatters_no_files(self, make: Callable[..., JoinSite]) -> None:
        join = replace(self._coalesced(make), written=WrittenFiles(8, 100_000_000))
        scan = _events_shuffle(map_tasks=8_000, map_core_ms=2_000)
        assert _gains(join, shuffles=(scan,))
        assert not _gains(replace(join, coalesced_to=None), shuffles=(scan,))


class TestAStageThatWritesFiles:
    """Each task writes a file for each partition of the target: 60 days in 20 tasks, or in the 8,000 that scan the events."""

    SCAN = (_events_shuffle(map_tasks=8_000),)
    JOIN = replace(inner(EVENTS, USERS), core_ms=1_260_000, tasks=20)

    def _written(self, files: int, megabytes: int) -> JoinSite:
        return replace(self.JOIN, written=WrittenFiles(files, megabytes * 10**6))

    def test_keeps_the_shuffle_that_spares_many_small_files(self) -> None:
        assert _gains(self.JOIN, shuffles=self.SCAN)
        assert not _gains(self._written(20 * 60, 90_000), shuffles=self.SCAN)

    def test_large_files_may_be_more(self) -> None:
        assert _gains(self._written(20, 90_000), shuffles=self.SCAN)

    def test_few_files_may_be_twice_as_many(self) -> None:
        assert _gains(self._written(4, 10), shuffles=(_events_shuffle(map_tasks=60),))

    def test_as_many_tasks_write_as_many_files(self) -> None:
        assert _gains(self._written(20 * 60, 1_000), shuffles=(_events_shuffle(map_tasks=30),))

    def test_what_is_shuffled_after_the_join_is_written_as_before(self) -> None:
        join = replace(self._written(20 * 60, 90_000), reshuffle=Reshuffle(2_000_000, sorts=False))
        assert _gains(join, shuffles=self.SCAN)


class TestALongWait:
    """Without adaptive execution a query fails whose broadcast takes longer than spark.sql.broadcastTimeout."""

    SLOW = ShuffleExchange(200, DIM.shuffle_bytes, 800_000, DIM.rows, 400, adjustable=True, map_core_ms=1_600_000)
    PLAIN: ClassVar = {"spark.sql.adaptive.enabled": "false"}

    @pytest.mark.parametrize(
        ("conf", "version", "is_advised"),
        [
            pytest.param(PLAIN, "4.0.1", False, id="400 s of 300"),
            pytest.param({}, "4.0.1", True, id="AQE waits"),
            pytest.param({"spark.sql.adaptive.enabled": "true"}, "3.1.3", False, id="AQE did not wait before 3.2"),
            pytest.param({**PLAIN, "spark.sql.broadcastTimeout": "1h"}, "4.0.1", True, id="400 s of an hour"),
            pytest.param({**PLAIN, "spark.sql.broadcastTimeout": "-1"}, "4.0.1", True, id="no limit"),
        ],
    )
    def test_what_takes_long_to_make_is_not_broadcast(
        self, conf: dict[str, str], version: str, is_advised: bool
    ) -> None:
        sales = side("store_sales", rows=400_000_000, shuffle_bytes=16_000_000_000, sort_ms=180_000)
        run = replace(query(inner(sales, DIM), seconds=500), shuffles=(self.SLOW,))
        found = facts(run, conf=conf, version=version, per_join=True)
        assert bool(list(advise_broadcast_hints(found))) == is_advised


@BOTH
class TestASharedShuffle:
    """What is shuffled once for several joins is made again for a broadcast beside it."""

    @pytest.mark.parametrize("map_core_ms", [10_000, 40 * 1_200_000])
    def test_of_the_probe_side_is_not_spared(self, make: Callable[..., JoinSite], map_core_ms: int) -> None:
        alone, shared = (make(replace(EVENTS, readers=readers, sort_ms=50), USERS) for readers in (1, 2))
        written = (_events_shuffle(map_core_ms=map_core_ms),)
        assert _gains(alone, shuffles=written)[0] > 10
        assert not _gains(shared, shuffles=written)

    def test_of_a_build_side_is_made_again_where_that_is_soon_done(self, make: Callable[..., JoinSite]) -> None:
        join = make(EVENTS, replace(USERS, readers=2))
        assert _gains(join)
        assert not _gains(join, shuffles=(replace(USERS_SHUFFLE, map_core_ms=1_200_000),))

    def test_of_a_build_side_that_all_its_readers_broadcast_is_made_once_as_before(
        self, make: Callable[..., JoinSite]
    ) -> None:
        costly = replace(USERS_SHUFFLE, map_core_ms=1_200_000)
        users = replace(USERS, readers=2)
        first, second = (make(replace(EVENTS, relations=(name,)), users) for name in ("events", "clicks"))
        assert len(_gains(first, second, shuffles=(costly,))) == 2
        assert not _gains(first, shuffles=(costly,))
        assert not _gains(first, replace(second, output_rows=None), shuffles=(costly,))

    def test_that_all_joins_probed_with_is_spared_and_made_for_each_of_them(
        self, make: Callable[..., JoinSite]
    ) -> None:
        """Two joins of one large side: it is made once more than before, which takes less than to shuffle it."""
        events = replace(EVENTS, readers=2)
        first, second = (make(events, replace(USERS, relations=(name,))) for name in ("users", "accounts"))
        written = (_events_shuffle(map_core_ms=40_000),)
        assert not _gains(first, shuffles=written)
        assert len(_gains(first, second, shuffles=written)) == 2
        longer = (_events_shuffle(map_core_ms=40 * 1_200_000),)
        assert not _gains(first, second, shuffles=longer)
        assert not _gains(first, replace(second, output_rows=None), shuffles=written)

    def test_of_both_sides_goes_where_all_their_joins_are_broadcast(self, make: Callable[..., JoinSite]) -> None:
        events, users = replace(EVENTS, readers=2), replace(USERS, readers=2)
        join = make(events, users)
        written = (_events_shuffle(map_core_ms=200_000), replace(USERS_SHUFFLE, map_core_ms=40_000))
        (together,) = _gains(join, replace(join, occurrence=1), shuffles=written)
        (dearer,) = _gains(
            join, replace(join, occurrence=1), shuffles=(_events_shuffle(map_core_ms=240_000), *written[1:])
        )
        assert together - dearer == pytest.approx(40_000 / 1e3 / FORTY_CORES.cores, abs=0.01)

    def test_that_nothing_tells_the_work_of_is_left_alone(self, make: Callable[..., JoinSite]) -> None:
        job = query(make(FACT, replace(DIM, readers=2)), seconds=30)
        assert not list(advise_broadcast_hints(facts(job, per_join=True)))


@BOTH
class TestWhatTheOperatorAboveNeeds:
    """An operator above that took the rows as the join's shuffles had placed them shuffles them itself after a broadcast."""

    @pytest.mark.parametrize("sorts", [True, False])
    def test_all_rows_are_shuffled_after_all(self, make: Callable[..., JoinSite], sorts: bool) -> None:
        wide = side("users", rows=1_200_000, shuffle_bytes=100_000_000, sort_ms=300)
        join = make(replace(EVENTS, sort_ms=None), wide)
        assert _gains(join)
        assert not _gains(replace(join, reshuffle=Reshuffle(200_000_000, sorts)))

    def test_the_few_that_the_join_leaves_are_shuffled_soon(self, make: Callable[..., JoinSite]) -> None:
        join = make(EVENTS, USERS)
        (alone,), (left,) = _gains(join), _gains(replace(join, reshuffle=Reshuffle(2_000_000, sorts=True)))
        assert 0.95 * alone < left < alone

    def test_joins_of_one_key_spare_its_shuffle_together(self, make: Callable[..., JoinSite]) -> None:
        lowest, top = _chain(make, side("accounts", rows=100_000, shuffle_bytes=8_000_000, sort_ms=50))
        assert not _gains(lowest)
        together = _gains(lowest, top)
        assert len(together) == 2
        assert sum(together) == pytest.approx(sum(_gains(replace(lowest, reshuffle=None))), rel=0.1)

    def test_but_not_where_one_of_them_stays(self, make: Callable[..., JoinSite]) -> None:
        large = side("accounts", rows=100_000_000, shuffle_bytes=8_000_000_000, sort_ms=20_000)
        assert not _gains(*_chain(make, large))


def _chain(make: Callable[..., JoinSite], other: JoinSide) -> tuple[JoinSite, JoinSite]:
    """A join, and one above it that reads its rows as they come."""
    joined = JoinSide(relations=("events", "users"), rows=200_000_000)
    top = inner(joined, other, keys=(("events.k", "accounts.k"),))
    lowest = make(EVENTS, USERS)
    return replace(lowest, reshuffle=Reshuffle(200_000_000, sorts=True, join=(top.signature, 0))), top


def test_what_came_sorted_from_a_join_below_spares_no_sort() -> None:
    """Neither shuffled nor sorted for this join: probing so many rows takes longer than merging them."""
    _, top = _chain(inner, side("accounts", rows=100_000, shuffle_bytes=8_000_000, sort_ms=50))
    assert not list(advise_broadcast_hints(facts(query(top, seconds=20), reach=Reach.AGENT, cluster=FORTY_CORES)))
