"""What one run had in force, and why each change stood where it stood."""

from __future__ import annotations

from tuner.errors import TunerError
from tuner.mcp.models import ChangeOfRun, RunExplained
from tuner.model.decision import DecidedChange
from tuner.model.run import Run
from tuner.panel.access import Access
from tuner.panel.facts import CohortFacts
from tuner.panel.models.home import Home
from tuner.panel.models.recommendations import Seconds
from tuner.panel.paging import page_of
from tuner.panel.views.runs import run_items
from tuner.panel.views.texts import evidence_items, query_ref, shortened
from tuner.words.changes import change_words
from tuner.words.failures import failure_words
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
    (item,) = run_items((run,), facts.view, names, home, core_hour_price)
    changes = page_of(run.decision.changes, lambda decided: _change(decided, names), limit, offset)
    return RunExplained(run=item, failure=_failure(run, names, access, facts), changes=changes)


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


def _failure(run: Run, names: QueryNames, access: Access, facts: CohortFacts) -> str:
    """What failed may be named by the job's own words."""
    if (failure := run.failure) is None:
        return ""
    may_read_code = access.viewer.may_read_code_of(facts.summary.dag_ids)
    return shortened(failure_words(failure, names) if may_read_code else failure.words)
