"""What a report's front page shows: all cohorts as rows, what to look at first in all of them, and what to trust."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from tuner.panel.models.recommendations import Seconds
from tuner.panel.views.texts import shortened
from tuner.replay.cohort_replay import Backtest, CohortReplay, ReplaySummary
from tuner.replay.report.saved import Saved, saved_in, saved_of
from tuner.replay.report.top import (
    Paged,
    TopInsight,
    TopRecommendation,
    new_recommendations,
    top_insights,
    top_recommendations,
)
from tuner.replay.report.unread import UnreadGroup, grouped
from tuner.replay.report.unused import Unused, unused
from tuner.replay.trials import summed

# As many as somebody would read; each cohort's page has all of its own.
MOST_SHOWN = 100


@dataclass(frozen=True, slots=True)
class CohortRow:
    """A cohort in the list. `page` is the number of its page in the report, None where it has none. `advised` counts what
    any run so far lacked, `next_saved` is what the next run would save if it is like the newest. `live` counts the runs that
    the tuner steered, `as_live` those of them whose decision reads the same in the replay. `allocated_core_hours` are what
    executors held in the `allocated_runs` whose logs tell, `saved_core_hours_if_unset` what is not in `saved`: it asks for
    settings of the runs' own to be taken out.
    """

    cohort: str
    page: int | None
    runs: int
    measured: int
    first_at: datetime
    last_at: datetime
    query_seconds: float
    core_hours: float
    saved: Saved | None
    next_saved: Seconds | None
    advised: int
    live: int
    as_live: int
    allocated_core_hours: float = 0.0
    allocated_runs: int = 0
    saved_core_hours_if_unset: float = 0.0


@dataclass(frozen=True, slots=True)
class FrontPage:
    """`cohorts` are those with the most core-hours first; `pages` of them have a page of their own.

    `recommendations` and `insights` hold the first MOST_SHOWN; how many there are in all stands beside them. `new` is what
    the next runs would be told that none was so far. `core_hour_price` is what people gave (None: they gave none). `unused` is
    all cohorts, then each.
    """

    version: str
    written_at: datetime
    logs: int
    size_bytes: int
    total: CohortRow | None
    cohorts: list[CohortRow]
    pages: int
    recommendations: list[TopRecommendation]
    recommendations_in_all: int
    new: list[TopRecommendation]
    new_in_all: int
    insights: list[TopInsight]
    insights_in_all: int
    backtest: Backtest | None
    unread: list[UnreadGroup]
    unread_in_all: int
    problems: list[str]
    core_hour_price: float | None = None
    unused: list[Unused] = field(default_factory=list)


def front_page(
    summary: ReplaySummary,
    paged: Mapping[str, Paged],
    *,
    version: str,
    written_at: datetime,
    core_hour_price: float | None = None,
) -> FrontPage:
    """`paged` are the cohorts that have a page."""
    cohorts = most_core_hours(summary.cohorts)
    recommended, new = top_recommendations(cohorts, paged), new_recommendations(cohorts, paged)
    insights = top_insights(cohorts, paged)
    return FrontPage(
        version=version,
        written_at=written_at,
        logs=summary.logs,
        size_bytes=summary.size_bytes,
        total=_total(cohorts),
        cohorts=[_row(cohort, paged.get(cohort.cohort)) for cohort in cohorts],
        pages=len(paged),
        recommendations=recommended[:MOST_SHOWN],
        recommendations_in_all=len(recommended),
        new=new[:MOST_SHOWN],
        new_in_all=len(new),
        insights=insights[:MOST_SHOWN],
        insights_in_all=len(insights),
        backtest=summary.backtest,
        unread=grouped(summary.unread),
        unread_in_all=len(summary.unread),
        problems=[shortened(problem) for problem in summary.problems],
        core_hour_price=core_hour_price,
        unused=unused(cohorts),
    )


def most_core_hours(cohorts: Iterable[CohortReplay]) -> list[CohortReplay]:
    return sorted(cohorts, key=lambda c: (-c.core_hours, -c.query_seconds, c.cohort))


def _row(cohort: CohortReplay, page: Paged | None) -> CohortRow:
    return CohortRow(
        cohort=cohort.cohort,
        page=page.number if page else None,
        runs=cohort.runs,
        measured=cohort.measured,
        first_at=cohort.first_at,
        last_at=cohort.last_at,
        query_seconds=cohort.query_seconds,
        core_hours=cohort.core_hours,
        saved=saved_of(cohort),
        next_saved=Seconds.of(cohort.next_saved) if cohort.next_saved else None,
        advised=_lacked(cohort),
        live=cohort.live,
        as_live=cohort.as_live,
        allocated_core_hours=cohort.allocated_core_hours,
        allocated_runs=cohort.allocated_runs,
        saved_core_hours_if_unset=cohort.saved_core_hours_if_unset,
    )


def _total(cohorts: Collection[CohortReplay]) -> CohortRow | None:
    """All cohorts as one; None where there is none."""
    if not cohorts:
        return None
    following = summed([c.next_saved for c in cohorts if c.next_saved])
    return CohortRow(
        cohort="",
        page=None,
        runs=sum(c.runs for c in cohorts),
        measured=sum(c.measured for c in cohorts),
        first_at=min(c.first_at for c in cohorts),
        last_at=max(c.last_at for c in cohorts),
        query_seconds=sum(c.query_seconds for c in cohorts),
        core_hours=sum(c.core_hours for c in cohorts),
        saved=saved_in(cohorts),
        next_saved=Seconds.of(following) if following else None,
        advised=sum(map(_lacked, cohorts)),
        live=sum(c.live for c in cohorts),
        as_live=sum(c.as_live for c in cohorts),
        allocated_core_hours=sum(c.allocated_core_hours for c in cohorts),
        allocated_runs=sum(c.allocated_runs for c in cohorts),
        saved_core_hours_if_unset=sum(c.saved_core_hours_if_unset for c in cohorts),
    )


def _lacked(cohort: CohortReplay) -> int:
    return sum(advised.runs > 0 for advised in cohort.advised)
