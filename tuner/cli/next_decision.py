"""What a run of a cohort that started now would have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tuner.cli.cohort import outlook_of
from tuner.history.store import Store
from tuner.model.decision import Decision
from tuner.model.run import Run


@dataclass(frozen=True, slots=True)
class NextDecision:
    """As made when a run ended, with what people have said since. `may_change`: runs have ended since that may change it."""

    decision: Decision
    may_change: bool


def next_decision(store: Store, cohort: str, runs: Sequence[Run]) -> NextDecision:
    """For a cohort with these runs, oldest first, of which there is at least one."""
    # The rules of a decision: where there is no cohort nobody waits for them.
    from tuner.policy.rulings_since import rulings_since

    decision, run = outlook_of(store, runs) or (runs[-1].decision, runs[-1])
    made_at = run.ended_at or run.started_at
    now = rulings_since(decision, made_at, store.verdicts(cohort), store.mode(cohort) or decision.mode)
    return NextDecision(now, any(one.ended_at and one.started_at > run.started_at for one in runs))
