"""What the policy made of each change, against what the change truly does: rolled back or promoted, rightly or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tests.benchmarks.simulation.alternatives import gain_share
from tests.benchmarks.simulation.play import Try
from tests.benchmarks.simulation.world import Candidate, Target, World, target_of
from tuner.model.decision import IN_FORCE, DecidedChange, Standing
from tuner.model.reason import ReasonCode

# A change gains or loses truly when it does so by more than this share of its queries' seconds.
TRULY = 0.05

_WHY = {
    ReasonCode.SLOWER: "slower",
    ReasonCode.RUN_FAILED: "run failed",
    ReasonCode.QUERY_FAILED: "query failed",
    ReasonCode.NO_GAIN: "no gain",
    ReasonCode.NEVER_MEASURED: "not measured",
}


@dataclass(frozen=True, slots=True)
class Turns:
    """Counts of changes. `false_rollbacks` by why: taken out though it truly gained in the run that told, and did not break it.

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


def turns_of(world: World, tries: Sequence[Try]) -> Turns:
    """The turns that the changes of one cohort took."""
    candidates = {candidate.target: candidate for candidate in world.candidates}
    stood: dict[Target, Standing] = {}
    told: dict[Target, Try] = {}
    counted: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for one in tries:
        for decided in one.decision.changes:
            target = target_of(decided.change.actions[0])
            before, now = stood.get(target), decided.standing
            if now is not before and (candidate := candidates.get(target)):
                _count(world, candidate, decided, before, told.get(target), counted, wrong)
            if now is Standing.PROMOTED:
                counted["proven"] += 1
                counted["losing"] += gain_share(world, one.night, candidates[target], one.in_force) < -TRULY
            if now in IN_FORCE:
                told[target] = one
            stood[target] = now
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
    world: World,
    candidate: Candidate,
    decided: DecidedChange,
    before: Standing | None,
    told: Try | None,
    counted: Counter[str],
    wrong: Counter[str],
) -> None:
    now = decided.standing
    if now is Standing.TRIAL:
        counted["trials"] += 1
    elif now in (Standing.ROLLED_BACK, Standing.PROMOTED) and before in IN_FORCE and told is not None:
        true = gain_share(world, told.night, candidate, told.in_force)
        if now is Standing.PROMOTED:
            counted["promotions"] += 1
            counted["false promotions"] += true < -TRULY
        else:
            counted["rollbacks"] += 1
            if true > TRULY and candidate.fails_from > told.night.scale:
                wrong[f"{before}: {_why(decided)}"] += 1


def _why(decided: DecidedChange) -> str:
    if decided.why.code is ReasonCode.SLOWER and not decided.why.numbers["named"]:
        return "for others"
    return _WHY.get(decided.why.code, "other")
