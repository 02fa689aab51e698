"""Hints whose side has grown past what memory takes."""

from __future__ import annotations

from tuner.advice.model import Action, ActionKind, Hint
from tuner.advice.outgrown import outgrown
from tuner.plan.model import JoinSide, Strategy

from .joins import facts, inner, query, side

CAP = facts().cap


def _job(build: JoinSide, strategy: Strategy = Strategy.BROADCAST_HASH) -> tuple[Action, dict[str, str]]:
    join = inner(side("fact", rows=10**7), build, strategy=strategy)
    action = Action(ActionKind.HINT_JOIN, join.signature, Hint.BROADCAST, "q", ("dim",))
    return action, outgrown(facts(query(join, fingerprint="q")), [action])


def test_a_broadcast_relation_may_fill_its_querys_cap() -> None:
    assert not _job(side("dim", rows=10, broadcast_bytes=CAP.query_bytes))[1]
    action, found = _job(side("dim", rows=10, broadcast_bytes=CAP.query_bytes + 1_000_000))
    assert list(found) == [action.id]
    assert "MB" in found[action.id]


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
    assert list(outgrown(job, [*others, hint])) == [hint.id]


def test_a_hashed_side_may_fill_more_of_a_tasks_memory_before_it_has_to_go_than_to_come_back() -> None:
    cap = facts().task_cap_bytes

    def found(data_bytes: int, strategy: Strategy) -> dict[str, str]:
        join = inner(side("fact", rows=10**7), side("dim", rows=0, shuffle_bytes=data_bytes), strategy=strategy)
        hint = Action(ActionKind.HINT_JOIN, join.signature, Hint.SHUFFLE_HASH, "q", ("dim",))
        return outgrown(facts(query(join, fingerprint="q")), [hint])

    assert not found(cap, Strategy.SORT_MERGE)
    assert found(cap + 1, Strategy.SORT_MERGE)
    assert not found(cap + 1, Strategy.SHUFFLED_HASH)
    assert found(cap * 2, Strategy.SHUFFLED_HASH)
