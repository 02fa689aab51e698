"""What the checkpoint of a stream keeps, or what places the state that it holds, is held."""

from __future__ import annotations

from collections.abc import Sequence

from tuner.model.action import ActionKind
from tuner.model.decision import DecidedChange
from tuner.model.reason import Reason, ReasonCode
from tuner.model.run import Outcome
from tuner.policy.held_back import held_back_for
from tuner.policy.situation import Situation
from tuner.spark.broadcasts_off import THRESHOLDS
from tuner.spark.knobs import SHUFFLE_PARTITIONS

# A checkpoint that begins keeps the first (OffsetSeqMetadata.relevantSQLConfs); where one began before Spark 3.3, its state lies
# where joins below had their rows (SPARK-38204).
_PLACE_STATE = frozenset({SHUFFLE_PARTITIONS.property, *(knob.property for knob in THRESHOLDS)})


def kept_by_checkpoint(situation: Situation, decided: Sequence[DecidedChange]) -> list[DecidedChange]:
    """Holds properties that say where the rows of a key are, where any run had a stream that keeps state by key: a run that tried
    one would not be the last to have it."""
    if not any(_keeps_state(run.outcome) for run in situation.runs if run.outcome):
        return list(decided)

    def why(one: DecidedChange) -> Reason | None:
        properties = (a.target for a in one.change.actions if a.kind is ActionKind.SET_CONF)
        found = next((name for name in properties if name in _PLACE_STATE), None)
        return Reason(ReasonCode.KEPT_BY_CHECKPOINT, {"property": found}) if found else None

    return held_back_for(decided, {one.id: reason for one in decided if (reason := why(one))})


def _keeps_state(outcome: Outcome) -> bool:
    """By its executors, or its queries' plans: the plan of a foreachBatch has no state, and a compacted log no executors."""
    return outcome.resources.keeps_state or any(query.keeps_state for query in outcome.queries)
