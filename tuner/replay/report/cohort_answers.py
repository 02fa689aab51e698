"""All that the panel would answer about one cohort, at once."""

from __future__ import annotations

from pydantic import ConfigDict

from tuner.panel.answers import (
    audit_answer,
    insights_answer,
    queries_answer,
    recommendations_answer,
    runs_answer,
)
from tuner.panel.facts import CohortFacts
from tuner.panel.models.answer import Answer
from tuner.panel.models.audit import AuditItem
from tuner.panel.models.cohort import Cohort
from tuner.panel.models.home import Home
from tuner.panel.models.insights import InsightItem
from tuner.panel.models.plan import PlanComparison
from tuner.panel.models.queries import QueryPage
from tuner.panel.models.recommendations import Recommendation
from tuner.panel.models.runs import RunItem
from tuner.panel.views.cohorts import cohort_page
from tuner.panel.views.plan import plan_comparison

# A year of nightly runs. The panel asks a server for older ones; a file would grow with them.
MOST_RUNS = 400
_ALL = 1_000_000


class CohortAnswers(Answer):
    """Answers by the panel's own models, whole where the panel's are pages. `runs` are the newest MOST_RUNS.

    `plans` are by fingerprint, of the queries that have one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    cohort: Cohort
    runs: list[RunItem]
    recommendations: list[Recommendation]
    insights: list[InsightItem]
    queries: QueryPage
    plans: dict[str, PlanComparison]
    audit: list[AuditItem]


def cohort_answers(facts: CohortFacts, core_hour_price: float | None = None) -> CohortAnswers:
    """For somebody who may read all there is and change nothing: a file has no one to tell."""
    found = queries_answer(facts, _ALL, 0)
    return CohortAnswers(
        cohort=cohort_page(facts, may_act=False),
        runs=runs_answer(facts, MOST_RUNS, 0, Home.REPORT, core_hour_price).items,
        recommendations=recommendations_answer(facts, _ALL, 0).items,
        insights=insights_answer(facts, _ALL, 0).items,
        queries=found,
        plans={
            item.query.fingerprint: plan_comparison(facts, item.query.fingerprint, item)
            for item in found.items
            if item.has_plan
        },
        audit=audit_answer(facts, _ALL, 0).items,
    )
