"""The hints of a query: what each comes to in all joins that it reaches, and what they may take together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.joins import GIB, broadcast_by_aqe, facts, inner, query, side
from tuner.advice.advisors.broadcast_hint import advise_broadcast_hints
from tuner.advice.candidates import best_hints as best_hints_module
from tuner.advice.candidates.best_hints import best_hints
from tuner.advice.candidates.hint_candidate import HintCandidate
from tuner.advice.steering_reach import Reach
from tuner.model.action import Hint
from tuner.model.change import Prediction
from tuner.model.cluster import Cluster
from tuner.model.join_site import JoinSite, Reshuffle
from tuner.model.query import Query, ShuffleExchange
from tuner.model.query_work import WorkInBrief
from tuner.model.strategy import BuildSide, Strategy

MB = 10**6
EVENTS = side("/events", rows=20_000_000, shuffle_bytes=800 * MB, sort_ms=9_000)
USERS = side("/users", rows=250_000, shuffle_bytes=30 * MB, sort_ms=100)


def month(number: int, users_bytes: int = 0, rows: int = 20_000_000) -> JoinSite:
    """One branch of a union: the paths differ by their months alone, so that all have one signature."""
    users = replace(USERS, shuffle_bytes=users_bytes or 30 * MB + number)
    return inner(replace(EVENTS, rows=rows), users, occurrence=number)


def hints(*queries: Query) -> list[HintCandidate]:
    return best_hints(facts(*queries, per_join=True))


def test_a_hint_counts_what_all_joins_of_one_name_build() -> None:
    (one,) = hints(query(month(0), seconds=300))
    (three,) = hints(query(*map(month, range(3)), seconds=300))
    assert three.relation_bytes == pytest.approx(3 * one.relation_bytes, rel=0.01)


def test_what_they_build_together_must_fit() -> None:
    job = facts(query(*map(month, range(12)), seconds=300), per_join=True)
    (one,) = hints(query(month(0), seconds=300))
    assert one.relation_bytes * 12 > job.cap.query_bytes > one.relation_bytes
    assert not [hint for hint in best_hints(job) if hint.hint is Hint.BROADCAST]


def test_what_spark_shuffles_once_for_all_of_them_it_broadcasts_once() -> None:
    same = [month(number, users_bytes=30 * MB) for number in range(12)]
    shuffle = ShuffleExchange(200, 30 * MB, 10 * MB, 250_000, 4, True)
    (one,) = hints(query(month(0, 30 * MB), seconds=300))
    (reused,) = hints(query(*same, seconds=300, shuffles=(shuffle,)))
    assert reused.relation_bytes == one.relation_bytes
    apart = hints(query(*same, seconds=300, shuffles=(shuffle,) * 12))
    assert not [hint for hint in apart if hint.hint is Hint.BROADCAST]


def test_a_hint_gains_what_its_joins_gain_together() -> None:
    (one,) = hints(query(month(0), seconds=300))
    (two,) = hints(query(month(0), month(1), seconds=300))
    assert two.gain == pytest.approx(2 * one.gain, rel=0.01)
    assert two.prediction.gain == pytest.approx(2 * one.prediction.gain, rel=0.01)
    assert two.prediction.high < two.prediction.before == 300


def test_joins_that_lose_by_it_count_too() -> None:
    """A month of few events: to broadcast all users for it takes longer than to sort it."""
    few = inner(side("/events", rows=10, shuffle_bytes=400, sort_ms=0), month(1).right, occurrence=1)
    (one,) = hints(query(month(0), seconds=300))
    (both,) = hints(query(month(0), few, seconds=300))
    assert both.prediction.gain < one.prediction.gain
    losing = [replace(few, occurrence=number) for number in range(1, 8)]
    assert not hints(
        query(inner(replace(EVENTS, rows=300_000, shuffle_bytes=MB, sort_ms=99), USERS), *losing, seconds=300)
    )


def test_of_several_executions_a_hint_gains_their_mean() -> None:
    quiet = inner(replace(EVENTS, rows=2_000_000, shuffle_bytes=80 * MB, sort_ms=900), USERS)
    busy = [query(month(0), seconds=300, fingerprint="q") for _ in range(2)]
    (alone,), (less,) = hints(busy[0]), hints(query(quiet, seconds=30, fingerprint="q"))
    (twice,), (mixed,) = hints(*busy), hints(busy[0], query(quiet, seconds=30, fingerprint="q"))
    assert twice.prediction.gain == pytest.approx(alone.prediction.gain)
    assert mixed.prediction.gain == pytest.approx((alone.prediction.gain + less.prediction.gain) / 2)
    assert mixed.prediction.before == 165
    assert twice.relation_bytes == alone.relation_bytes


def batches(number: int) -> list[Query]:
    """Micro-batches of 0.8 s, one after the other, of each of which a broadcast saves 0.08 s."""
    few = inner(
        replace(EVENTS, rows=120_000, shuffle_bytes=5 * MB, sort_ms=45),
        replace(USERS, rows=2_500, shuffle_bytes=300_000, sort_ms=1),
    )
    return [replace(query(few, seconds=0.8, fingerprint="q"), start_ms=1000 * n) for n in range(number)]


def test_a_hint_is_worth_what_it_gains_in_all_executions_of_a_run() -> None:
    assert not hints(*batches(1))
    (hint,) = hints(*batches(1000))
    assert hint.hint is Hint.BROADCAST
    assert 0.07 < hint.prediction.gain < 0.1 and hint.prediction.before == pytest.approx(0.8)


def test_so_it_is_where_most_of_them_are_kept_in_brief() -> None:
    one, *others = batches(1000)
    brief = [replace(each, joins=(), work_in_brief=WorkInBrief(1, ())) for each in others]
    assert len(hints(one, *brief)) == 1
    # Only one of them had a join to hint.
    assert not hints(one, *(replace(each, joins=()) for each in others))


def test_of_each_execution_it_is_to_gain_its_share_however_many_there_are() -> None:
    assert not hints(*(replace(each, duration_ms=8_000) for each in batches(1000)))


def test_what_is_only_secured_counts_for_its_bytes_beside_what_gains() -> None:
    secured = broadcast_by_aqe(replace(EVENTS, shuffle_bytes=None, sort_ms=None), replace(USERS, shuffle_bytes=31 * MB))
    (alone,) = hints(query(replace(secured, occurrence=1), seconds=15))
    assert alone.is_secured
    (both,) = hints(query(month(0), replace(secured, occurrence=1), seconds=15))
    (one,) = hints(query(month(0), seconds=15))
    assert (both.is_secured, both.prediction.gain) == (False, one.prediction.gain)
    assert both.relation_bytes > 1.9 * one.relation_bytes


def test_a_swapped_build_side_takes_of_a_querys_memory_what_it_takes_more() -> None:
    """Beside two broadcasts that leave no room, where it takes the place of a larger one or of nothing known."""
    wide = replace(USERS, rows=500_000, shuffle_bytes=55 * MB)
    heavy = [inner(EVENTS, replace(wide, relations=(name,))) for name in ("/x", "/y")]
    swap = inner(side("small", rows=200_000), side("large", rows=2_000_000), strategy=Strategy.BROADCAST_HASH)
    for broadcast_bytes, fits in ((400 * MB, True), (None, False)):
        built = replace(swap.right, broadcast_bytes=broadcast_bytes)
        found = hints(query(*heavy, replace(swap, right=built, build_side=BuildSide.RIGHT), seconds=60))
        assert [hint.swaps_build_side for hint in found] == [False, False, True][: 3 if fits else 2]


def test_what_all_secured_broadcasts_of_one_name_make_again_is_added() -> None:
    """Each join's side is read by another join, too, whose shuffle stays."""
    shuffle = ShuffleExchange(200, 31 * MB, 10 * MB, 250_000, 4, True, map_core_ms=1_000)
    users = replace(USERS, shuffle_bytes=31 * MB, readers=2)
    join = broadcast_by_aqe(replace(EVENTS, shuffle_bytes=None, sort_ms=None), users)
    (one,) = hints(query(join, seconds=15, shuffles=(shuffle,)))
    (two,) = hints(query(join, replace(join, occurrence=1), seconds=15, shuffles=(shuffle,)))
    assert one.added_seconds > 0
    assert two.added_seconds == pytest.approx(2 * one.added_seconds)
    assert two.prediction.after - two.prediction.low == pytest.approx(two.added_seconds)


