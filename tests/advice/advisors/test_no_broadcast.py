"""Broadcasts that Spark chose and that cost more than a shuffle would: forbidden one by one, by the agent alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.joins import GIB, facts, inner, query, side
from tuner.advice.advise import advise
from tuner.advice.advisors.no_broadcast import advise_no_broadcasts
from tuner.advice.candidates.best_hints import best_hints
from tuner.advice.candidates.broadcast_removals import is_over_cap
from tuner.advice.facts import PastRun
from tuner.advice.steering_reach import Reach
from tuner.model.action import Hint
from tuner.model.change import Change
from tuner.model.cluster import Cluster
from tuner.model.join_site import JoinSite
from tuner.model.query import Query, QueryStatus
from tuner.model.query_work import BroadcastWork, QueryWork
from tuner.model.strategy import BuildSide, JoinType, Strategy
from tuner.spark.knobs import SHUFFLE_PARTITIONS
from tuner.words.reasons import reason_words

ROOMY = Cluster(
    cores=16, executors=4, cores_per_executor=4, executor_memory_bytes=64 * GIB, driver_memory_bytes=64 * GIB
)
TIGHT = replace(ROOMY, driver_memory_bytes=2 * GIB)
BUILD_ROWS, BUILD_BYTES = 5_000_000, 700_000_000


def broadcast_join(build_rows: int = BUILD_ROWS, probe_rows: int = 2_000_000) -> JoinSite:
    build = side("db.b", "db.c", rows=build_rows, broadcast_bytes=BUILD_BYTES)
    join = inner(side("db.a", rows=probe_rows), build, strategy=Strategy.BROADCAST_HASH)
    return replace(join, build_side=BuildSide.RIGHT)


def took(build_ms: int, *others: BroadcastWork, readers: int = 1, rows: int = BUILD_ROWS) -> QueryWork:
    return QueryWork((), (BroadcastWork(rows, BUILD_BYTES, 60_000, build_ms, 1_500, readers), *others))


def job(work: QueryWork | None = None, join: JoinSite | None = None, **changed: object) -> Query:
    found = query(join or broadcast_join(), seconds=60, fingerprint="q1")
    return replace(found, work=work or took(9_000), **changed)  # type: ignore[arg-type]


def advised(found: Query, reach: Reach = Reach.AGENT, cluster: Cluster = ROOMY) -> list[Change]:
    return list(advise_no_broadcasts(facts(found, reach=reach, cluster=cluster)))


def test_the_broadcast_that_took_longer_than_its_shuffle_would() -> None:
    (found,) = advised(job())
    (action,) = found.actions
    assert (action.value, action.query, action.relations) == (Hint.NO_BROADCAST, "q1", ("db.b", "db.c"))
    p = found.prediction
    # 9 s to hash and 1.5 s to send; to collect 232 MB, 2.3 s as priced, not the minute in which its rows were computed.
    assert found.evidence[2].value == pytest.approx(9 + 1.5 + 2.3, abs=0.1)
    assert p.before - 12.9 < p.low <= p.after <= p.high < p.before
    assert "do not broadcast b+c" in reason_words(found.reason)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(job(took(300)), id="hashed in no time"),
        pytest.param(
            job(took(9_000, rows=61), broadcast_join(build_rows=61)), id="61 rows: the driver was busy with others"
        ),
        pytest.param(job(join=broadcast_join(probe_rows=400_000_000)), id="the other side is dear to shuffle"),
        pytest.param(job(join=replace(broadcast_join(), type=JoinType.LEFT_ANTI)), id="an anti join may need it"),
        pytest.param(
            job(join=replace(broadcast_join(), type=JoinType.LEFT_SINGLE)), id="a scalar subquery is not merged"
        ),
        pytest.param(job(took(9_000, readers=2)), id="another reader keeps it"),
        pytest.param(job(took(9_000, rows=7)), id="nothing timed it"),
        pytest.param(
            job(took(9_000, BroadcastWork(9, 900_000_000, 60_000, 9_000, 1_500))), id="another is built meanwhile"
        ),
        pytest.param(job(status=QueryStatus.FAILED), id="it did not come to its end"),
        pytest.param(replace(job(), work=None), id="nothing is known of its stages"),
    ],
)
def test_a_broadcast_that_stays(case: Query) -> None:
    assert not advised(case)


@pytest.mark.parametrize("reach", [Reach.CONF, Reach.TEXT])
def test_only_the_agent_can_forbid_one(reach: Reach) -> None:
    assert not advised(job(), reach)


def test_over_the_cap_any_gain_will_do_if_it_is_sure() -> None:
    build = side("db.b", "db.c", rows=1_000_000, broadcast_bytes=250_000_000)
    join = replace(broadcast_join(probe_rows=20_000), right=build)
    little = job(QueryWork((), (BroadcastWork(1_000_000, 250_000_000, 10, 1_100, 100),)), join)
    assert not advised(little)
    (found,) = advised(little, cluster=TIGHT)
    assert "more than the" in reason_words(found.reason)
    dear = job(join=broadcast_join(probe_rows=400_000_000))
    assert not advised(dear, cluster=TIGHT), "what is not sure to gain is not recommended, whatever it endangers"


def test_over_the_cap_is_what_all_joins_of_one_name_build() -> None:
    (found,) = best_hints(facts(job(), reach=Reach.AGENT, cluster=ROOMY))
    cap = facts(job(), reach=Reach.AGENT, cluster=ROOMY)
    assert not is_over_cap(cap, found)
    assert is_over_cap(cap, replace(found, relation_bytes=cap.cap.query_bytes + 1))


def test_a_probe_side_of_wide_rows_is_dear_to_shuffle() -> None:
    """2M rows of 200 bytes each in their files, and of a kilobyte; of which another run shuffled two columns."""
    join = broadcast_join()
    narrow, wide = (replace(join.left, file_bytes=2_000_000 * width) for width in (200, 1_000))
    assert advised(job(join=replace(join, left=narrow), input_rows=2_000_000))
    dear = job(join=replace(join, left=wide), input_rows=2_000_000)
    assert not advised(dear)
    shuffled = replace(
        join, strategy=Strategy.SORT_MERGE, build_side=None, left=replace(wide, shuffle_bytes=64_000_000)
    )
    known = facts(dear, reach=Reach.AGENT, cluster=ROOMY)
    past = PastRun((query(shuffled, fingerprint="q1"),))
    assert list(advise_no_broadcasts(replace(known, earlier=(past,))))


def test_no_more_cores_are_busy_than_there_are_partitions() -> None:
    wide = replace(ROOMY, cores=400)
    few = facts(job(), reach=Reach.AGENT, cluster=wide, conf={SHUFFLE_PARTITIONS.property: "4"})
    assert advised(job(), cluster=wide)
    assert not list(advise_no_broadcasts(few))


@pytest.mark.parametrize(
    ("busy", "is_dynamic", "is_shared", "is_advised"),
    [
        pytest.param(300, True, False, True, id="it had them"),
        pytest.param(0, True, False, True, id="nothing tells"),
        pytest.param(2, False, False, True, id="the cluster is its own, and as large as it was"),
        pytest.param(2, True, False, False, id="executors come and go"),
        pytest.param(2, False, True, False, id="another query had the others"),
    ],
)
def test_cores_that_the_query_did_not_have_shuffle_nothing(
    busy: int, is_dynamic: bool, is_shared: bool, is_advised: bool
) -> None:
    """400 cores were there at once, for another query. Its driver was busy for 10.5 of 60 seconds."""
    found = job(executor_run_ms=busy * 49_500)
    other = query(seconds=60)
    beside = replace(other, start_ms=found.start_ms + (1 if is_shared else 60_000))
    conf = {"spark.dynamicAllocation.enabled": str(is_dynamic).lower()}
    given = facts(found, beside, reach=Reach.AGENT, cluster=replace(ROOMY, cores=400), conf=conf)
    assert bool(list(advise_no_broadcasts(given))) == is_advised


def test_what_tasks_cannot_hold_to_sort_it_is_spilled() -> None:
    """Of 1.3 GB each of 16 tasks has 80 MB; in a heap of half a gigabyte, which four share, it is sure of 16."""
    tight = replace(ROOMY, executor_memory_bytes=GIB // 2)
    (roomy,), (spilling,) = advised(job()), advised(job(), cluster=tight)
    shuffling = [
        {e.what: e.value for e in found.evidence}["shuffling and merging instead"] for found in (roomy, spilling)
    ]
    assert shuffling[1] - shuffling[0] == pytest.approx(0.34 * BUILD_ROWS * 256 * 30 / 1e9 / 16, rel=0.5)


def test_it_is_one_of_the_advisors() -> None:
    found = advise(facts(job(), reach=Reach.AGENT, cluster=ROOMY))
    assert [r.advisor for r in found if r.actions[0].value == Hint.NO_BROADCAST] == ["no_broadcast"]
