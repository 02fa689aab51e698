"""Sizes that a run has in place of what its job asks for, in words."""

from __future__ import annotations

from tuner.model.decision import Decision
from tuner.model.size_change import SizeChange, values_of
from tuner.words.reasons import reason_words


def size_words(one: SizeChange) -> str:
    """What is set, and in place of what."""
    return (
        f"{one.property}={one.value} instead of {one.was}"
        if one.was
        else f"{one.property}={one.value}, which is not set"
    )


def given_back_words(before: Decision, now: Decision) -> list[str]:
    """What is the job's own again in a run with the later decision; of what had been raised with the death it was raised for."""
    kept = values_of(now.sizes)
    raised = [f"{_given_back(one)}: {reason_words(one.why)}" for one in before.raises if not values_of([one]) <= kept]
    return [*raised, *(_given_back(one) for one in before.cuts if not values_of([one]) <= kept)]


def _given_back(one: SizeChange) -> str:
    if not one.was:
        return f"{one.property} is not set to {one.value} any more"
    return f"{one.property} goes back from {one.value} to {one.was}"
