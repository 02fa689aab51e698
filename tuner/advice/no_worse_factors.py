"""How far each relation of a block may shrink and grow until an order is priced worse: first alone, then all of them at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tuner.advice.head_room import MOST_GROWTH
from tuner.advice.order_worth import Scale, WorthAt

# Factors that sizes are tried at, largest first. Within the last an order stands on its measurement, whatever prices say:
# a table that gains a fifth in a night is an ordinary one.
GROWTHS = (MOST_GROWTH, 2.8, 2.0, 1.4, 1.2)

# By how much a relation may be smaller, and larger.
Factors = tuple[float, float]


def no_worse_factors(worth: WorthAt, number: int) -> list[Factors]:
    """For each of so many relations the factor that it may be smaller, and that it may be larger; each holds with all others at
    theirs."""
    alone = [
        (_alone(worth, item, number, shrinks=True), _alone(worth, item, number, shrinks=False))
        for item in range(number)
    ]
    first = 0
    for most in GROWTHS[:-1]:
        box = [(min(low, most), min(high, most)) for low, high in alone]
        corners = list(_corners(box))
        # The one that a larger box has failed at is looked at first.
        turned = enumerate(corners[first:] + corners[:first])
        failed = next((place for place, corner in turned if not worth(corner).is_no_worse), None)
        if failed is None:
            return box
        first = (first + failed) % len(corners)
    return [(GROWTHS[-1], GROWTHS[-1])] * number


def _alone(worth: WorthAt, item: int, number: int, *, shrinks: bool) -> float:
    for factor in GROWTHS[:-1]:
        scale = [1.0] * number
        scale[item] = 1 / factor if shrinks else factor
        if worth(scale).is_no_worse:
            return factor
    return GROWTHS[-1]


def _corners(box: Sequence[Factors]) -> Iterator[Scale]:
    """All as large, all as small as may be; and each of them against all others.

    What joins put out is a product of its relations' sizes: along each of them the difference of two orders is a line
    between the places where Spark selects another join, so that its worst is at a corner.
    """
    large, small = [high for _, high in box], [1 / low for low, _ in box]
    yield large
    yield small
    for item in range(len(box)):
        yield [*large[:item], small[item], *large[item + 1 :]]
        yield [*small[:item], large[item], *small[item + 1 :]]
