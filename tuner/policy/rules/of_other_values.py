"""What is to be tried on values that only other instances of a mapped task have is left to these: a tenant each, say."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.decision import DecidedChange, Standing
from tuner.policy.instances import beside_latest
from tuner.policy.situation import Situation


def of_other_values(situation: Situation, decided: Sequence[DecidedChange]) -> list[DecidedChange]:
    """Leaves out trials whose values others had beside the latest usable run of this one, which had not: it would hold them, and
    keep them from the one that has these."""
    latest, others = beside_latest(situation.runs, situation.instance)
    if latest is None:
        return list(decided)
    mine, theirs = latest.classes, frozenset[tuple[str, str]]().union(*(run.classes for run in others))
    asked = latest.fingerprints

    def is_of_others(one: DecidedChange) -> bool:
        meant = {(one.change.query or "", class_) for class_ in one.literals}
        is_told = one.standing is Standing.TRIAL and one.change.query in asked
        return is_told and mine.isdisjoint(meant) and not theirs.isdisjoint(meant)

    return [one for one in decided if not is_of_others(one)]
