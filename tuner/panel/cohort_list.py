"""Many cohorts, chosen, sorted and summed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tuner.history.cohort_rows import CohortSummary
from tuner.model.cohort_figures import Gained
from tuner.model.decision import CohortState


class CohortOrder(StrEnum):
    """What a list of cohorts is sorted by: its last run's figures, largest first, or its name."""

    CORE_HOURS = "core_hours"
    SECONDS = "seconds"
    GAINED = "gained"
    WAITING = "waiting"
    LAST_RUN = "last_run"
    STATE = "state"
    RUNS = "runs"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which cohorts: `search` is part of a cohort's, DAG's or task's name, or of a tag, in any case; `failed` those of whose last
    round a run failed, or left no whole log."""

    search: str = ""
    state: CohortState | None = None
    tag: str = ""
    waits: bool = False
    failed: bool = False

    def has(self, summary: CohortSummary) -> bool:
        return (
            (self.state is None or summary.stance.state is self.state)
            and (not self.tag or self.tag in summary.tags)
            and (not self.waits or summary.stance.waiting > 0)
            and (not self.failed or _failed(summary))
            and self._is_named(summary)
        )

    def _is_named(self, summary: CohortSummary) -> bool:
        wanted = self.search.strip().casefold()
        names = (summary.cohort, *(name for task in summary.tasks for name in task), *summary.tags)
        return not wanted or any(wanted in name.casefold() for name in names)


@dataclass(frozen=True, slots=True)
class CohortTotals:
    """Sums over cohorts, of the latest measured run of each: of the `known` that have one, and gained in `tuned`, which took
    `tuned_seconds` of the query seconds. `measured` were so in their last round."""

    known: int
    measured: int
    query_seconds: float
    core_hours: float
    tuned: int
    tuned_seconds: float
    gained: Gained
    waiting: int
    failed: int


def totals(summaries: Sequence[CohortSummary]) -> CohortTotals:
    figures = [summary.figures for summary in summaries if summary.figures]
    gained = [each.gained for each in figures if each.gained]
    return CohortTotals(
        known=len(figures),
        measured=sum(summary.is_measured for summary in summaries),
        query_seconds=sum(each.query_seconds for each in figures),
        core_hours=sum(each.core_hours or 0.0 for each in figures),
        tuned=len(gained),
        tuned_seconds=sum(each.query_seconds for each in figures if each.gained),
        gained=Gained(
            sum(each.seconds for each in gained),
            math.sqrt(sum(each.deviation**2 for each in gained)),
            sum(each.core_hours or 0.0 for each in gained),
        ),
        waiting=sum(summary.stance.waiting for summary in summaries),
        failed=sum(map(_failed, summaries)),
    )


def _failed(summary: CohortSummary) -> bool:
    return summary.last_round is not None and not summary.last_round.is_good


def cohorts_in_order(
    summaries: Iterable[CohortSummary], order: CohortOrder, *, reverse: bool = False
) -> list[CohortSummary]:
    """Sorted by that and then by name; what is not known comes last either way. `reverse`: the least first, or Z to A."""
    named = sorted(summaries, key=lambda summary: summary.cohort)
    if order is CohortOrder.NAME:
        return named[::-1] if reverse else named
    if order is CohortOrder.STATE:
        return sorted(named, key=lambda s: s.stance.state.value, reverse=reverse)
    value = _VALUES[order]
    known = [summary for summary in named if value(summary) is not None]
    unknown = [summary for summary in named if value(summary) is None]
    return [*sorted(known, key=lambda s: value(s) or 0.0, reverse=not reverse), *unknown]


def _core_hours(summary: CohortSummary) -> float | None:
    return summary.figures.core_hours if summary.figures else None


def _seconds(summary: CohortSummary) -> float | None:
    return summary.figures.query_seconds if summary.figures else None


def _gained(summary: CohortSummary) -> float | None:
    return summary.figures.gained.seconds if summary.figures and summary.figures.gained else None


_VALUES: dict[CohortOrder, Callable[[CohortSummary], float | None]] = {
    CohortOrder.CORE_HOURS: _core_hours,
    CohortOrder.SECONDS: _seconds,
    CohortOrder.GAINED: _gained,
    CohortOrder.WAITING: lambda summary: summary.stance.waiting,
    CohortOrder.LAST_RUN: lambda summary: summary.last_started_at.timestamp(),
    CohortOrder.RUNS: lambda summary: summary.runs,
}
