"""The decision for one run, from what is recommended, what history says and what people said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tuner.model.decision import IN_FORCE, Decision
from tuner.model.run import Run, RunState
from tuner.policy.allowed import allowed
from tuner.policy.failed import Failing, proven_suspects
from tuner.policy.followed import in_effect
from tuner.policy.held_back import held_back
from tuner.policy.ledger import read_ledger
from tuner.policy.new_context import new_context
from tuner.policy.recommended import from_recommendations
from tuner.policy.situation import Situation
from tuner.policy.suspects import plainly_guilty

__all__ = ["Situation", "decide", "failed_with_changes"]


def decide(situation: Situation) -> Decision:
    """Which actions the next run carries, each with its standing and a reason with numbers. A pure function."""
    mode = situation.mode
    if situation.try_number > 1 and situation.earlier_try_failed:
        return Decision(mode, f"try {situation.try_number} after a failed try with changes: runs unsteered")
    if not any(run.outcome for run in situation.runs):
        return Decision(mode, "first run: observed" if not situation.runs else "nothing harvested yet: observed")
    if suspect := _suspect(situation.runs):
        changes = len(suspect.decision.in_force)
        return Decision(mode, f"run {suspect.key} failed with {changes} proven changes: runs unsteered, to tell why")
    records = read_ledger(situation.runs, situation.verdicts)
    known = [r.now for r in records.values()]
    decided = allowed(situation, [*known, *from_recommendations(situation, records)])
    if difference := new_context(situation):
        decided = [held_back(d, f"{difference}, so this run is observed, to be compared with") for d in decided]
    return Decision.of(mode, decided)


def _suspect(runs: Sequence[Run]) -> Run | None:
    """The latest run, if it failed with proven changes alone, and only a run without them tells if they are to blame."""
    latest = next((r for r in reversed(runs) if r.state not in (RunState.RUNNING, RunState.LOST)), None)
    if latest is None or plainly_guilty(latest.failure, in_effect(latest)):
        return None
    in_force = [d for d in latest.decision.actions if d.standing in IN_FORCE]
    return latest if proven_suspects(Failing(latest, earlier=runs), in_force) else None


def failed_with_changes(runs: Iterable[Run], key: str) -> bool:
    """Whether an earlier try of the run that `key` is a try of (its last part) carried changes and did not succeed."""
    stem = key.rsplit("/", 1)[0]
    earlier = [r for r in runs if r.key != key and r.key.rsplit("/", 1)[0] == stem]
    return any(r.decision.in_force and r.state is not RunState.SUCCEEDED for r in earlier)
