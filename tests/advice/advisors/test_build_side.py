"""The smaller side of a hash join built, where a hint reaches the join and the larger one was."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.joins import facts, inner, query, side
from tuner.advice.advisors.build_side import advise_build_sides
from tuner.advice.candidates.build_side_swaps import build_side_swaps
from tuner.advice.candidates.joint_hint import joint_hint
from tuner.advice.facts import PastRun
from tuner.advice.steering_reach import Reach
from tuner.cost.unit_costs import UnitCosts
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.change import Change
from tuner.model.cluster import Cluster
from tuner.model.join_graph import GraphRelation, JoinGraph, RelationKind
from tuner.model.join_site import JoinSide, JoinSite, RuntimeFilter
from tuner.model.query import Query, QueryStatus, TableRead
from tuner.model.strategy import BuildSide, JoinType, Strategy
from tuner.words.reasons import reason_words

BHJ, SHJ = Strategy.BROADCAST_HASH, Strategy.SHUFFLED_HASH
LARGE = side("customer_demographics", rows=1_920_800, broadcast_bytes=283_801_792)
SMALL = side("web_page", rows=6_000)
LARGE_SHUFFLED = side("store_sales", rows=9_000_000, shuffle_bytes=90_000_000)
SMALL_SHUFFLED = side("customer", rows=100_000, shuffle_bytes=4_000_000)


def _hash_join(
    strategy: Strategy = BHJ,
    *,
    built: JoinSide = LARGE,
    other: JoinSide = SMALL,
    type_: JoinType = JoinType.INNER,
    out: int | None = None,
    occurrence: int = 0,
) -> JoinSite:
    """A join that built its right side."""
    join = inner(other, built, out, type_=type_, strategy=strategy, occurrence=occurrence)
    return replace(join, build_side=BuildSide.RIGHT)


def _advised(*queries: Query, per_join: bool = True, version: str = "4.0.1") -> list[Change]:
    return list(advise_build_sides(facts(*queries, per_join=per_join, version=version)))


def test_the_smaller_side_is_broadcast_and_the_numbers_say_why() -> None:
    join = _hash_join()
    (found,) = _advised(query(join, seconds=8, fingerprint="q1"))
    assert found.actions == (Action(ActionKind.HINT_JOIN, join.signature, Hint.BROADCAST, "q1", ("web_page",)),)
    assert reason_words(found.reason) == (
        "build the hash table from web_page (6.0k rows) instead of customer_demographics (1.9M rows): it takes at most 2.0 MB "
        "instead of 284 MB; about 4.0 s less"
    )
    predicted = found.prediction
    assert 0 <= predicted.low < predicted.after < predicted.high < predicted.before == 8


def test_the_smaller_side_of_a_shuffled_hash_join_is_hashed() -> None:
    join = _hash_join(SHJ, built=LARGE_SHUFFLED, other=SMALL_SHUFFLED)
    (found,) = _advised(query(join, seconds=20, fingerprint="q1"))
    assert [(a.value, a.relations) for a in found.actions] == [(Hint.SHUFFLE_HASH, ("customer",))]
    gain = (9_000_000 - 100_000) * (500 - 80) / 1e9 / 2
    assert found.prediction.gain == pytest.approx(gain)
    assert found.prediction.high == pytest.approx(20 - gain / 2)


@pytest.mark.parametrize(
    "join",
    [
        pytest.param(_hash_join(built=replace(LARGE, rows=15_000)), id="not much smaller"),
        pytest.param(_hash_join(built=SMALL, other=LARGE), id="the smaller one was built"),
        pytest.param(_hash_join(type_=JoinType.LEFT_SEMI), id="a semi join builds its right side"),
        pytest.param(_hash_join(type_=JoinType.LEFT_OUTER), id="an outer join's broadcast does too"),
        pytest.param(_hash_join(out=9_000_000), id="many rows out per row in"),
        pytest.param(_hash_join(other=side("web_page")), id="rows unknown"),
        pytest.param(_hash_join(other=side("a", "b", rows=6_000)), id="a hint cannot name a side of two relations"),
        pytest.param(_hash_join(other=replace(SMALL, relations=LARGE.relations)), id="nor tell two alike apart"),
        pytest.param(
            _hash_join(built=replace(LARGE, rows=10**8), other=replace(SMALL, rows=10**7)), id="more than memory takes"
        ),
        pytest.param(_hash_join(SHJ, other=SMALL), id="bytes of a shuffle unknown"),
        pytest.param(
            _hash_join(SHJ, built=LARGE_SHUFFLED, other=replace(SMALL_SHUFFLED, shuffle_bytes=10**9)),
            id="more than a task holds",
        ),
        pytest.param(replace(_hash_join(), build_side=None), id="build side unknown"),
        pytest.param(_hash_join(Strategy.SORT_MERGE), id="nothing was built"),
    ],
)
def test_what_is_left_alone(join: JoinSite) -> None:
    assert not _advised(query(join, seconds=8))


def test_a_failed_querys_rows_are_not_all() -> None:
    assert not _advised(query(_hash_join(), seconds=8, status=QueryStatus.FAILED))


def test_without_sql_text_there_is_no_hint() -> None:
    assert not _advised(query(_hash_join(), seconds=8), per_join=False)


@pytest.mark.parametrize(("version", "advised"), [("3.4.4", False), ("3.5.3", True)])
def test_a_shuffled_left_outer_join_may_build_either_side_from_3_5(version: str, advised: bool) -> None:
    join = _hash_join(SHJ, built=LARGE_SHUFFLED, other=SMALL_SHUFFLED, type_=JoinType.LEFT_OUTER)
    assert bool(_advised(query(join, seconds=20), version=version)) is advised


def test_what_was_built_is_not_streamed_by_the_few_tasks_that_the_stage_is_coalesced_to() -> None:
    join = _hash_join()
    assert _advised(query(replace(join, coalesced_to=2), seconds=8))  # as many as there are cores
    assert not _advised(query(replace(join, coalesced_to=1), seconds=8))
    assert not _advised(query(replace(join, placed=False), seconds=8))


def test_a_broadcast_that_another_join_uses_is_built_all_the_same() -> None:
    again = _hash_join(other=side("catalog_sales", rows=9_000_000))
    assert not _advised(query(_hash_join(), again, seconds=8))


def test_broadcasts_are_built_side_by_side_so_that_the_next_largest_bounds_the_gain() -> None:
    customer = side("customer", rows=1_900_000, broadcast_bytes=280_000_000)
    beside = _hash_join(built=customer, other=side("store_sales", rows=10**7))
    assert _advised(query(_hash_join(), seconds=8))
    assert not _advised(query(_hash_join(), beside, seconds=8))


def test_one_veto_is_one_for_all_joins_that_share_the_hint() -> None:
    assert not _advised(query(_hash_join(), _hash_join(out=9_000_000, occurrence=1), seconds=8))


@pytest.mark.parametrize("reach", [Reach.TEXT, Reach.AGENT])
def test_a_side_whose_partitions_the_built_one_prunes_is_not_built(reach: Reach) -> None:
    """Without the broadcast of the other side nothing prunes it (PlanDynamicPruningFilters): it would be read as a whole."""
    pruned = query(_hash_join(other=replace(SMALL, filtered_by_other=RuntimeFilter.PARTITIONS)), seconds=8)
    assert not list(advise_build_sides(facts(pruned, reach=reach)))


def test_a_side_that_a_bloom_filter_of_the_built_one_made_small_is_built_by_the_agent_alone() -> None:
    filtered = query(_hash_join(other=replace(SMALL, filtered_by_other=RuntimeFilter.BLOOM)), seconds=8)
    assert not list(advise_build_sides(facts(filtered, reach=Reach.TEXT)))
    (found,) = advise_build_sides(facts(filtered, reach=Reach.AGENT))
    assert [action.by_agent_alone for action in found.actions] == [True]


def test_what_all_joins_of_one_name_build_is_compared_with_all_that_they_built() -> None:
    """Twelve branches of a union that broadcast 90 MB each."""
    built = replace(LARGE, rows=900_000, broadcast_bytes=90_000_000)
    joins = [_hash_join(built=replace(built, rows=900_000 + n), occurrence=n) for n in range(12)]
    swaps = list(build_side_swaps(facts(query(*joins, seconds=100), per_join=True)))
    joint = joint_hint(swaps)
    assert joint.relation_bytes == 12 * swaps[0].relation_bytes
    assert (joint.replaced_bytes, joint.joins) == (12 * 90_000_000, 12)


def test_both_sides_are_priced_alike_where_nothing_tells_the_width_of_the_other() -> None:
    """A map of longs holds about what its rows take; the other side is expected to be as narrow, not 256 bytes a row."""
    built = replace(LARGE, rows=1_000_000, broadcast_bytes=40_000_000)
    (found,) = _advised(query(_hash_join(built=built, other=side("part", rows=200_000)), seconds=8))
    assert found.prediction
    # 800k rows less to hash; more to probe with.
    assert found.prediction.gain > 0.9 * 0.8 * UnitCosts().broadcast_build / 1e3


class TestWideRows:
    """Few rows of many bytes, which no shuffle counted."""

    DOCUMENTS = side("documents", rows=60_000, file_bytes=400_000_000)
    # Those of both relations.
    SCANNED = 60_000 + 1_920_800

    def _job(self, documents: JoinSide, scanned: int = SCANNED, seconds: float = 8) -> Query:
        sized = replace(LARGE, file_bytes=8_000_000)
        return replace(query(_hash_join(built=sized, other=documents), seconds=seconds), input_rows=scanned)

    @pytest.mark.parametrize("reach", [Reach.TEXT, Reach.AGENT])
    def test_are_not_built(self, reach: Reach) -> None:
        assert not list(advise_build_sides(facts(self._job(self.DOCUMENTS), reach=reach)))

    @pytest.mark.parametrize(
        "documents",
        [
            pytest.param(replace(DOCUMENTS, file_bytes=9_000_000), id="their files hold 150 bytes a row"),
            pytest.param(replace(DOCUMENTS, rows=6_000, file_bytes=12_000_000), id="few enough of them"),
        ],
    )
    def test_of_less_bytes_are(self, documents: JoinSide) -> None:
        assert _advised(self._job(documents, (documents.rows or 0) + 1_920_800))

    def test_that_only_the_planner_sizes_are_not_built(self) -> None:
        unsized = replace(self.DOCUMENTS, file_bytes=None, leaf_bytes=1 << 63)
        assert not _advised(self._job(unsized))
        assert not _advised(self._job(unsized, scanned=0))

    def test_are_known_by_what_another_scan_of_the_relation_read(self) -> None:
        """A scan may skip most of its files' rows: another one tells how many these have."""
        whole = replace(query(), tables=(TableRead("documents", (), 4_000_000, 400_000_000),))
        assert _advised(self._job(self.DOCUMENTS), whole)
        whole = replace(query(), tables=(TableRead("documents_202401", (), 4_000_000, 400_000_000),))
        assert _advised(self._job(replace(self.DOCUMENTS, relations=("documents_*",))), whole)

    def test_are_not_told_by_what_a_filter_left(self) -> None:
        """75k rows of 6M, 33 bytes of a file each: the query's scans put out so many."""
        few = side("lineitem", rows=75_000, file_bytes=200_000_000)
        assert _advised(self._job(few, 6_000_000 + 1_920_800))
        assert _advised(self._job(few, 0)), "nothing tells"
        assert not _advised(self._job(few, 75_000 + 1_920_800))

    def test_a_relation_that_the_log_does_not_name_tells_nothing(self) -> None:
        nameless = JoinGraph("b", (GraphRelation("?", (), RelationKind.SCAN, 10, 0, 10, 1 << 30),), (), (), {}, 0)
        assert _advised(replace(query(_hash_join(), seconds=8), graphs=(nameless,)))

    def test_are_as_wide_as_another_run_has_shuffled_them(self) -> None:
        """Two columns of documents, by a run that joined them without a broadcast."""
        join, now = _hash_join(other=self.DOCUMENTS), facts(per_join=True)
        for width, advised in ((30, True), (20_000, False)):
            shuffled = replace(join.left, rows=50_000, shuffle_bytes=50_000 * width)
            before = replace(join, strategy=Strategy.SORT_MERGE, build_side=None, left=shuffled)
            past = PastRun((query(before, fingerprint="q1"),))
            job = replace(now, queries=(query(join, seconds=8, fingerprint="q1"),), earlier=(past,))
            assert bool(list(advise_build_sides(job))) is advised

    def test_take_long_to_send(self) -> None:
        """The same rows, in a heap that has room for them."""
        roomy = Cluster(
            cores=64, executors=16, cores_per_executor=4, executor_memory_bytes=10**12, driver_memory_bytes=10**12
        )
        for documents, advised in ((replace(self.DOCUMENTS, file_bytes=9_000_000), True), (self.DOCUMENTS, False)):
            job = facts(self._job(documents, seconds=60), per_join=True, cluster=roomy)
            assert bool(list(advise_build_sides(job))) is advised


