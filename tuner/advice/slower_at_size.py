"""Whether a query was slower with an action in runs that had about as much to read and to join, whatever prices say."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from statistics import median

from tuner.advice.facts import Facts, is_whole
from tuner.model.action import Action
from tuner.model.query import Query

# What is as large, give or take this factor, tells of each other; so few rows more or less are nothing.
_AS_LARGE = 1.25
_FEW_ROWS = 1000
# By so much more a query takes where it is called slower: a share, and seconds. Neighbours on the machine take less of what cores
# count than of what the clock does.
_SLOWER_SHARE, _SLOWER_SECONDS = 0.1, 0.5


def was_slower(facts: Facts, action: Action, query: Query) -> bool:
    """Whether the runs at hand with the values of a query, and relations about as large, took longer where they followed an
    action, by the clock and (where it is known) by cores: by their medians. Never where none was with it, or none without."""
    mine = chain.from_iterable(run.by_fingerprint.get(query.fingerprint, ()) for run in facts.earlier)
    now = (one for one in facts.queries if one.fingerprint == query.fingerprint)
    whole = (one for one in chain(mine, now) if one.literals == query.literals and is_whole(one))
    alike = [one for one in whole if _is_as_large(one, query)]
    with_it = [one for one in alike if action.id in one.followed]
    without = [one for one in alike if action.id not in one.followed]
    if not with_it or not without:
        return False
    more_seconds = _median(with_it, _seconds) - (1 + _SLOWER_SHARE) * _median(without, _seconds)
    more_core_seconds = _median(with_it, _core_seconds) - (1 + _SLOWER_SHARE) * _median(without, _core_seconds)
    return more_seconds > _SLOWER_SECONDS and more_core_seconds >= 0


def _median(queries: Iterable[Query], of: Callable[[Query], float]) -> float:
    return median(map(of, queries))


def _seconds(query: Query) -> float:
    return query.seconds


def _core_seconds(query: Query) -> float:
    return query.executor_run_ms / 1e3


def _is_as_large(one: Query, other: Query) -> bool:
    """By its files, and by the rows of each relation below its joins."""
    rows, others = _rows_of_relations(one), _rows_of_relations(other)
    pairs = ((rows[part] + _FEW_ROWS, others[part] + _FEW_ROWS) for part in rows.keys() & others.keys())
    return all(_are_alike(*pair) for pair in ((one.data_bytes, other.data_bytes), *pairs))


def _rows_of_relations(query: Query) -> dict[str, int]:
    return {count.part: count.rows for count in query.row_counts if count.relation and not count.is_aside}


def _are_alike(one: int, other: int) -> bool:
    return max(one, other) <= _AS_LARGE * min(one, other)
