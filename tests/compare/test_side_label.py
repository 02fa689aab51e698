"""Sides of joins keep a length that people read."""

from __future__ import annotations

from tuner.compare.side_label import side_label
from tuner.model.join_site import JoinSide


def test_two_relations_are_named_and_the_others_counted() -> None:
    assert side_label(JoinSide(("shop.sales",))) == "sales"
    assert side_label(JoinSide(("shop.sales", "/data/days"))) == "sales+days"
    assert side_label(JoinSide(("shop.sales", "shop.days", "shop.items", "shop.stores"))) == "sales+days+2 more"
    assert side_label(JoinSide(())) == ""
