"""What `advise` makes of an application while its plans are at hand."""

from __future__ import annotations

from tuner.advice.insights.insights import insights_of
from tuner.advice.insights.seen import SeenInsights
from tuner.cli.logs import QueryList
from tuner.eventlog.model import Work
from tuner.plan.model import Query
from tuner.plan.queries import QueryAndPlans, in_full


class QueriesAndInsights(QueryList):
    """The queries of one application in full, and what their plans show a person."""

    def __init__(self) -> None:
        super().__init__()
        self.insights = SeenInsights()

    def _query(self, work: Work, found: QueryAndPlans) -> Query:
        self.insights.add(insights_of(work, found))
        return in_full(found, work.stages, work.execution.logical_plan if work.execution else None)
