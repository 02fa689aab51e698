"""How large a broadcast may turn out to be, once it is counted, for values that never ran."""

from __future__ import annotations

from collections.abc import Iterable

from tuner.advice.candidates.ordered_sides import future_sides
from tuner.advice.facts import Facts
from tuner.advice.head_room import MOST_GROWTH
from tuner.model.action import Action
from tuner.model.join_site import JoinSide
from tuner.spark.memory import relation_bytes


def most_counted(facts: Facts, hint: Action, orders: Iterable[Action]) -> int:
    """Bytes of hash relation: MOST_GROWTH times the most that the side of a hint had in these executions, and no less than what
    Spark itself broadcasts once it has counted it (spark.sql.adaptive.autoBroadcastJoinThreshold); 0 where nothing tells.

    A join that only an order beside the hint makes counts as large as its estimate may be wrong.
    """
    size = measured_bytes(facts, hint, orders)
    if not size:
        return 0
    by_itself = facts.selection.threshold(measured=True)
    return max(int(MOST_GROWTH * size), by_itself)


def measured_bytes(facts: Facts, hint: Action, orders: Iterable[Action]) -> int:
    """Bytes of hash relation of the side of a hint at most, in these executions; 0 where nothing tells."""
    mine = [query for query in facts.queries if query.fingerprint == hint.query]
    joins = (join for query in mine for join in query.joins if join.signature == hint.target)
    there = [side for join in joins for side in join.sides if side.relations == hint.relations]
    return max((_bytes(side) for side in (there or future_sides(facts, hint, orders))), default=0)


def _bytes(side: JoinSide) -> int:
    """As the agent counts it before Spark builds it (Heap.relationBytes): of dense keys Spark's own is less than half of that."""
    built = side.broadcast_bytes or 0
    return max(built, relation_bytes(side.rows or 0, side.shuffle_bytes or built))