@pytest.mark.parametrize("reach", [Reach.TEXT, Reach.AGENT])
@pytest.mark.parametrize(
    ("strategy", "built", "other", "rows"),
    [(BHJ, LARGE, SMALL, 3_000_000), (SHJ, LARGE_SHUFFLED, SMALL_SHUFFLED, 50_000_000)],
    ids=["broadcast", "shuffled"],
)
def test_what_nothing_holds_back_has_room_for_the_largest_run(
    strategy: Strategy, built: JoinSide, other: JoinSide, rows: int, reach: Reach
) -> None:
    """A side that is small tonight, and empty or much larger on other nights; the agent compares the planner's estimate."""

    def night(side_rows: int) -> Query:
        small = replace(other, rows=side_rows, leaf_bytes=10**6)
        return query(_hash_join(strategy, built=built, other=small, out=1_000), seconds=20, fingerprint="q1")

    def may_be_built(now: int, before: int) -> bool:
        job = replace(facts(night(now), reach=reach), earlier=(PastRun((night(before),)),))
        (found,) = build_side_swaps(job)
        return not found.is_vetoed

    few = other.rows or 0
    assert may_be_built(few, few)
    assert may_be_built(few, rows) is (reach is Reach.AGENT)
    assert may_be_built(0, few) is (reach is Reach.AGENT)


@pytest.mark.parametrize(
    ("adaptive", "core_ms", "is_advised"),
    [
        ("true", 1_600_000, True),
        ("false", 1_600_000, False),
        ("false", 100_000, True),
        ("false", None, False),
    ],
)
def test_what_took_long_to_stream_is_broadcast_only_where_spark_waits(
    adaptive: str, core_ms: int | None, is_advised: bool
) -> None:
    """800 s of 300 (spark.sql.broadcastTimeout): the query would fail."""
    join = replace(_hash_join(), core_ms=core_ms, tasks=200)
    job = facts(query(join, seconds=900), per_join=True, conf={"spark.sql.adaptive.enabled": adaptive})
    swaps = [swap.is_vetoed for swap in build_side_swaps(job)]
    assert swaps == [not is_advised]
