"""A shuffled hash join instead of a sort merge join, where a hint reaches the join."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.advice.joins import CLUSTER, GIB, facts, inner, query, query_25, query_72, side
from tuner.advice.advisors.broadcast_hint import advise_broadcast_hints
from tuner.advice.advisors.shuffle_hash import advise_shuffle_hashes
from tuner.advice.facts import Facts
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.change import Change
from tuner.model.cluster import Cluster
from tuner.model.join_site import JoinSide
from tuner.model.query import Query, QueryStatus
from tuner.model.strategy import JoinType, Strategy
from tuner.words.reasons import reason_words

# A driver too small to broadcast what the executors' tasks can hash.
SMALL_DRIVER = replace(CLUSTER, driver_memory_bytes=GIB // 2, executor_memory_bytes=16 * GIB)
CUSTOMERS = side("customer", rows=1_000_000, shuffle_bytes=60_000_000, sort_ms=1_500)
SALES = side("store_sales", rows=20_000_000, shuffle_bytes=800_000_000, sort_ms=30_000)


def _advised(case: Query | Facts) -> list[Change]:
    given_facts = case if isinstance(case, Facts) else facts(case, per_join=True, cluster=SMALL_DRIVER)
    return list(advise_shuffle_hashes(given_facts))


def test_the_much_smaller_side_is_hashed_and_the_numbers_say_why() -> None:
    join = inner(SALES, CUSTOMERS)
    (found,) = _advised(query(join, seconds=60, fingerprint="q1"))
    assert found.actions == (Action(ActionKind.HINT_JOIN, join.signature, Hint.SHUFFLE_HASH, "q1", ("customer",)),)
    assert reason_words(found.reason).startswith(
        "hash customer (1.0M rows) instead of sorting both sides for a join with 20.0M rows: a task then holds at most 134 MB"
    )
    evidence = {e.what: e.value for e in found.evidence}
    assert evidence["predicted hash relation of a task"] < evidence["memory a task may hash into"]
    assert evidence["sort time"] == pytest.approx(31.5 / 2)
    predicted = found.prediction
    assert 0 <= predicted.low < predicted.after < predicted.high < predicted.before == 60


def test_only_what_was_measured_counts_in_the_worst_case() -> None:
    (found,) = _advised(query(inner(SALES, CUSTOMERS), seconds=60))
    sort, hashed = 31.5 / 2, (1_000_000 * 500 + 20_000_000 * 80) / 1e9 / 2
    assert found.prediction.high == pytest.approx(60 - (sort - 2 * hashed))


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(query(inner(SALES, replace(CUSTOMERS, shuffle_bytes=300_000_000))), id="not much smaller"),
        pytest.param(query(inner(CUSTOMERS, SALES, type_=JoinType.LEFT_SEMI)), id="a semi join builds its right side"),
        pytest.param(query(inner(SALES, CUSTOMERS, 60_000_000)), id="three rows out per row in"),
        pytest.param(query(inner(SALES, CUSTOMERS), status=QueryStatus.FAILED), id="a failed query's rows are not all"),
        pytest.param(query(inner(SALES, side("customer", rows=9))), id="bytes unknown"),
        pytest.param(query(inner(SALES, side("customer", shuffle_bytes=9))), id="rows unknown"),
        pytest.param(query(inner(SALES, CUSTOMERS, strategy=Strategy.SHUFFLED_HASH)), id="hashed already"),
        pytest.param(query(inner(replace(SALES, sort_ms=100), replace(CUSTOMERS, sort_ms=50))), id="a cheap sort"),
        pytest.param(query(inner(SALES, CUSTOMERS), seconds=2_000), id="nothing to such a query"),
        pytest.param(query_25(), id="a hint cannot name a side of two relations"),
        pytest.param(query_72(), id="query 72: 13 s merged, 348 s hashed"),
    ],
)
def test_what_is_left_alone(case: Query) -> None:
    assert not _advised(case)


def test_without_sql_text_there_is_no_hint() -> None:
    assert not _advised(facts(query(inner(SALES, CUSTOMERS)), cluster=SMALL_DRIVER))


@pytest.mark.parametrize(
    ("version", "advised"),
    [("3.4.4", False), ("3.5.3", True)],
    ids=["right side only", "either side (SPARK-36612, SPARK-46037)"],
)
def test_a_left_outer_join_may_build_its_left_side_from_3_5(version: str, advised: bool) -> None:
    case = query(inner(CUSTOMERS, SALES, type_=JoinType.LEFT_OUTER), seconds=60)
    assert bool(_advised(facts(case, per_join=True, cluster=SMALL_DRIVER, version=version))) is advised


def test_a_side_that_outgrows_a_tasks_memory_is_no_longer_hashed() -> None:
    grown = replace(CUSTOMERS, rows=10_000_000, shuffle_bytes=260_000_000)
    assert not _advised(query(inner(SALES, grown), seconds=60))


def test_one_veto_is_one_for_all_joins_that_share_the_hint() -> None:
    good, bad = inner(SALES, CUSTOMERS), inner(SALES, CUSTOMERS, 90_000_000, occurrence=1)
    assert not _advised(query(good, bad, seconds=60))
    assert not _advised(
        facts(
            query(good, seconds=60, fingerprint="q"),
            query(replace(bad, occurrence=0), seconds=60, fingerprint="q"),
            per_join=True,
            cluster=SMALL_DRIVER,
        )
    )


def test_a_join_that_a_broadcast_gains_more_is_left_to_it() -> None:
    roomy = replace(SMALL_DRIVER, driver_memory_bytes=16 * GIB)
    job = facts(query(inner(SALES, CUSTOMERS), seconds=60), per_join=True, cluster=roomy)
    assert list(advise_broadcast_hints(job))
    assert not _advised(job)


def test_a_join_whose_broadcast_no_longer_fits_beside_others_is_hashed() -> None:
    roomy = replace(SMALL_DRIVER, driver_memory_bytes=3 * GIB)
    names = [f"customer{n}" for n in range(8)]
    joins = [inner(SALES, replace(CUSTOMERS, relations=(name,))) for name in names]
    job = facts(query(*joins, seconds=600), per_join=True, cluster=roomy)
    broadcast = {r.actions[0].relations for r in advise_broadcast_hints(job)}
    hashed = {r.actions[0].relations for r in _advised(job)}
    assert broadcast
    assert hashed
    assert broadcast | hashed == {(name,) for name in names}
    assert not broadcast & hashed


_sizes = st.one_of(st.none(), st.integers(0, 10**11))


@st.composite
def _sides(draw: st.DrawFn, name: str) -> JoinSide:
    rows, sort = st.one_of(st.none(), st.integers(0, 10**9)), st.one_of(st.none(), st.integers(0, 10**6))
    return side(name, rows=draw(rows), shuffle_bytes=draw(_sizes), sort_ms=draw(sort))


@given(st.data())
def test_whatever_the_joins_no_join_has_two_hints_and_no_task_too_much(data: st.DataObject) -> None:
    joins = [
        inner(data.draw(_sides(f"l{n}")), data.draw(_sides(f"r{n}")), data.draw(_sizes), type_=data.draw(_types))
        for n in range(data.draw(st.integers(1, 4)))
    ]
    cluster = Cluster(8, 2, 4, data.draw(st.integers(0, 10**11)), data.draw(st.integers(0, 10**11)))
    job = facts(query(*joins, seconds=data.draw(st.floats(0, 1000))), per_join=True, cluster=cluster)
    hashed = _advised(job)
    targets = [a.target for r in (*hashed, *advise_broadcast_hints(job)) for a in r.actions]
    assert len(targets) == len(set(targets))
    for found in hashed:
        predicted = found.prediction
        assert 0 <= predicted.low <= predicted.after <= predicted.high < predicted.before
        evidence = {e.what: e.value for e in found.evidence}
        assert evidence["predicted hash relation of a task"] <= job.task_cap_bytes


_types = st.sampled_from([JoinType.INNER, JoinType.LEFT_OUTER, JoinType.LEFT_SEMI, JoinType.FULL_OUTER])
