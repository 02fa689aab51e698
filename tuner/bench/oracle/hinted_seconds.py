"""What an order of a block takes with hints: on joins that ran, on those that are new, and where AQE came late."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import partial

from tuner.advice.candidates.cheapest_orders import PricedBlock
from tuner.advice.candidates.hint_candidate import HintCandidate
from tuner.advice.candidates.hinted_broadcasts import HINTED, BroadcastSides, hinted_broadcasts
from tuner.cost.join_tree import JoinTree
from tuner.cost.what_if import Given, GivenJoin
from tuner.model.action import Hint
from tuner.model.query import Query
from tuner.model.strategy import SHUFFLED, Strategy
from tuner.plan.ordered_joins import ordered_joins

_STRATEGIES = {
    Hint.BROADCAST: Strategy.BROADCAST_HASH,
    Hint.SHUFFLE_HASH: Strategy.SHUFFLED_HASH,
    Hint.NO_BROADCAST: Strategy.SORT_MERGE,
}


def hinted_seconds(
    block: PricedBlock,
    query: Query,
    tree: JoinTree,
    hints: Iterable[HintCandidate] = (),
    broadcasts: Collection[int] | None = None,
) -> float:
    """Seconds by prices of an order of the block, with the hints on those of its joins that ran.

    Of the others those are broadcast by hints that `broadcasts` names by the sets they put together; without it, all that may be
    and for which that pays.
    """
    given = _as_ran(block, query, tree, hints)
    run = partial(block.what_if.order, tree.order)
    if broadcasts is None:
        sides = BroadcastSides(block.facts, query, block.graph, block.sizes)
        given |= hinted_broadcasts(sides, run, Given(given))
    else:
        given |= dict.fromkeys(set(broadcasts) - given.keys(), HINTED)
    return run(Given(given)).seconds(block.facts.cluster)


def _as_ran(block: PricedBlock, query: Query, tree: JoinTree, hints: Iterable[HintCandidate]) -> dict[int, GivenJoin]:
    """The joins of an order that ran like this, with their strategies or those of their hints.

    A join that AQE made a broadcast had both sides shuffled before: it is taken for a shuffled hash join.
    """
    late = {
        site.signature: GivenJoin(Strategy.SHUFFLED_HASH, site.build_side)
        for site in query.joins
        if site.planned_strategy in SHUFFLED and site.strategy is Strategy.BROADCAST_HASH
    }
    asked = {**late, **_asked(hints)}
    given = dict(block.given(tree).joins)
    for join in ordered_joins(block.graph, tree.order):
        both = join.left | join.right
        if both in given and join.signature in asked:
            given[both] = asked[join.signature]
    return given


def _asked(hints: Iterable[HintCandidate]) -> Mapping[str, GivenJoin]:
    return {
        hint.join.signature: GivenJoin(_STRATEGIES[hint.hint], None if hint.hint is Hint.NO_BROADCAST else hint.side)
        for hint in hints
        if hint.hint in _STRATEGIES
    }
