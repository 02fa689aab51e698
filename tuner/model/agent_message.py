"""What the Catalyst agent is told: one JSON text, version 3, read by Directives.java.

    {"version": 3, "queries": [
      {"fingerprint": "0f2a…", "relations": ["db.a", "db.b", "/path/c"], "columns": "",
       "hints": [{"id": "hint_join:…", "join": "9c1e…", "hint": "BROADCAST", "side": ["db.a"], "most_bytes": 40000000,
                  "cap_bytes": 300000000, "literals": ["77b2…"], "neutral": ["db.a.day"]}],
       "orders": [{"id": "order_joins:…", "items": [["db.a"], ["db.b"], ["/path/c"]],
                   "predicates": [[[0], [1], "db.a.k", "db.b.k"], [[1], [2], "db.b.j", "/path/c.j"]],
                   "order": [[1, 2], 0], "bounds": [[500, 9000, 120], [700, 8000, 4000], [90, 1600, 0]],
                   "more_bounds": [[[20000, 90000, 120], [700, 8000, 4000], [90, 1600, 0]]],
                   "literals": ["77b2…"], "neutral": ["db.a.day"]}]}],
     "sealed": [{"lock": "5e1d…", "nonce": "90ab…", "body": "k3J9…"}]}

`sealed` is there where other jobs lend: each is the JSON of a query's entry, which only who reads what that reads can open
(`tuner.plan.sealed_directives`). The tuner writes it, and reads it again from the event log of the run that had it. Limits
hold for what is read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, NamedTuple

import msgspec

from tuner.model.join_graph import Order

# An agent that knows another version leaves all plans as they are: one that knew 1 would act on any
# values of a query, one that knew 2 would order relations of any size and knows no classes of values.
VERSION = 3
READABLE_VERSIONS = (1, 2, VERSION)
# The properties that hold the text, or the name of the file it is in.
DIRECTIVES = "spark.tuner.directives"
DIRECTIVES_FILE = "spark.tuner.directives.file"
# The class that Spark loads as an extension of its sessions.
EXTENSIONS_CLASS = "tuner.steering.agent.Extensions"

MAX_CHARACTERS = 4 << 20
MAX_DIRECTIVES = 1000
MAX_ITEMS = 100
# An action's id names the relations of the side that it hints.
MAX_ACTION_ID = 20_000

_Text = Annotated[str, msgspec.Meta(max_length=MAX_ACTION_ID)]
_Digest = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{16}\Z")]
_Hint = Annotated[str, msgspec.Meta(pattern=r"^[A-Z_]{1,40}\Z")]
# Numbers of the items on the left, of those on the right, the left key, the right key (as `tuner.model.join_graph.Predicate`).
OrderPredicate = tuple[tuple[int, ...], tuple[int, ...], str, str]


class AgentMessageError(ValueError):
    """A text that is no message of a version that is known, or holds more than is sensible."""


class HintDirective(msgspec.Struct, frozen=True):
    """A hint for every join of a query that has a signature.

    `id` is the action's, for the agent's answer; `join` the signature; `hint` BROADCAST, NO_BROADCAST, SHUFFLE_HASH,
    MERGE, FILTER_BY_KEY or SHARE; `side` the relations of the side that gets it, sorted, repeated as often as they are
    read: () for either.
    Where the planner estimates the relations of the side at more than `most_bytes` together, it is left out (0: at any size).
    These rest on heaps that had room for a broadcast of `cap_bytes` (0: not known): in smaller ones they are fewer by as much.
    `literals` are the classes of values that it may act on (`tuner.plan.literals.literal_class`), whatever the `neutral`
    columns are asked for: where a plan has others, it is left out. What of a broadcast is counted first may have `most_counted`
    bytes of hash relation (0: what the heap has room for). A bloom filter is made for the keys of `rows` (0: for as many as
    Spark is set to), and stands where rows of the relations `filtered` are read, where a join below has equal keys of these
    (none: where its own keys are read). `shuffled`: the planner shuffled both sides of the join that was measured; where it
    broadcasts one by itself that the hint is not for, it is left out.
    """

    id: _Text
    join: _Digest
    hint: _Hint
    side: tuple[_Text, ...] = ()
    most_bytes: int = 0
    cap_bytes: int = 0
    literals: tuple[str, ...] = ()
    neutral: tuple[str, ...] = ()
    rows: int = 0
    most_counted: int = 0
    shuffled: bool = False
    filtered: tuple[_Text, ...] = ()


class SizeBounds(NamedTuple):
    """The least and the most bytes that the planner may estimate for relations, and the most rows that their filters may
    keep, by histograms of their columns (0: any)."""

    least: int
    most: int
    most_rows: int = 0


class OrderDirective(msgspec.Struct, frozen=True):
    """An order for a block of inner joins, which is known by its items and equalities up to their numbers.

    `id` is the action's; `items` holds for each item of the block the relations below it, sorted, repeated as often as
    they are read; `predicates` its equalities; `order` is a tree: an item's number, or [left, right] of two trees.
    `bounds` are those of each item's relations together: where the planner estimates any outside, the order is left out ((): at
    any size), unless all are within one of `more_bounds`: what other runs, or executions, had. `literals` and `neutral` are as
    those of a hint.
    """

    id: _Text
    items: Annotated[tuple[tuple[_Text, ...], ...], msgspec.Meta(max_length=MAX_ITEMS)]
    predicates: tuple[OrderPredicate, ...]
    order: Order
    literals: tuple[str, ...] = ()
    bounds: tuple[SizeBounds, ...] = ()
    neutral: tuple[str, ...] = ()
    more_bounds: tuple[tuple[SizeBounds, ...], ...] = ()


class QueryDirectives(msgspec.Struct, frozen=True):
    """What is wanted of one query.

    `fingerprint` comes back in the agent's answer, for it cannot be computed before the plan is made: the agent knows
    the query by `relations`, the sorted set of all that it reads (`tuner.model.query.Query.relations`), and by `columns`,
    a digest of the columns it reads of them, where others read the same relations ("" anywhere else).
    """

    fingerprint: _Digest
    relations: tuple[_Text, ...] = ()
    columns: str = ""
    hints: tuple[HintDirective, ...] = ()
    orders: tuple[OrderDirective, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """The actions, hints first."""
        return (*(hint.id for hint in self.hints), *(order.id for order in self.orders))

    def names(self) -> Iterator[str]:
        """The ids and the relations that it names."""
        yield from self.ids
        yield from self.relations
        for hint in self.hints:
            yield from hint.side
            yield from hint.filtered
        for order in self.orders:
            for item in order.items:
                yield from item


class SealedDirectives(msgspec.Struct, frozen=True):
    """What is wanted of a query that another job runs, too, without its names (`tuner.plan.sealed_directives`).

    `lock` tells a plan that can open it, `nonce` makes each body's key another; `body` is in base64.
    """

    lock: _Digest
    nonce: _Digest
    body: Annotated[str, msgspec.Meta(max_length=MAX_CHARACTERS)]


class AgentMessage(msgspec.Struct, frozen=True):
    """All that is wanted of an application, by query."""

    version: int
    queries: tuple[QueryDirectives, ...]
    sealed: tuple[SealedDirectives, ...] = ()


_decoder = msgspec.json.Decoder(AgentMessage)


def encode_message(queries: tuple[QueryDirectives, ...], sealed: tuple[SealedDirectives, ...] = ()) -> str:
    """The message as it is sent: plain ASCII on one line, the same for the same directives, for it travels on a command line.

    "$" is escaped: in some places Spark substitutes ${…} in the values of properties.
    """
    message = msgspec.to_builtins(AgentMessage(VERSION, queries, sealed))
    if not sealed:
        del message["sealed"]
    return json.dumps(message, separators=(",", ":"), ensure_ascii=True).replace("$", "\\u0024")


def decode_message(text: str) -> tuple[QueryDirectives, ...]:
    """The directives that a text holds, query by query. Raises AgentMessageError."""
    return decode_whole(text).queries


def decode_whole(text: str) -> AgentMessage:
    """The message that a text holds, with what is sealed in it. Raises AgentMessageError."""
    if len(text) > MAX_CHARACTERS:
        raise AgentMessageError(
            f"{len(text)} characters of directives are more than the {MAX_CHARACTERS} that are read"
        )
    try:
        message = _decoder.decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise AgentMessageError(f"not a list of directives: {type(error).__name__}") from error
    if message.version not in READABLE_VERSIONS:
        known = ", ".join(map(str, READABLE_VERSIONS))
        raise AgentMessageError(f"directives of version {message.version}; only versions {known} are known")
    if sum(len(query.ids) for query in message.queries) + len(message.sealed) > MAX_DIRECTIVES:
        raise AgentMessageError(f"more than {MAX_DIRECTIVES} directives")
    check_orders(message.queries)
    return message


def check_orders(queries: tuple[QueryDirectives, ...]) -> None:
    """Raises AgentMessageError where an order does not join, or bound, each of its items once."""
    for query in queries:
        if any(sorted(_item_numbers(order.order)) != list(range(len(order.items))) for order in query.orders):
            raise AgentMessageError("an order in the directives does not join each item once")
        if not all(len(some) == len(order.items) for order in query.orders for some in _ranges(order)):
            raise AgentMessageError("an order in the directives does not bound each item once")


def _ranges(order: OrderDirective) -> tuple[tuple[SizeBounds, ...], ...]:
    return (order.bounds, *order.more_bounds) if order.bounds else order.more_bounds


def _item_numbers(order: Order) -> Iterator[int]:
    waiting = [order]
    while waiting:
        part = waiting.pop()
        if isinstance(part, int):
            yield part
        else:
            waiting.extend(part)
