"""What the panel answers of all cohorts that a viewer may read. Views read a database: they run in threads, never in the event
loop."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Depends, Query

from tuner import __version__
from tuner.model.decision import CohortState
from tuner.panel.access import Access
from tuner.panel.answers import cohorts_answer
from tuner.panel.cohort_list import CohortOrder, Wanted
from tuner.panel.models.cohort_list import CohortList
from tuner.panel.models.home import Home
from tuner.panel.models.savings import Savings
from tuner.panel.models.session import Session
from tuner.panel.paging import Limit, Offset
from tuner.panel.read_routes import Filter, Name
from tuner.panel.views.savings import savings_answer

# Ten years.
MOST_WEEKS = 520


def fleet_routes(access_of: Callable[..., Access], home: Home, core_hour_price: float | None) -> APIRouter:
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
        may_act_on, off = access.may_act_on, access.off
        return cohorts_answer(known, wanted, sort, reverse, limit, offset, may_act_on, core_hour_price, off)

    @routes.get("/savings")
    def savings(
        weeks: Annotated[int, Query(ge=1, le=MOST_WEEKS)] = 12, dag_id: Filter = None, access: Access = asking
    ) -> Savings:
        since = datetime.now(UTC) - timedelta(weeks=weeks - 1)
        return savings_answer(access.savings(since, dag_id), core_hour_price)

    return routes
