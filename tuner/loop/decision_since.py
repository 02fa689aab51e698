"""What was decided for a cohort's next run, as it is now that people have spoken and imported since."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from tuner.history.store import Store
from tuner.model.decision import Decision, Mode
from tuner.model.run import Run
from tuner.model.verdict import Verdict
from tuner.policy.imported_changes import NO_IMPORTS, Imports, imports_now
from tuner.policy.usable import latest_usable


def decision_since(
    store: Store,
    cohort: str,
    decision: Decision,
    made_at: datetime,
    runs: Sequence[Run],
    verdicts: Sequence[Verdict],
    mode: Mode,
) -> Decision:
    """A decision that was made then, as the cohort's verdicts, its mode and what it imported have it. `runs` are oldest first,
    and may be brief: what is imported counts as far as the latest usable one has what it is about."""
    # The rules of a decision: where there is no cohort nobody waits for them.
    from tuner.policy.rulings_since import rulings_since

    now = rulings_since(decision, made_at, verdicts, mode, _imports_since(store, cohort, decision, made_at, runs))
    return replace(now, steering_off=runs[-1].decision.steering_off)


def _imports_since(store: Store, cohort: str, decision: Decision, made_at: datetime, runs: Sequence[Run]) -> Imports:
    new = [one for one in store.imports(cohort) if one.at > made_at]
    latest = latest_usable(runs) if new else None
    known = [decided.change for decided in decision.changes]
    return imports_now(new, store.run(latest.key), known) if latest else NO_IMPORTS
