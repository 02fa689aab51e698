"""Broadcast or not, per join, where a hint reaches it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.advice.joins import broadcast_by_aqe, facts, inner, query, query_25, query_72, side
from tuner.advice.advisors.broadcast_hint import advise_broadcast_hints
from tuner.advice.steering_reach import Reach
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.join_site import JoinSide, JoinSite, RuntimeFilter
from tuner.model.query import QueryStatus, ShuffleExchange
from tuner.model.strategy import BuildSide, JoinType, Strategy
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
    from tuner.model.cluster import Cluster

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
