"""Groups that a query makes several times over a block of joins, made once in another order of that block.

The order makes another join the last one below them, so that a hint for the order as it ran would find nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tuner.advice.candidates.order_changes import OF_JOINS, OrderChange
from tuner.advice.candidates.shared_groups import SharedGroups, shared_groups
from tuner.advice.candidates.times_in_run import times_in_run
from tuner.advice.facts import Facts
from tuner.cost.learned.unit_cost_fit import work_seconds
from tuner.cost.what_if.interval import Interval
from tuner.model.action import Action
from tuner.model.join_graph import JoinGraph, Order
from tuner.plan.ordered_joins import ordered_joins

# It comes with the order's trial, which is worth it by itself.
MIN_GAIN_SECONDS = 0.3


@dataclass(frozen=True, slots=True)
class OrderShare:
    """Groups above a block, the hint that has them made once in its other order, and the seconds that this saves beside it."""

    groups: SharedGroups
    action: Action
    saved: Interval


def order_shares(facts: Facts, changes: Sequence[OrderChange]) -> list[OrderShare | None]:
    """Of each change the groups that are all made of its block, which making once is worth it still; or that are made once
    already, and are to stay so."""
    groups = list(shared_groups(facts))
    return [next(_shares(facts, change, groups), None) for change in changes]


def with_share(change: OrderChange, share: OrderShare | None) -> OrderChange:
    """The change with what making groups once saves beside it."""
    if share is None:
        return change
    gain, saved = change.gain, share.saved
    both = Interval(gain.low + saved.low, gain.expected + saved.expected, gain.high + saved.high)
    return replace(change, gain=both)


def _shares(facts: Facts, change: OrderChange, groups: Sequence[SharedGroups]) -> Iterator[OrderShare]:
    ran, will = (_last_join(change.graph, order) for order in (change.written.order, change.other.order))
    for one in groups:
        if one.query.id != change.query.id or one.subplan.join != ran or ran == will:
            continue
        if one.subplan.reused:
            if one.query.merged:
                yield OrderShare(one, one.action(will), Interval(0.0, 0.0, 0.0))
        # Copies that another block makes stay in their order, and are like these no more.
        elif one.subplan.times <= change.times and change.priced:
            error, saved, added = facts.price_error, _saved(facts, change, one), one.added
            found = Interval(saved / error - added * error, saved - added, saved * error - added / error)
            enough = MIN_GAIN_SECONDS / times_in_run(facts, change.query)
            if found.expected >= enough and found.low > 0:
                yield OrderShare(one, one.action(will), found)


def _saved(facts: Facts, change: OrderChange, groups: SharedGroups) -> float:
    """What making the groups once saves in the other order: scanning and grouping as before, and what joining then takes."""
    amounts = groups.subplan.saved_amounts
    of_joins = {resource: amount for resource, amount in amounts.items() if resource in OF_JOINS}
    less = work_seconds(of_joins, facts.costs) / max(1, facts.cluster.cores)
    return groups.saved - less * (1 - min(1.0, change.other_priced / change.priced))


def _last_join(graph: JoinGraph, order: Order) -> str:
    *_, last = ordered_joins(graph, order)
    return last.signature
