"""What broadcasts memory holds beside those that hints and thresholds have added before, and beside those of other queries."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.advice.joins import broadcast_by_aqe, facts, inner, query, side
from tuner.advice.advisors.broadcast_threshold import advise_broadcast_thresholds
from tuner.advice.candidates.best_hints import best_hints
from tuner.advice.candidates.broadcast_budget import broadcast_budget
from tuner.advice.candidates.hint_candidate import HintCandidate
from tuner.advice.facts import Facts, PastRun
from tuner.advice.steering_reach import Reach
from tuner.model.action import Hint
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.join_site import JoinSide, JoinSite
from tuner.model.query import Query
from tuner.model.strategy import BuildSide, Strategy
from tuner.spark.memory import relation_bytes

ROWS, BYTES = 150_000, 1_500_000
RELATION = relation_bytes(ROWS, BYTES)
CAP = facts().cap
# So many of them are more than a query may broadcast, and half of them are not.
MANY = 20


def fact(number: int, *, shuffled: bool = True) -> JoinSide:
    return side(f"fact{number}", rows=5_000_000, shuffle_bytes=400_000_000 if shuffled else None, sort_ms=9_000)


def merged(number: int) -> JoinSite:
    dim = side(f"dim{number}", rows=ROWS, shuffle_bytes=BYTES, estimated_bytes=50 << 20, sort_ms=100)
    return inner(fact(number), dim)


def broadcast(number: int, *, estimated_bytes: int | None = None) -> JoinSite:
    dim = side(f"dim{number}", rows=ROWS, broadcast_bytes=RELATION, estimated_bytes=estimated_bytes)
    join = inner(fact(number, shuffled=False), dim, strategy=Strategy.BROADCAST_HASH)
    return replace(join, build_side=BuildSide.RIGHT)


def hinted(job: Query, joins: set[str]) -> Query:
    return replace(job, directives=tuple(DirectiveResult("", DirectiveStatus.APPLIED, join=j) for j in sorted(joins)))


def new_broadcasts(job: Facts) -> list[HintCandidate]:
    return [c for c in best_hints(job) if c.hint is Hint.BROADCAST]


def test_what_no_longer_fitted_does_not_fit_beside_it_the_night_after() -> None:
    """Each night the joins that were hinted before are broadcasts, and the others sort merge joins."""
    done: set[str] = set()
    for _ in range(3):
        joins = [broadcast(n) if merged(n).signature in done else merged(n) for n in range(MANY)]
        job = facts(hinted(query(*joins, seconds=250), done), reach=Reach.AGENT)
        done |= {c.join.signature for c in new_broadcasts(job)}
    assert CAP.query_bytes * 0.8 < len(done) * RELATION <= CAP.query_bytes < MANY * RELATION


def test_what_sparks_own_threshold_has_broadcast_takes_nothing_of_it() -> None:
    own = [broadcast(n, estimated_bytes=5 << 20) for n in range(MANY)]
    job = facts(query(*own, merged(MANY), seconds=100), reach=Reach.AGENT)
    assert not broadcast_budget(job).used.total()
    assert new_broadcasts(job)


@pytest.mark.parametrize("reach", [Reach.AGENT, Reach.TEXT])
def test_what_hints_in_the_text_or_a_higher_threshold_have_broadcast_takes_its_part(reach: Reach) -> None:
    larger = [broadcast(n, estimated_bytes=50 << 20) for n in range(MANY)]
    assert not new_broadcasts(facts(query(*larger, merged(MANY), seconds=100), reach=reach))


def test_a_relation_that_several_joins_read_is_there_once() -> None:
    same = [replace(broadcast(0, estimated_bytes=50 << 20), left=fact(n, shuffled=False)) for n in range(MANY)]
    assert broadcast_budget(facts(query(*same, fingerprint="q"))).used["q"] == RELATION


def test_of_several_executions_the_one_that_broadcast_most_counts() -> None:
    one, two = (query(*(broadcast(n, estimated_bytes=50 << 20) for n in range(k)), fingerprint="q") for k in (1, 2))
    assert broadcast_budget(facts(one, two, one)).used["q"] == 2 * RELATION


def test_joins_that_are_gone_leave_room() -> None:
    join = broadcast(0, estimated_bytes=50 << 20)
    job = facts(query(join, fingerprint="q"))
    assert not broadcast_budget(job, {("q", join.signature)}).used["q"]


def test_what_aqe_has_broadcast_late_is_there_already() -> None:
    """Beside as many others as fit, a hint that makes it sooner takes nothing more."""
    late = broadcast_by_aqe(fact(MANY), side("late", rows=200_000, shuffle_bytes=11 << 20, broadcast_bytes=40_000_000))
    fit = CAP.query_bytes // RELATION - 2
    others = [broadcast(n, estimated_bytes=50 << 20) for n in range(fit)]
    found = new_broadcasts(facts(query(*others, late, seconds=20), reach=Reach.AGENT))
    assert [c.is_late_broadcast for c in found] == [True]


def test_a_threshold_reckons_with_those_that_the_last_one_added() -> None:
    before = [broadcast(n, estimated_bytes=50 << 20) for n in range(MANY)]
    dim = side("dim", rows=ROWS, shuffle_bytes=BYTES, estimated_bytes=60 << 20, sort_ms=100)
    left = inner(replace(fact(MANY), estimated_bytes=400_000_000), dim)
    assert advise_broadcast_thresholds(facts(query(left, seconds=50)))
    assert not list(advise_broadcast_thresholds(facts(query(*before, left, seconds=50))))


class TestQueriesThatRunAtTheSameTime:
    """Each has a broadcast of a seventh of what one query may have."""

    def job(self, apart_ms: int, number: int = MANY, fingerprint: str = "") -> list[Query]:
        wide = side("dim", rows=300_000, shuffle_bytes=3_000_000, sort_ms=100)
        found = []
        for n in range(number):
            one = query(inner(fact(n), wide), seconds=20, fingerprint=fingerprint or f"q{n}")
            found.append(replace(one, start_ms=n * apart_ms))
        return found

    def test_share_what_one_may_broadcast(self) -> None:
        size = relation_bytes(300_000, 3_000_000)
        assert MANY * size > CAP.query_bytes
        for apart_ms, fit in ((1, CAP.query_bytes // size), (20_000, MANY), (10_000, MANY)):
            found = new_broadcasts(facts(*self.job(apart_ms), reach=Reach.AGENT))
            assert len(found) == fit, apart_ms

    def test_share_it_with_themselves_where_one_runs_several_times_at_once(self) -> None:
        """A pool of threads, a tenant each; all have the hint or none."""
        pool = [replace(q, joins=(self.job(0)[0].joins[0],)) for q in self.job(1, fingerprint="q")]
        assert not new_broadcasts(facts(*pool, reach=Reach.AGENT))
        in_turns = [replace(q, start_ms=n * 20_000) for n, q in enumerate(pool)]
        assert len(new_broadcasts(facts(*in_turns, reach=Reach.AGENT))) == 1

    def test_are_told_by_any_run_at_hand(self) -> None:
        apart, at_once = self.job(20_000), self.job(1)
        now = facts(*apart, reach=Reach.AGENT)
        past = PastRun(tuple(at_once))
        assert len(new_broadcasts(replace(now, earlier=(past,)))) < len(new_broadcasts(now)) == MANY

    def test_are_reckoned_with_by_a_threshold(self) -> None:
        wide = side("dim", rows=300_000, shuffle_bytes=3_000_000, estimated_bytes=30 << 20, sort_ms=100)
        joins = [inner(replace(fact(n), estimated_bytes=400_000_000), wide) for n in range(MANY)]
        in_turns = [replace(query(join, seconds=20), start_ms=n * 20_000) for n, join in enumerate(joins)]
        assert list(advise_broadcast_thresholds(facts(*in_turns)))
        at_once = [replace(q, start_ms=n) for n, q in enumerate(in_turns)]
        assert not list(advise_broadcast_thresholds(facts(*at_once)))
