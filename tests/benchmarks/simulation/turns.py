"""What the policy made of each change, against what the change truly does: rolled back or promoted, rightly or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tests.benchmarks.simulation.alternatives import gain_share
from tests.benchmarks.simulation.candidate import target_of
from tests.benchmarks.simulation.in_force import InForce
from tests.benchmarks.simulation.play import Try
from tuner.model.decision import IN_FORCE, DecidedChange, Decision, Standing
from tuner.model.reason import ReasonCode

# A change gains or loses truly when it does so by more than this share of its queries' seconds.
TRULY = 0.05

_WHY = {
    ReasonCode.SLOWER: "slower",
    ReasonCode.RUN_FAILED: "run failed",
    ReasonCode.QUERY_FAILED: "query failed",
    ReasonCode.NO_GAIN: "no gain",
    ReasonCode.UNLIKELY_GAIN: "gain unlikely",
    ReasonCode.NEVER_MEASURED: "not measured",
}


@dataclass(frozen=True, slots=True)
class Turns:
    """Counts of changes. `false_rollbacks` by why: taken out though it truly gained in the run that told, and did not break it;
    a property that goes back to a value that is proven loses nothing.

    `losing_nights`: nights that a change stayed in force as proven though it truly lost that night.
    """

    trials: int = 0
    rollbacks: int = 0
    false_rollbacks: Mapping[str, int] = field(default_factory=dict)
    promotions: int = 0
    false_promotions: int = 0
    proven_nights: int = 0
    losing_nights: int = 0

    @classmethod
    def together(cls, turns: Iterable[Turns]) -> Turns:
        """Those of several cohorts."""
        each = list(turns)
        return cls(
            trials=sum(t.trials for t in each),
            rollbacks=sum(t.rollbacks for t in each),
            false_rollbacks=dict(sum((Counter(t.false_rollbacks) for t in each), Counter())),
            promotions=sum(t.promotions for t in each),
            false_promotions=sum(t.false_promotions for t in each),
            proven_nights=sum(t.proven_nights for t in each),
            losing_nights=sum(t.losing_nights for t in each),
        )


def turns_of(tries: Sequence[Try]) -> Turns:
    """The turns that the changes of one cohort took."""
    stood: dict[str, Standing] = {}
    told: dict[str, tuple[Try, InForce]] = {}
    counted: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for one in tries:
        by_id = {acting.action_id: acting for acting in one.in_force}
        for decided in one.decision.changes:
            id_, now = decided.id, decided.standing
            before = stood.get(id_)
            if now is not before:
                _count(decided, before, told.get(id_), counted, wrong, one.decision)
            if (acting := by_id.get(id_)) and any(map(acting.acts_on, one.night.executions)):
                told[id_] = one, acting
                if now is Standing.PROMOTED:
                    counted["proven"] += 1
                    counted["losing"] += gain_share(one.night, acting, one.in_force) < -TRULY
            stood[id_] = now
    return Turns(
        trials=counted["trials"],
        rollbacks=counted["rollbacks"],
        false_rollbacks=dict(wrong),
        promotions=counted["promotions"],
        false_promotions=counted["false promotions"],
        proven_nights=counted["proven"],
        losing_nights=counted["losing"],
    )


def _count(
    decided: DecidedChange,
    before: Standing | None,
    told: tuple[Try, InForce] | None,
    counted: Counter[str],
    wrong: Counter[str],
    decision: Decision,
) -> None:
    now = decided.standing
    if now is Standing.TRIAL:
        counted["trials"] += 1
    elif now in (Standing.ROLLED_BACK, Standing.PROMOTED) and before in IN_FORCE and told is not None:
        one, acting = told
        true = gain_share(one.night, acting, one.in_force)
        if now is Standing.PROMOTED:
            counted["promotions"] += 1
            counted["false promotions"] += true < -TRULY
        else:
            counted["rollbacks"] += 1
            if true > TRULY and not acting.breaks(one.night) and not _gives_way(decided, decision):
                wrong[f"{before}: {_why(decided)}"] += 1


def _gives_way(decided: DecidedChange, decision: Decision) -> bool:
    """Whether what is proven has another value for what it changed."""
    targets = {target_of(action) for action in decided.change.actions}
    return any(
        other.standing is Standing.PROMOTED and not targets.isdisjoint(map(target_of, other.change.actions))
        for other in decision.changes
    )


def _why(decided: DecidedChange) -> str:
    if decided.why.code is ReasonCode.SLOWER and not decided.why.numbers["named"]:
        return "for others"
    return _WHY.get(decided.why.code, "other")
