"""What changes gained and lost in a time, summed in the ways that people ask for."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

from tuner.history.cohort_rows import CohortSummary
from tuner.history.saving_rows import week_of
from tuner.history.store import Store
from tuner.model.run import Run
from tuner.model.saved import Saved, SavedByChange, SavedInWeek
from tuner.words.changes import trial_words
from tuner.words.query_names import names_in
from tuner.words.short_ids import short_id

# What is listed of changes: those that gained or lost most.
MOST_CHANGES = 50
ALL_CHANGES = 1_000_000

_Key = TypeVar("_Key", bound=Hashable)
_Row = TypeVar("_Row")


@dataclass(frozen=True, slots=True)
class OfWeek:
    """`week` is its Monday, in UTC: `2026-11-23`."""

    week: str
    saved: Saved


@dataclass(frozen=True, slots=True)
class OfTag:
    """All cohorts with a DAG's tag ("": without any). A cohort with two tags counts for both."""

    tag: str
    cohorts: int
    saved: Saved


@dataclass(frozen=True, slots=True)
class OfCohort:
    cohort: str
    tags: tuple[str, ...]
    saved: Saved


@dataclass(frozen=True, slots=True)
class OfChange:
    """A change with those that need it. `words` say what it does; "" for other sizes than the job's own, which are no change."""

    cohort: str
    change_id: str
    short_id: str
    words: str
    saved: Saved
    first_at: datetime
    last_at: datetime


@dataclass(frozen=True, slots=True)
class SavingsReport:
    """From the Monday `since` on. Parts of one way to sum add up to `total`, but for tags, of which a cohort may have several,
    and for changes, of which only the largest are listed (`changes_are_all`: there are no others)."""

    since: str
    total: Saved
    weeks: tuple[OfWeek, ...]
    tags: tuple[OfTag, ...]
    cohorts: tuple[OfCohort, ...]
    changes: tuple[OfChange, ...]
    changes_are_all: bool = True


def savings_report(
    store: Store,
    since: datetime,
    cohorts: Sequence[CohortSummary],
    *,
    are_all: bool = True,
    may_read_code: Callable[[CohortSummary], bool] = lambda _: True,
    most_changes: int = MOST_CHANGES,
) -> SavingsReport:
    """Of these cohorts (`are_all`: the store has no others), from the week of `since` on, those that gained most first.

    Queries are called what the job calls them only where `may_read_code`.
    """
    known = {summary.cohort: summary for summary in cohorts}
    asked = None if are_all else list(known)
    by_week = [one for one in store.saved_by_week(asked, since) if one.cohort in known]
    by_cohort = _summed((one.cohort, one.saved) for one in by_week)
    largest = store.saved_by_change(asked, since, most_changes)
    changes = [one for one in largest if one.cohort in known]
    return SavingsReport(
        since=week_of(since),
        total=apart(by_cohort.values()),
        weeks=_weeks(by_week),
        tags=_tags(by_cohort, known),
        cohorts=tuple(
            OfCohort(cohort, known[cohort].tags, saved)
            for cohort, saved in sorted(by_cohort.items(), key=lambda item: (-item[1].seconds, item[0]))
        ),
        changes=_changes(store, changes, known, may_read_code),
        changes_are_all=len(largest) < most_changes,
    )


def ends(rows: Sequence[_Row], most: int) -> Sequence[_Row]:
    """At most so many of rows that are sorted: the first, which gained most, and the last, which lost most."""
    losses = most // 2
    return rows if len(rows) <= most else [*rows[: most - losses], *rows[len(rows) - losses :]]


def apart(parts: Iterable[Saved]) -> Saved:
    """The sum of what different cohorts gained: what is unsure of one tells nothing of another."""
    parts = list(parts)
    return replace(_added(parts), deviation=math.sqrt(sum(one.deviation**2 for one in parts)))


def _summed(parts: Iterable[tuple[_Key, Saved]]) -> dict[_Key, Saved]:
    """By key, over time: what is unsure of a change is so in every run alike."""
    found: dict[_Key, list[Saved]] = {}
    for key, saved in parts:
        found.setdefault(key, []).append(saved)
    return {key: _added(of_key) for key, of_key in found.items()}


def _added(parts: Sequence[Saved]) -> Saved:
    return Saved(
        seconds=sum(one.seconds for one in parts),
        deviation=sum(one.deviation for one in parts),
        lost_seconds=sum(one.lost_seconds for one in parts),
        core_hours=sum(one.core_hours for one in parts),
        gib_hours=sum(one.gib_hours for one in parts),
        runs=sum(one.runs for one in parts),
        failed=sum(one.failed for one in parts),
    )


def _weeks(by_week: Iterable[SavedInWeek]) -> tuple[OfWeek, ...]:
    found: dict[str, list[Saved]] = {}
    for one in by_week:
        found.setdefault(one.week, []).append(one.saved)
    return tuple(OfWeek(week, apart(found[week])) for week in sorted(found))


def _tags(by_cohort: Mapping[str, Saved], known: Mapping[str, CohortSummary]) -> tuple[OfTag, ...]:
    found: dict[str, list[Saved]] = {}
    for cohort, saved in by_cohort.items():
        for tag in known[cohort].tags or ("",):
            found.setdefault(tag, []).append(saved)
    tags = (OfTag(tag, len(of_tag), apart(of_tag)) for tag, of_tag in found.items())
    return tuple(sorted(tags, key=lambda one: (-one.saved.seconds, one.tag)))


def _changes(
    store: Store,
    found: Sequence[SavedByChange],
    known: Mapping[str, CohortSummary],
    may_read_code: Callable[[CohortSummary], bool],
) -> tuple[OfChange, ...]:
    by_cohort: dict[str, list[SavedByChange]] = {}
    for one in found:
        by_cohort.setdefault(one.cohort, []).append(one)
    told: list[OfChange] = []
    # A cohort at a time: together the runs of many hold gigabytes.
    for cohort, changes in by_cohort.items():
        runs = store.last_runs_with([(cohort, one.change_id) for one in changes])
        described = may_read_code(known[cohort])
        told += [_change(one, runs.get((cohort, one.change_id)), described=described) for one in changes]
    return tuple(sorted(told, key=lambda one: (-one.saved.seconds, one.cohort, one.change_id)))


def _change(one: SavedByChange, run: Run | None, *, described: bool) -> OfChange:
    # One whose runs cannot be read any more is called what it is in the store.
    words, id_ = one.change_id, short_id(one.change_id) if one.change_id else ""
    trial = [d.change for d in run.decision.changes if d.change.trial == one.change_id] if run else []
    if run and trial:
        words = trial_words(trial, names_in([run], described=described))
    return OfChange(one.cohort, one.change_id, id_, words, one.saved, one.first_at, one.last_at)
