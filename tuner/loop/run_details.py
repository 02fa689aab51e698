"""What a finished run has for people to look at: its plans as pictures, insights, and the decision to come."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tuner.advice.insights.application_insights import ApplicationInsights
from tuner.advice.insights.insights import insights_of
from tuner.cost.operator_shares import operator_shares
from tuner.model.application import Application, Completeness, Stage, Work
from tuner.model.decision import Decision
from tuner.model.insight import Insight
from tuner.model.plan_picture import PlanPicture
from tuner.model.run import RunDetails
from tuner.plan.plan_picture import picture_of
from tuner.plan.queries import QueryAndPlans, measured_plan, plans_of

# What one page can show, and a database row should hold.
MOST_INSIGHTS = 50
MOST_PICTURES = 200


class LookedAt:
    """What people see of an application's executions, taken while their plans are at hand. Of a query that ran several times
    the picture is that of the longest."""

    def __init__(self) -> None:
        self._insights = ApplicationInsights()
        self._pictures: dict[str, tuple[int, PlanPicture]] = {}

    def add(self, work: Work, found: QueryAndPlans) -> None:
        """Takes one execution."""
        self._insights.add(insights_of(work, found))
        query, _, final = found
        # A micro-batch shows the plan that its sink runs as another execution: that has the tasks, and ends a little sooner.
        took_ms = (query.duration_ms or 0) if query.task_count else 0
        if query.fingerprint not in self._pictures or took_ms > self._pictures[query.fingerprint][0]:
            self._pictures[query.fingerprint] = (took_ms, picture_of(query, final, _seconds(found, work.stages)))
        if len(self._pictures) > 2 * MOST_PICTURES:
            self._pictures = dict(self._slowest_first())

    def details(
        self, status: Completeness, outlook: Decision | None = None, more: Iterable[Insight] = ()
    ) -> RunDetails:
        """The details of a run. A log that breaks off gives pictures only: what it lacks would look like findings.

        `more` are insights that rest on other runs too.
        """
        insights = self._insights if status is Completeness.COMPLETE else ApplicationInsights()
        insights.add(more)
        pictures = tuple(picture for _, (_, picture) in self._slowest_first())
        return RunDetails(outlook, insights.in_order()[:MOST_INSIGHTS], pictures)

    def _slowest_first(self) -> list[tuple[str, tuple[int, PlanPicture]]]:
        return sorted(self._pictures.items(), key=lambda timed: -timed[1][0])[:MOST_PICTURES]


def run_details(application: Application, outlook: Decision | None, more: Iterable[Insight] = ()) -> RunDetails:
    """The details of a run whose log was read with its work."""
    seen = LookedAt()
    of_it = (application.conf, application.spark_version, application.steering)
    for execution, stages, found in plans_of(application):
        seen.add(Work(execution, (), tuple(stages), *of_it), found)
    return seen.details(application.status, outlook, more)


def _seconds(found: QueryAndPlans, stages: Sequence[Stage]) -> Mapping[object, float]:
    plan = measured_plan(found, stages)
    return operator_shares(plan) if plan else {}
