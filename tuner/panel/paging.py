"""Answers in pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, TypeVar

from fastapi import Query

from tuner.panel.models.page import MOST_ITEMS, Page

Fact = TypeVar("Fact")
Item = TypeVar("Item")

MOST_OFFSET = 1_000_000

Limit = Annotated[int, Query(ge=1, le=MOST_ITEMS)]
Offset = Annotated[int, Query(ge=0, le=MOST_OFFSET)]


def page(items: Sequence[Item], limit: int, offset: int) -> Page[Item]:
    """The items of one page, of all that there are."""
    return Page(items=list(items[offset : offset + limit]), total=len(items), offset=offset, limit=limit)


def page_of(facts: Sequence[Fact], item: Callable[[Fact], Item], limit: int, offset: int) -> Page[Item]:
    """As `page`, of facts of which only the page's become items."""
    items = [item(fact) for fact in facts[offset : offset + limit]]
    return Page(items=items, total=len(facts), offset=offset, limit=limit)
