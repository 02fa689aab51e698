"""The tools over the store: what the panel shows of cohorts, to whoever may see it there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from tuner.mcp.explained_run import explained_run
from tuner.mcp.models import CohortExplained, PlanText, QueryPlan, RunExplained
from tuner.mcp.plan_lines import plan_lines
from tuner.mcp.questions import OfCohort, OfCohorts, OfPlan, OfQueries, OfRun, OfSavings, OfTwoRuns
from tuner.mcp.tool import Tool
from tuner.mcp.two_runs import two_runs
from tuner.panel.access import Access
from tuner.panel.answers import (
    cohorts_answer,
    comparison_answer,
    insights_answer,
    plan_answer,
    queries_answer,
    recommendations_answer,
    runs_answer,
)
from tuner.panel.cohort_list import Wanted
from tuner.panel.models.cohort_list import CohortList
from tuner.panel.models.comparison import Comparison
from tuner.panel.models.home import Home
from tuner.panel.models.page import Page
from tuner.panel.models.plan import PictureItem
from tuner.panel.models.queries import QueryPage
from tuner.panel.models.runs import RunItem
from tuner.panel.models.savings import Savings
from tuner.panel.paging import page
from tuner.panel.views.cohorts import cohort_page
from tuner.panel.views.savings import savings_answer


@dataclass(frozen=True, slots=True)
class StoreTools:
    """What `access` lets its viewer read."""

    access: Access
    home: Home
    core_hour_price: float | None = None

    def __iter__(self) -> Iterator[Tool]:
        yield Tool(
            "list_cohorts",
            "List the recurring Spark jobs (cohorts): seconds and core-hours of the last run, what changes gained, what waits.",
            OfCohorts,
            CohortList,
            self.cohorts,
        )
        yield Tool(
            "explain_cohort",
            "Explain where a cohort stands: each change with why and its numbers, and what only a person can change.",
            OfCohort,
            CohortExplained,
            self.cohort,
        )
        yield Tool(
            "list_runs",
            "List the runs of a cohort, newest first: state, seconds, what was in force, what it would have taken without.",
            OfCohort,
            Page[RunItem],
            self.runs,
        )
        yield Tool(
            "explain_run",
            "Explain one run: every change of its decision with where it stood and why, and why the run failed.",
            OfRun,
            RunExplained,
            self.run,
        )
        yield Tool(
            "list_queries",
            "List the queries of a cohort: seconds in the latest run and with nothing in force, what was gained, by what.",
            OfQueries,
            QueryPage,
            self.queries,
        )
        yield Tool(
            "query_plan",
            "Show the plan of a query as text, with rows, bytes and seconds of each step, before and after its changes.",
            OfPlan,
            QueryPlan,
            self.plan,
        )
        yield Tool(
            "compare_runs",
            "Tell which queries differ between two runs of a cohort, by how much, and why.",
            OfTwoRuns,
            Comparison,
            self.comparison,
        )
        yield Tool(
            "savings",
            "Tell what changes gained and lost over weeks, by week, tag, cohort and change.",
            OfSavings,
            Savings,
            self.savings,
        )

    def cohorts(self, asked: OfCohorts) -> CohortList:
        return cohorts_answer(
            self.access.summaries(asked.dag_id, None, None),
            Wanted(asked.search, asked.state, asked.tag, asked.waits, asked.failed),
            asked.sort,
            asked.reverse,
            asked.limit,
            asked.offset,
            self.access.may_act_on,
            self.core_hour_price,
            self.access.off,
        )

    def cohort(self, asked: OfCohort) -> CohortExplained:
        facts = self.access.facts(asked.cohort)
        may_act = self.access.may_act_on(facts.summary)
        return CohortExplained(
            cohort=cohort_page(facts, may_act=may_act, core_hour_price=self.core_hour_price),
            recommendations=recommendations_answer(facts, asked.limit, asked.offset),
            insights=insights_answer(facts, asked.limit, asked.offset),
        )

    def runs(self, asked: OfCohort) -> Page[RunItem]:
        facts = self.access.facts(asked.cohort)
        return runs_answer(facts, asked.limit, asked.offset, self.home, self.core_hour_price)

    def run(self, asked: OfRun) -> RunExplained:
        facts = self.access.facts(asked.cohort)
        where = self.home, self.core_hour_price
        return explained_run(self.access, facts, asked.run, asked.limit, asked.offset, *where)

    def queries(self, asked: OfQueries) -> QueryPage:
        facts = self.access.facts(asked.cohort)
        return queries_answer(facts, asked.limit, asked.offset, asked.sort, descending=asked.descending)

    def plan(self, asked: OfPlan) -> QueryPlan:
        found = plan_answer(self.access.facts(asked.cohort), asked.query)
        return QueryPlan(
            query=found.query,
            item=found.item,
            before=_plan_text(found.before, asked) if found.before else None,
            after=_plan_text(found.after, asked) if found.after else None,
        )

    def comparison(self, asked: OfTwoRuns) -> Comparison:
        facts = self.access.facts(asked.cohort)
        return comparison_answer(facts, *two_runs(facts, asked.before, asked.after)).cut_to(asked.limit)

    def savings(self, asked: OfSavings) -> Savings:
        since = datetime.now(UTC) - timedelta(weeks=asked.weeks - 1)
        return savings_answer(self.access.savings(since, asked.dag_id), self.core_hour_price).with_ends(asked.limit)


def _plan_text(picture: PictureItem, asked: OfPlan) -> PlanText:
    return PlanText(
        run_key=picture.run_key,
        run_at=picture.run_at,
        query_seconds=picture.query_seconds,
        in_force=picture.in_force,
        lines=page(plan_lines(picture.steps), asked.limit, asked.offset),
        predicted=picture.predicted,
        not_drawn=picture.not_drawn,
    )
