"""Exchanges that Spark runs once: ReuseExchangeAndSubquery, and AdaptiveSparkPlanExec's cache of stages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tuner.cost.what_if.physical_order import PlannedJoin
from tuner.model.join_graph import JoinGraph
from tuner.model.strategy import BuildSide, Strategy
from tuner.spark.join_selection.logical_join import BOTH

# What must be the same: the relation's rows and columns, how it is exchanged, and on which of its columns.
Exchange = tuple[str, str, tuple[str, ...]]


def reuse(joins: Iterable[PlannedJoin], graph: JoinGraph) -> tuple[PlannedJoin, ...]:
    """The joins with the sides whose exchange another relation's serves as well.

    Relations are the same that put out the same rows (GraphRelation.identity). Both are shuffled on the same columns,
    or broadcast with the same keys (HashedRelationBroadcastMode): a relation broadcast twice on other keys is hashed
    twice. Exchanges above joins are not compared.
    """
    seen: set[Exchange] = set()
    found = []
    for join in joins:
        reused = []
        for side in BOTH:
            if exchange := exchange_of(join, side, graph):
                if exchange in seen:
                    reused.append(side)
                seen.add(exchange)
        found.append(replace(join, reused=tuple(reused)) if reused else join)
    return tuple(found)


def exchange_of(join: PlannedJoin, side: BuildSide, graph: JoinGraph) -> Exchange | None:
    """What makes the exchange of one side another's too; None where there is none, or nothing is known to be the same."""
    relations = join.side(side)
    identity = graph.relations[relations.bit_length() - 1].identity if relations.bit_count() == 1 else ""
    if not identity:
        return None
    if side in join.shuffled:
        keys = join.shuffle_keys[join.shuffled.index(side)]
        return identity, "shuffle", tuple(name for _, name in keys)
    if side is join.broadcast:
        # Rows that no key is looked up in are an array (IdentityBroadcastMode).
        hashed = join.keys if join.strategy is Strategy.BROADCAST_HASH else ()
        return identity, "broadcast", tuple(pair[BOTH.index(side)][1] for pair in hashed)
    return None
