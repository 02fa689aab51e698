"""What to look at first, over all cohorts: what would have saved most, what is new, and what only a person can change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from tuner.advice.model import Prediction
from tuner.history.model import TAKEN_OUT, DecidedAction, Standing
from tuner.panel.models import EvidenceItem, InsightItem, QueryRef, Seconds
from tuner.panel.views.texts import evidence_items, query_ref, shortened
from tuner.policy.said_since import sentence, together
from tuner.replay.model import CohortReplay
from tuner.replay.totals import SECONDS_PER_HOUR
from tuner.replay.with_changes import place_of


@dataclass(frozen=True, slots=True)
class Paged:
    """A cohort's page by its number, and what of it the front page shows: queries' descriptions by fingerprint, insights."""

    number: int
    descriptions: Mapping[str, str] = field(default_factory=dict)
    insights: Sequence[InsightItem] = ()


@dataclass(frozen=True, slots=True)
class TopRecommendation:
    """A recommendation over the runs that it was made for and that ran without it: seconds are sums over these `runs`.

    With no runs it is new: seconds and core-hours are those of the next run.
    """

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
class TopInsight:
    """An insight of a cohort's newest run, and the most core-hours that the change can gain in one such run."""

    cohort: str
    page: int
    core_hours: float
    insight: InsightItem


def top_recommendations(cohorts: Iterable[CohortReplay], paged: Mapping[str, Paged]) -> list[TopRecommendation]:
    """Those that would have saved most core-hours first."""
    found = (
        _recommendation(c.cohort, a.last, a.seconds, a.core_hours, a.runs, paged) for c in cohorts for a in c.advised
    )
    return sorted(found, key=attrgetter("core_hours"), reverse=True)


def new_recommendations(cohorts: Iterable[CohortReplay], paged: Mapping[str, Paged]) -> list[TopRecommendation]:
    """What the next run would be told that no run so far was to have; those that would save it most core-hours first."""
    found = (
        _recommendation(c.cohort, group, predicted, predicted.gain * _cores(c) / SECONDS_PER_HOUR, 0, paged)
        for c in cohorts
        for group in _new(c)
        if (predicted := group[0].predicted_seconds) is not None
    )
    return sorted(found, key=attrgetter("core_hours"), reverse=True)


def top_insights(cohorts: Iterable[CohortReplay], paged: Mapping[str, Paged]) -> list[TopInsight]:
    """Of the cohorts with a page; those on which most core-hours of one run went first."""
    found = (
        TopInsight(c.cohort, page.number, insight.seconds * _cores(c) / SECONDS_PER_HOUR, insight)
        for c in cohorts
        if (page := paged.get(c.cohort)) is not None
        for insight in page.insights
    )
    return sorted(found, key=attrgetter("core_hours"), reverse=True)


def _new(cohort: CohortReplay) -> Iterator[tuple[DecidedAction, ...]]:
    known = {place_of(decided.action for decided in advised.last) for advised in cohort.advised}
    groups: dict[object, list[DecidedAction]] = {}
    for decided in cohort.next.actions:
        if decided.standing not in TAKEN_OUT:
            groups.setdefault(together(decided), []).append(decided)
    return (tuple(group) for group in groups.values() if place_of(d.action for d in group) not in known)


def _cores(cohort: CohortReplay) -> float:
    """Of its runs' clusters, by the time that was spent on them."""
    return cohort.core_hours * SECONDS_PER_HOUR / cohort.query_seconds if cohort.query_seconds else 0.0


def _recommendation(
    cohort: str,
    group: Sequence[DecidedAction],
    predicted: Prediction,
    core_hours: float,
    runs: int,
    paged: Mapping[str, Paged],
) -> TopRecommendation:
    first, page, p = group[0], paged.get(cohort), predicted
    queries = dict.fromkeys(fingerprint for decided in group for fingerprint in decided.queries)
    return TopRecommendation(
        cohort=cohort,
        page=page.number if page else None,
        words=[shortened(decided.action.words) for decided in group],
        standing=first.standing,
        sentence=shortened(sentence(first)),
        runs=runs,
        core_hours=core_hours,
        predicted=Seconds(before=p.before, after=p.after, low=p.low, high=p.high, gain=p.gain),
        evidence=evidence_items(first.evidence),
        queries=[query_ref(fingerprint, page.descriptions if page else {}) for fingerprint in queries],
    )
