"""What a report's front page shows: all cohorts as rows, the best recommendations of all of them, and what to trust."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from tuner.history.model import Standing
from tuner.panel.models import EvidenceItem, QueryRef, Seconds
from tuner.panel.views.texts import evidence_items, query_ref, shortened
from tuner.policy.said_since import sentence
from tuner.replay.model import Advised, Backtest, CohortReplay, ReplaySummary
from tuner.replay.report.saved import Saved, saved_in, saved_of
from tuner.replay.report.unread import UnreadGroup, grouped

# As many as somebody would read; each cohort's page has all of its own.
MOST_RECOMMENDATIONS = 100


@dataclass(frozen=True, slots=True)
class CohortRow:
    """A cohort in the list. `page` is the number of its page in the report, None where it has none. `live` counts the runs
    that the tuner steered, `as_live` those of them whose decision reads the same in the replay.
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
    advised: int
    live: int
    as_live: int


@dataclass(frozen=True, slots=True)
class TopRecommendation:
    """A recommendation over all runs that it was made for and that ran without it; seconds are sums over these runs."""

    cohort: str
    page: int | None
    words: list[str]
    standing: Standing
    sentence: str
    runs: int
    core_hours: float
    predicted: Seconds
    evidence: list[EvidenceItem]
    queries: list[QueryRef]


@dataclass(frozen=True, slots=True)
class FrontPage:
    """`cohorts` are those with the most core-hours first, `recommendations` those that save the most of them; of
    `recommendations_in_all` at most MOST_RECOMMENDATIONS are here. `pages` cohorts have a page of their own.
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
    backtest: Backtest | None
    unread: list[UnreadGroup]
    unread_in_all: int
    problems: list[str]


def front_page(
    summary: ReplaySummary,
    paged: Sequence[str],
    descriptions: Mapping[str, Mapping[str, str]],
    *,
    version: str,
    written_at: datetime,
) -> FrontPage:
    """`paged` are the cohorts with a page, in order; `descriptions` has those of queries, by cohort and fingerprint."""
    number = {cohort: page for page, cohort in enumerate(paged)}
    cohorts = most_core_hours(summary.cohorts)
    ranked = sorted(((a, c) for c in cohorts for a in c.advised), key=lambda found: -found[0].core_hours)
    shown = ranked[:MOST_RECOMMENDATIONS]
    return FrontPage(
        version=version,
        written_at=written_at,
        logs=summary.logs,
        size_bytes=summary.size_bytes,
        total=_total(cohorts),
        cohorts=[_row(cohort, number.get(cohort.cohort)) for cohort in cohorts],
        pages=len(paged),
        recommendations=[_top(a, c.cohort, number, descriptions.get(c.cohort, {})) for a, c in shown],
        recommendations_in_all=len(ranked),
        backtest=summary.backtest,
        unread=grouped(summary.unread),
        unread_in_all=len(summary.unread),
        problems=[shortened(problem) for problem in summary.problems],
    )


def most_core_hours(cohorts: Iterable[CohortReplay]) -> list[CohortReplay]:
    return sorted(cohorts, key=lambda c: (-c.core_hours, -c.query_seconds, c.cohort))


def _row(cohort: CohortReplay, page: int | None) -> CohortRow:
    return CohortRow(
        cohort=cohort.cohort,
        page=page,
        runs=cohort.runs,
        measured=cohort.measured,
        first_at=cohort.first_at,
        last_at=cohort.last_at,
        query_seconds=cohort.query_seconds,
        core_hours=cohort.core_hours,
        saved=saved_of(cohort),
        advised=len(cohort.advised),
        live=cohort.live,
        as_live=cohort.as_live,
    )


def _total(cohorts: Collection[CohortReplay]) -> CohortRow | None:
    """All cohorts as one; None where there is none."""
    if not cohorts:
        return None
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
        advised=sum(len(c.advised) for c in cohorts),
        live=sum(c.live for c in cohorts),
        as_live=sum(c.as_live for c in cohorts),
    )


def _top(
    advised: Advised, cohort: str, number: Mapping[str, int], descriptions: Mapping[str, str]
) -> TopRecommendation:
    first = advised.last[0]
    p = advised.seconds
    queries = dict.fromkeys(fingerprint for decided in advised.last for fingerprint in decided.queries)
    return TopRecommendation(
        cohort=cohort,
        page=number.get(cohort),
        words=[shortened(decided.action.words) for decided in advised.last],
        standing=first.standing,
        sentence=shortened(sentence(first)),
        runs=advised.runs,
        core_hours=advised.core_hours,
        predicted=Seconds(before=p.before, after=p.after, low=p.low, high=p.high, gain=p.gain),
        evidence=evidence_items(first.evidence),
        queries=[query_ref(fingerprint, descriptions) for fingerprint in queries],
    )
