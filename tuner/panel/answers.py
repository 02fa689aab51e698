"""What there is to know of a cohort, as the panel answers it: for its routes, and for reports that nobody serves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tuner.compare.compare_runs import compare_runs
from tuner.history.cohort_rows import CohortSummary
from tuner.model.run import Run
from tuner.panel.cohort_list import CohortOrder, Wanted, cohorts_in_order
from tuner.panel.facts import CohortFacts
from tuner.panel.models.audit import AuditItem
from tuner.panel.models.cohort_list import CohortList
from tuner.panel.models.comparison import Comparison
from tuner.panel.models.home import Home
from tuner.panel.models.insights import InsightItem
from tuner.panel.models.page import Page
from tuner.panel.models.plan import PlanComparison
from tuner.panel.models.queries import QueryPage, QuerySort
from tuner.panel.models.recommendations import Recommendation
from tuner.panel.models.runs import RunItem
from tuner.panel.paging import page, page_of
from tuner.panel.views.audit import audit_items
from tuner.panel.views.cohorts import cohort_item, totals_item
from tuner.panel.views.comparison import comparison
from tuner.panel.views.insights import insight_item, insights
from tuner.panel.views.plan import plan_comparison
from tuner.panel.views.queries import in_order, queries_together, query_item, query_items
from tuner.panel.views.recommendations import recommendations, recommended_trials
from tuner.panel.views.runs import RUNS_BEFORE, run_items


def cohorts_answer(
    known: Sequence[CohortSummary],
    wanted: Wanted,
    order: CohortOrder,
    reverse: bool,
    limit: int,
    offset: int,
    may_act_on: Callable[[CohortSummary], bool],
    core_hour_price: float | None = None,
    off: str = "",
) -> CohortList:
    """Of all that a viewer may read, a page of what is wanted, its totals, and why the tuner is `off`."""
    listed = cohorts_in_order((summary for summary in known if wanted.has(summary)), order, reverse=reverse)
    of_page = listed[offset : offset + limit]
    return CohortList(
        items=[cohort_item(s, may_act=may_act_on(s), core_hour_price=core_hour_price) for s in of_page],
        total=len(listed),
        offset=offset,
        limit=limit,
        totals=totals_item(listed, core_hour_price),
        tags=sorted({tag for summary in known for tag in summary.tags}),
        off=off,
    )


def runs_answer(
    facts: CohortFacts, limit: int, offset: int, home: Home, core_hour_price: float | None = None
) -> Page[RunItem]:
    """Newest first."""
    runs, view = facts.page_of_runs(limit, offset, RUNS_BEFORE)
    items = run_items(runs, view, facts.names, home, core_hour_price, may_read_code=facts.may_read_code)
    return Page(items=items, total=facts.summary.runs, offset=offset, limit=limit)


def recommendations_answer(facts: CohortFacts, limit: int, offset: int) -> Page[Recommendation]:
    groups = recommended_trials(facts.outlook)
    items = recommendations(facts, groups[offset : offset + limit])
    return Page(items=items, total=len(groups), offset=offset, limit=limit)


def insights_answer(facts: CohortFacts, limit: int, offset: int) -> Page[InsightItem]:
    return page_of(insights(facts), lambda insight: insight_item(insight, facts.names), limit, offset)


def queries_answer(
    facts: CohortFacts, limit: int, offset: int, sort: QuerySort = QuerySort.LATEST, *, descending: bool = True
) -> QueryPage:
    items = query_items(facts)
    found = page(in_order(items, sort, descending=descending), limit, offset)
    return QueryPage(**dict(found), together=queries_together(facts, items))


def plan_answer(facts: CohortFacts, fingerprint: str) -> PlanComparison:
    return plan_comparison(facts, fingerprint, query_item(facts, fingerprint))


def comparison_answer(facts: CohortFacts, before: Run, after: Run) -> Comparison:
    return comparison(compare_runs(before, after), before, after, facts.names_of((before, after)))


def audit_answer(facts: CohortFacts, limit: int, offset: int) -> Page[AuditItem]:
    said = facts.verdicts, facts.mode_changes, facts.objective_changes, facts.imports
    return page(audit_items(*said, facts.words_of_changes()), limit, offset)
