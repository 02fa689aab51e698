"""What is for queries that only other instances of a mapped task ask is left to these."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.decision import TAKEN_OUT, DecidedChange, Standing
from tuner.policy.situation import Situation


def of_other_instances(situation: Situation, decided: Sequence[DecidedChange]) -> list[DecidedChange]:
    """Leaves out what other instances are to try, to be without or to have: one that takes a trial of a query which it does not
    ask keeps it from the one that does, and a property reaches whatever it asks.

    What was taken out stays said. So does what a person pinned, a property that one approved, and what is proven of joins of a
    query that this one has asked before: a list that a task is mapped over may come in another order.
    """
    if not situation.of_others:
        return list(decided)
    own = (run for run in situation.runs if run.instance == situation.instance)
    asked = {fingerprint for run in own for fingerprint in run.fingerprints}
    return [d for d in decided if not situation.is_of_others(d.change) or _stays(situation, d, asked)]


def _stays(situation: Situation, decided: DecidedChange, asked: set[str]) -> bool:
    if decided.standing is Standing.PINNED or decided.standing in TAKEN_OUT:
        return True
    if not decided.change.is_on_joins:
        return situation.is_asked_for(decided.change)
    return decided.standing is Standing.PROMOTED and not asked.isdisjoint(decided.queries)
