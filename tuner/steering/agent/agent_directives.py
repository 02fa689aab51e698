"""A decision as directives for the agent, and what of it the agent cannot be told.

The agent sees plans before Spark does: it knows a query by the set of relations it reads, a join by its signature, and
a block of joins by its items and equalities. What these do not tell apart gets the same directives or none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from msgspec import structs

from tuner.advice.candidates.future_joins import future_joins
from tuner.model.action import BUILDING, ON_JOINS, Action, ActionKind, Hint
from tuner.model.agent_message import (
    MAX_CHARACTERS,
    MAX_DIRECTIVES,
    HintDirective,
    OrderDirective,
    OrderPredicate,
    QueryDirectives,
    SizeBounds,
    encode_message,
)
from tuner.model.change import Change
from tuner.model.decision import DecidedChange, Decision, Standing
from tuner.model.join_graph import JoinGraph, Predicate, members
from tuner.model.query import Query
from tuner.model.trial import decided_by_trial
from tuner.plan.agent_block import agent_block
from tuner.plan.order_text import OrderTextError, parse_order
from tuner.plan.relation import short_name
from tuner.words.query_names import query_name

# What a side may grow by before its keys crowd their filter.
FILTER_ROOM = 2.0
# Whose hints take the place of a join whose both sides the planner shuffled.
_OF_SHUFFLED = frozenset({"broadcast_hint", "secured_broadcast", "shuffle_hash"})
_NEEDED = "the order of joins that it needs is not carried out"
_TOO_MANY = f"others gain more, and no more than {MAX_DIRECTIVES} directives, of {MAX_CHARACTERS} characters, are sent in one run"


@dataclass(frozen=True, slots=True)
class SizeLimits:
    """Within which sizes of relations, by the planner's estimates, actions stay good, by their ids.

    `of_hints` holds the most bytes of a side, or of what keys to filter by are read from
    (`tuner.advice.head_room.head_room`), in heaps with room for a broadcast of `cap_bytes`; `counted` the most of its hash
    relation, where values that never ran decide that; `of_orders` ranges of sizes, each with bounds by the labels of a block's
    relations (`tuner.advice.order_bounds`).
    """

    of_hints: Mapping[str, int] = field(default_factory=dict)
    cap_bytes: int = 0
    counted: Mapping[str, int] = field(default_factory=dict)
    of_orders: Mapping[str, Sequence[Mapping[str, SizeBounds]]] = field(default_factory=dict)

    def __contains__(self, action_id: str) -> bool:
        return action_id in self.of_hints or action_id in self.of_orders


@dataclass(frozen=True, slots=True)
class AgentDirectives:
    """`text` is the message (`tuner.model.agent_message`), "" where there is nothing to say; `skipped` what is not
    in it, each with why."""

    text: str = ""
    skipped: tuple[tuple[Action, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _PlacedDirective:
    """A directive; `place` is how the agent knows its join or block, `wish` what is to become of that."""

    action: Action
    query: Query
    message: HintDirective | OrderDirective
    place: object
    wish: object


def agent_directives(
    decision: Decision,
    queries: Iterable[Query],
    limits: SizeLimits | None = None,
    absent: Iterable[Query] = (),
    executions: Mapping[str, int] | None = None,
) -> AgentDirectives:
    """The joins' hints and orders in force, for queries as the cohort's latest usable run had them, each for the values that
    the decision says it was measured with; and for those that come back, though the latest run did not have them (`absent`).
    A query that was edited is absent for good: it keeps nothing from the one that it became.

    Where `limits` are given, what has none but needs one is skipped; without them everything is said for relations of any size.
    What is more than the log is read for (`decode_message`) is skipped, too: the changes that gain least in a run of so many
    `executions` of each query; without these, of all that are given.
    """
    actions = [action for action in decision.actions if action.kind in ON_JOINS]
    ran, gone, most = list(queries), list(absent), MAX_DIRECTIVES
    of_run = Counter(query.fingerprint for query in ran) if executions is None else executions
    while True:
        room = _with_most_gain(decision, most, of_run)
        told = _told([action for action in actions if action in room], decision, ran, gone, limits)
        if len(told.text) <= MAX_CHARACTERS:
            break
        most //= 2
    skipped = dict(told.skipped) | {action: _TOO_MANY for action in actions if action not in room}
    return AgentDirectives(told.text, tuple((action, skipped[action]) for action in actions if action in skipped))


def _with_most_gain(decision: Decision, most: int, executions: Mapping[str, int]) -> set[Action]:
    """So many actions on joins at most, of whole trials; what people pinned comes first. `executions` are those of queries."""
    found: set[Action] = set()
    by_worth = partial(_worth, executions=executions)
    for trial in sorted(decided_by_trial(decision.in_force), key=by_worth, reverse=True):
        more = {action for decided in trial for action in decided.change.carried_out if action.kind in ON_JOINS}
        if len(found | more) <= most:
            found |= more
    return found


def _worth(trial: Sequence[DecidedChange], executions: Mapping[str, int]) -> tuple[bool, float]:
    """Whether a change of a trial is pinned, and the seconds that they gain together in a run: as measured, before that as
    predicted."""
    predicted = (_predicted_gain(d.change, executions) for d in trial)
    gain = max((d.gained_seconds for d in trial if d.gained_seconds is not None), default=max(predicted))
    return any(d.standing is Standing.PINNED for d in trial), gain


def _predicted_gain(change: Change, executions: Mapping[str, int]) -> float:
    """What is predicted of a join is for one execution of its query."""
    gain = change.prediction.gain if change.prediction else 0.0
    return gain * max(1, executions.get(change.query or "", 1)) if change.is_on_joins else gain


def _told(
    actions: Sequence[Action],
    decision: Decision,
    ran: Sequence[Query],
    gone: Sequence[Query],
    limits: SizeLimits | None,
) -> AgentDirectives:
    """What is said of these actions alone."""
    known, away = [*gone, *ran], {query.fingerprint for query in gone}
    decided = {action: d for d in decision.in_force for action in d.change.actions}
    said: dict[Action, _PlacedDirective] = {}
    skipped: dict[Action, str] = {}
    for kind in (ActionKind.ORDER_JOINS, ActionKind.HINT_JOIN):
        orders = [one for action, one in said.items() if action not in skipped]
        out = {decided[action].id for action in skipped}
        found = {
            a: _NEEDED if decided[a].change.needs in out else _directive(a, known, limits, orders)
            for a in actions
            if a.kind is kind
        }
        said |= {action: one for action, one in found.items() if isinstance(one, _PlacedDirective)}
        skipped |= {action: why for action, why in found.items() if isinstance(why, str)}
        # What is not said makes no join that another could be taken for.
        others = [one for action, one in said.items() if action not in skipped]
        confused = {
            a: _confusion(said[a], others, known if said[a].query.fingerprint in away else ran)
            for a in found
            if a in said
        }
        skipped |= {action: why for action, why in confused.items() if why}
    by_columns = {one.query.fingerprint for one in said.values() if _rivals(one, said.values(), known)}
    kept = [one for action, one in said.items() if action not in skipped]
    return AgentDirectives(
        _text(kept, by_columns, decided), tuple((action, skipped[action]) for action in actions if action in skipped)
    )


def _directive(
    action: Action, ran: Sequence[Query], limits: SizeLimits | None, orders: Sequence[_PlacedDirective]
) -> _PlacedDirective | str:
    """The directive of an action, or why there is none; `orders` are those that the agent is told of."""
    mine = [query for query in ran if query.fingerprint == action.query]
    if not mine:
        return "its query did not run in the latest run, and has not come back so far"
    if not mine[-1].relations:
        return "what its query reads is not recorded: the latest run was harvested by an older version"
    if limits is not None and action.id not in limits and _needs_limits(action):
        return "how large the planner takes its relations for is not recorded: it waits for a run that records it"
    found = limits or SizeLimits()
    if action.kind is ActionKind.ORDER_JOINS:
        return _order(action, mine, found.of_orders.get(action.id, ()))
    return _hint(action, mine, found, [one.action for one in orders])


def _needs_limits(action: Action) -> bool:
    """Whether it may cost more than it saves where its relations are larger."""
    return action.kind is ActionKind.ORDER_JOINS or action.value in BUILDING or action.value == Hint.FILTER_BY_KEY


def _hint(
    action: Action, mine: Sequence[Query], limits: SizeLimits, orders: Sequence[Action]
) -> _PlacedDirective | str:
    query, sides = next(_with_join(action, mine, orders), (None, ()))
    if query is None:
        return "its query did not have this join in the latest run"
    most_bytes = limits.of_hints.get(action.id, 0)
    if action.value == Hint.FILTER_BY_KEY:
        return _key_filter(action, query, most_bytes)
    if action.value == Hint.SHARE:
        return _placed(action, query)
    if action.relations and (why := _unclear_side(sides, action.relations)):
        return why
    cap_bytes, most_counted = limits.cap_bytes if most_bytes else 0, limits.counted.get(action.id, 0)
    return _placed(action, query, most_bytes=most_bytes, cap_bytes=cap_bytes, most_counted=most_counted)


def _placed(
    action: Action,
    query: Query,
    *,
    most_bytes: int = 0,
    cap_bytes: int = 0,
    rows: int = 0,
    most_counted: int = 0,
    filtered: tuple[str, ...] = (),
) -> _PlacedDirective:
    message = HintDirective(
        action.id,
        action.target,
        action.value,
        tuple(sorted(action.relations)),
        most_bytes=most_bytes,
        cap_bytes=cap_bytes,
        rows=rows,
        most_counted=most_counted,
        filtered=filtered,
    )
    return _PlacedDirective(action, query, message, action.target, (message.hint, message.side))


def _key_filter(action: Action, query: Query, most_bytes: int) -> _PlacedDirective:
    """A filter has room for more keys than there were: one that is too small lets rows pass that it need not."""
    sites = [site for site in query.key_filters if (site.join, site.source) == (action.target, action.relations)]
    rows = max((site.source_rows for site in sites), default=0)
    filtered = tuple(sorted({relation for site in sites for relation in site.relations}))
    return _placed(action, query, most_bytes=most_bytes, rows=round(rows * FILTER_ROOM), filtered=filtered)


def _with_join(
    hint: Action, mine: Sequence[Query], orders: Iterable[Action]
) -> Iterator[tuple[Query, list[list[str]]]]:
    """The queries that have the join of a hint, or will have it in one of the orders, with the relations of its sides."""
    for query in reversed(mine):
        for join in query.joins:
            if join.signature == hint.target:
                yield query, [sorted(join.left.relations), sorted(join.right.relations)]
    for query in reversed(mine):
        for graph, to_come in future_joins(query, hint.target, orders):
            yield query, [list(graph.tables(side)) for side in (to_come.left, to_come.right)]


def _unclear_side(sides: Sequence[list[str]], side: Sequence[str]) -> str:
    if sides[0] == sides[1]:
        return "both sides of the join read the same relations: which one is meant cannot be told"
    return "" if sorted(side) in sides else f"no side of the join reads {', '.join(map(short_name, side))} alone"


def _order(action: Action, mine: Sequence[Query], ranges: Sequence[Mapping[str, SizeBounds]]) -> _PlacedDirective | str:
    query, graph = next(
        ((q, g) for q in reversed(mine) for g in q.graphs if g.signature == action.target), (None, None)
    )
    if query is None or graph is None:
        return "its query did not have this block of joins in the latest run"
    try:
        order = parse_order(action.value, graph)
    except OrderTextError as error:
        return str(error)
    block = agent_block(graph)
    if alike := block.lookalikes():
        return f"{_named(graph, alike[0])} is joined twice in the same way: which one is meant cannot be told"
    items = tuple(tuple(sorted(item.relations)) for item in graph.relations)
    message = OrderDirective(action.id, items, tuple(map(_predicate, graph.predicates)), order)
    if ranges:
        bounds, *more = (tuple(bounds[relation.label] for relation in graph.relations) for bounds in ranges)
        message = structs.replace(message, bounds=bounds, more_bounds=tuple(more))
    return _PlacedDirective(action, query, message, block.key, block.spelled(order))


def _named(graph: JoinGraph, item: int) -> str:
    return "+".join(map(short_name, graph.relations[item].relations)) or "a relation"


def _predicate(predicate: Predicate) -> OrderPredicate:
    return tuple(members(predicate.left)), tuple(members(predicate.right)), predicate.left_key, predicate.right_key


def _confusion(one: _PlacedDirective, said: Iterable[_PlacedDirective], ran: Iterable[Query]) -> str:
    """What else the directive would reach that is not to have it; "" for nothing."""
    for query in _rivals(one, said, ran):
        if query.fingerprint == one.query.fingerprint:
            return "the agent could not tell it from another block of its query"
        if query.columns == one.query.columns:
            return (
                f"the agent could not tell it from {query_name(query, described=False)}, which reads the same columns"
            )
    return ""


def _rivals(one: _PlacedDirective, said: Iterable[_PlacedDirective], ran: Iterable[Query]) -> list[Query]:
    """The queries that read the same relations and have such a join or block, which is not to be changed so.

    A block that ran in that order already is none.
    """
    found = list(said)
    alike = [s for s in found if (s.place, s.wish) == (one.place, one.wish)]
    if one.action.value == Hint.SHARE:
        # A plan then has no filters by which its query is known: it must not be told of another's.
        alike = [one]
    wanted = {(s.action.query, s.action.target) for s in alike}
    orders = [s.action for s in found if isinstance(s.message, OrderDirective)]
    return [
        query
        for query in ran
        if query.relations == one.query.relations
        and any((query.fingerprint, target) not in wanted for target in _targets(query, one, orders))
    ]


def _targets(query: Query, said: _PlacedDirective, orders: Iterable[Action]) -> set[str]:
    """The joins or blocks of a query that the agent would take for that of the directive."""
    if isinstance(said.message, HintDirective):
        sought = said.message.join
        there = any(join.signature == sought for join in query.joins)
        return {sought} if there or any(future_joins(query, sought, orders)) else set()
    blocks = ((graph, agent_block(graph)) for graph in query.graphs)
    return {g.signature for g, block in blocks if block.key == said.place and block.spelled(g.written) != said.wish}


def _text(said: Sequence[_PlacedDirective], by_columns: Container[str], decided: Mapping[Action, DecidedChange]) -> str:
    by_query: dict[str, list[_PlacedDirective]] = {}
    allowed = (_for_values(one, decided[one.action]) for one in said)
    for one in sorted(allowed, key=lambda s: (s.query.fingerprint, s.action.id)):
        by_query.setdefault(one.query.fingerprint, []).append(one)
    queries = tuple(_query(several, exact=fingerprint in by_columns) for fingerprint, several in by_query.items())
    return encode_message(queries) if queries else ""


def _for_values(one: _PlacedDirective, decided: DecidedChange) -> _PlacedDirective:
    """A directive for the values that its change may act on."""
    any_values = tuple(sorted({*decided.neutral, *decided.fleeting}))
    message = structs.replace(one.message, literals=decided.literals, neutral=any_values)
    if isinstance(message, HintDirective) and decided.change.advisor in _OF_SHUFFLED:
        message = structs.replace(message, shuffled=True)
    return replace(one, message=message)


def _query(said: Sequence[_PlacedDirective], *, exact: bool) -> QueryDirectives:
    query = said[0].query
    return QueryDirectives(
        query.fingerprint,
        query.relations,
        query.columns if exact else "",
        tuple(s.message for s in said if isinstance(s.message, HintDirective)),
        tuple(s.message for s in said if isinstance(s.message, OrderDirective)),
    )
