"""The cohorts of the store that one viewer may see, and act on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from fastapi import HTTPException

from tuner.history.cohort_name import is_storable
from tuner.history.cohort_rows import CohortSummary
from tuner.history.store import Store
from tuner.panel.facts import CohortFacts
from tuner.panel.recent_runs import RecentRuns
from tuner.panel.viewer import Viewer, visible
from tuner.savings.savings_report import SavingsReport, savings_report
from tuner.words.decisions import SWITCHED_OFF

# Said of what is not there and of what is another team's alike: neither is to be told from the other.
UNKNOWN_COHORT = "no such cohort, or none that you may read; the list of cohorts has those that you may"
UNREADABLE_DAG = "you may not read this DAG, or it does not exist; ask its owners for read access"
RUN_WITHOUT_DAG = "run_id: a DAG run is looked for in its DAG; send dag_id with it"
MAY_NOT_ACT = "you may read this cohort but not change it; that takes edit access to each of its DAGs"


@dataclass(frozen=True, slots=True)
class Access:
    """Cohorts by the rights of `viewer`. The tuner `is_on`, as far as the configuration that the server reads tells."""

    store: Callable[[], Store]
    viewer: Viewer
    recent: RecentRuns
    is_on: bool = True

    def summaries(self, dag_id: str | None, task_id: str | None, run_id: str | None) -> list[CohortSummary]:
        """Those that a DAG, task or DAG run took part in. 403 for a DAG by name that the viewer may not read, 422 for a DAG run
        without its DAG, for which all runs of the store would have to be read."""
        self.require_dag(dag_id)
        if run_id is not None and dag_id is None:
            raise HTTPException(422, RUN_WITHOUT_DAG)
        return visible(self.store().cohorts(dag_id=dag_id, task_id=task_id, run_id=run_id, rounds=True), self.viewer)

    def savings(self, since: datetime, dag_id: str | None) -> SavingsReport:
        """Of the cohorts that the viewer may read, or those of a DAG. 403 for a DAG by name that the viewer may not read."""
        self.require_dag(dag_id)
        summaries = visible(self.store().cohorts(dag_id=dag_id), self.viewer)

        def may_read_code(summary: CohortSummary) -> bool:
            return self.viewer.may_read_code_of(summary.dag_ids)

        are_all = dag_id is None and self.viewer.readable_dags() is None
        return savings_report(self.store(), since, summaries, are_all=are_all, may_read_code=may_read_code)

    def require_dag(self, dag_id: str | None) -> None:
        """403 for a DAG by name that the viewer may not read, whether it exists or not."""
        readable = self.viewer.readable_dags()
        if dag_id is not None and readable is not None and dag_id not in readable:
            raise HTTPException(403, UNREADABLE_DAG)

    def facts(self, cohort: str) -> CohortFacts:
        """Of one cohort; 404 for one that the viewer may not read, as for one that does not exist."""
        found = visible(self.store().cohorts(cohort=cohort), self.viewer) if is_storable(cohort) else []
        if not found:
            raise HTTPException(404, UNKNOWN_COHORT)
        return self.facts_of(found[0])

    def facts_of(self, summary: CohortSummary) -> CohortFacts:
        may_read_code = partial(self.viewer.may_read_code_of, summary.dag_ids)
        return CohortFacts(self.store(), self.recent, summary, may_read_code, is_on=self.is_on)

    @property
    def off(self) -> str:
        """Why no run is changed, whatever its job; "" where the tuner is on."""
        return "" if self.is_on else SWITCHED_OFF

    def facts_to_change(self, cohort: str) -> CohortFacts:
        """As `facts`; 403 where the viewer may not act."""
        facts = self.facts(cohort)
        if not self.may_act_on(facts.summary):
            raise HTTPException(403, MAY_NOT_ACT)
        return facts

    def may_act_on(self, summary: CohortSummary) -> bool:
        return self.viewer.may_act_on(summary.dag_ids)
