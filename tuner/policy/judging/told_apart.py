"""Whether runs tell what some of a query's changes did to it from what others did that were in force with them."""

from __future__ import annotations

from tuner.policy.evidence.comparison import Comparison

# What was always in force together with others is judged with them: its own share is this unsure (log seconds).
TOGETHER = 0.25
# So is what two kinds of change did that were tried together, where each is this many times as unsure as both.
MOST_BLURRED = 2.0


def is_told(one: Comparison) -> bool:
    """Of changes, by themselves."""
    return one.ratio.deviation <= TOGETHER


def is_told_apart(one: Comparison, of_all: Comparison) -> bool:
    """Of one kind of changes that were tried together with others, beside what all of them did."""
    return is_told(one) or one.ratio.deviation <= MOST_BLURRED * of_all.ratio.deviation
