"""What the panel answers. Views read a database: they run in threads, never in the event loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends, Query

from tuner import __version__
from tuner.model.decision import CohortState
from tuner.panel.access import Access
from tuner.panel.answers import (
    audit_answer,
    cohorts_answer,
    insights_answer,
    queries_answer,
    recommendations_answer,
    runs_answer,
)
from tuner.panel.cohort_list import CohortOrder, Wanted
from tuner.panel.models import (
    AuditItem,
    Cohort,
    CohortList,
    Home,
    InsightItem,
    Page,
    PlanComparison,
    QueryItem,
    Recommendation,
    RunItem,
    Sent,
    Session,
)
from tuner.panel.paging import Limit, Offset
from tuner.panel.views.cohorts import cohort_page
from tuner.panel.views.plan import plan_comparison

# Longer than any name; what is longer is a mistake.
MOST_CHARACTERS = 2000

Name = Annotated[str, Query(max_length=MOST_CHARACTERS)]
Filter = Annotated[Sent | None, Query(max_length=MOST_CHARACTERS)]


def read_routes(access_of: Callable[..., Access], home: Home, core_hour_price: float | None) -> APIRouter:
    """GET api/…. `access_of` is the dependency that knows the viewer, `core_hour_price` what an hour of a core costs."""
    asking = Depends(access_of)
    routes = APIRouter(prefix="/api")

    @routes.get("/session")
    def session(access: Access = asking) -> Session:
        return Session(user=access.viewer.name, home=home, version=__version__)

    @routes.get("/cohorts")
    def cohorts(
        dag_id: Filter = None,
        task_id: Filter = None,
        run_id: Filter = None,
        search: Name = "",
        state: CohortState | None = None,
        tag: Name = "",
        waits: bool = False,
        failed: bool = False,
        sort: CohortOrder = CohortOrder.CORE_HOURS,
        reverse: bool = False,
        limit: Limit = 50,
        offset: Offset = 0,
        access: Access = asking,
    ) -> CohortList:
        known, wanted = access.summaries(dag_id, task_id, run_id), Wanted(search, state, tag, waits, failed)
        return cohorts_answer(known, wanted, sort, reverse, limit, offset, access.may_act_on, core_hour_price)

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
    def queries(cohort: Name, limit: Limit = 50, offset: Offset = 0, access: Access = asking) -> Page[QueryItem]:
        facts = access.facts(cohort)
        return queries_answer(facts, limit, offset)

    @routes.get("/cohort/plan")
    def plan(cohort: Name, query: Name, access: Access = asking) -> PlanComparison:
        facts = access.facts(cohort)
        return plan_comparison(facts, query)

    @routes.get("/cohort/audit")
    def audit(cohort: Name, limit: Limit = 50, offset: Offset = 0, access: Access = asking) -> Page[AuditItem]:
        return audit_answer(access.facts(cohort), limit, offset)

    return routes
