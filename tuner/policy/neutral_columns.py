"""The columns whose values move a query's rows little, learned from its runs: a directive may act whatever these are.

A date that advances, or the id of each night's batch, is another value every night; so is a tenant in a loop, whose rows
may be a hundred times as many. What tells them apart is what each move did to the rows that were measured.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain, combinations, takewhile
from statistics import median

from tuner.model.query import Query
from tuner.model.query_values import is_computed
from tuner.model.row_count import SIDE, RowCount
from tuner.policy.latest_executions import Ran, few_of, latest_executions

# Rows may be off so many times from their median, as days of a week are: the size of an input may grow as much, too, before a
# directive no longer acts (`tuner.advice.head_room.MOST_GROWTH`). Fewer rows than these are few, whatever their ratio.
ROWS_BOUND = 4.0
FEW_ROWS = 1000
# A value that was never there before has to have moved twice. One that comes back, or is one of several in a run, is a
# category: some of these are rare and others frequent, and as many have to be alike.
LEAST_ADVANCES = 3
LEAST_CATEGORIES = 8
# What always moves together is one group: of part of it nothing could be known. Subsets of so many groups are looked at.
MOST_GROUPS = 6


def neutral_columns(executions: Sequence[Ran]) -> frozenset[str]:
    """Of the executions of one query, oldest first, the most columns (`FilterCondition.columns`) that may take any values: for
    equal values of the others no rows of a relation or a join left their bounds while they moved."""
    latest = [one for one in latest_executions(executions) if one[1].conditions is not None]
    known = [_known(*one) for one in latest]
    # Of most subsets that are not neutral a few executions tell so in less time; all of them, whether one is.
    sample = few_of(latest)
    few = known if sample is latest else [_known(*one) for one in sample]
    named = {columns for one in known for columns in one.values if columns}
    seen = {columns: len({values for _, values in _taken(columns, known)}) for columns in named - _of_several(known)}
    moved = sorted((c for c in seen if seen[c] >= LEAST_ADVANCES), key=lambda c: (-seen[c], c))
    for columns in _most_first(_moved_together(moved, known)[:MOST_GROUPS]):
        if not _are_far_apart(columns, few) and _are_neutral(columns, known):
            return columns
    return frozenset()


def _moved_together(moved: Iterable[str], known: Sequence[_Known]) -> list[list[str]]:
    """Groups of columns each of which has other values in the same executions, such as the date of each table of snapshots."""
    groups: dict[tuple[int, ...], list[str]] = {}
    for columns in moved:
        seen: dict[tuple[str, ...], int] = {}
        taken = tuple(seen.setdefault(one.values.get(columns, ()), len(seen)) for one in known)
        groups.setdefault(taken, []).append(columns)
    return list(groups.values())


def _most_first(groups: Sequence[Sequence[str]]) -> list[frozenset[str]]:
    several = chain.from_iterable(combinations(groups, size) for size in range(len(groups), 0, -1))
    return sorted((frozenset(chain.from_iterable(one)) for one in several), key=len, reverse=True)


@dataclass(frozen=True, slots=True)
class _Known:
    """An execution, with the values that it asks of each of its columns, and the relations, joins and sides of joins whose rows
    it counted; `filtered` are the relations that keys of others filtered as well, as it ran."""

    night: int
    values: Mapping[str, tuple[str, ...]]
    counts: Sequence[RowCount]
    relations: frozenset[str]
    joins: frozenset[str]
    sides: frozenset[str]
    filtered: tuple[str, ...]

    def filtered_by_keys(self, count: RowCount) -> tuple[str, ...]:
        """Those whose missing rows a count may lack: all of them, where it is of a join or of a side of one."""
        return self.filtered if self.filtered and count.relation in ("", *self.filtered) else ()


def _known(night: int, query: Query) -> _Known:
    found: dict[str, list[str]] = {}
    for columns, values in query.conditions or ():
        found.setdefault(columns, []).append(values)
    relations = frozenset(count.relation for count in query.row_counts if count.relation)
    of_joins = frozenset(count.part for count in query.row_counts if not count.relation)
    sides = frozenset(part for part in of_joins if part.startswith(SIDE))
    values_by_columns = {columns: tuple(sorted(values)) for columns, values in found.items()}
    filtered = query.runtime_filtered
    return _Known(night, values_by_columns, query.row_counts, relations, of_joins - sides, sides, filtered)


def _of_several(known: Iterable[_Known]) -> set[str]:
    """What is computed under one name in several conditions: these may have nothing to do with one another."""
    return {c for one in known for c, values in one.values.items() if is_computed(c) and len(values) > 1}


def _taken(columns: str, known: Iterable[_Known]) -> list[tuple[int, tuple[str, ...]]]:
    """The nights, and what each asked of the columns. Of what is computed, nothing is no value: logs alone do not tell of rows in
    a query's text."""
    asking = (one for one in known if columns in one.values or not is_computed(columns))
    return [(one.night, one.values.get(columns, ())) for one in asking]


def _groups(columns: frozenset[str], known: Iterable[_Known]) -> Iterable[list[_Known]]:
    """Those that ask the same of all other columns."""
    groups: dict[object, list[_Known]] = {}
    for one in known:
        fixed = frozenset((c, values) for c, values in one.values.items() if c not in columns)
        groups.setdefault(fixed, []).append(one)
    return groups.values()


