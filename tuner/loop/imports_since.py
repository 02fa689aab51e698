"""What was imported for a cohort since its next run was last decided on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from tuner.history.store import Store
from tuner.model.decision import Decision
from tuner.model.run import Run
from tuner.policy.imported_changes import NO_IMPORTS, Imports, imports_now
from tuner.policy.measure import latest_usable


def imports_since(store: Store, cohort: str, decision: Decision, made_at: datetime, runs: Sequence[Run]) -> Imports:
    """As far as the latest usable of these runs, oldest first, has what it is about; they may be brief."""
    new = [one for one in store.imports(cohort) if one.at > made_at]
    latest = latest_usable(runs) if new else None
    known = [decided.change for decided in decision.changes]
    return imports_now(new, store.run(latest.key), known) if latest else NO_IMPORTS
