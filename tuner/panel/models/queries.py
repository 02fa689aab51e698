"""GET api/cohort/queries: the queries of a cohort."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from tuner.panel.models.answer import Answer
from tuner.panel.models.in_force import InForce
from tuner.panel.models.page import Page
from tuner.panel.models.query_ref import QueryRef


class QueryItem(Answer):
    """A query of the cohort over the page's runs.

    `baseline_seconds` is its part of what the latest run that ran it would have taken with nothing in force, on that run's
    machine and input; None where it is new in that run. `latest_seconds` is what it took in the latest run (None: that did not
    run it), `gained_seconds` the difference, where something was in force in that run. `share` is its part of that run's query
    time. `in_force` is what was in force on it alone: properties reach every query.
    """

    query: QueryRef
    baseline_seconds: float | None
    latest_seconds: float | None
    gained_seconds: float | None
    share: float | None
    in_force: list[InForce]
    has_plan: bool


class QueriesTogether(Answer):
    """The queries of the latest measured run together: the same seconds as Cohort's and that run's Band.

    `baseline_seconds` takes those that are `new` in that run as they ran; None where too much of it is new. `gone` are queries of
    earlier runs that it did not run. `properties` were in force on every query.
    """

    run_at: datetime | None
    queries: int
    new: int
    gone: int
    baseline_seconds: float | None
    latest_seconds: float | None
    gained_seconds: float | None
    properties: list[InForce]


class QuerySort(StrEnum):
    """What queries are sorted by; those that have no such value come last."""

    NAME = "name"
    LATEST = "latest"
    BASELINE = "baseline"
    GAINED = "gained"
    SHARE = "share"
    IN_FORCE = "in_force"


class QueryPage(Page[QueryItem]):
    """A page of queries, and all of them together."""

    together: QueriesTogether
