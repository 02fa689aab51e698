"""What the panel answers of one cohort. Views read a database: they run in threads, never in the event loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends, Query

from tuner.panel.access import Access
from tuner.panel.answers import (
    audit_answer,
    insights_answer,
    plan_answer,
    queries_answer,
    recommendations_answer,
    runs_answer,
)
from tuner.panel.models.audit import AuditItem
from tuner.panel.models.cohort import Cohort
from tuner.panel.models.home import Home
from tuner.panel.models.insights import InsightItem
from tuner.panel.models.page import Page
from tuner.panel.models.plan import PlanComparison
from tuner.panel.models.queries import QueryPage, QuerySort
from tuner.panel.models.recommendations import Recommendation
from tuner.panel.models.runs import RunItem
from tuner.panel.models.sent import Sent
from tuner.panel.paging import Limit, Offset
from tuner.panel.views.cohorts import cohort_page

# Longer than any name; what is longer is a mistake.
MOST_CHARACTERS = 2000

Name = Annotated[str, Query(max_length=MOST_CHARACTERS)]
Filter = Annotated[Sent | None, Query(max_length=MOST_CHARACTERS)]


def read_routes(access_of: Callable[..., Access], home: Home, core_hour_price: float | None) -> APIRouter:
    """GET api/…. `access_of` is the dependency that knows the viewer, `core_hour_price` what an hour of a core costs."""
    asking = Depends(access_of)
    routes = APIRouter(prefix="/api")

    @routes.get("/cohort")
    def cohort(cohort: Name, access: Access = asking) -> Cohort:
        facts = access.facts(cohort)
        return cohort_page(facts, may_act=access.may_act_on(facts.summary), core_hour_price=core_hour_price)

    @routes.get("/cohort/runs")
    def runs(cohort: Name, limit: Limit = 50, offset: Offset = 0, access: Access = asking) -> Page[RunItem]:
        return runs_answer(access.facts(cohort), limit, offset, home, core_hour_price)

    @routes.get("/cohort/recommendations")
    def recommendations(
        cohort: Name, limit: Limit = 50, offset: Offset = 0, access: Access = asking
    ) -> Page[Recommendation]:
        facts = access.facts(cohort)
        return recommendations_answer(facts, limit, offset)

    @routes.get("/cohort/insights")
    def insights(cohort: Name, limit: Limit = 50, offset: Offset = 0, access: Access = asking) -> Page[InsightItem]:
        facts = access.facts(cohort)
        return insights_answer(facts, limit, offset)

    @routes.get("/cohort/queries")
    def queries(
        cohort: Name,
        sort: QuerySort = QuerySort.LATEST,
        descending: bool = True,
        limit: Limit = 50,
        offset: Offset = 0,
        access: Access = asking,
    ) -> QueryPage:
        return queries_answer(access.facts(cohort), limit, offset, sort, descending=descending)

    @routes.get("/cohort/plan")
    def plan(cohort: Name, query: Name, access: Access = asking) -> PlanComparison:
        return plan_answer(access.facts(cohort), query)

    @routes.get("/cohort/audit")
    def audit(cohort: Name, limit: Limit = 50, offset: Offset = 0, access: Access = asking) -> Page[AuditItem]:
        return audit_answer(access.facts(cohort), limit, offset)

    return routes
