"""The executions of a query that its columns are learned from: of the latest nights, and in each of the same values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from itertools import chain

from tuner.model.query import Query
from tuner.model.query_values import FilterCondition

# Four weeks of a nightly job. Of what runs so often that these would be more executions, a week and the night before it: a day
# has to advance twice, and days of a week differ.
MOST_NIGHTS = 28
LEAST_NIGHTS = 8
MOST_EXECUTIONS = 500

# An execution, and the number of its night.
Ran = tuple[int, Query]


def latest_executions(executions: Iterable[Ran]) -> list[Ran]:
    """Of one query's executions, oldest first, those of the latest nights that are no more than `MOST_EXECUTIONS` together; and
    of `LEAST_NIGHTS` in any case, of each up to as many."""
    nights = _by_night(executions)
    since = max(nights, default=0) - MOST_NIGHTS
    kept: list[list[Ran]] = []
    for ran in reversed([ran for night, ran in nights.items() if night > since]):
        if len(kept) >= LEAST_NIGHTS and sum(map(len, kept)) + len(ran) > MOST_EXECUTIONS:
            break
        kept.append(ran)
    return _up_to(MOST_EXECUTIONS, kept[::-1])


def few_of(executions: Sequence[Ran]) -> Sequence[Ran]:
    """`MOST_EXECUTIONS` of these, as many of each night."""
    if len(executions) <= MOST_EXECUTIONS:
        return executions
    nights = list(_by_night(executions).values())
    return _up_to(MOST_EXECUTIONS // len(nights), nights)


def _by_night(executions: Iterable[Ran]) -> dict[int, list[Ran]]:
    found: dict[int, list[Ran]] = {}
    for night, query in executions:
        found.setdefault(night, []).append((night, query))
    return found


def _up_to(most: int, nights: Sequence[Sequence[Ran]]) -> list[Ran]:
    """So many of each night, told by what several nights ask: the same tenants in each, whatever its day."""
    if all(len(ran) <= most for ran in nights):
        return list(chain.from_iterable(nights))
    asked = ({condition for _, query in ran for condition in query.conditions or ()} for ran in nights)
    again = {condition for condition, times in Counter(chain.from_iterable(asked)).items() if times > 1}
    return [one for ran in nights for one in _first_of_each(ran, again)[:most]]


def _first_of_each(ran: Sequence[Ran], told_by: Set[FilterCondition]) -> list[Ran]:
    """One of each value before the second of any."""
    turns = Counter[tuple[FilterCondition, ...]]()
    placed = []
    for place, (_, query) in enumerate(ran):
        values = tuple(condition for condition in query.conditions or () if condition in told_by)
        placed.append((turns[values], values, place))
        turns[values] += 1
    return [ran[place] for *_, place in sorted(placed)]
