"""What tools answer where the panel has no answer of the same kind. Texts may hold anything a log held, as in the panel."""

from __future__ import annotations

from datetime import datetime

from tuner.model.decision import Standing
from tuner.panel.models.answer import Answer
from tuner.panel.models.cohort import Cohort
from tuner.panel.models.evidence import EvidenceItem
from tuner.panel.models.in_force import InForce
from tuner.panel.models.insights import InsightItem
from tuner.panel.models.page import Page
from tuner.panel.models.queries import QueryItem
from tuner.panel.models.query_ref import QueryRef
from tuner.panel.models.recommendations import Recommendation, Seconds
from tuner.panel.models.runs import RunItem


class CohortExplained(Answer):
    """Where a cohort stands, what is recommended for its next run and why, and what only a person can change."""

    cohort: Cohort
    recommendations: Page[Recommendation]
    insights: Page[InsightItem]


class ChangeOfRun(Answer):
    """A change as a run's decision had it. `why` says what it is for or came to, and what keeps it out of this run; `values` are
    the filter values that it acts on ("" for any)."""

    change_id: str
    words: str
    standing: Standing
    why: str
    values: str
    evidence: list[EvidenceItem]
    predicted: Seconds | None
    queries: list[QueryRef]


class RunExplained(Answer):
    """A run, all changes of its decision, and why it failed ("" where it did not, or nothing tells)."""

    run: RunItem
    failure: str
    changes: Page[ChangeOfRun]


class PlanText(Answer):
    """The plan of a query in one run: a line for each step, the last one to run first, its inputs indented below it.

    A predicted one is that run's plan as it would be with `in_force`; `not_drawn` are those whose effect is not known."""

    run_key: str
    run_at: datetime
    query_seconds: float | None
    in_force: list[InForce]
    lines: Page[str]
    predicted: bool
    not_drawn: list[str]


class QueryPlan(Answer):
    """A query's newest plan (`after`), and the newest without what is in force on it now (`before`); without anything in force
    the newest is before, and after is as advised. None where there is no such plan."""

    query: QueryRef
    item: QueryItem | None
    before: PlanText | None
    after: PlanText | None
