"""Who looks at the panel and what he may see: each home of the panel says it in its own way."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from tuner.history.cohort_rows import CohortSummary


class Viewer(Protocol):
    """One user. `readable_dags` is None where he may read everything, cohorts outside Airflow too."""

    @property
    def name(self) -> str:
        """What the audit calls him."""

    def readable_dags(self) -> frozenset[str] | None: ...

    def may_act_on(self, dag_ids: frozenset[str]) -> bool: ...

    def may_read_code_of(self, dag_ids: frozenset[str]) -> bool: ...


def visible(summaries: Iterable[CohortSummary], viewer: Viewer) -> list[CohortSummary]:
    """The cohorts whose every DAG the viewer may read; cohorts without a DAG only where he may read everything."""
    readable = viewer.readable_dags()
    if readable is None:
        return list(summaries)
    return [summary for summary in summaries if summary.dag_ids and summary.dag_ids <= readable]
