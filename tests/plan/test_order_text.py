"""Orders as text: what is written can be read again, also by a run that lists the relations otherwise."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tuner.model.join_graph import GraphRelation, Joined, JoinGraph, RelationKind
from tuner.plan.order_text import OrderTextError, order_text, parse_order


def graph(*labels: str) -> JoinGraph:
    relations = tuple(GraphRelation(label, (label,), RelationKind.SCAN) for label in labels)
    return JoinGraph("block", relations, (), (), {}, 0)


ABCD = graph("a", "b", "c", "d")
ORDER = Joined(Joined(1, 3), Joined(0, 2))


def test_an_order_is_written_and_read() -> None:
    assert order_text(ORDER, ABCD) == "((b d) (a c))"
    assert parse_order("((b d) (a c))", ABCD) == ORDER


def test_another_run_lists_the_relations_otherwise() -> None:
    turned = replace(ABCD, relations=ABCD.relations[::-1])
    assert parse_order(order_text(ORDER, ABCD), turned) == Joined(Joined(2, 0), Joined(3, 1))


def test_relations_of_one_label_are_numbered() -> None:
    twins = graph("a", "b", "a")
    text = order_text(Joined(Joined(2, 1), 0), twins)
    assert text == "((a~2 b) a)"
    assert parse_order(text, twins) == Joined(Joined(2, 1), 0)


@pytest.mark.parametrize(
    "text", ["", "a", "(a b)", "((a b) (c x))", "((a b) (c a))", "((a b) (c d)", "((a b) (c d)) d", "((a b c) d)", "()"]
)
def test_what_is_no_order_of_these_relations(text: str) -> None:
    with pytest.raises(OrderTextError):
        parse_order(text, ABCD)
