"""Answers in pages."""

from __future__ import annotations

from typing import Generic, Self, TypeVar

from tuner.panel.models.answer import Answer

Item = TypeVar("Item")

MOST_ITEMS = 200


class Page(Answer, Generic[Item]):
    """`items` from `offset` on, of `total` that there are."""

    items: list[Item]
    total: int
    offset: int
    limit: int

    def cut_to(self, most: int) -> Self:
        """As one that was asked for with `most` as its limit, if that is less."""
        cut = {"items": self.items[:most], "limit": min(self.limit, most)}
        return super().cut_to(most).model_copy(update=cut)
