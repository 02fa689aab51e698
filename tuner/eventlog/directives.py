"""What a run's conf directed the Catalyst agent to do, as data. The text comes from a log: nothing of it is trusted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, NamedTuple

import msgspec

from tuner.errors import TunerError
from tuner.printable import printable

# The first acted on any values of a query.
VERSIONS = (1, 2)
# The properties that hold the text, or the name of the file it is in.
DIRECTIVES = "spark.tuner.directives"
DIRECTIVES_FILE = "spark.tuner.directives.file"

MAX_CHARACTERS = 4 << 20
MAX_DIRECTIVES = 1000
MAX_ITEMS = 100
# An action's id names the relations of the side that it hints.
MAX_ID = 20_000

_Text = Annotated[str, msgspec.Meta(max_length=MAX_ID)]
_Digest = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{16}\Z")]
_Hint = Annotated[str, msgspec.Meta(pattern=r"^[A-Z_]{1,40}\Z")]
_Number = Annotated[int, msgspec.Meta(ge=0, lt=MAX_ITEMS)]


class DirectivesError(TunerError):
    """A text that holds no directives of a version that is known."""


class ItemPair(NamedTuple):
    """A join of two orders of items."""

    left: ItemOrder
    right: ItemOrder


# An order of a block's items: one of them by its number, or a join of two orders.
ItemOrder = _Number | ItemPair


class HintDirective(msgspec.Struct, frozen=True):
    """A hint for one join. `id` is the action's, `join` the signature, `side` the relations hinted ((): either side)."""

    id: _Text
    join: _Digest
    hint: _Hint
    side: tuple[_Text, ...] = ()


class OrderDirective(msgspec.Struct, frozen=True):
    """An order for one block of inner joins: for each item its relations, and the items' numbers in pairs."""

    id: _Text
    items: Annotated[tuple[tuple[_Text, ...], ...], msgspec.Meta(max_length=MAX_ITEMS)]
    order: ItemOrder


class QueryDirectives(msgspec.Struct, frozen=True):
    """What one query was directed to do: its fingerprint, and the relations that the agent knows it by."""

    fingerprint: _Digest
    relations: tuple[_Text, ...] = ()
    hints: tuple[HintDirective, ...] = ()
    orders: tuple[OrderDirective, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """The actions, hints first."""
        return (*(hint.id for hint in self.hints), *(order.id for order in self.orders))


class _Directives(msgspec.Struct, frozen=True):
    version: int
    queries: tuple[QueryDirectives, ...]


_decoder = msgspec.json.Decoder(_Directives)


def parse_directives(text: str) -> tuple[QueryDirectives, ...]:
    """The directives that a text holds, query by query; DirectivesError if it is none, or holds more than is sensible."""
    if len(text) > MAX_CHARACTERS:
        raise DirectivesError(f"{len(text)} characters of directives are more than the {MAX_CHARACTERS} that are read")
    try:
        found = _decoder.decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise DirectivesError(f"not a list of directives: {type(error).__name__}") from error
    if found.version not in VERSIONS:
        known = " and ".join(map(str, VERSIONS))
        raise DirectivesError(f"directives of version {found.version}; only versions {known} are known")
    if sum(len(query.ids) for query in found.queries) > MAX_DIRECTIVES:
        raise DirectivesError(f"more than {MAX_DIRECTIVES} directives")
    for query in found.queries:
        if any(printable(text) != text for text in _texts(query)):
            raise DirectivesError("a name in the directives cannot be printed")
        if any(sorted(_numbers(order.order)) != list(range(len(order.items))) for order in query.orders):
            raise DirectivesError("an order in the directives does not join each item once")
    return found.queries


def _texts(query: QueryDirectives) -> Iterator[str]:
    yield from query.ids
    yield from query.relations
    for hint in query.hints:
        yield from hint.side
    for order in query.orders:
        for item in order.items:
            yield from item


def _numbers(order: ItemOrder) -> Iterator[int]:
    waiting = [order]
    while waiting:
        part = waiting.pop()
        if isinstance(part, int):
            yield part
        else:
            waiting.extend(part)
