"""What `advise` makes of an application while its plans are at hand."""

from __future__ import annotations

from tuner.advice.insights.application_insights import ApplicationInsights
from tuner.advice.insights.insights import insights_of
from tuner.cli.reading.logs import QueriesInFull
from tuner.model.application import Work
from tuner.model.query import Query
from tuner.plan.looked_at import looked_at
from tuner.plan.queries import QueryAndPlans


class QueriesAndInsights(QueriesInFull):
    """The queries of one application in full, and what their plans show a person."""

    def __init__(self) -> None:
        super().__init__()
        self.insights = ApplicationInsights()

    def _query(self, work: Work, found: QueryAndPlans) -> Query:
        with looked_at(*found[1:]):
            self.insights.add(insights_of(work, found))
            return super()._query(work, found)
