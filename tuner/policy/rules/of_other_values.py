"""What is to be tried on values that only other instances of a mapped task have waits for these: a tenant each, say."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.decision import DecidedChange, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.policy.held_back import held_back
from tuner.policy.instances import beside_latest
from tuner.policy.situation import Situation


def of_other_values(situation: Situation, decided: Sequence[DecidedChange]) -> list[DecidedChange]:
    """Holds trials whose values others had beside the latest usable run of this one, which had not: its agent would hold them,
    and the one that has these values could not try them."""
    latest, others = beside_latest(situation.runs, situation.instance)
    if latest is None:
        return list(decided)
    mine, theirs = latest.classes, frozenset[tuple[str, str]]().union(*(run.classes for run in others))
    asked = latest.fingerprints

    def is_of_others(one: DecidedChange) -> bool:
        meant = {(one.change.query or "", class_) for class_ in one.literals}
        is_tried = one.standing is Standing.TRIAL and one.change.query in asked
        return is_tried and mine.isdisjoint(meant) and not theirs.isdisjoint(meant)

    return [held_back(one, Reason(ReasonCode.VALUES_OF_OTHERS)) if is_of_others(one) else one for one in decided]
