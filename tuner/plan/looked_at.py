"""What is made of a plan as long as it is looked at: once, however many ask for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar

from tuner.plan.node import PlanNode

Made = TypeVar("Made")

# By the identity of each plan that is looked at, what functions made of it. Nothing outlives the look.
_MADE = ContextVar[dict[int, dict[Any, Any]]]("_MADE", default={})  # noqa: B039


@contextmanager
def looked_at(*roots: PlanNode) -> Iterator[None]:
    """Until it ends, what `once_a_plan` makes of these plans is kept. Of parts of them nothing is."""
    outer = _MADE.get()
    token = _MADE.set({id(root): outer.get(id(root), {}) for root in roots})
    try:
        yield
    finally:
        _MADE.reset(token)


def once_a_plan(make: Callable[[PlanNode], Made]) -> Callable[[PlanNode], Made]:
    """Make it of a plan once while that is looked at; callers leave it as it is."""

    @wraps(make)
    def made(root: PlanNode) -> Made:
        kept = _MADE.get().get(id(root))
        if kept is None:
            return make(root)
        if make not in kept:
            kept[make] = make(root)
        found: Made = kept[make]
        return found

    return made