def _are_far_apart(columns: frozenset[str], few: Iterable[_Known]) -> bool:
    """Whether rows moved so far that whatever others had does not bring both ends within bounds of one median."""
    for group in _groups(columns, few):
        moved = _moved(columns, group)
        several = chain.from_iterable(by_filter.values() for by_filter in _rows(moved, group)) if moved else ()
        if any(max(rows) + FEW_ROWS > ROWS_BOUND**2 * (min(rows) + FEW_ROWS) for rows in several):
            return True
    return False


def _are_neutral(columns: frozenset[str], known: Iterable[_Known]) -> bool:
    unproven = set(columns)
    for group in _groups(columns, known):
        moved = _moved(columns, group)
        if not moved:
            continue
        counted = _counted(moved, group)
        if _moved(columns, counted) != moved or not all(map(_are_of_one_size, _rows(moved, group))):
            return False
        alike = _filtered_alike(counted)
        unproven -= {c for c in moved if any(_is_proven(_taken(c, several)) for several in alike)}
    return not unproven


def _moved(columns: Iterable[str], group: Sequence[_Known]) -> set[str]:
    return {c for c in columns if len({values for _, values in _taken(c, group)}) > 1}


def _counted(moved: Set[str], group: Sequence[_Known]) -> list[_Known]:
    """The latest of them, as far back as each counted the rows of the filtered relations: earlier versions counted fewer.

    Of what is computed nothing tells whose rows it filters: each has to have the joins of the latest, with all their sides.
    """
    read = [columns for columns in moved if not is_computed(columns)]
    latest = list(takewhile(lambda one: all(_is_of(columns, one.relations) for columns in read), reversed(group)))
    if len(read) < len(moved):
        latest = [one for one in latest if one.joins and one.sides and _has_joins_of(latest[0], one)]
    return latest[::-1]


def _has_joins_of(latest: _Known, one: _Known) -> bool:
    return (one.joins, one.sides) == (latest.joins, latest.sides)


def _filtered_alike(known: Iterable[_Known]) -> list[list[_Known]]:
    found: dict[tuple[str, ...], list[_Known]] = {}
    for one in known:
        found.setdefault(one.filtered, []).append(one)
    return list(found.values())


def _is_of(columns: str, relations: Iterable[str]) -> bool:
    return any(columns.startswith(f"{relation}.") for relation in relations)


def _rows(moved: Collection[str], group: Iterable[_Known]) -> Iterator[Mapping[tuple[str, ...], list[int]]]:
    """Those of each part that the moved columns may move, in all executions that counted it, by what keys of others filtered."""
    counted: dict[str, dict[tuple[str, ...], list[int]]] = {}
    for one in group:
        for count in one.counts:
            counted.setdefault(count.part, {}).setdefault(one.filtered_by_keys(count), []).append(count.rows)
    return (by_filter for part, by_filter in counted.items() if _may_move(moved, RowCount(part, 0)))


def _may_move(moved: Iterable[str], count: RowCount) -> bool:
    return not count.is_aside or any(is_computed(columns) or _is_of(columns, (count.relation,)) for columns in moved)


def _are_of_one_size(by_filter: Mapping[tuple[str, ...], Sequence[int]]) -> bool:
    """Rows of one part, by what keys of others filtered: those that lack some may be any fewer than all of them, and no more."""
    whole = by_filter.get((), ())
    most = (median(whole) + FEW_ROWS) * ROWS_BOUND if whole else math.inf
    return all(not any(_apart(rows)) and max(rows) + FEW_ROWS <= most for rows in by_filter.values())


def _apart(rows: Sequence[int]) -> list[bool]:
    """Of each whether it is out of bounds."""
    middle = median(rows) + FEW_ROWS
    return [not middle / ROWS_BOUND <= one + FEW_ROWS <= middle * ROWS_BOUND for one in rows]


def rows_apart(queries: Sequence[Query]) -> float:
    """Which share of these executions had a join, or a relation below one, that is out of bounds of those whose relations keys of
    others filtered alike."""
    by_filter: dict[tuple[str, ...], list[Query]] = {}
    for query in queries:
        by_filter.setdefault(query.runtime_filtered, []).append(query)
    return sum(map(_number_apart, by_filter.values())) / len(queries)


def _number_apart(queries: Sequence[Query]) -> int:
    counts = [{count.part: count.rows for count in query.row_counts if not count.is_aside} for query in queries]
    parts = set.intersection(*(set(one) for one in counts))
    apart = [_apart([one[part] for one in counts]) for part in parts]
    return sum(map(any, zip(*apart, strict=True)))


def _is_proven(taken: Sequence[tuple[int, tuple[str, ...]]]) -> bool:
    """Whether a column took enough values: `taken` are nights' numbers with the values, oldest first."""
    by_night: dict[int, set[tuple[str, ...]]] = {}
    order: list[tuple[str, ...]] = []
    for night, values in taken:
        by_night.setdefault(night, set()).add(values)
        if not order or order[-1] != values:
            order.append(values)
    advances = len(order) == len(set(order)) and all(len(several) == 1 for several in by_night.values())
    return len(set(order)) >= (LEAST_ADVANCES if advances else LEAST_CATEGORIES)
