"""What the agent is told: one JSON text, version 2, read by Directives.java.

    {"version": 2, "queries": [
      {"fingerprint": "0f2a…", "relations": ["db.a", "db.b", "/path/c"], "columns": "",
       "hints": [{"id": "hint_join:…", "join": "9c1e…", "hint": "BROADCAST", "side": ["db.a"], "most_bytes": 40000000,
                  "literals": ["77b2…"]}],
       "orders": [{"id": "order_joins:…", "items": [["db.a"], ["db.b"], ["/path/c"]],
                   "predicates": [[[0], [1], "db.a.k", "db.b.k"], [[1], [2], "db.b.j", "/path/c.j"]],
                   "order": [[1, 2], 0],
                   "literals": ["77b2…"]}]}]}

Plain ASCII on one line, and the same for the same decision: it travels on a command line.
"""

from __future__ import annotations

import json

import msgspec

from tuner.model.join_graph import Order

# An agent that knows another version leaves all plans as they are: one that knew 1 would act on any values of a query.
VERSION = 2

# Numbers of the items on the left, of those on the right, the left key, the right key (as `tuner.model.join_graph.Predicate`).
PredicateMessage = tuple[tuple[int, ...], tuple[int, ...], str, str]


class HintMessage(msgspec.Struct, frozen=True):
    """A hint for every join of a query that has a signature.

    `id` is the action's, for the agent's answer; `join` the signature; `hint` BROADCAST, NO_BROADCAST, SHUFFLE_HASH or
    MERGE; `side` the relations of the side that gets it, sorted, repeated as often as they are read: [] for either.
    Where the planner estimates the relations of the side at more than `most_bytes` together, it is left out (0: at any size).
    `literals` are the ids of the values that it may act on (`tuner.plan.literals`): where a plan has others, it is left out.
    """

    id: str
    join: str
    hint: str
    side: tuple[str, ...]
    most_bytes: int = 0
    literals: tuple[str, ...] = ()


class OrderMessage(msgspec.Struct, frozen=True):
    """An order for a block of inner joins, which is known by its items and equalities up to their numbers.

    `id` is the action's; `items` holds for each item of the block the relations below it, sorted, repeated as often as
    they are read; `predicates` its equalities; `order` is a tree: an item's number, or [left, right] of two trees.
    `literals` are as those of a hint.
    """

    id: str
    items: tuple[tuple[str, ...], ...]
    predicates: tuple[PredicateMessage, ...]
    order: Order
    literals: tuple[str, ...] = ()


class QueryMessage(msgspec.Struct, frozen=True):
    """What is wanted of one query.

    `fingerprint` comes back in the agent's answer, for it cannot be computed before the plan is made: the agent knows
    the query by `relations`, the sorted set of all that it reads (`tuner.plan.model.Query.relations`), and by `columns`,
    a digest of the columns it reads of them, where others read the same relations ("" anywhere else).
    """

    fingerprint: str
    relations: tuple[str, ...]
    columns: str
    hints: tuple[HintMessage, ...]
    orders: tuple[OrderMessage, ...]


class Message(msgspec.Struct, frozen=True):
    """All that is wanted of an application, by query."""

    version: int
    queries: tuple[QueryMessage, ...]


def message_text(message: Message) -> str:
    """The message as it is sent. "$" is escaped: in some places Spark substitutes ${…} in the values of properties."""
    text = json.dumps(msgspec.to_builtins(message), separators=(",", ":"), ensure_ascii=True)
    return text.replace("$", "\\u0024")