def test_a_hint_tells_how_many_joins_it_reaches() -> None:
    """Beside bytes of all of them stand the rows of one."""
    job = facts(query(*map(month, range(3)), seconds=300), per_join=True)
    (change,) = advise_broadcast_hints(job)
    assert [(e.value, e.unit) for e in change.evidence if e.what == "joins of this name"] == [(3, "joins")]
    (alone,) = advise_broadcast_hints(facts(query(month(0), seconds=300), per_join=True))
    assert not [e for e in alone.evidence if e.unit == "joins"]


def test_a_broadcast_that_gains_only_beside_others_is_not_hinted_without_them() -> None:
    """A chain of two by one key, of which the upper one is better hashed: the lower one alone spares nothing."""
    cluster = Cluster(40, 10, 4, 16 * GIB, 16 * GIB)
    events = replace(EVENTS, rows=200_000_000, shuffle_bytes=20_000 * MB, sort_ms=50_000)
    accounts = side("/accounts", rows=100_000, shuffle_bytes=8 * MB, sort_ms=50)
    top = inner(side("/events", "/users", rows=200_000_000), accounts, keys=(("/events.k", "/accounts.k"),))
    lowest = replace(inner(events, USERS), reshuffle=Reshuffle(200_000_000, sorts=True, join=(top.signature, 0)))
    job = facts(query(lowest, top, seconds=200), reach=Reach.AGENT, cluster=cluster)
    assert [hint.hint for hint in best_hints(job)] == [Hint.BROADCAST, Hint.BROADCAST]
    lower, upper = best_hints(job) if best_hints(job)[0].join is lowest else best_hints(job)[::-1]
    better = replace(upper, hint=Hint.SHUFFLE_HASH, prediction=Prediction(200, 150, 140, 160))
    assert lower.prediction.gain > 0
    rivals = facts(*job.queries, reach=Reach.AGENT, cluster=cluster)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(best_hints_module, "hash_candidates", lambda _: [better])
        patch.setattr(best_hints_module, "is_much_smaller", lambda *_: True)
        (found,) = best_hints(rivals)
    assert (found.hint, found.join) == (Hint.SHUFFLE_HASH, top)
