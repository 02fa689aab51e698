"""Orders of joins that would be slower with the rows of a day that their query has seen: the next day may be like that one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from tuner.advice.facts import Facts
from tuner.loop.size_limits import size_limits
from tuner.model.action import Action, ActionKind
from tuner.model.agent_message import SizeBounds
from tuner.model.decision import DecidedChange, Decision
from tuner.model.query import Query
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Run
from tuner.policy.evidence.comparison import MIN_SECONDS
from tuner.policy.known_queries import KnownQueries
from tuner.policy.usable import usable

if TYPE_CHECKING:
    from tuner.advice.order_worth import Worth

_Range = Mapping[str, SizeBounds]
_Ranges = Mapping[str, Sequence[_Range]]


def orders_worse_on_other_days(
    decision: Decision, facts: Facts, runs: Sequence[Run], newest: KnownQueries
) -> dict[str, Reason]:
    """Those in force that act on values which were never measured, by id, and why they had better not.

    Each is priced with the rows of every execution that its values had, in `runs` with classes of values
    (`tuner.policy.literal_classes`), whose queries are `newest`; for values that are others in each run with some times fewer and
    more, too. A day of sizes that it is not applied at says nothing.
    """
    orders = [d for d in decision.in_force if d.change.kind is ActionKind.ORDER_JOINS and d.acts_on_any_values]
    hints = [action for action in decision.actions if action.kind is ActionKind.HINT_JOIN]
    worse = [decided for decided in orders if _why_worse(facts, decided, hints, runs, ranges={})]
    if not worse:
        return {}
    # Few are: only then is it worked out at which sizes they apply, which hints in force decide, too.
    hinting = [d for d in decision.in_force if any(one.kind is ActionKind.HINT_JOIN for one in d.change.carried_out)]
    beside = {decided.id: decided for decided in (*worse, *hinting)}
    ranges = size_limits(facts, replace(decision, changes=tuple(beside.values())), newest).of_orders
    found = {decided.id: _why_worse(facts, decided, hints, runs, ranges) for decided in worse}
    return {id_: why for id_, why in found.items() if why}


def _why_worse(
    facts: Facts, decided: DecidedChange, hints: Sequence[Action], runs: Sequence[Run], ranges: _Ranges
) -> Reason | None:
    """Within the ranges of sizes of its orders, by their ids; at any size where there are none."""
    found = None
    for all_executions, action in product(_by_class(decided, runs), decided.change.actions):
        executions = _applied_to(all_executions, action, ranges.get(action.id, ()))
        for code, worst in _worst(facts, decided, action, hints, executions).items():
            if worst and not worst.is_no_worse and worst.seconds - worst.replaced > MIN_SECONDS:
                seconds = {"seconds": worst.seconds, "replaced_seconds": worst.replaced}
                found = Reason(code, {**seconds, "executions": len(executions)})
    return found


def _applied_to(executions: Sequence[Query], order: Action, ranges: Sequence[_Range]) -> Sequence[Query]:
    """Those that the order may be applied to, where it holds in these ranges of sizes."""
    # It loads numpy, which parsing a DAG does not wait for.
    from tuner.advice.order_bounds import may_apply

    return [
        query
        for query in executions
        if any(may_apply(ranges, query, graph) for graph in query.graphs if graph.signature == order.target)
    ]


def _worst(
    facts: Facts, decided: DecidedChange, action: Action, hints: Sequence[Action], executions: Sequence[Query]
) -> dict[ReasonCode, Worth | None]:
    """What an order is worth at worst, by what is to be said of it; the last that is worse is said."""
    # They load numpy, which parsing a DAG does not wait for.
    from tuner.advice.worst_day import worst_day, worst_within_reach

    of_days = {ReasonCode.WORSE_ON_OTHER_DAYS: worst_day(facts, action, executions, hints)}
    if not decided.fleeting:
        return of_days
    within_reach = worst_within_reach(facts, action, executions, decided.fleeting, hints)
    return {ReasonCode.WORSE_WITHIN_REACH: within_reach, **of_days}


def _by_class(decided: DecidedChange, runs: Sequence[Run]) -> list[list[Query]]:
    """The executions of a change's query that had values which it acts on, by class."""
    found: dict[str, list[Query]] = {}
    for query in (q for run in runs if usable(run) and run.outcome for q in run.outcome.queries):
        # Of a merged query the blocks are those of an earlier day.
        is_known = bool(query.graphs) and not query.merged
        if query.fingerprint == decided.change.query and query.literals in decided.literals and is_known:
            found.setdefault(query.literals, []).append(query)
    return list(found.values())
