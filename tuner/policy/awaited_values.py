"""What was to be tried on values that have not come again: a job that runs for one tenant a night has the others in between."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Self

from tuner.model.change import Change
from tuner.model.decision import DecidedChange
from tuner.model.query import Query, QueryStatus
from tuner.model.run import Run
from tuner.policy.usable import usable

# After so many runs nothing else waits with it: a week of nights.
SOON_RUNS = 7


@dataclass(frozen=True, slots=True)
class Awaited:
    """A change to a join as it was last advised, and the classes of values that it was meant for and has not met since.

    `runs` that were measured have passed since one of them was last seen.
    """

    change: Change
    literals: frozenset[str]
    runs: int = 0

    def after(self, ran: Set[str]) -> Self:
        """As it is after a run with these classes."""
        return replace(self, literals=self.literals - ran, runs=0 if self.literals & ran else self.runs + 1)


def awaited_values(runs: Sequence[Run]) -> Mapping[str, Awaited]:
    """By the id of a change that was in force in one of these runs, oldest first: what it still waits for.

    `runs` have the classes of their values (`tuner.policy.literal_classes`); a class that none of them had is nothing to wait
    for: columns that are known to move no rows since then have made it part of another.
    """
    seen: dict[str, set[str]] = {}
    found: dict[str, Awaited] = {}
    for run in runs:
        for decided in filter(_acts_on_values, run.decision.in_force):
            known = seen.get(decided.change.query or "", set())
            before = found.get(decided.id) or Awaited(decided.change, frozenset())
            meant = before.literals | (known & set(decided.literals))
            found[decided.id] = Awaited(decided.change, meant, before.runs if meant == before.literals else 0)
        if usable(run) and run.outcome:
            ran = _classes(run.outcome.queries)
            for fingerprint, classes in ran.items():
                seen.setdefault(fingerprint, set()).update(classes)
            found = {id_: one.after(ran.get(one.change.query or "", set())) for id_, one in found.items()}
    return {id_: one for id_, one in found.items() if one.literals}


def _acts_on_values(decided: DecidedChange) -> bool:
    return decided.change.is_on_joins and bool(decided.literals)


def _classes(queries: Iterable[Query]) -> dict[str, set[str]]:
    """The classes of the executions that came to their end, by fingerprint."""
    found: dict[str, set[str]] = {}
    for query in queries:
        if query.status is QueryStatus.SUCCEEDED and query.literals:
            found.setdefault(query.fingerprint, set()).add(query.literals)
    return found
