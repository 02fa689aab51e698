"""Up to which size of its relations a hint applies."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tuner.advice.facts import PastRun
from tuner.advice.head_room import MOST_GROWTH, head_room
from tuner.advice.steering_reach import Reach
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.join_site import JoinSide
from tuner.model.query import Query
from tuner.model.row_count import RowCount
from tuner.model.strategy import BuildSide, Strategy

from .joins import facts, inner, query, side

CAP = facts().cap


def _room(build: JoinSide, strategy: Strategy = Strategy.SORT_MERGE, hint: Hint = Hint.BROADCAST) -> int | None:
    join = inner(side("fact", rows=10**7, file_bytes=10**8), build, strategy=strategy)
    action = Action(ActionKind.HINT_JOIN, join.signature, hint, "q", ("dim",))
    scanned = replace(query(join, fingerprint="q"), input_rows=10**7 + (build.rows or 0))
    return head_room(facts(scanned), [action]).get(action.id)


def test_a_hint_holds_while_its_relations_are_not_many_times_what_was_measured() -> None:
    assert _room(side("dim", rows=0, shuffle_bytes=1000, leaf_bytes=5000)) == 5000 * MOST_GROWTH
    assert _room(side("dim", rows=0, shuffle_bytes=1000, leaf_bytes=5000), hint=Hint.SHUFFLE_HASH) == 5000 * MOST_GROWTH


def test_a_filter_by_key_holds_while_the_relations_of_its_keys_are_not_many_times_what_was_measured() -> None:
    """They are a side of its join, or one relation of such a side, which another join reads alone."""
    items = inner(side("dim", rows=10, leaf_bytes=5000), side("shop", rows=10, leaf_bytes=70))
    both = replace(side("dim", rows=10, leaf_bytes=5070), relations=("dim", "shop"))
    join = inner(side("fact", rows=10**7, leaf_bytes=10**8), both)
    job = facts(query(join, items, fingerprint="q"))
    hints = [
        Action(ActionKind.HINT_JOIN, join.signature, Hint.FILTER_BY_KEY, "q", relations)
        for relations in (("dim", "shop"), ("dim",), ("elsewhere",))
    ]
    assert head_room(job, hints) == {hints[0].id: 5070 * MOST_GROWTH, hints[1].id: 5000 * MOST_GROWTH}


def test_or_as_memory_has_it_where_that_is_less() -> None:
    half = side("dim", rows=0, shuffle_bytes=CAP.one_bytes // 2, leaf_bytes=5000)
    assert _room(half) == pytest.approx(10_000, rel=0.001)
    # In a back-fill it was twice too large: it is good for half of its relations.
    double = side("dim", rows=0, shuffle_bytes=CAP.one_bytes * 2, leaf_bytes=5000)
    assert _room(double) == pytest.approx(2_500, rel=0.001)


def test_a_last_page_that_is_all_but_empty_does_not_grow() -> None:
    """300 rows of which 67 MB are counted, as Spark counts them: in the next run it is the same page for 4,000."""
    few = side("dim", rows=300, broadcast_bytes=67_000_000, leaf_bytes=5000)
    assert CAP.query_bytes / 67_000_000 < MOST_GROWTH
    assert _room(few, Strategy.BROADCAST_HASH) == 5000 * MOST_GROWTH
    full = side("dim", rows=500_000, broadcast_bytes=67_000_000, leaf_bytes=5000)
    assert (_room(full, Strategy.BROADCAST_HASH) or 0) == pytest.approx(5000 * CAP.query_bytes / 67_000_000, rel=0.01)


def test_a_side_that_no_shuffle_counted_is_as_wide_as_its_files_let_it_be() -> None:
    documents = side("dim", rows=60_000, file_bytes=400_000_000, leaf_bytes=400_000_000)
    assert (_room(documents, Strategy.BROADCAST_HASH) or 0) < 400_000_000 / 10
    narrow = replace(documents, file_bytes=4_000_000, leaf_bytes=4_000_000)
    assert (_room(narrow, Strategy.BROADCAST_HASH) or 0) > 4 * 10**6


class TestEarlierRuns:
    """A side that the planner takes for 5,000 bytes tonight, and that some earlier night was larger."""

    def night(
        self, leaf_bytes: int | None, *, built: int = 1000, followed: bool = True, fact_rows: int = 10**7
    ) -> Query:
        dim = side("dim", rows=built // 20, shuffle_bytes=built, leaf_bytes=leaf_bytes)
        if followed:
            dim = replace(dim, broadcast_bytes=built, shuffle_bytes=None)
        strategy = Strategy.BROADCAST_HASH if followed else Strategy.SORT_MERGE
        fact = side("fact", rows=fact_rows, shuffle_bytes=16 * fact_rows, leaf_bytes=10**9)
        join = replace(inner(fact, dim, strategy=strategy), build_side=BuildSide.RIGHT if followed else None)
        return replace(query(join, seconds=30, fingerprint="q"), executor_run_ms=60_000)

    def room(self, now: Query, *earlier: Query) -> int | None:
        job = replace(facts(now), reach=Reach.AGENT, earlier=tuple(PastRun((one,)) for one in earlier))
        action = Action(ActionKind.HINT_JOIN, now.joins[0].signature, Hint.BROADCAST, "q", ("dim",))
        return head_room(job, [action]).get(action.id)

    def test_a_full_load_that_was_broadcast_may_be_so_again(self) -> None:
        delta, full = self.night(5_000), self.night(100_000, built=CAP.query_bytes // 2)
        assert self.room(delta) == 5_000 * MOST_GROWTH
        assert self.room(delta, full, delta) == pytest.approx(200_000, rel=0.001)
        assert self.room(full, delta) == pytest.approx(200_000, rel=0.001)

    def test_one_that_was_shuffled_where_that_would_have_paid(self) -> None:
        delta = self.night(5_000)
        assert (self.room(delta, self.night(100_000, followed=False)) or 0) >= 100_000
        small = self.night(100_000, followed=False, fact_rows=100)
        assert self.room(delta, small) == 5_000 * MOST_GROWTH

    def test_not_one_that_did_not_fit(self) -> None:
        delta, huge = self.night(5_000), self.night(100_000, built=CAP.query_bytes * 2, followed=False)
        assert self.room(delta, huge) == 5_000 * MOST_GROWTH

    def test_what_fits_by_tonights_rows_is_not_exceeded(self) -> None:
        """Tonight's filter keeps so much more of the files that such files would not fit."""
        wide, full = self.night(5_000, built=CAP.query_bytes // 5), self.night(100_000)
        assert self.room(wide, full) == pytest.approx(25_000, rel=0.001)

    def test_a_night_without_rows_leaves_what_is_known_of_others(self) -> None:
        empty = self.night(None, built=0)
        assert self.room(empty) is None
        assert self.room(empty, self.night(5_000)) == 5_000 * MOST_GROWTH

    def test_nor_what_a_larger_run_had_no_room_for(self) -> None:
        """Files that are twice as large may hold four times the rows."""
        delta, full = self.night(5_000), self.night(100_000, built=CAP.query_bytes // 2)
        wide = self.night(150_000, built=CAP.one_bytes, followed=False)
        assert self.room(delta, full) == pytest.approx(200_000, rel=0.001)
        for earlier in ((full, wide), (wide, full)):
            assert self.room(delta, *earlier) == 75_000
        near = self.night(15_000, built=CAP.one_bytes, followed=False)
        assert self.room(delta, near) == 7_500, "though four times tonight's would be allowed"

    def timed(self, leaf_bytes: int, seconds: float, *, followed: bool) -> Query:
        """What the agent was told of, as large as that, and so slow."""
        one = self.night(leaf_bytes, followed=followed)
        action = Action(ActionKind.HINT_JOIN, one.joins[0].signature, Hint.BROADCAST, "q", ("dim",))
        status = DirectiveStatus.APPLIED if followed else DirectiveStatus.HELD
        told, rows = (DirectiveResult(action.id, status),), (RowCount("dim#0", leaf_bytes),)
        took = {"duration_ms": int(seconds * 1000), "executor_run_ms": int(seconds * 2000)}
        return replace(one, directives=told, row_counts=rows, **took)

    def test_a_full_load_that_was_slower_with_it_than_another_was_without_is_left_alone(self) -> None:
        delta, slow, usual = self.timed(5_000, 4, followed=True), *self.full_loads(28, 17)
        assert self.room(delta, slow, delta) == 100_000 * MOST_GROWTH, "no run without it tells"
        for earlier in ((usual, delta, slow, delta), (slow, delta, usual, delta)):
            assert self.room(delta, *earlier) == 5_000 * MOST_GROWTH
            assert self.room(self.timed(30_000, 4, followed=True), *earlier) == 50_000, (
                "also where four times was allowed"
            )
        assert (self.room(delta, usual, delta, self.full_loads(17.5, 17)[0]) or 0) > 100_000, "by less than a tenth"

    def test_also_on_the_morning_after_one_but_not_where_all_runs_are_as_large(self) -> None:
        delta, slow, usual = self.timed(5_000, 4, followed=True), *self.full_loads(28, 17)
        assert self.room(usual, delta, usual, delta, slow, delta) == 51_000
        assert self.room(usual, slow, usual) == 102_000 * MOST_GROWTH, "what it does to these is judged elsewhere"

    def full_loads(self, with_it: float, without: float) -> tuple[Query, Query]:
        return self.timed(100_000, with_it, followed=True), self.timed(102_000, without, followed=False)

    def test_of_other_values_nothing_is_known(self) -> None:
        full = replace(self.night(100_000), literals="others")
        assert self.room(self.night(5_000), full) == 5_000 * MOST_GROWTH


def test_no_limit_is_known_without_the_planners_estimates_or_for_what_builds_nothing() -> None:
    assert _room(side("dim", rows=0, shuffle_bytes=1000)) is None
    assert _room(side("dim", rows=0, shuffle_bytes=1000, leaf_bytes=5000), hint=Hint.NO_BROADCAST) is None
