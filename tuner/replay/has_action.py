"""Whether a run has an action: carried out by the tuner, made by somebody, or come to by Spark itself."""

from __future__ import annotations

from tuner.model.action import Action, ActionKind, Hint
from tuner.model.directive_result import DirectiveStatus
from tuner.model.join_graph import JoinGraph
from tuner.model.query import Query
from tuner.model.run import Outcome
from tuner.plan.hint_result import hint_result
from tuner.plan.order_result import order_result
from tuner.plan.order_text import OrderTextError, parse_order
from tuner.policy.decided_advice import SAME_VALUE
from tuner.units import parse_bytes


def has_action(outcome: Outcome, action: Action) -> bool:
    """Whether a run was as the action would have it, by its conf or by the plans it ran."""
    queries = [query for query in outcome.queries if query.fingerprint == action.query]
    match action.kind:
        case ActionKind.SET_CONF:
            return action.target in outcome.conf and _is_same_value(action.value, outcome.conf[action.target])
        case ActionKind.HINT_JOIN:
            return any(_is_hinted(query, action) for query in queries)
        case ActionKind.ORDER_JOINS:
            graphs = [graph for query in queries for graph in query.graphs if graph.signature == action.target]
            return any(_in_order(graph, action.value) for graph in graphs)
    return False


def _is_same_value(wanted: str, given: str) -> bool:
    """Whether a property's value is the one wanted, or a number so near to it that a trial would tell nothing new."""
    if wanted == given:
        return True
    a, b = parse_bytes(wanted), parse_bytes(given)
    if a is None or b is None:
        return wanted.strip().lower() == given.strip().lower()
    return abs(a - b) <= SAME_VALUE * abs(a)


def _is_hinted(query: Query, action: Action) -> bool:
    if action.value == Hint.FILTER_BY_KEY:
        place = (action.target, action.relations)
        return any(site.filtered and (site.join, site.source) == place for site in query.key_filters)
    if action.value == Hint.SHARE:
        return any(one.reused and one.join == action.target for one in query.shared_subplans)
    joins = [join for join in query.joins if join.signature == action.target]
    status, _ = hint_result(action.value, action.relations, joins)
    return status is DirectiveStatus.APPLIED


def _in_order(graph: JoinGraph, text: str) -> bool:
    try:
        order = parse_order(text, graph)
    except OrderTextError:
        return False
    status, _ = order_result([relation.relations for relation in graph.relations], order, (graph,))
    return status is DirectiveStatus.APPLIED
