"""An order of relations as one line of text that any later run of its block can read again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tuner.errors import TunerError
from tuner.model.join_graph import Joined, JoinGraph, Order

_TOKEN = re.compile(r"\(|\)|[^\s()]+")


class OrderTextError(TunerError):
    """A text that is no order of the relations at hand."""


def order_text(order: Order, graph: JoinGraph) -> str:
    """`((a b) c)`: labels of relations, joins in brackets.

    Relations that share a label are told apart by numbers, `a~2`, as they come in the graph.
    """
    return _text(order, order_names(graph))


def parse_order(text: str, graph: JoinGraph) -> Order:
    """The order that a text holds, by the relations' numbers in this graph; OrderTextError if it is none of them all."""
    tokens = iter(_TOKEN.findall(text))
    order = _parse(next(tokens, ""), tokens, {name: number for number, name in enumerate(order_names(graph))})
    if next(tokens, None) is not None or sorted(_numbers(order)) != list(range(len(graph.relations))):
        raise OrderTextError(f"{text!r} does not join each of {len(graph.relations)} relations once")
    return order


def order_names(graph: JoinGraph) -> list[str]:
    """What relations are called in the text of an order, by their numbers: `a`, and `a~2` for the next one alike."""
    names: list[str] = []
    labels: Sequence[str] = [relation.label for relation in graph.relations]
    for number, label in enumerate(labels):
        same = labels[: number + 1].count(label)
        names.append(label if same == 1 else f"{label}~{same}")
    return names


def _text(order: Order, names: Sequence[str]) -> str:
    if isinstance(order, int):
        return names[order]
    return f"({_text(order[0], names)} {_text(order[1], names)})"


def _parse(first: str, tokens: Iterator[str], numbers: dict[str, int]) -> Order:
    if first == "(":
        left = _parse(next(tokens, ""), tokens, numbers)
        right = _parse(next(tokens, ""), tokens, numbers)
        if next(tokens, "") != ")":
            raise OrderTextError("a bracket holds two inputs")
        return Joined(left, right)
    if first not in numbers:
        raise OrderTextError(f"{first!r} is no relation of this block")
    return numbers[first]


def _numbers(order: Order) -> Iterator[int]:
    if isinstance(order, int):
        yield order
    else:
        yield from _numbers(order[0])
        yield from _numbers(order[1])
