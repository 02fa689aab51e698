"""What a run of a cohort that started now would have."""

from __future__ import annotations

from dataclasses import dataclass

from tuner.history.store import Store
from tuner.loop.decision_since import decision_since
from tuner.loop.mode_is_known import mode_is_known
from tuner.loop.next_mode import next_mode
from tuner.loop.outlook import decided_last, may_change, outlook_of, runs_to_look_at
from tuner.model.decision import Decision


@dataclass(frozen=True, slots=True)
class DecisionNow:
    """As made when a run ended, with what people have said and imported since. `may_change`: runs have ended since that may
    change it. Where its mode is not known, it is as of the newest run's; so it is where no person's is set, and the job or the
    configuration may have another by now."""

    decision: Decision
    may_change: bool
    mode_is_known: bool = True
    mode_is_set: bool = False


def decision_now(store: Store, cohort: str) -> DecisionNow:
    """For a cohort that has a run. ValueError where none can be read."""
    runs = runs_to_look_at(store, cohort)
    if not runs:
        raise ValueError(f"no run of cohort {cohort!r} can be read")
    decision, made_at = decided_last(runs, outlook_of(runs, lambda run: store.details(run.key)))
    changes = store.mode_changes(cohort)
    mode = next_mode(changes, runs[-1].decision)
    now = decision_since(store, cohort, decision, made_at, runs, store.verdicts(cohort), mode)
    is_known, is_set = mode_is_known(changes, runs[-1].started_at), bool(changes and changes[-1].mode)
    return DecisionNow(now, may_change(runs, made_at), is_known, is_set)
