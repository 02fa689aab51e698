"""What a run of a cohort that started now would have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tuner.model.decision import Decision, Mode
from tuner.model.run import Run
from tuner.model.verdict import Verdict


@dataclass(frozen=True, slots=True)
class NextDecision:
    """As made when a run ended, with what people have said since. `may_change`: runs have ended since that may change it."""

    decision: Decision
    may_change: bool


def next_decision(
    runs: Sequence[Run], outlook: tuple[Decision, Run] | None, verdicts: Sequence[Verdict], mode: Mode | None
) -> NextDecision:
    """For a cohort with these runs, oldest first, of which there is at least one, and their `outlook_of`; with what people said
    of its changes, and the mode that they gave it, if they did."""
    # The rules of a decision: where there is no cohort nobody waits for them.
    from tuner.policy.rulings_since import rulings_since

    decision, run = outlook or (runs[-1].decision, runs[-1])
    made_at = run.ended_at or run.started_at
    now = rulings_since(decision, made_at, verdicts, mode or decision.mode)
    return NextDecision(now, any(one.ended_at and one.started_at > run.started_at for one in runs))
