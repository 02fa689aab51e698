"""Answers in pages."""

from __future__ import annotations

from typing import Generic, TypeVar

from tuner.panel.models.answer import Answer

Item = TypeVar("Item")

MOST_ITEMS = 200


class Page(Answer, Generic[Item]):
    """`items` from `offset` on, of `total` that there are."""

    items: list[Item]
    total: int
    offset: int
    limit: int
