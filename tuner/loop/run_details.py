"""What a finished run has for people to look at: its plans as pictures, insights, and the decision to come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

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


def run_details(application: Application, outlook: Decision | None, more: Iterable[Insight] = ()) -> RunDetails:
    """The details of a run. A log that breaks off gives pictures only: what it lacks would look like findings.

    Of a query that ran several times the picture is that of the longest; `more` are insights that rest on other runs too.
    """
    seen = ApplicationInsights()
    pictures: dict[str, tuple[int, PlanPicture]] = {}
    for work, found in _looked_at(application):
        if application.status is Completeness.COMPLETE:
            seen.add(insights_of(work, found))
        query, _, final = found
        if query.fingerprint not in pictures or (query.duration_ms or 0) > pictures[query.fingerprint][0]:
            pictures[query.fingerprint] = (
                query.duration_ms or 0,
                picture_of(query, final, _seconds(found, work.stages)),
            )
    seen.add(more)
    slowest_first = sorted(pictures.values(), key=lambda timed: -timed[0])
    return RunDetails(
        outlook,
        seen.in_order()[:MOST_INSIGHTS],
        tuple(picture for _, picture in slowest_first[:MOST_PICTURES]),
    )


def _seconds(found: QueryAndPlans, stages: Sequence[Stage]) -> Mapping[object, float]:
    plan = measured_plan(found, stages)
    return operator_shares(plan) if plan else {}


def _looked_at(application: Application) -> Iterator[tuple[Work, QueryAndPlans]]:
    for execution, stages, found in plans_of(application):
        yield (
            Work(execution, (), tuple(stages), application.conf, application.spark_version, application.steering),
            found,
        )
