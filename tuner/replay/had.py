"""Whether a run had a change that was advised: carried out by the tuner, made by somebody, or come to by Spark itself."""

from __future__ import annotations

from tuner.model.action import Action, ActionKind, Hint
from tuner.model.directive_outcome import DirectiveStatus
from tuner.model.join_graph import JoinGraph
from tuner.model.join_site import JoinSite
from tuner.model.query import Query
from tuner.model.run import Outcome
from tuner.model.strategy import BuildSide, Strategy
from tuner.plan.order_outcome import order_outcome
from tuner.plan.order_text import OrderTextError, parse_order
from tuner.policy.recommended import SAME_VALUE
from tuner.units import parse_bytes

_BROADCASTS = frozenset({Strategy.BROADCAST_HASH, Strategy.BROADCAST_NESTED_LOOP})


def had(action: Action, outcome: Outcome) -> bool:
    """Whether a run was as the action would have it, by its conf or by the plans it ran."""
    match action.kind:
        case ActionKind.SET_CONF:
            return action.target in outcome.conf and same_value(action.value, outcome.conf[action.target])
        case ActionKind.HINT_JOIN:
            joins = [j for q in _queries(action, outcome) for j in q.joins if j.signature == action.target]
            return bool(joins) and any(_follows(join, action) for join in joins)
        case ActionKind.ORDER_JOINS:
            graphs = [g for q in _queries(action, outcome) for g in q.graphs if g.signature == action.target]
            return any(_in_order(graph, action.value) for graph in graphs)
    return False


def sets(action: Action, outcome: Outcome) -> bool:
    """Whether a run's conf has a property at exactly the value wanted."""
    return outcome.conf.get(action.target) == action.value


def same_value(wanted: str, given: str) -> bool:
    """Whether a property's value is the one wanted, or a number so near to it that a trial would tell nothing new."""
    if wanted == given:
        return True
    a, b = parse_bytes(wanted), parse_bytes(given)
    if a is None or b is None:
        return wanted.strip().lower() == given.strip().lower()
    return abs(a - b) <= SAME_VALUE * abs(a)


def _queries(action: Action, outcome: Outcome) -> list[Query]:
    return [query for query in outcome.queries if query.fingerprint == action.query]


def _follows(join: JoinSite, action: Action) -> bool:
    match action.value:
        case Hint.BROADCAST:
            return join.strategy in _BROADCASTS and _builds(join, action.relations)
        case Hint.NO_BROADCAST:
            return join.strategy not in _BROADCASTS and join.strategy is not Strategy.UNKNOWN
        case Hint.SHUFFLE_HASH:
            return join.strategy is Strategy.SHUFFLED_HASH and _builds(join, action.relations)
        case Hint.MERGE:
            return join.strategy is Strategy.SORT_MERGE
    return False


def _builds(join: JoinSite, relations: tuple[str, ...]) -> bool:
    if join.build_side is None:
        return False
    side = join.left if join.build_side is BuildSide.LEFT else join.right
    return not relations or sorted(side.relations) == sorted(relations)


def _in_order(graph: JoinGraph, text: str) -> bool:
    try:
        order = parse_order(text, graph)
    except OrderTextError:
        return False
    status, why = order_outcome([relation.relations for relation in graph.relations], order, (graph,))
    return status is DirectiveStatus.APPLIED and not why
