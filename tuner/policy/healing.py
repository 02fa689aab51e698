"""Whether a run has what an earlier one died for want of."""

from __future__ import annotations

from tuner.model.decision import Decision
from tuner.model.run import Run
from tuner.policy.changes_in_effect import changes_in_effect
from tuner.policy.failed_run import FailedRun, failed_by
from tuner.policy.failed_without import failed_without
from tuner.policy.remedies import REMEDIES, amount


def heals(died: Run, decision: Decision) -> bool:
    """Whether a run decided so has more than one that died: more of a remedy, its author's sizes in place of less, none of the
    changes that may have made it die, or what it was without to compare."""
    had = {one.property: one.value for one in died.decision.raises}
    has = {one.property: one.value for one in decision.raises if one.property in REMEDIES}
    if any(name not in had or amount(name, {name: has[name]}) > amount(name, {name: had[name]}) for name in has):
        return True
    if died.decision.cuts and not decision.cuts and had.items() <= has.items():
        return True
    in_force = {d.id for d in decision.in_force}
    blamed = set(failed_by(FailedRun(died), changes_in_effect(died)))
    regained = in_force.intersection(d.id for d in failed_without(died))
    return bool(blamed - in_force or regained) and had.items() <= has.items()
