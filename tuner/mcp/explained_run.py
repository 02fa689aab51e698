"""What one run had in force, and why each change stood where it stood."""

from __future__ import annotations

from tuner.errors import TunerError
from tuner.mcp.models import ChangeOfRun, RunExplained
from tuner.model.decision import DecidedChange
from tuner.panel.access import Access
from tuner.panel.facts import CohortFacts
from tuner.panel.models.home import Home
from tuner.panel.models.recommendations import Seconds
from tuner.panel.paging import page_of
from tuner.panel.views.runs import run_items
from tuner.panel.views.texts import evidence_items, query_ref, shortened
from tuner.words.changes import change_words
from tuner.words.literal_rungs import values_words
from tuner.words.query_names import QueryNames
from tuner.words.reasons import why_words

UNKNOWN_RUN = "no such run of this cohort; list_runs has its runs"


def explained_run(
    access: Access, facts: CohortFacts, key: str, limit: int, offset: int, home: Home, core_hour_price: float | None
) -> RunExplained:
    """Raises TunerError for a run of another cohort, as for one that does not exist."""
    run = access.store().run(key)
    if run is None or run.cohort != facts.cohort:
        raise TunerError(UNKNOWN_RUN)
    names = facts.names_of((run,))
    (item,) = run_items((run,), facts.view, names, home, core_hour_price, may_read_code=facts.may_read_code)
    changes = page_of(run.decision.changes, lambda decided: _change(decided, names), limit, offset)
    return RunExplained(run=item, failure=item.failure, changes=changes)


def _change(decided: DecidedChange, names: QueryNames) -> ChangeOfRun:
    change = decided.change
    return ChangeOfRun(
        change_id=decided.id,
        words=shortened(change_words(change, names)),
        standing=decided.standing,
        why=shortened(why_words(decided, names)),
        values=shortened(values_words(decided)),
        evidence=evidence_items(change.evidence),
        predicted=Seconds.of(change.prediction) if change.prediction else None,
        queries=[query_ref(fingerprint, names) for fingerprint in decided.queries],
    )
