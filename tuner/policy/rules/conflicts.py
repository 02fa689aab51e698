"""One change for one target, and for the same values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tuner.model.decision import DecidedChange, Standing
from tuner.policy.ledger import differ_on_target
from tuner.policy.measured_values import act_on_others
from tuner.policy.situation import Situation


def conflicts(situation: Situation, decided: Sequence[DecidedChange]) -> list[DecidedChange]:
    """A later change replaces what set its target to another value, and takes over its queries; a pinned one stays."""
    kept: list[DecidedChange] = []
    for candidate in decided:
        if candidate.is_in_force:
            rivals = [k for k in kept if _are_rivals(k, candidate)]
            if any(k.standing is Standing.PINNED for k in rivals):
                continue
            kept = [k for k in kept if k not in rivals]
            touched = dict.fromkeys(q for d in (*rivals, candidate) for q in d.queries)
            candidate = replace(candidate, change=replace(candidate.change, queries=tuple(touched)))
        kept.append(candidate)
    return kept


def _are_rivals(kept: DecidedChange, candidate: DecidedChange) -> bool:
    alike = kept.is_in_force and differ_on_target(kept.change, candidate.change)
    return alike and not act_on_others(kept, candidate)
