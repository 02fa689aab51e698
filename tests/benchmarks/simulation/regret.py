"""Where the seconds went that an oracle saves and the policy does not: by what kept a gain out, or had a loss in force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from tests.benchmarks.simulation.alternatives import best
from tests.benchmarks.simulation.candidate import Candidate, Target, target_of
from tests.benchmarks.simulation.in_force import InForce
from tests.benchmarks.simulation.night import Night
from tests.benchmarks.simulation.play import Try
from tests.benchmarks.simulation.world import seconds
from tuner.model.decision import IN_FORCE, DecidedChange, Decision

# How the reasons begin.
LOST, MISSED = "lost: ", "missed: "
OTHER_VALUES, NOT_DECIDED = "other values", "not advised"


def regret_of(one: Try, advised: Sequence[Candidate]) -> Mapping[str, float]:
    """Seconds of the night's last try by why they were missed or lost, each change by itself among the others in force."""
    found: Counter[str] = Counter()
    ours = {acting.candidate.target: acting for acting in one.in_force}
    took = sum(one.seconds)
    for wanted in best(advised, one.night):
        acting = ours.get(wanted.candidate.target)
        missed = _more(one.night, one.in_force, acting, wanted, took)
        if missed < 0:
            found[f"{MISSED}{_why_out(one.decision, wanted.candidate.target)}"] -= missed
    for acting in one.in_force:
        without = [other for other in one.in_force if other is not acting]
        lost = took - sum(seconds(one.night, without))
        if lost > 0:
            found[f"{LOST}{_standing(one.decision, acting)}"] += lost
    return found


def _more(night: Night, in_force: Sequence[InForce], ours: InForce | None, wanted: InForce, took: float) -> float:
    """By how much a night gets longer where a change acts as the oracle has it, too."""
    others = [other for other in in_force if other is not ours]
    both = wanted if ours is None or None in (ours.classes, wanted.classes) else _either(night, ours, wanted)
    return sum(seconds(night, [*others, both])) - took


def _either(night: Night, ours: InForce, wanted: InForce) -> InForce:
    either = (e.values.class_beside() for e in night.executions if ours.acts_on(e) or wanted.acts_on(e))
    return InForce(wanted.candidate, frozenset(either))


def _why_out(decision: Decision, target: Target) -> str:
    if decision.unsteered:
        return decision.unsteered.code.value
    decided = next((d for d in decision.changes if _is_on(d, target)), None)
    if decided is None:
        return NOT_DECIDED
    if decided.standing in IN_FORCE:
        return OTHER_VALUES
    return f"{decided.standing}, {(decided.held or decided.why).code.value}"


def _is_on(decided: DecidedChange, target: Target) -> bool:
    return any(target_of(action) == target for action in decided.change.carried_out)


def _standing(decision: Decision, acting: InForce) -> str:
    return next(
        (d.standing.value for d in decision.changes if _is_on(d, acting.candidate.target) and d.is_in_force), ""
    )
