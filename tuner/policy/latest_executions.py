"""The executions of a query that its columns are learned from: of the latest nights, and in each of the same values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import chain

from tuner.model.query import Query
from tuner.model.query_values import FilterCondition
from tuner.plan.digest import digest

# Four weeks of a nightly job. Of what runs so often that these would be more executions, a week and the night before it: a day
# has to advance twice, and days of a week differ.
MOST_NIGHTS = 28
LEAST_NIGHTS = 8
MOST_EXECUTIONS = 500

# An execution, and the number of its night.
Ran = tuple[int, Query]


def latest_executions(executions: Iterable[Ran]) -> list[Ran]:
    """Of one query's executions, oldest first, those of the latest nights that are no more than `MOST_EXECUTIONS` together; and
    of `LEAST_NIGHTS` in any case, of each up to as many, with those that stand out."""
    nights = _by_night(executions)
    since = max(nights, default=0) - MOST_NIGHTS
    kept: list[list[Ran]] = []
    for ran in reversed([ran for night, ran in nights.items() if night > since]):
        if len(kept) >= LEAST_NIGHTS and sum(map(len, kept)) + len(ran) > MOST_EXECUTIONS:
            break
        kept.append(ran)
    return _up_to(MOST_EXECUTIONS, kept[::-1])


def few_of(executions: Sequence[Ran]) -> Sequence[Ran]:
    """`MOST_EXECUTIONS` of these, as many of each night, with those that stand out."""
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
    """So many of each night, told by what several nights ask: the same tenants in each, whatever its day; and besides those with
    the most and the fewest rows of each part: the largest of many tenants may be among the others."""
    if all(len(ran) <= most for ran in nights):
        return list(chain.from_iterable(nights))
    asked = ({condition for _, query in ran for condition in query.conditions or ()} for ran in nights)
    again = {condition for condition, times in Counter(chain.from_iterable(asked)).items() if times > 1}
    kept = ({*_first_of_each(ran, again)[:most], *_most_and_fewest(ran)} for ran in nights)
    return [ran[place] for ran, places in zip(nights, kept, strict=True) for place in sorted(places)]


def _most_and_fewest(ran: Sequence[Ran]) -> Iterator[int]:
    """The places of the executions with the most and the fewest rows of each part."""
    most: dict[str, tuple[int, int]] = {}
    fewest: dict[str, tuple[int, int]] = {}
    for place, (_, query) in enumerate(ran):
        for part, rows in query.row_counts:
            if part not in most or rows > most[part][0]:
                most[part] = rows, place
            if part not in fewest or rows < fewest[part][0]:
                fewest[part] = rows, place
    yield from (place for _, place in (*most.values(), *fewest.values()))


def _first_of_each(ran: Sequence[Ran], told_by: Set[FilterCondition]) -> list[int]:
    """The places of one of each value before the second of any, of any in no order of columns: tenants of all regions."""
    turns = Counter[tuple[FilterCondition, ...]]()
    placed = []
    for place, (_, query) in enumerate(ran):
        values = tuple(condition for condition in query.conditions or () if condition in told_by)
        placed.append((turns[values], digest(repr(values)), place))
        turns[values] += 1
    return [place for *_, place in sorted(placed)]
