"""Forgetting: old runs that nothing looks at any more, and cohorts that have not run for long."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from tuner.history.old_runs import LooksAt, OldRuns
from tuner.history.store import Store

# So many runs go in one transaction, and a job that writes meanwhile waits for no more.
AT_ONCE = 50
# Who waits for SQLite's lock asks for it now and then: it has to be found free as often as not.
_LONGEST_REST_S = 0.5


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How many `runs` of so many `cohorts` that live on; how many `retired` cohorts, with their `retired_runs` and all else that
    was known of them; and the names of those that stay because a run of theirs has not ended, though nothing has begun since."""

    runs: int = 0
    cohorts: int = 0
    retired: int = 0
    retired_runs: int = 0
    unended: tuple[str, ...] = ()

    def __add__(self, other: Forgotten) -> Forgotten:
        return Forgotten(
            self.runs + other.runs,
            self.cohorts + other.cohorts,
            self.retired + other.retired,
            self.retired_runs + other.retired_runs,
            self.unended + other.unended,
        )


def forget(
    store: Store, before: datetime, looks_at: Callable[[Store, str], LooksAt], *, dry_run: bool = False
) -> Forgotten:
    """Takes out the runs that began before a time and that nothing looks at, and all that is known of cohorts that have not run
    since, nor been spoken of. `looks_at` says which runs of a cohort are looked at; `dry_run` only tells what would go.

    In small transactions: interrupted, it is done again.
    """
    found = Forgotten()
    for cohort in store.names():
        old = store.old_runs(cohort, before, looks_at(store, cohort))
        found += _told(cohort, old) if dry_run else _done(store, cohort, old, before)
    return found


def _told(cohort: str, old: OldRuns) -> Forgotten:
    """What would go of a cohort."""
    if old.is_retired:
        return Forgotten(retired=1, retired_runs=len(old.keys))
    return Forgotten(len(old.keys), int(bool(old.keys)), unended=_unended(cohort, old))


def _done(store: Store, cohort: str, old: OldRuns, before: datetime) -> Forgotten:
    """What went of a cohort."""
    if old.is_retired:
        return _retire(store, cohort, old.keys, before)
    runs = sum(store.forget_runs(cohort, keys, before) for keys in _batches(old.keys))
    return Forgotten(runs, int(bool(runs)), unended=_unended(cohort, old))


def _unended(cohort: str, old: OldRuns) -> tuple[str, ...]:
    return (cohort,) if old.is_unended else ()


def _retire(store: Store, cohort: str, keys: Sequence[str], before: datetime) -> Forgotten:
    """A cohort may run again while its runs go: then the others stay."""
    runs = 0
    for some in _batches(keys) if keys else [keys]:
        gone = store.forget_cohort(cohort, some, before)
        if gone is None:
            return Forgotten(runs, int(bool(runs)))
        runs += gone
    return Forgotten(retired=1, retired_runs=runs)


def _batches(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    """AT_ONCE at a time, with a rest after each as long as what was done with it took."""
    for start in range(0, len(keys), AT_ONCE):
        since = time.monotonic()
        yield keys[start : start + AT_ONCE]
        if start + AT_ONCE < len(keys):
            time.sleep(min(time.monotonic() - since, _LONGEST_REST_S))
