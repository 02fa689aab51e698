"""One change for one target, and for the same values."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from tuner.model.decision import DecidedChange, Standing
from tuner.model.reason import Reason, ReasonCode
from tuner.policy.measured_values import act_on_others
from tuner.policy.rulings import ruled_by
from tuner.policy.same_target import differ_on_target
from tuner.policy.situation import Situation


def conflicts(situation: Situation, decided: Sequence[DecidedChange]) -> list[DecidedChange]:
    """A later change replaces what set its target to another value, and takes over its queries; a pinned one stays, and of two to
    one join that no run had the first, which is to gain more. Of two that people asked for the later word counts, and of the
    other it is said that it is held for that."""
    kept: list[DecidedChange] = []
    tried = {d.id for run in situation.runs for d in run.decision.in_force}
    for candidate in decided:
        rivals = [k for k in kept if candidate.is_in_force and _are_rivals(k, candidate)]
        stays = next((k for k in rivals if _stays(situation, k, candidate, tried)), None)
        if stays is not None:
            kept += _for_another(situation, candidate, stays)
            continue
        if rivals:
            held = {k.id: _for_another(situation, k, candidate) for k in rivals}
            kept = [one for k in kept for one in held.get(k.id, [k])]
            touched = dict.fromkeys(q for d in (*rivals, candidate) for q in d.queries)
            candidate = replace(candidate, change=replace(candidate.change, queries=tuple(touched)))
        kept.append(candidate)
    return kept


def _stays(situation: Situation, kept: DecidedChange, candidate: DecidedChange, tried: Set[str]) -> bool:
    """Whether a candidate does not replace what is kept: by the later word, else by a pin, or where both are new to a join."""
    own, other = situation.verdict(kept.change), situation.verdict(candidate.change)
    if other is None or not other.is_asked_for:
        return kept.standing is Standing.PINNED or _are_new_to_a_join(kept, candidate, tried)
    return own is not None and own.is_asked_for and own.at >= other.at


def _are_new_to_a_join(kept: DecidedChange, candidate: DecidedChange, tried: Set[str]) -> bool:
    """What an order calls for comes with it, whatever else is to gain more."""
    are_new = tried.isdisjoint((kept.id, candidate.id))
    return kept.change.is_on_joins and are_new and (bool(kept.change.needs) or not candidate.change.needs)


def _for_another(situation: Situation, out: DecidedChange, another: DecidedChange) -> list[DecidedChange]:
    """What is out for another: held, where a person asked for both; else nothing is left of it."""
    verdict = situation.verdict(another.change)
    if verdict is None or not situation.is_asked_for(out.change):
        return []
    return [replace(out, standing=Standing.HELD, held=Reason(ReasonCode.RULED_ANOTHER, because=(ruled_by(verdict),)))]


def _are_rivals(kept: DecidedChange, candidate: DecidedChange) -> bool:
    alike = kept.is_in_force and differ_on_target(kept.change, candidate.change)
    return alike and not act_on_others(kept, candidate)
