"""Directives at random, for the queries that an event log holds: any valid order of each block, any hint at each join."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tuner.model.action import Action, ActionKind
from tuner.model.application import Application
from tuner.model.join_graph import Joined, JoinGraph, Order, members
from tuner.model.query import Query
from tuner.model.strategy import JoinType
from tuner.plan.agent_block import agent_block
from tuner.plan.joins import signature
from tuner.plan.literals import literal_class
from tuner.plan.order_text import order_text
from tuner.plan.queries import queries

Names = tuple[str, ...]
HINTS: Names = ("BROADCAST", "NO_BROADCAST", "SHUFFLE_HASH", "MERGE")
FILTER, SHARE = "FILTER_BY_KEY", "SHARE"
Keys = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class RandomChoice:
    """What to draw: `order` as "random", "written" or "" (none); how many of the joins get a hint, and a filter by the keys of
    a side or of the relation that they are of; of a query that has a join twice, how many of its joins are said to
    be below groups that are made once; which orders will do.

    Orders join what a predicate joins, but for a `cartesian` share of the joins. `broadcast` says whether a side of so
    many rows may get a BROADCAST hint; `hints` are those to draw from, for sides that are `buildable`.
    """

    order: str = "random"
    hinted: float = 0.5
    filtered: float = 0.0
    shared: float = 0.0
    cartesian: float = 0.0
    acceptable: Callable[[JoinGraph, Order], bool] = lambda graph, order: True
    broadcast: Callable[[int], bool] = lambda rows: True
    hints: Names = HINTS
    buildable: Callable[[Names], bool] = lambda side: True


@dataclass(frozen=True, slots=True)
class OrderedJoin:
    """A join that an order makes: what its sides read, and its keys."""

    left: Names
    right: Names
    keys: Keys

    @property
    def signature(self) -> str:
        return signature(JoinType.INNER, self.left, self.right, self.keys)


@dataclass(frozen=True, slots=True)
class SteeredQuery:
    """An execution of the log, and the directives of its query as the agent reads them."""

    execution_id: int
    description: str
    query: dict[str, Any]


def steered_queries(application: Application, rng: random.Random, choice: RandomChoice) -> Iterator[SteeredQuery]:
    """Every query of an application that has joins, with directives."""
    return (_steered(query, rng, choice) for query in queries(application) if query.joins)


def _steered(query: Query, rng: random.Random, choice: RandomChoice) -> SteeredQuery:
    # Blocks that the agent cannot tell apart get one order.
    blocks = list({agent_block(graph).key: graph for graph in reversed(query.graphs)}.values()) if choice.order else []
    orders = [(graph, _order(graph, rng, choice)) for graph in blocks]
    content = {
        "fingerprint": query.fingerprint,
        "relations": list(query.relations),
        "hints": list(_hints(query, orders, rng, choice)),
        "orders": [_order_directive(query, graph, order) for graph, order in orders],
    }
    return SteeredQuery(query.id, query.description, content)


def _order_directive(query: Query, graph: JoinGraph, order: Order) -> dict[str, Any]:
    action = Action(ActionKind.ORDER_JOINS, graph.signature, order_text(order, graph), query.fingerprint)
    return {
        "id": action.id,
        "items": [sorted(relation.relations) for relation in graph.relations],
        "predicates": [
            [list(members(p.left)), list(members(p.right)), p.left_key, p.right_key] for p in graph.predicates
        ],
        "order": nested(order),
        "literals": [literal_class(query.conditions or ())],
    }


def nested(order: Order) -> Any:
    return order if isinstance(order, int) else [nested(order[0]), nested(order[1])]


def _order(graph: JoinGraph, rng: random.Random, choice: RandomChoice) -> Order:
    if choice.order == "written":
        return graph.written
    for _ in range(20):
        order = _linear(graph, rng, choice) if rng.random() < 0.4 else _bushy(graph, rng, choice)
        if choice.acceptable(graph, order):
            return order
    return graph.written


def _bushy(graph: JoinGraph, rng: random.Random, choice: RandomChoice) -> Order:
    """Pairs of what is joined so far, drawn among those that a predicate joins."""
    parts: list[tuple[Order, int]] = [(number, 1 << number) for number in range(len(graph.relations))]
    while len(parts) > 1:
        pairs = [(a, b) for a in parts for b in parts if a is not b]
        joined = [(a, b) for a, b in pairs if _connected(graph, a[1], b[1])]
        one, other = rng.choice(joined if joined and rng.random() >= choice.cartesian else pairs)
        parts = [part for part in parts if part is not one and part is not other]
        parts.append((Joined(one[0], other[0]), one[1] | other[1]))
    return parts[0][0]


def _linear(graph: JoinGraph, rng: random.Random, choice: RandomChoice) -> Order:
    """One relation after the other, each on either side."""
    waiting = list(range(len(graph.relations)))
    order: Order = waiting.pop(rng.randrange(len(waiting)))
    done = 1 << order
    while waiting:
        joined = [number for number in waiting if _connected(graph, done, 1 << number)]
        number = rng.choice(joined if joined and rng.random() >= choice.cartesian else waiting)
        waiting.remove(number)
        order = Joined(number, order) if rng.random() < 0.3 else Joined(order, number)
        done |= 1 << number
    return order


def _connected(graph: JoinGraph, one: int, other: int) -> bool:
    return any(
        (p.left & ~one == 0 and p.right & ~other == 0) or (p.left & ~other == 0 and p.right & ~one == 0)
        for p in graph.predicates
    )


def ordered_joins(graph: JoinGraph, order: Order) -> list[OrderedJoin]:
    """The joins of an order as its plan will have them, as far as the predicates are between two relations each."""
    found: list[OrderedJoin] = []
    _collect(graph, order, found)
    return found


def _collect(graph: JoinGraph, order: Order, found: list[OrderedJoin]) -> int:
    if isinstance(order, int):
        return 1 << order
    left, right = (_collect(graph, side, found) for side in order)
    keys = []
    for p in graph.predicates:
        if p.left & ~left == 0 and p.right & ~right == 0:
            keys.append((p.left_key, p.right_key))
        elif p.left & ~right == 0 and p.right & ~left == 0:
            keys.append((p.right_key, p.left_key))
    found.append(OrderedJoin(_read(graph, left), _read(graph, right), tuple(keys)))
    return left | right


def _read(graph: JoinGraph, relations: int) -> Names:
    return tuple(sorted(name for number in members(relations) for name in graph.relations[number].relations))


def _hints(
    query: Query, orders: Sequence[tuple[JoinGraph, Order]], rng: random.Random, choice: RandomChoice
) -> Iterator[dict[str, Any]]:
    """Hints for joins of the new orders, and for those that are in no block. Each signature gets one."""
    in_blocks = Counter(join.signature for graph, _ in orders for join in ordered_joins(graph, graph.written))
    rows = {side.relations: side.rows for join in query.joins for side in (join.left, join.right)}
    places = {join.signature: (join.left, join.right) for graph, o in orders for join in ordered_joins(graph, o)}
    for site in query.joins:
        if site.signature not in in_blocks:
            places.setdefault(site.signature, (site.left.relations, site.right.relations))
    for number, sides in places.items():
        if rng.random() < choice.hinted:
            named = [side for side in ((), *sides) if choice.buildable(side)]
            side = rng.choice(named) if sides[0] != sides[1] else ()
            rows_of = [rows.get(s) or 0 for s in ([side] if side else sides)]
            hints = [h for h in choice.hints if _may(h, side, max(rows_of), choice)]
            yield _hint(query, number, rng.choice(hints), side)
    keys = {join.signature: join.keys for graph, o in orders for join in ordered_joins(graph, o)}
    keys |= {site.signature: site.keys for site in query.joins}
    for number, sides in places.items():
        if rng.random() < choice.filtered:
            relations = [(key.rsplit(".", 1)[0],) for pair in keys[number] for key in pair]
            yield _hint(query, number, FILTER, rng.choice([*sides, *relations]))
    has_twice = len({site.signature for site in query.joins}) < len(query.joins)
    for number in places if has_twice and choice.shared else ():
        if rng.random() < choice.shared:
            yield _hint(query, number, SHARE, ())


def _hint(query: Query, number: str, hint: str, side: Names) -> dict[str, Any]:
    action = Action(ActionKind.HINT_JOIN, number, hint, query.fingerprint, side)
    return {
        "id": action.id,
        "join": number,
        "hint": hint,
        "side": list(side),
        "literals": [literal_class(query.conditions or ())],
    }


def _may(hint: str, side: Names, rows: int, choice: RandomChoice) -> bool:
    """Whether a hint means anything: it must be clear which side is to be built."""
    return hint in ("NO_BROADCAST", "MERGE") or (bool(side) and (hint != "BROADCAST" or choice.broadcast(rows)))
