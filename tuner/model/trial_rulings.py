"""What a person can say of changes that are tried together, and which of them each word is on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from tuner.model.decision import IN_FORCE, DecidedChange, Decision, Mode, Standing
from tuner.model.trial import standing_of
from tuner.model.verdict import Ruling

_RULINGS = {
    Standing.PROPOSED: (Ruling.APPROVE, Ruling.REJECT, Ruling.PIN),
    Standing.TRIAL: (Ruling.PIN, Ruling.ROLL_BACK),
    Standing.PROMOTED: (Ruling.PIN, Ruling.ROLL_BACK),
    Standing.PINNED: (Ruling.APPROVE, Ruling.ROLL_BACK),
    Standing.HELD: (Ruling.APPROVE, Ruling.REJECT, Ruling.PIN),
    Standing.ROLLED_BACK: (Ruling.APPROVE, Ruling.REJECT, Ruling.PIN),
    Standing.EXPIRED: (Ruling.APPROVE, Ruling.REJECT, Ruling.PIN),
}


def trial_rulings(trial: Sequence[DecidedChange]) -> dict[Ruling, list[str]]:
    """The rulings that may be given to a trial, each with the ids of the changes that it is on. What only a person can carry out
    can only be rejected."""
    standing = standing_of(trial)
    if not any(decided.change.carried_out for decided in trial):
        return {Ruling.REJECT: _ids(trial)} if standing is Standing.PROPOSED else {}
    return {ruling: _ids(trial) for ruling in _RULINGS[standing]} | _ruled_in_part(trial, standing)


def ruled_together(trial: Sequence[DecidedChange], change_id: str, ruling: Ruling) -> list[str]:
    """The ids that a ruling on one change of a trial is on: what was tried together was measured together."""
    found = trial_rulings(trial).get(ruling, [])
    return found if change_id in found else _ids(trial)


def kept_out(decision: Decision, change_ids: Collection[str]) -> list[DecidedChange]:
    """Of changes that a person has asked for those that the next run is without all the same; but for what mode observe alone
    leaves to people."""
    is_observed = decision.mode is Mode.OBSERVE
    asked_for = (decided for decided in decision.changes if decided.id in change_ids and not decided.is_in_force)
    return [decided for decided in asked_for if not (is_observed and decided.standing is Standing.PROPOSED)]


def _ruled_in_part(trial: Sequence[DecidedChange], standing: Standing) -> dict[Ruling, list[str]]:
    """Of a trial that is in force in part: what is proposed is approved by itself, and what was never tried is not pinned."""
    if standing not in IN_FORCE:
        return {}
    proposed = _ids(decided for decided in trial if decided.standing is Standing.PROPOSED)
    asked = {Ruling.APPROVE: proposed, Ruling.REJECT: proposed} if proposed else {}
    can_pin = Ruling.PIN in _RULINGS[standing]
    return asked | ({Ruling.PIN: _ids(decided for decided in trial if decided.is_in_force)} if can_pin else {})


def _ids(changes: Iterable[DecidedChange]) -> list[str]:
    return [decided.id for decided in changes]
