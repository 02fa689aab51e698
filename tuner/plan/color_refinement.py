"""Telling the items of a block apart by what they are joined to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from tuner.model.join_graph import Predicate, members
from tuner.plan.digest import digest


def color_refinement(labels: Sequence[str], predicates: Iterable[Predicate]) -> list[str]:
    """Labels that also tell items apart by the columns they are joined on, and by what they are joined to.

    Each round tells apart by neighbours one step further (colour refinement, Weisfeiler and Leman 1968). The items'
    numbers and the sides of predicates make no difference.
    """
    ends: list[list[tuple[str, str, int]]] = [[] for _ in labels]
    for p in predicates:
        for own, other, own_key, other_key in (
            (p.left, p.right, p.left_key, p.right_key),
            (p.right, p.left, p.right_key, p.left_key),
        ):
            for number in members(own):
                ends[number].append((own_key, other_key, other))
    current = list(labels)
    for _ in labels:
        further = [
            _digest(label, *sorted(f"{own}={other}:{_of(current, there)}" for own, other, there in neighbours))
            for label, neighbours in zip(current, ends, strict=True)
        ]
        settled = len(Counter(further)) == len(Counter(current))
        current = further
        if settled:
            break
    return current


def _of(labels: list[str], relations: int) -> str:
    return "+".join(sorted(labels[number] for number in members(relations)))


def _digest(*parts: str) -> str:
    return digest("\n".join(parts))
