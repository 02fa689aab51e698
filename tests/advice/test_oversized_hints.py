"""Hints whose side has grown past what memory takes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tuner.advice.facts import Facts
from tuner.advice.head_room import MOST_GROWTH, head_room
from tuner.advice.oversized_hints import oversized_hints
from tuner.advice.steering_reach import Reach
from tuner.model.action import Action, ActionKind, Hint
from tuner.model.directive_result import DirectiveResult, DirectiveStatus
from tuner.model.join_site import JoinSide
from tuner.model.reason import Reason
from tuner.model.strategy import BuildSide, Strategy
from tuner.words.reasons import reason_words

from .joins import facts, inner, query, side

CAP = facts().cap


def _job(build: JoinSide, strategy: Strategy = Strategy.BROADCAST_HASH) -> tuple[Action, dict[str, Reason]]:
    join = inner(side("fact", rows=10**7), build, strategy=strategy)
    action = Action(ActionKind.HINT_JOIN, join.signature, Hint.BROADCAST, "q", ("dim",))
    return action, oversized_hints(facts(query(join, fingerprint="q")), [action])


def test_a_broadcast_relation_may_fill_its_querys_cap() -> None:
    assert not _job(side("dim", rows=10, broadcast_bytes=CAP.query_bytes))[1]
    action, found = _job(side("dim", rows=10, broadcast_bytes=CAP.query_bytes + 1_000_000))
    assert list(found) == [action.id]
    assert "MB" in reason_words(found[action.id])


def test_once_sorted_again_it_must_come_below_its_own_cap() -> None:
    assert not _job(side("dim", rows=0, shuffle_bytes=CAP.one_bytes), Strategy.SORT_MERGE)[1]
    assert _job(side("dim", rows=0, shuffle_bytes=CAP.one_bytes + 1), Strategy.SORT_MERGE)[1]


def test_other_joins_queries_and_actions_are_not_its_business() -> None:
    huge = inner(side("fact", rows=1), side("dim", rows=1, broadcast_bytes=1 << 40), strategy=Strategy.BROADCAST_HASH)
    job = facts(query(huge, fingerprint="q"))
    hint = Action(ActionKind.HINT_JOIN, huge.signature, Hint.BROADCAST, "q", ("dim",))
    others = [
        Action(ActionKind.SET_CONF, "spark.sql.shuffle.partitions", "8"),
        Action(ActionKind.HINT_JOIN, huge.signature, Hint.MERGE, "q", ("dim",)),
        Action(ActionKind.HINT_JOIN, huge.signature, Hint.BROADCAST, "another", ("dim",)),
        Action(ActionKind.HINT_JOIN, "another", Hint.BROADCAST, "q", ("dim",)),
        Action(ActionKind.HINT_JOIN, huge.signature, Hint.BROADCAST, "q", ("another",)),
    ]
    assert list(oversized_hints(job, [*others, hint])) == [hint.id]


def test_a_hashed_side_may_fill_more_of_a_tasks_memory_before_it_has_to_go_than_to_come_back() -> None:
    cap = facts().task_cap_bytes

    def found(data_bytes: int, strategy: Strategy) -> dict[str, Reason]:
        join = inner(side("fact", rows=10**7), side("dim", rows=0, shuffle_bytes=data_bytes), strategy=strategy)
        hint = Action(ActionKind.HINT_JOIN, join.signature, Hint.SHUFFLE_HASH, "q", ("dim",))
        return oversized_hints(facts(query(join, fingerprint="q")), [hint])

    assert not found(cap, Strategy.SORT_MERGE)
    assert found(cap + 1, Strategy.SORT_MERGE)
    assert not found(cap + 1, Strategy.SHUFFLED_HASH)
    assert found(cap * 2, Strategy.SHUFFLED_HASH)


class TestSeveralBroadcastsOfAQuery:
    """Twelve that hints have added, of one size but for the last, and which the planner takes for 5,000 bytes each."""

    def job(self, times: float, *, last_is_there: bool = True) -> tuple[Facts, list[Action]]:
        """As large together as so many times what a query's new ones may have."""
        size = int(times * CAP.query_bytes / 12)
        joins, actions = [], []
        for number in range(12):
            there = number < 11 or last_is_there
            bytes_ = size + 1000 * number
            dim = side(f"dim{number}", rows=300_000, shuffle_bytes=None if there else bytes_, leaf_bytes=5000)
            strategy = Strategy.BROADCAST_HASH if there else Strategy.SORT_MERGE
            fact = side(f"fact{number}", rows=10**7)
            join = inner(fact, replace(dim, broadcast_bytes=bytes_ if there else None), strategy=strategy)
            joins.append(replace(join, build_side=BuildSide.RIGHT if there else None))
            actions.append(Action(ActionKind.HINT_JOIN, join.signature, Hint.BROADCAST, "q", (f"dim{number}",)))
        applied = tuple(DirectiveResult(a.id, DirectiveStatus.APPLIED, join=a.target) for a in actions)
        return facts(replace(query(*joins, fingerprint="q"), directives=applied)), actions

    @pytest.mark.parametrize(("times", "too_many"), [(0.9, 0), (1.9, 0), (2.1, 1), (4.1, 7)])
    def test_may_grow_to_twice_what_is_advised_of_new_ones_and_then_the_largest_have_to_go(
        self, times: float, too_many: int
    ) -> None:
        job, hints = self.job(times)
        assert list(oversized_hints(job, hints)) == [hint.id for hint in hints[12 - too_many :]]

    def test_a_large_one_does_not_come_back_as_long_as_the_others_leave_no_room(self) -> None:
        job, hints = self.job(2.1, last_is_there=False)
        assert list(oversized_hints(job, hints)) == [hints[-1].id]
        assert not oversized_hints(*self.job(1.5, last_is_there=False))

    def test_grow_in_a_run_as_far_as_the_others_let_them(self) -> None:
        """Each by itself would have room for four times its size."""
        job, hints = self.job(1.8)
        rooms = head_room(replace(job, reach=Reach.AGENT), hints)
        assert rooms[hints[0].id] == 5000 * MOST_GROWTH
        assert rooms[hints[-1].id] == pytest.approx(5000 * (24 - 11 * 1.8) / 1.8, rel=0.01)


def test_what_the_agent_can_hold_back_by_itself_is_left_to_it() -> None:
    huge = inner(side("fact", rows=1), side("dim", rows=0, shuffle_bytes=1 << 40, leaf_bytes=5000))
    hint = Action(ActionKind.HINT_JOIN, huge.signature, Hint.BROADCAST, "q", ("dim",))
    job = facts(query(huge, fingerprint="q"))
    assert list(oversized_hints(job, [hint])) == [hint.id]
    assert not oversized_hints(replace(job, reach=Reach.AGENT), [hint])
