"""What to look at first, over all cohorts: what would have saved most, what is new, and what only a person can change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from tuner.model.decision import Standing
from tuner.panel.models.evidence import EvidenceItem
from tuner.panel.models.insights import InsightItem
from tuner.panel.models.query_ref import QueryRef
from tuner.panel.models.recommendations import Seconds
from tuner.panel.views.texts import evidence_items, query_ref, shortened
from tuner.replay.cohort_replay import Advised, CohortReplay
from tuner.units import SECONDS_PER_HOUR
from tuner.words.actions import action_words
from tuner.words.already_set import already_set_words
from tuner.words.query_names import QueryNames
from tuner.words.reasons import reason_words


@dataclass(frozen=True, slots=True)
class Paged:
    """A cohort's page by its number, and what of it the front page shows: insights."""

    number: int
    insights: Sequence[InsightItem] = ()


@dataclass(frozen=True, slots=True)
class TopRecommendation:
    """A recommendation over the runs that it was made for and that ran without it: seconds are sums over these `runs`.

    With no runs it is new: seconds and core-hours are those of the next run. `already_set` says what of it the runs had set.
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
    already_set: str = ""


@dataclass(frozen=True, slots=True)
class TopInsight:
    """An insight of a cohort's newest run, and the most core-hours that the change can gain in one such run."""

    cohort: str
    page: int
    core_hours: float
    insight: InsightItem


def top_recommendations(cohorts: Iterable[CohortReplay], paged: Mapping[str, Paged]) -> list[TopRecommendation]:
    """Those that would have saved most core-hours first; after them those of properties that runs had set."""
    return _ranked(cohorts, paged, new=False)


def new_recommendations(cohorts: Iterable[CohortReplay], paged: Mapping[str, Paged]) -> list[TopRecommendation]:
    """What the next run would be told that no run so far was to have; those that would save it most core-hours first."""
    return _ranked(cohorts, paged, new=True)


def top_insights(cohorts: Iterable[CohortReplay], paged: Mapping[str, Paged]) -> list[TopInsight]:
    """Of the cohorts with a page; those on which most core-hours of one run went first."""
    found = (
        TopInsight(c.cohort, page.number, insight.seconds * _cores(c) / SECONDS_PER_HOUR, insight)
        for c in cohorts
        if (page := paged.get(c.cohort)) is not None
        for insight in page.insights
    )
    return sorted(found, key=attrgetter("core_hours"), reverse=True)


def _cores(cohort: CohortReplay) -> float:
    """Of its runs' clusters, by the time that was spent on them, shared out among queries that ran at once."""
    return cohort.core_hours * SECONDS_PER_HOUR / cohort.query_seconds if cohort.query_seconds else 0.0


def _ranked(cohorts: Iterable[CohortReplay], paged: Mapping[str, Paged], *, new: bool) -> list[TopRecommendation]:
    found = (_recommendation(c, a, paged.get(c.cohort)) for c in cohorts for a in c.advised if (a.runs == 0) is new)
    return sorted(found, key=lambda one: (bool(one.already_set), -one.core_hours))


def _recommendation(cohort: CohortReplay, advised: Advised, page: Paged | None) -> TopRecommendation:
    first, names = advised.last[0], QueryNames.known(cohort.names)
    queries = dict.fromkeys(fingerprint for decided in advised.last for fingerprint in decided.queries)
    return TopRecommendation(
        cohort=cohort.cohort,
        page=page.number if page else None,
        words=[shortened(action_words(action, names)) for decided in advised.last for action in decided.change.actions],
        standing=first.standing,
        sentence=shortened(reason_words(first.why, names)),
        runs=advised.runs,
        core_hours=advised.core_hours,
        predicted=Seconds.of(advised.seconds),
        evidence=evidence_items(first.change.evidence),
        queries=[query_ref(fingerprint, names) for fingerprint in queries],
        already_set=shortened(already_set_words(advised.already_set)),
    )
